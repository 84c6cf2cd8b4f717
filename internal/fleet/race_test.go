//go:build race

package fleet

// underRace reports whether the race detector runs. It reserves more memory than a limit in these tests has.
const underRace = true
