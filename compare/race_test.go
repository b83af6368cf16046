//go:build race

package compare

// The race detector makes simulations about ten times slower.
const underRace = true
