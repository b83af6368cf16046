package workload

import (
	"testing"
	"time"
)

func TestParseSteal(t *testing.T) {
	check := func(in string, want time.Duration, ok bool) {
		t.Helper()
		if got, is := parseSteal([]byte(in)); got != want || is != ok {
			t.Errorf("parseSteal(%q) = %v, %v, want %v, %v", in, got, is, want, ok)
		}
	}
	check("cpu  1 2 3 4 5 6 7 25 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 250*time.Millisecond, true)
	check("cpu  1 2 3 4 5 6 7 0 0 0\n", 0, true)
	check("cpu  1 2 3 4\n", 0, false)
	check("intr 1 2 3 4 5 6 7 8 9\n", 0, false)
	check("", 0, false)
	check("cpu  1 2 3 4 5 6 7 x 9 10\n", 0, false)
}
