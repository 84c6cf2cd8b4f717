package transfer

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasSumPairs reports whether the processor has the instructions of sumPairs.
var hasSumPairs = cpu.X86.HasAVX2

// sumPairs is line.sum for n > 0 taps of two texels each, in two rows.
//
//go:noescape
func sumPairs(out *float32, rows *pairRows, taps *tap, n int)

// The code of sumPairs has the layout of the structs.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(tap{})-72]
	_ = [1]struct{}{}[unsafe.Offsetof(tap{}.texel)-8]
	_ = [1]struct{}{}[unsafe.Offsetof(tap{}.weight)-40]
	_ = [1]struct{}{}[unsafe.Offsetof(pairRows{}.before)-48]
)
