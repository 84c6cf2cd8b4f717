package amd64

import (
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Level is an instruction set level of the target.
type Level uint8

// The levels.
const (
	Best   Level = iota // the best level of the processor
	AVX512              // F, BW, CD, DQ and VL: 16 lanes, masks in registers of their own
	AVX2                // with FMA and F16C: 8 lanes, masks in vectors
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

// Form returns the register model of the level. Best has none.
func (l Level) Form() vcode.Form {
	made := vcode.Form{Lanes: 16, Fuse: func(f *vcode.Func) { fuse(f, l) }}
	if l == AVX2 {
		made.Lanes, made.VectorMasks = 8, true
	}
	return made
}

// Native reports whether an IR operation has machine code, so that it needs no exit to Go.
func (l Level) Native(k ir.Key, op ir.Op) bool {
	if l == AVX2 {
		return ymmNative(k, op)
	}
	return Native(k, op)
}

// Choose returns the level itself if the processor supports it, and the best one for Best; else an
// error that describes the missing level.
func Choose(l Level) (Level, error) {
	switch {
	case l != Best && has(l):
		return l, nil
	case l != Best:
		return l, fmt.Errorf("this machine does not run code of level %s", l)
	case has(AVX512):
		return AVX512, nil
	case has(AVX2):
		return AVX2, nil
	}
	return l, errUnsupported
}

var errUnsupported = errors.New("the jit needs linux on amd64 with AVX-512, or with AVX2, FMA and F16C")

// Levels returns the levels that the processor supports, the best one first.
func Levels() []Level {
	var list []Level
	for _, l := range []Level{AVX512, AVX2} {
		if has(l) {
			list = append(list, l)
		}
	}
	return list
}

// Supported returns nil if the processor can run code of this package.
func Supported() error {
	_, err := Choose(Best)
	return err
}
