package amd64

import "golang.org/x/sys/cpu"

// Feature is a set of instruction set extensions that a level does not include, and that its code uses
// if the processor has them. Code compiled with a feature runs only on processors with it.
type Feature uint8

// The features, all parts of AVX-512.
const (
	CountBits Feature = 1 << iota // VPOPCNTDQ
	DotBytes                      // VNNI
)

// Features returns the features of this processor.
func Features() (e Feature) {
	if cpu.X86.HasAVX512VPOPCNTDQ {
		e |= CountBits
	}
	if cpu.X86.HasAVX512VNNI {
		e |= DotBytes
	}
	return e
}
