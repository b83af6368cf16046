package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"microcost/compare"
	"microcost/workload/recording"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, é 漢": "plain text, é 漢",
		"a\x1b[31mred":    `a\x1b[31mred`,
		"a\nb\tc\r":       `a\nb\tc\x0d`,
		"bad\xff\xfeutf":  `bad\xff\xfeutf`,
		"\u202eevil":      `\u{202e}evil`,
		"\u200b":          `\u{200b}`,
		"\x7f\u0085":      `\x7f\u{85}`,
		"\uFFFD":          "\uFFFD",
		"":                "",
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	ns := compare.Metric{Name: "elapsed", Unit: compare.Nanoseconds}
	count := compare.Metric{Name: "instructions", Integer: true}
	check := func(m compare.Metric, wide bool, v float64, want string) {
		t.Helper()
		if got := scaleFor(m, wide, v).value(v); got != want {
			t.Errorf("%s of %v: %q, want %q", m.Name, v, got, want)
		}
	}
	check(ns, true, 0, "0 ns")
	check(ns, true, 999, "999 ns")
	check(ns, true, 1000, "1.0000 µs")
	check(ns, true, 630908390, "630.91 ms")
	check(ns, true, 12.5e9, "12.500 s")
	check(count, true, 1374978900, "1,374,978,900")
	check(count, false, 1374978900, "1.3750 G")
	check(count, true, 200001, "200,001")
	check(count, true, 145.5, "145.5")
	check(count, true, 0.5, "0.5")
	check(count, true, 1374978900.5, "1,374,978,900")
	check(count, true, 0, "0")
	check(compare.Metric{Unit: compare.Bytes}, true, 4096, "4.0000 KiB")
	check(compare.Metric{Unit: compare.Percent}, true, 0.06288, "6.2880 %")
	check(compare.Metric{Unit: compare.Ratio}, true, 0.999, "0.999")
	check(count, true, math.NaN(), "?")
	check(count, true, math.Inf(1), "inf")
}

func log(pct float64) float64 { return math.Log1p(pct / 100) }

func TestDeltas(t *testing.T) {
	instr := compare.Metric{Name: "instructions", Integer: true, Better: compare.LowerBetter}
	faults := compare.Metric{Name: "page-faults", Integer: true, Better: compare.LowerBetter}
	check := func(m compare.Metric, d compare.Delta, estimate, interval, bare, floor string) {
		t.Helper()
		got := textOf(m, d)
		if got.estimate != estimate || got.interval != interval || got.bare != bare || got.floor != floor {
			t.Errorf("got %q %q %q %q, want %q %q %q %q", got.estimate, got.interval, got.bare, got.floor, estimate, interval, bare, floor)
		}
	}
	check(instr, compare.Delta{Scale: compare.LogScale, Estimate: log(1.24), Lo: log(1.22), Hi: log(1.26), Floor: log(0.02), Flag: true, Verdict: compare.More},
		"+1.240 %", "[+1.220, +1.260] %", "[1.220, 1.260]", "0.020 %")
	check(instr, compare.Delta{Scale: compare.LogScale, Estimate: log(0.2), Lo: log(-0.5), Hi: log(0.9), Floor: log(0.7), Verdict: compare.NotDifferent},
		"~", "[-0.50, +0.90] %", "[-0.50, +0.90]", "0.70 %")
	check(instr, compare.Delta{Scale: compare.LogScale, Estimate: log(4), Lo: 0, LoOpen: true, Hi: log(9), Floor: log(4.4), Flag: true, Verdict: compare.More},
		"+4.0 %", "(0.0, +9.0] %", "(0.0, +9.0]", "4.4 %")
	check(instr, compare.Delta{Scale: compare.LogScale, Verdict: compare.Identical, Floor: log(0.1)},
		"identical", "[0.00, 0.00] %", "[0.00, 0.00]", "0.10 %")
	check(instr, compare.Delta{Scale: compare.LogScale, Estimate: log(20), Lo: log(0.2), Hi: log(40), Floor: log(20), Flag: true, Verdict: compare.More},
		"+20.0 %", "[+0.2, +40.0] %", "[0.2, 40.0]", "20 %")
	check(faults, compare.Delta{Scale: compare.RawScale, Estimate: 2, Lo: 1, Hi: 3, Floor: 1, Flag: true, Verdict: compare.More},
		"+2", "[+1, +3]", "[1, 3]", "1")
	check(instr, compare.Delta{Scale: compare.LogScale, Estimate: log(12.345), Lo: math.Inf(-1), Hi: math.Inf(1), Floor: math.Inf(1), Verdict: compare.Undecided},
		"+12.3 % ?", "unbounded", "[-inf, +inf]", "inf")
	check(instr, compare.Delta{Verdict: compare.NotCompared}, "?", "?", "?", "?")
}

