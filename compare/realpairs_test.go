package compare

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A realAB is a session of testdata/ab.csv.gz: forty runs of each of two
// commands, in pairs whose order was tossed (sessions below 100), or all of A
// before all of B.
type realAB struct {
	mixed bool
	a, b  map[string][]float64 // by counter
}

// loadAB reads the sessions of one comparison: "aa" is gzip against itself,
// "gz" gzip with 1 % more input, "pipe" with 2 % more messages.
func loadAB(t *testing.T, name string) []*realAB {
	t.Helper()
	f, err := os.Open("testdata/ab.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []*realAB
	at := make(map[string]*realAB)
	for sc := bufio.NewScanner(z); sc.Scan(); {
		c := strings.Split(sc.Text(), ",")
		if c[0] != name+"A" && c[0] != name+"B" {
			continue
		}
		s := at[c[1]]
		if s == nil {
			s = &realAB{mixed: len(c[1]) < 3, a: make(map[string][]float64), b: make(map[string][]float64)}
			at[c[1]] = s
			out = append(out, s)
		}
		to := s.a
		if c[0] == name+"B" {
			to = s.b
		}
		for k, counter := range realCounters {
			x, err := strconv.ParseFloat(c[4+k], 64)
			if err != nil {
				t.Fatal(err)
			}
			to[counter] = append(to[counter], x)
		}
	}
	return out
}

// TestCalibrationRealAB: commands that differ by a known amount, or not at all.
// The pairs are random blocks of one run each.
func TestCalibrationRealAB(t *testing.T) {
	md := mdTable{head: []string{"comparison", "counter", "truth", "microcost: flagged", "its deltas, %", "intervals that hold the truth", "AAAA BBBB: poop", "Welch", "Mann-Whitney", "difference of medians, %"}}
	for _, c := range []struct {
		name, counter string
		truth         float64
	}{{"aa", "task_clock", 0}, {"aa", "elapsed", 0}, {"pipe", "ctx", .02}, {"gz", "task_clock", .01}, {"pipe", "task_clock", .02}} {
		flagged, holds, sessions := 0, 0, 0
		var least, most = math.Inf(1), math.Inf(-1)
		var peer [3]int
		var lo, hi = math.Inf(1), math.Inf(-1)
		for _, s := range loadAB(t, c.name) {
			a, b := s.a[c.counter], s.b[c.counter]
			if !s.mixed {
				peer[0] += int(one(poop(a, b)))
				peer[1] += int(one(welchT(a, b) < .05))
				peer[2] += int(one(mannWhitney(a, b) < .05))
				d := 100 * (medianOf(append([]float64(nil), b...))/medianOf(append([]float64(nil), a...)) - 1)
				lo, hi = min(lo, d), max(hi, d)
				continue
			}
			sessions++
			sizes := make([]int, len(a))
			for i := range sizes {
				sizes[i] = 1
			}
			f := simNulls.rankSum(cut(logs(a...), logs(b...), sizes...), 0.05)
			flagged += int(one(f.flag))
			holds += int(one(f.lo <= math.Log1p(c.truth) && math.Log1p(c.truth) <= f.hi))
			least, most = min(least, f.est), max(most, f.est)
			switch {
			case c.name == "aa" && f.flag:
				t.Errorf("gzip against itself is flagged on %s: %+v", c.counter, f)
			case c.counter == "ctx" && (!f.flag || math.Abs(math.Expm1(f.est)-.02) > .001):
				t.Errorf("2 %% more messages: %+v", f)
			}
		}
		md.row(c.name, c.counter, fmt.Sprintf("%.0f %%", 100*c.truth), fmt.Sprintf("%d of %d", flagged, sessions),
			fmt.Sprintf("%+.2f to %+.2f", 100*math.Expm1(least), 100*math.Expm1(most)), fmt.Sprintf("%d of %d", holds, sessions),
			fmt.Sprintf("%d of 6", peer[0]), fmt.Sprintf("%d of 6", peer[1]), fmt.Sprintf("%d of 6", peer[2]), fmt.Sprintf("%+.1f to %+.1f", lo, hi))
	}
	t.Log(md.rows)
	md.print(t, "Real commands that differ by a known amount, n=40, six sessions each:")
}
