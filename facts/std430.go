package facts

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// extent is the size and the alignment of a value in memory, in bytes.
type extent struct{ size, align uint64 }

// maxExtent bounds sizes, so that hostile lengths do not wrap around.
const maxExtent = 1 << 62

// up rounds a size up to an alignment.
func up(size, align uint64) uint64 {
	if align == 0 {
		return size
	}
	return min((size+align-1)/align*align, maxExtent)
}

func times(n, size uint64) uint64 {
	hi, lo := bits.Mul64(n, size)
	if hi != 0 || lo > maxExtent {
		return maxExtent
	}
	return lo
}

// extents returns the extent of each type in the std430 layout, without regard to
// decorations; a Boolean has 32 bits (Vulkan, Scope, Workgroup). Parts are declared
// before the types that contain them, so one pass is enough.
func (m *Module) extents() []extent {
	out := make([]extent, len(m.Types))
	of := func(t *Type) extent {
		if t == nil {
			return extent{}
		}
		return out[t.Number]
	}
	for i := range m.Types {
		t := &m.Types[i]
		switch {
		case t.IsBool():
			out[i] = extent{4, 4}
		case t.IsScalar():
			out[i] = extent{t.bytes(), t.bytes()}
		case t.IsVector():
			e := of(t.Elem)
			out[i] = extent{times(t.Count, e.size), e.align * lanes(t.Count)}
		case t.IsMatrix(), t.IsArray():
			e := of(t.Elem)
			out[i] = extent{times(max(t.Count, 1), up(e.size, e.align)), e.align}
		case t.IsStruct():
			var s extent
			for k := range t.Members {
				e := of(t.Members[k].Type)
				s.size, s.align = min(up(s.size, e.align)+e.size, maxExtent), max(s.align, e.align)
			}
			out[i] = extent{up(s.size, s.align), s.align}
		case t.IsPointer():
			out[i] = extent{8, 8}
		}
	}
	return out
}

// SharedBytes returns how many bytes variables of one storage class take together,
// with the padding that a device may add (Vulkan, Scope, Workgroup): variables have
// the smallest valid std430 offsets in the order of declaration. Blocks have explicit
// layouts and share one place, so the largest one counts, without its padding at the
// end.
func (m *Module) SharedBytes(list []*Variable, class spirv.StorageClass) uint64 {
	var sizes []extent
	var sum, blocks uint64
	for _, v := range list {
		if v.Storage != class || v.Type == nil {
			continue
		}
		if v.Type.IsStruct() && m.Has(v.Type.ID, spirv.DecorationBlock) {
			blocks = max(blocks, v.Type.Size(0, false))
			continue
		}
		if sizes == nil {
			sizes = m.extents()
		}
		x := sizes[v.Type.Number]
		sum = min(up(sum, x.align)+x.size, maxExtent)
	}
	return max(sum, blocks)
}
