package amd64

import "golang.org/x/sys/cpu"

// Extra is a set of instructions that a level does not promise and its code may
// use where the machine has them. Code made with some runs only where they are.
type Feature uint8

// The extras, of AVX-512 all of them.
const (
	CountBits Feature = 1 << iota // VPOPCNTDQ
	DotBytes                      // VNNI
)

// Extras returns those that this machine has.
func Features() (e Feature) {
	if cpu.X86.HasAVX512VPOPCNTDQ {
		e |= CountBits
	}
	if cpu.X86.HasAVX512VNNI {
		e |= DotBytes
	}
	return e
}
