// Package compare judges samples: for every metric it gives the delta of each
// variant against the base, an interval, the noise floor and a verdict, at a
// stated family-wise error rate.
//
// It is pure: no files, processes, clocks, unseeded randomness or writers. The
// same table always gives the same comparison.
package compare
