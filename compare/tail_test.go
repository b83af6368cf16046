package compare

import (
	"math"
	"testing"
)

// TestFisher against the tea-tasting lady and a table summed by hand.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		ka, na, kb, nb int
		p              float64
	}{{3, 4, 1, 4, 0.4857142857}, {4, 4, 0, 4, 0.0285714286}, {1, 12, 9, 12, 0.002759456}, {0, 5, 0, 5, 1}} {
		got := fisher(c.ka, c.na, c.kb, c.nb)
		if math.Abs(got-c.p) > 1e-3*c.p {
			t.Errorf("fisher(%d/%d, %d/%d) = %.8g, want %.8g", c.ka, c.na, c.kb, c.nb, got, c.p)
		}
	}
}
