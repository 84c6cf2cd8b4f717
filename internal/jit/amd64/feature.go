package amd64

import (
	"golang.org/x/sys/cpu"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// The features, all parts of AVX-512.
const (
	CountBits target.Feature = 1 << iota // VPOPCNTDQ
	DotBytes                             // VNNI
)

// Features returns the features of this processor.
func (Target) Features() (e target.Feature) {
	if cpu.X86.HasAVX512VPOPCNTDQ {
		e |= CountBits
	}
	if cpu.X86.HasAVX512VNNI {
		e |= DotBytes
	}
	return e
}
