package target

// Level is an instruction set level of a target. Its numbers are in cached code.
type Level uint8

// The levels.
const (
	Best   Level = iota // the best level of the processor
	AVX512              // x86-64 with AVX-512 F, BW, CD, DQ and VL: 16 lanes, masks in registers of their own
	AVX2                // x86-64 with AVX2, FMA and F16C: 8 lanes, masks in vectors
	NEON                // AArch64 with Advanced SIMD: 4 lanes, masks in vectors
	NumLevels
)

var levelNames = [NumLevels]string{"best", "avx512", "avx2", "neon"}

// String returns the name of a level, such as "avx512".
func (l Level) String() string { return levelNames[l] }

// LevelNames returns the names of all levels.
func LevelNames() []string { return levelNames[:] }

// LevelOf returns the level with a name.
func LevelOf(name string) (Level, bool) {
	for l, n := range levelNames {
		if n == name {
			return Level(l), true
		}
	}
	return Best, false
}

// Feature is a set of instruction set extensions that a level does not include, and that its code uses
// if the processor has them. Code compiled with a feature runs only on processors with it. Each target
// numbers its own.
type Feature uint8