// comparison is one of a base with B, by deltas per metric.
func comparison(deltas map[string]compare.Delta, better map[string]compare.Better, names ...string) *compare.Comparison {
	c := &compare.Comparison{Design: compare.DesignBlocks, Variants: []string{"A", "B"}, Alpha: 0.05, Level: 0.025, Family: len(names), RunCost: 1.5e9}
	for _, n := range names {
		b, ok := better[n]
		if !ok {
			b = compare.LowerBetter
		}
		d := deltas[n]
		d.Variant, d.Scale, d.Threshold = 1, compare.LogScale, math.NaN()
		s := compare.Summary{N: 10, Median: 1e6, Mean: 1e6, StdDev: 1, MAD: 1, Min: 1, Max: 2e6, Share: 1}
		c.Metrics = append(c.Metrics, compare.MetricResult{
			Metric: compare.Metric{Name: n, Better: b, Integer: true}, Summaries: []compare.Summary{s, s}, Deltas: []compare.Delta{d},
		})
	}
	return c
}

// Shares are shown as perf stat shows them, and explained for what they are.
func TestShares(t *testing.T) {
	for share, want := range map[float64]string{0: "", 1: "", 0.47123: "(47.12%)", 0.999999: "(99.99%)"} {
		if got := shareText(compare.Summary{Share: share}); got != want {
			t.Errorf("a share of %v: %q, want %q", share, got, want)
		}
	}
	metric := func(share float64, part bool) compare.MetricResult {
		return compare.MetricResult{Metric: compare.Metric{Part: part}, Summaries: []compare.Summary{{Share: share}}}
	}
	check := func(metrics []compare.MetricResult, turns, cores bool) {
		t.Helper()
		note := shareNote(metrics)
		if strings.Contains(note, "take turns") != turns || strings.Contains(note, "kind of core") != cores || (note == "") != (!turns && !cores) {
			t.Errorf("note %q", note)
		}
	}
	check([]compare.MetricResult{metric(1, false), metric(1, true)}, false, false)
	check([]compare.MetricResult{metric(0.5, false), metric(1, true)}, true, false)
	check([]compare.MetricResult{metric(1, false), metric(0.5, true)}, false, true)
	check([]compare.MetricResult{metric(0.5, false), metric(0.5, true)}, true, true)
}

