package importer

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// A decimal is a number as it was printed: digits * 10^-places. Its places are
// its resolution, which a float64 would forget.
type decimal struct {
	digits uint64
	places int
}

func (d decimal) float() float64 { return float64(d.digits) / math.Pow10(d.places) }

// at returns the digits that d has with the given places, at least its own.
func (d decimal) at(places int) (uint64, bool) {
	n := d.digits
	for range places - d.places {
		hi, lo := bits.Mul64(n, 10)
		if hi != 0 {
			return 0, false
		}
		n = lo
	}
	return n, true
}

// add returns the sum with the places of the finer of both.
func (d decimal) add(e decimal) (decimal, bool) {
	places := max(d.places, e.places)
	a, ok1 := d.at(places)
	b, ok2 := e.at(places)
	s, carry := bits.Add64(a, b, 0)
	return decimal{s, places}, ok1 && ok2 && carry == 0
}

// The decimal marks of the world's locales.
const (
	point = '.'
	comma = ','
)

// parseDecimal reads a number that is not negative and whose fraction starts
// with mark. Everything that locales put between groups of digits is dropped:
// comma, point, apostrophe, and blanks of any width.
func parseDecimal(s string, mark byte) (decimal, error) {
	var d decimal
	seen, n := false, 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			if d.digits > (math.MaxUint64-9)/10 {
				return d, fmt.Errorf("number %s is too large", quoted(s))
			}
			d.digits = d.digits*10 + uint64(r-'0')
			n++
			if seen {
				d.places++
			}
		case r == rune(mark) && !seen:
			seen = true
		case isGroup(r) && r != rune(mark) && n > 0 && !seen:
		default:
			return d, fmt.Errorf("not a number: %s", quoted(s))
		}
	}
	if n == 0 {
		return d, fmt.Errorf("not a number: %s", quoted(s))
	}
	return d, nil
}

// isGroup tells whether a locale may put r between groups of digits.
func isGroup(r rune) bool { return strings.ContainsRune(".,' \u00a0\u2009\u202f’_", r) }

// parseFloat reads a decimal that may have an exponent, as JSON and Go print
// it, exactly.
func parseFloat(s string) (decimal, error) {
	mantissa, exp, ok := strings.Cut(strings.ToLower(s), "e")
	d, err := parseDecimal(strings.TrimPrefix(mantissa, "+"), point)
	if err != nil || strings.ContainsAny(mantissa, ",' _") {
		return d, fmt.Errorf("not a number that can be kept: %s", quoted(s))
	}
	if ok {
		e, err := strconv.Atoi(exp)
		if err != nil || e < -40 || e > 40 {
			return d, fmt.Errorf("not a number that can be kept: %s", quoted(s))
		}
		d.places -= e
	}
	if d.places < 0 {
		n, fits := d.at(0)
		if !fits {
			return d, fmt.Errorf("number %s is too large", quoted(s))
		}
		d = decimal{n, 0}
	}
	for d.places > 18 { // finer than any clock; dropped
		d.digits, d.places = d.digits/10, d.places-1
	}
	return d, nil
}

// quoted is a text for an error, cut where it is long.
func quoted(s string) string {
	const enough = 60
	if len(s) <= enough {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%q... (%d bytes)", s[:enough], len(s))
}
