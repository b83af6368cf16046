//go:build !race

package compare

const underRace = false
