package cli

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads "10s", "1m30s" or a plain number of seconds.
func parseDuration(s string) (time.Duration, error) {
	if sec, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "xXpPnNiI_") {
		s = strconv.FormatFloat(sec, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 10s, 1m30s or 2.5", s)
	}
	return d, nil
}

// parseCPUs reads a list such as "0,2-3" and returns it in order, each once.
func parseCPUs(s string) ([]int, error) {
	const most = 1 << 16
	seen := map[int]bool{}
	for _, part := range strings.Split(s, ",") {
		lo, hi, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.ParseUint(lo, 10, 16)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseUint(hi, 10, 16)
		}
		if err != nil || b < a || b >= most {
			return nil, fmt.Errorf("%q is not a list of CPUs such as 0,2-3", s)
		}
		for c := a; c <= b; c++ {
			seen[int(c)] = true
		}
	}
	list := make([]int, 0, len(seen))
	for c := range seen {
		list = append(list, c)
	}
	sort.Ints(list)
	return list, nil
}

// checkEnv refuses what is not K=V.
func checkEnv(list []string) error {
	for _, kv := range list {
		k, _, ok := strings.Cut(kv, "=")
		if !ok || k == "" || strings.ContainsRune(kv, 0) {
			return fmt.Errorf("%q is not of the form NAME=VALUE", kv)
		}
	}
	return nil
}
