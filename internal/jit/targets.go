package jit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/arm64"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/trampoline"
)

// targets are the back ends. Each generates code on every host, for listings.
var targets = [...]target.Target{amd64.Target{}, arm64.Target{}}

// targetOf returns the back end with a level, or nil if there is none.
func targetOf(l target.Level) target.Target {
	for _, t := range targets {
		if slices.Contains(t.Levels(), l) {
			return t
		}
	}
	return nil
}

// Levels returns the levels that this machine runs, the best one first.
func Levels() (list []target.Level) {
	if !trampoline.Supported {
		return nil
	}
	for _, t := range targets {
		for _, l := range t.Levels() {
			if t.Runs(l) {
				list = append(list, l)
			}
		}
	}
	return list
}

var errUnsupported = errors.New("the jit needs linux on arm64, or on amd64 with AVX-512, or with AVX2, FMA and F16C")

// Choose returns the level itself if this machine runs its code, and the best one for Best; else an
// error that describes the missing level.
func Choose(l target.Level) (target.Level, error) {
	list := Levels()
	switch {
	case l == target.Best && len(list) > 0:
		return list[0], nil
	case l == target.Best:
		return l, errUnsupported
	case !slices.Contains(list, l):
		return l, fmt.Errorf("this machine does not run code of level %s", l)
	}
	return l, nil
}
