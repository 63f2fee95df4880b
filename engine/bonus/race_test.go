//go:build race

package bonus

const raceEnabled = true
