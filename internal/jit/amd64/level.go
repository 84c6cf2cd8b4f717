package amd64

import "fmt"

// Level is the set of instructions that code is made of.
type Level uint8

// The levels.
const (
	Best   Level = iota // the best one that the machine has
	AVX512              // F, BW, CD, DQ and VL: 16 lanes, masks in registers of their own
	AVX2                // with FMA: 8 lanes, masks in vectors
	numLevels
)

var levelNames = [numLevels]string{"best", "avx512", "avx2"}

// String returns the name of a level, such as "avx512".
func (l Level) String() string { return levelNames[l] }

// LevelOf returns the level with a name.
func LevelOf(name string) (Level, bool) {
	for l, n := range levelNames {
		if n == name {
			return Level(l), true
		}
	}
	return Best, false
}

// Choose returns the level itself where this machine runs it and this package
// makes it, and for Best the best one; else an error that says what there is
// not.
func Choose(l Level) (Level, error) {
	switch {
	case l > AVX512:
		return l, fmt.Errorf("the jit makes no code for %s yet", l)
	case !has(AVX512):
		return l, errUnsupported
	}
	return AVX512, nil
}

// Supported returns nil where this machine runs what this package makes.
func Supported() error {
	_, err := Choose(Best)
	return err
}
