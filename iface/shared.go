package iface

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// extent is the size and the alignment of a value in memory.
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

// extents returns the extent of each type of a module in std430, without regard
// to decorations (Vulkan, the limit maxComputeSharedMemorySize). Parts are declared
// before the types that contain them, so one pass is enough.
func extents(m *facts.Module) []extent {
	out := make([]extent, len(m.Types))
	of := func(t *facts.Type) extent {
		if t == nil {
			return extent{}
		}
		return out[t.Number]
	}
	for i := range m.Types {
		t := &m.Types[i]
		switch {
		case t.IsScalar():
			n := uint64(max(t.Width, 32)+7) / 8
			if t.IsInt() || t.IsFloat() {
				n = uint64(t.Width+7) / 8
			}
			out[i] = extent{n, n}
		case t.IsVector():
			e := of(t.Elem)
			n := uint64(t.Components())
			out[i] = extent{times(n, e.size), e.align * min(n+n%2, 4)}
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

// shared sums the workgroup memory that an entry point uses. Blocks share
// their place (SPV_KHR_workgroup_memory_explicit_layout).
func (e *Entry) shared(m *facts.Module, globals []*facts.Variable) {
	var sizes []extent
	var blocks uint64
	for _, v := range globals {
		if v.Storage != spirv.StorageClassWorkgroup || v.Type == nil {
			continue
		}
		if v.Type.IsStruct() && m.Has(v.Type.ID, spirv.DecorationBlock) {
			blocks = max(blocks, v.Type.Size(0, false))
			continue
		}
		if sizes == nil {
			sizes = extents(m)
		}
		x := sizes[v.Type.Number]
		e.SharedMemory = min(up(e.SharedMemory, x.align)+x.size, maxExtent)
	}
	e.SharedMemory = max(e.SharedMemory, blocks)
}
