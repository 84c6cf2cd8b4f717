package inst

import (
	"iter"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Cases yields the cases of a switch with literals of so many words: the
// words of the literal, low-order first, and the label.
func (v Switch) Cases(literal int) iter.Seq2[[]uint32, spirv.ID] {
	return func(yield func([]uint32, spirv.ID) bool) {
		for p := 3; p+literal < len(v); p += literal + 1 {
			if !yield(v[p:p+literal], spirv.ID(v[p+literal])) {
				return
			}
		}
	}
}

// skip returns the place after operands of these kinds that begin at p. Missing
// operands have no words.
func skip(v []uint32, p int, kinds ...spirv.Kind) int {
	for _, k := range kinds {
		if p < len(v) {
			p += k.Span(v[p:])
		}
	}
	return p
}

// parameters returns the words after the enumerant or mask at p that are its
// parameters.
func parameters(v []uint32, p int, k spirv.Kind) []uint32 {
	switch {
	case p >= len(v):
		return nil
	case k == spirv.KindDecoration, k == spirv.KindExecutionMode: // nothing follows them
		return v[p+1:]
	}
	return v[p+1 : p+k.Span(v[p:])]
}

// many returns the words from p on as a list of another type.
func many[T ~uint32](v []uint32, p int) []T {
	if p >= len(v) {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&v[p])), len(v)-p)
}

// pairs returns the words from p on as a list of pairs.
func pairs[T ~uint32](v []uint32, p int) [][2]T {
	if p+1 >= len(v) {
		return nil
	}
	return unsafe.Slice((*[2]T)(unsafe.Pointer(&v[p])), (len(v)-p)/2)
}

// maybe returns the word at p, if there is one.
func maybe[T ~uint32](v []uint32, p int) (T, bool) {
	if p >= len(v) {
		return 0, false
	}
	return T(v[p]), true
}

// maybeString returns the string at p, if there is one.
func maybeString(v []uint32, p int) (string, bool) {
	if p >= len(v) {
		return "", false
	}
	return spirv.String(v[p:]), true
}