func TestVerdictLine(t *testing.T) {
	up := compare.Delta{Estimate: log(1.24), Lo: log(1.22), Hi: log(1.26), Floor: log(0.02), Flag: true, Verdict: compare.More}
	down := compare.Delta{Estimate: log(-3), Lo: log(-4), Hi: log(-2), Floor: log(1), Flag: true, Verdict: compare.Less}
	same := compare.Delta{Estimate: log(0.1), Lo: log(-0.7), Hi: log(0.9), Floor: log(0.8), Verdict: compare.NotDifferent}
	open := compare.Delta{Estimate: log(0.1), Lo: math.Inf(-1), Hi: math.Inf(1), Floor: math.Inf(1), Verdict: compare.Undecided, N: 2, MoreLo: 6, MoreHi: 6, Design: compare.DesignBlocks}
	check := func(want string, primary string, deltas map[string]compare.Delta, names ...string) {
		t.Helper()
		better := map[string]compare.Better{"IPC": compare.HigherBetter, "CPUs utilized": compare.NeitherWay}
		if got := VerdictLine(comparison(deltas, better, names...), 1, primary); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	check("B costs more: instructions +1.240 % [1.220, 1.260], cycles not different within 0.80 %", "",
		map[string]compare.Delta{"instructions": up, "cycles": same}, "cycles", "instructions")
	check("B costs less: cycles -3.0 % [-4.0, -2.0]", "", map[string]compare.Delta{"cycles": down}, "cycles")
	check("B costs less: IPC +1.240 % [1.220, 1.260]", "", map[string]compare.Delta{"IPC": up}, "IPC")
	check("B costs more in some ways and less in others: instructions +1.240 % [1.220, 1.260], cycles -3.0 % [-4.0, -2.0]", "",
		map[string]compare.Delta{"instructions": up, "cycles": down}, "cycles", "instructions")
	check("B differs: CPUs utilized +1.240 % [1.220, 1.260]", "", map[string]compare.Delta{"CPUs utilized": up}, "CPUs utilized")
	check("B is not different from A: elapsed not different within 0.80 %", "", map[string]compare.Delta{"elapsed": same}, "elapsed")
	check("B against A is undecided (at least 6 runs of each are needed): elapsed +0.100 %", "",
		map[string]compare.Delta{"elapsed": open}, "elapsed")
	wide := compare.Delta{
		Estimate: log(0.1), Lo: log(-3), Hi: log(3), Floor: log(3), Verdict: compare.Undecided,
		N: 10, MoreLo: 110, MoreHi: 1210, Design: compare.DesignBlocks,
	}
	check("B against A is undecided (about 100 to 1,200 more runs of each, about 5 min to 60 min, would probably settle it for elapsed): elapsed +0.1 % (floor 3.0 %), user +0.100 %", "",
		map[string]compare.Delta{"elapsed": wide, "user": open}, "elapsed", "user")
	boots := open
	boots.Design, boots.MoreLo, boots.MoreHi = compare.DesignBoots, 3, 3
	check("B against A is undecided (at least 3 boots of each are needed): elapsed +0.100 %", "",
		map[string]compare.Delta{"elapsed": boots}, "elapsed")
	check("B is not different from A: elapsed not different within 0.80 %", "elapsed",
		map[string]compare.Delta{"elapsed": same, "instructions": up}, "instructions", "elapsed")
}

func TestNothingToCompare(t *testing.T) {
	c := comparison(nil, nil, "cycles")
	c.Metrics[0].Metric.Absent = "<not supported>"
	if got := VerdictLine(c, 1, ""); !strings.Contains(got, "could not be compared") {
		t.Errorf("a comparison that could not be made reads %q", got)
	}
}

// At every width each line fits, as long as the poorest layout does.
func TestTextFitsTheWidth(t *testing.T) {
	up := compare.Delta{Estimate: log(1.24), Lo: log(1.22), Hi: log(1.26), Floor: log(0.02), Flag: true, Verdict: compare.More}
	c := comparison(map[string]compare.Delta{"instructions": up, "cycles": up}, nil, "cycles", "instructions")
	doc := &Document{
		Comparison: c, Rates: [][]float64{{1e9, 1e9}, {1e9, 1e9}}, Runs: []int{10, 10}, Blocks: 2,
		Sessions: []recording.Session{{
			Variants: []recording.Variant{{Label: "A", Text: "a\x1b]0;evil\a"}, {Label: "B", Text: "b"}},
			Plan:     recording.Plan{Schedule: recording.RandomBlocks, Seed: 1}, Env: recording.Env{Kernel: "6.1", CPU: "Some CPU @ 2 GHz", CPUs: 2},
		}},
		Notes: []string{"a note that is rather long, so that it has to be wrapped wherever it is shown"},
	}
	for _, width := range []int{70, 80, 100, 200, 0} {
		var b bytes.Buffer
		if err := Text(&b, doc, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(b.String(), '\x1b') || strings.ContainsRune(b.String(), '\a') {
			t.Error("control characters reach the terminal")
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := len([]rune(line)); width > 0 && n > width {
				t.Errorf("width %d: a line of %d: %s", width, n, line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("width %d: blanks at the end of %q", width, line)
			}
		}
		if got, want := strings.Contains(b.String(), "# 1.0000 G/s"), width == 200 || width == 0; got != want {
			t.Errorf("width %d: rates shown: %v, want %v", width, got, want)
		}
	}
	var plain, coloured bytes.Buffer
	_ = Text(&plain, doc, TextOptions{Width: 100})
	_ = Text(&coloured, doc, TextOptions{Width: 100, Color: true})
	if plain.String() == coloured.String() || !strings.Contains(coloured.String(), "\x1b[31m") {
		t.Error("colour is not shown where it was asked for")
	}
}

// Whatever JSON cannot hold is null, and the document is valid.
func TestJSONHoldsNoInfinity(t *testing.T) {
	open := compare.Delta{Estimate: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Floor: math.Inf(1), P: math.NaN(), MeanDiff: math.NaN(), Verdict: compare.Undecided}
	c := comparison(map[string]compare.Delta{"cycles": open}, nil, "cycles")
	c.Metrics[0].Summaries[0].Mean = math.NaN()
	var b bytes.Buffer
	if err := JSON(&b, &Document{Comparison: c, Runs: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	delta := doc["metrics"].([]any)[0].(map[string]any)["deltas"].([]any)[0].(map[string]any)
	for _, field := range []string{"estimate", "lo", "hi", "floor", "p", "percent", "threshold"} {
		if v, there := delta[field]; !there || v != nil {
			t.Errorf("%s is %v, want null", field, v)
		}
	}
}

func TestSizeLines(t *testing.T) {
	bin := func(sum string, text, data uint64) *recording.Binary {
		return &recording.Binary{SHA256: sum, Sections: &recording.SectionSizes{Text: text, Data: data}}
	}
	doc := func(a, b *recording.Binary) *Document {
		return &Document{Comparison: comparison(nil, nil), Sessions: []recording.Session{{
			Variants: []recording.Variant{{Label: "A", Binary: a}, {Label: "B", Binary: b}},
		}}}
	}
	check := func(d *Document, want string) {
		t.Helper()
		if got := strings.Join(d.sizeLines(), "\n"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(doc(bin("x", 1799, 616), bin("y", 1864, 616)), "size of B: text 1,864 (+65, +3.61 %), data 616 (+0), bss 0 (+0)")
	check(doc(bin("x", 1799, 616), bin("y", 1799, 616)), "size: B has sections of the same sizes as A, in another file")
	check(doc(bin("x", 1799, 616), bin("x", 1799, 616)), "")
	coded := func(sum, code string) *recording.Binary {
		b := bin(sum, 1799, 616)
		b.Sections.Code = code
		return b
	}
	check(doc(coded("x", "1"), coded("y", "2")), "size: B has sections of the same sizes as A, but other code in them: microcost size says where")
	check(doc(coded("x", "1"), coded("y", "1")), "size: B has sections of the same sizes as A, and the same code; something else differs")
	check(doc(coded("x", "1"), bin("y", 1799, 616)), "size: B has sections of the same sizes as A, in another file")
	flat := func(sum string, file, memory uint64) *recording.Binary {
		return &recording.Binary{SHA256: sum, Flat: file, Memory: memory}
	}
	check(doc(flat("x", 65536, 131072), flat("y", 131072, 131072)), "size of B: Image 131,072 (+65,536, +100 %), in memory 131,072 (+0)")
	check(doc(flat("x", 65536, 131072), flat("y", 65536, 131072)), "size: the Image of B is as large as that of A, with other contents")
	check(doc(flat("x", 65536, 131072), bin("y", 1799, 616)), "")
	check(doc(&recording.Binary{SHA256: "x"}, &recording.Binary{SHA256: "y"}), "")
	// One label of two builds: neither is its size.
	two := doc(bin("x", 1, 1), bin("y", 2, 2))
	two.Sessions = append(two.Sessions, recording.Session{Variants: []recording.Variant{{Label: "B", Binary: bin("z", 3, 3)}}})
	check(two, "")
	check(doc(nil, bin("x", 1799, 616)), "")
	check(doc(bin("x", 0, 616), bin("y", 10, 616)), "size of B: text 10 (+10), data 616 (+0), bss 0 (+0)")
}
