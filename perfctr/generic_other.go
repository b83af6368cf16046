//go:build !linux

package perfctr

// genericConfig has no numbers to give: there is no perf_event_open(2) here.
func genericConfig(string) uint64 { return 0 }

// cacheConfig has no numbers to give either.
func cacheConfig(cacheID) uint64 { return 0 }
