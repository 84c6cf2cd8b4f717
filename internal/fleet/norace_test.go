//go:build !race

package fleet

// underRace reports whether the race detector runs.
const underRace = false
