package compare

import "math"

// What other tools decide from two lists of values, re-implemented from their
// sources and documentation, for the tables of docs/statistics.md.

// A peer is a rule that says whether b differs from a.
type peer struct {
	name string
	flag func(a, b []float64) bool
}

var peers = []peer{
	{"perf stat, +- do not overlap", perfStat},
	{"hyperfine, 1 outside ratio +- sd", hyperfine},
	{"poop", poop},
	{"Welch t", func(a, b []float64) bool { return welchT(a, b) < 0.05 }},
	{"benchstat (Mann-Whitney)", func(a, b []float64) bool { return mannWhitney(a, b) < 0.05 }},
}

// perfStat: the "+-" of perf stat -r is the standard error of the mean.
func perfStat(a, b []float64) bool {
	se := math.Sqrt(variance(a)/float64(len(a))) + math.Sqrt(variance(b)/float64(len(b)))
	return math.Abs(mean(a)-mean(b)) > se
}

// hyperfine prints the ratio of means with the propagated standard deviation
// of single runs (relative_speed.rs).
func hyperfine(a, b []float64) bool {
	ma, mb := mean(a), mean(b)
	if ma == 0 || mb == 0 {
		return false
	}
	ratio := mb / ma
	sd := ratio * math.Sqrt(variance(a)/(ma*ma)+variance(b)/(mb*mb))
	return math.Abs(ratio-1) > sd
}

// poop: the 95 % interval of the pooled t, as a share of the first mean, must
// lie wholly beyond 1 % (main.zig).
func poop(a, b []float64) bool {
	ma, mb := mean(a), mean(b)
	na, nb := float64(len(a)), float64(len(b))
	if ma == 0 {
		return false
	}
	s := math.Sqrt(((na-1)*variance(a) + (nb-1)*variance(b)) / (na + nb - 2))
	half := studentQuantile(len(a)+len(b)-2, 0.05) * s * math.Sqrt(1/na+1/nb)
	return math.Abs(mb-ma)/ma-half/ma >= 0.01
}

// welchT returns the two-sided p of Welch's t.
func welchT(a, b []float64) float64 {
	va, vb := variance(a)/float64(len(a)), variance(b)/float64(len(b))
	if va+vb == 0 {
		if mean(a) == mean(b) {
			return 1
		}
		return 0
	}
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	t := math.Abs(mean(a)-mean(b)) / math.Sqrt(va+vb)
	s := student(1)
	s.Nu = df
	return 2 * s.Survival(t)
}

// mannWhitney returns the two-sided exact p, ties included.
func mannWhitney(a, b []float64) float64 {
	u2, kinds := simNulls.rank([]block{{a: a, b: b}})
	d := simNulls.sum(kinds)
	return min(1, 2*min(d.below(u2), d.above(u2)))
}

// signedRank returns the two-sided p of Wilcoxon's signed-rank test on pairs,
// in its normal approximation with ties; what an alternating order invites to.
func signedRank(d []float64) float64 {
	var abs []float64
	for _, x := range d {
		if x != 0 {
			abs = append(abs, math.Abs(x))
		}
	}
	if len(abs) == 0 {
		return 1
	}
	r := ranks(abs)
	var w, v float64
	i := 0
	for _, x := range d {
		if x == 0 {
			continue
		}
		if x > 0 {
			w += r[i]
		}
		v += r[i] * r[i] / 4
		i++
	}
	n := float64(len(abs))
	z := (math.Abs(w-n*(n+1)/4) - 0.5) / math.Sqrt(v)
	return min(1, math.Erfc(max(0, z)/math.Sqrt2))
}

// expAll turns logarithms into values.
func expAll(y []float64) []float64 {
	x := make([]float64, len(y))
	for i := range y {
		x[i] = math.Exp(y[i])
	}
	return x
}
