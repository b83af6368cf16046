package compare

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// realCounters are the columns of testdata/real-aa.csv.gz: 12,600 runs of six
// programs on a shared two-processor virtual machine, in sessions of runs made
// back to back. The first run of every session is dropped.
var realCounters = []string{"elapsed", "task_clock", "ctx", "migr", "faults", "utime", "stime", "minflt", "nvcsw", "nivcsw"}

// A realSession holds the counters of one session, by column and run.
type realSession [][]float64

// realWorkloads in the order of the tables.
var realWorkloads = []string{"find", "gzip", "gznoisy", "hack", "hknoisy", "pipe", "true"}

// realFirst holds the elapsed time of each session's first run, once the data
// are loaded.
var realFirst = make(map[string][]float64)

var realData = sync.OnceValues(func() (map[string][]realSession, error) {
	f, err := os.Open("testdata/real-aa.csv.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]realSession)
	last := ""
	for sc := bufio.NewScanner(z); sc.Scan(); {
		c := strings.Split(sc.Text(), ",")
		if c[0] == "tag" {
			continue
		}
		if key := c[0] + "," + c[1]; key != last {
			last = key
			out[c[0]] = append(out[c[0]], make(realSession, len(realCounters)))
			first, err := strconv.ParseFloat(c[4], 64)
			if err != nil {
				return nil, err
			}
			realFirst[c[0]] = append(realFirst[c[0]], first)
			continue // the first run
		}
		s := out[c[0]][len(out[c[0]])-1]
		for k := range realCounters {
			x, err := strconv.ParseFloat(c[4+k], 64)
			if err != nil {
				return nil, err
			}
			s[k] = append(s[k], x)
		}
	}
	return out, nil
})

func loadReal(t *testing.T) map[string][]realSession {
	t.Helper()
	d, err := realData()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// window draws 2n consecutive runs of a random session, or nil if none is long
// enough.
func window(rng *rand.Rand, ss []realSession, n int) realSession {
	s := ss[rng.IntN(len(ss))]
	if len(s[0]) < 2*n {
		return nil
	}
	from := rng.IntN(len(s[0]) - 2*n + 1)
	w := make(realSession, len(s))
	for k := range s {
		w[k] = s[k][from : from+2*n]
	}
	return w
}

// usable tells whether a workload has sessions of 2n runs.
func usable(ss []realSession, n int) bool { return len(ss) > 0 && len(ss[0][0]) >= 2*n }

// onLog returns the values as the comparison sees them.
func onLog(x []float64) ([]float64, bool) {
	y := make([]float64, len(x))
	for i, v := range x {
		if v <= 0 {
			return x, false
		}
		y[i] = math.Log(v)
	}
	return y, true
}

// TestCalibrationReal is targets 2 and 5: windows of real sessions as A/A, and
// with B made 3 % larger.
func TestCalibrationReal(t *testing.T) {
	data := loadReal(t)
	const full, fullPower = 6000, 3000
	trials, powers := effort(full), effort(fullPower)
	fpr := mdTable{head: []string{"workload", "n=10: elapsed", "task-clock", "n=20: elapsed", "task-clock", "n=40: elapsed", "task-clock"}}
	pow := mdTable{head: fpr.head}
	var sumF, sumP, cells [6]float64
	for _, w := range realWorkloads {
		rowF, rowP := []any{w}, []any{w}
		for i, n := range []int{10, 20, 40} {
			if !usable(data[w], n) {
				rowF, rowP = append(rowF, "-", "-"), append(rowP, "-", "-")
				continue
			}
			run := func(kind string, trials int, effect float64) []float64 {
				return tally(fmt.Sprintf("real %s %s %d", kind, w, n), trials, 2, func(rng *rand.Rand, s []float64) {
					win := window(rng, data[w], n)
					for k := range 2 {
						y, _ := onLog(win[k])
						s[k] += one(simNulls.rankSum(interleave(rng, y, effect), 0.05).flag)
					}
				})
			}
			f, p := run("A/A", trials, 0), run("+3 %", powers, math.Log(1.03))
			for k := range 2 {
				atMost(t, fmt.Sprintf("%s %s, n=%d", w, realCounters[k], n), f[k], trials, full, 0.06)
				rowF = append(rowF, 100*f[k]/float64(trials))
				rowP = append(rowP, 100*p[k]/float64(powers))
				sumF[2*i+k] += f[k] / float64(trials)
				sumP[2*i+k] += p[k] / float64(powers)
				cells[2*i+k]++
			}
		}
		fpr.row(rowF...)
		pow.row(rowP...)
	}
	meanF, meanP := []any{"mean"}, []any{"mean"}
	for i, least := range []float64{.27, .44, .41, .65, .62, .90} {
		f, p := sumF[i]/cells[i], sumP[i]/cells[i]
		meanF, meanP = append(meanF, 100*f), append(meanP, 100*p)
		atLeast(t, fmt.Sprintf("real +3 %%, column %d", i), p*float64(powers), powers, fullPower, least-0.03)
	}
	fpr.row(meanF...)
	pow.row(meanP...)
	t.Logf("A/A: %.1f; +3 %%: %.1f", meanF[1:], meanP[1:])
	fpr.print(t, fmt.Sprintf("Real A/A in random blocks, flagged, %% of %d:", trials))
	pow.print(t, fmt.Sprintf("Real series, B made 3 %% larger, flagged, %% of %d:", powers))
}

// TestCalibrationRealPeers is the second part of target 2: the same windows, A
// measured before B, under the other tools' rules.
func TestCalibrationRealPeers(t *testing.T) {
	data := loadReal(t)
	const full, n = 3000, 20
	trials := effort(full)
	if !*calibrationLong {
		trials = min(trials, 1000)
	}
	for _, effect := range []float64{0, math.Log(1.03)} {
		md := mdTable{head: []string{"rule"}}
		rows := make([][]any, len(peers)+1)
		for i, p := range peers {
			rows[i] = []any{p.name + ", AAAA BBBB"}
		}
		rows[len(peers)] = []any{"**microcost**"}
		total := make([]float64, 2*len(rows))
		cells := 0.0
		for _, w := range realWorkloads {
			if !usable(data[w], n) {
				continue
			}
			cells++
			md.head = append(md.head, w)
			sums := tally(fmt.Sprintf("real peers %s %v", w, effect), trials, 2*len(rows), func(rng *rand.Rand, s []float64) {
				win := window(rng, data[w], n)
				for k := range 2 {
					y, _ := onLog(win[k])
					a, b := seq(y, effect)
					a, b = expAll(a), expAll(b)
					for i, p := range peers {
						s[2*i+k] += one(p.flag(a, b))
					}
					s[2*len(peers)+k] += one(simNulls.rankSum(interleave(rng, y, effect), 0.05).flag)
				}
			})
			for i := range rows {
				rows[i] = append(rows[i], fmt.Sprintf("%.0f / %.0f", 100*sums[2*i]/float64(trials), 100*sums[2*i+1]/float64(trials)))
				total[2*i] += sums[2*i] / float64(trials)
				total[2*i+1] += sums[2*i+1] / float64(trials)
			}
		}
		md.head = append(md.head, "mean")
		for i := range rows {
			md.row(append(rows[i], fmt.Sprintf("%.1f / %.1f", 100*total[2*i]/cells, 100*total[2*i+1]/cells))...)
		}
		t.Logf("effect %.3f: %v", effect, md.rows)
		if effect == 0 {
			for k := range 2 {
				if ours, poops := total[2*len(peers)+k], total[2*2+k]; ours > poops/4 {
					t.Errorf("%s: flagged %.1f %%, poop's rule %.1f %%: want at most a quarter", realCounters[k], 100*ours/cells, 100*poops/cells)
				}
			}
		}
		md.print(t, fmt.Sprintf("Real series, n=%d, elapsed / task-clock, true delta %.0f %%, flagged, %% of %d:", n, 100*math.Expm1(effect), trials))
	}
}

// TestCalibrationFamily is target 3: nothing at all is flagged among ten
// counters in 19 of 20 comparisons of a program with itself.
func TestCalibrationFamily(t *testing.T) {
	data := loadReal(t)
	md := mdTable{head: []string{"workload", "n=10", "n=20", "n=40", "uncorrected, n=20"}}
	worst := 0.0
	for _, w := range realWorkloads {
		row := []any{w}
		uncorrected := any("-")
		for _, n := range []int{10, 20, 40} {
			if !usable(data[w], n) {
				row = append(row, "-")
				continue
			}
			full := 4000
			if n == 40 {
				full = 2000
			}
			trials := effort(full)
			sums := tally(fmt.Sprintf("family %s %d", w, n), trials, 2, func(rng *rand.Rand, s []float64) {
				win := window(rng, data[w], n)
				order, sizes := schedule(rng, n, 2)
				flagged, loose := false, false
				for k := range realCounters {
					y, _ := onLog(win[k])
					u2, kinds := simNulls.rank(lay(order, sizes, y))
					d := simNulls.sum(kinds)
					p := 2 * min(d.below(u2), d.above(u2))
					flagged = flagged || p <= 0.05/float64(len(realCounters))
					loose = loose || p <= 0.05
				}
				s[0] += one(flagged)
				s[1] += one(loose)
			})
			atMost(t, fmt.Sprintf("family, %s, n=%d", w, n), sums[0], trials, full, 0.05)
			worst = max(worst, sums[0]/float64(trials))
			row = append(row, 100*sums[0]/float64(trials))
			if n == 20 {
				uncorrected = 100 * sums[1] / float64(trials)
			}
		}
		md.row(append(row, uncorrected)...)
	}
	t.Logf("family-wise, at worst %.2f %%", 100*worst)
	md.print(t, "Anything flagged among ten counters, real A/A, %:")
}

// lay parts values by a given schedule of two variants.
func lay(order, sizes []int, y []float64) []block {
	var bs []block
	at := 0
	for _, w := range sizes {
		var ab [2][]float64
		for range 2 * w {
			ab[order[at]] = append(ab[order[at]], y[at])
			at++
		}
		bs = append(bs, block{a: ab[0], b: ab[1]})
	}
	return bs
}
