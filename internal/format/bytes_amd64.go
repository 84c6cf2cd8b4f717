package format

import "golang.org/x/sys/cpu"

// hasByteRows reports whether the processor has the instructions of loadBytes and storeBytes.
var hasByteRows = cpu.X86.HasAVX2

// loadBytes decodes groups of four texels of four normalized bytes. Byte i of a group's components, in the order of the values, is byte
// order[i] of the group.
//
//go:noescape
func loadBytes(values *float32, texels *byte, groups int, order *[16]byte)

// storeBytes encodes groups of four texels of four normalized bytes. Byte i of a group is component order[i] of its values.
//
//go:noescape
func storeBytes(texels *byte, values *float32, groups int, order *[16]byte)
