package compare

import (
	"math"
	"testing"
)

// logs returns the logarithms, which is what the tests see.
func logs(xs ...float64) []float64 {
	y := make([]float64, len(xs))
	for i, x := range xs {
		y[i] = math.Log(x)
	}
	return y
}

// cut divides a and b into blocks of the given sizes.
func cut(a, b []float64, sizes ...int) []block {
	var bs []block
	for _, w := range sizes {
		bs = append(bs, block{a: a[:w], b: b[:w]})
		a, b = a[w:], b[w:]
	}
	return bs
}

func repeat(x float64, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// TestVectors holds the figures of docs/statistics.md, "Test vectors", which
// were checked against the enumeration of all orders.
func TestVectors(t *testing.T) {
	const eps = 1e-8
	for _, v := range []struct {
		name   string
		a, b   []float64
		sizes  []int
		u2, n2 int
		p, est float64
		lo, hi float64
		flag   bool
	}{
		{"time", logs(10.21, 10.05, 10.40, 9.97, 10.11, 10.33, 10.02, 10.08, 12.90, 10.17),
			logs(10.45, 10.38, 10.29, 10.61, 10.30, 10.52, 10.41, 10.07, 10.49, 13.40),
			[]int{5, 5}, 80, 100, 0.029698917, 0.025463553, 0.0049776111, 0.040300294, true},
		{"ties", logs(49, 50, 49, 48, 49, 50, 49, 49, 51, 48), logs(50, 50, 51, 49, 50, 51, 50, 49, 50, 52),
			[]int{5, 5}, 79, 100, 0.027903754, 0.020202707, 0, 0.040005335, true},
		{"constant", logs(repeat(1069, 10)...), logs(repeat(1070, 10)...),
			[]int{5, 5}, 100, 100, 3.1494079e-05, 0.00093501643, 0.00093501643, 0.00093501643, true},
		{"zeros", []float64{0, 0, 1, 0, 0}, []float64{2, 1, 3, 2, 0},
			[]int{5}, 43, 50, 0.087301587, 2, 0, 3, false},
		{"four", logs(1.00, 1.01, 1.02, 0.99), logs(1.05, 1.06, 1.04, 1.07),
			[]int{4}, 32, 32, 0.028571429, 0.048554371, 0.019418086, 0.077708984, true},
		{"unequal blocks", logs(100, 103, 99, 101, 102, 98, 104, 100.5), logs(101, 104.5, 103.2, 102.6, 100.2, 105, 103, 101.7),
			[]int{5, 3}, 51, 68, 0.12261905, 0.013253211, -0.0079523282, 0.037059824, false},
	} {
		f := newNulls().rankSum(cut(v.a, v.b, v.sizes...), 0.05)
		if f.u2 != v.u2 || f.total != v.n2 {
			t.Errorf("%s: U2 = %d/%d, want %d/%d", v.name, f.u2, f.total, v.u2, v.n2)
		}
		for _, x := range []struct {
			what      string
			got, want float64
		}{{"p", f.p, v.p}, {"estimate", f.est, v.est}, {"lo", f.lo, v.lo}, {"hi", f.hi, v.hi}} {
			if math.Abs(x.got-x.want) > eps {
				t.Errorf("%s: %s = %.10g, want %.10g", v.name, x.what, x.got, x.want)
			}
		}
		if f.flag != v.flag {
			t.Errorf("%s: flag = %v, want %v", v.name, f.flag, v.flag)
		}
	}
}
