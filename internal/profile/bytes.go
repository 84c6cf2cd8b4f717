package profile

import (
	"math"
	"math/bits"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// bytesOf returns the bytes that an instruction reads and writes in one invocation.
func bytesOf(m *facts.Module, in spirv.Inst) (read, written uint64) {
	at := func(pointer spirv.ID, t *facts.Type) uint64 {
		if !shared(m.TypeOf(pointer)) {
			return 0
		}
		return size(t, 0)
	}
	switch op := in.Op(); op {
	case spirv.OpLoad:
		return at(inst.Load(in).Pointer(), m.Type(in.Type())), 0
	case spirv.OpStore:
		v := inst.Store(in)
		return 0, at(v.Pointer(), m.TypeOf(v.Object()))
	case spirv.OpCopyMemory:
		v := inst.CopyMemory(in)
		t := elem(m.TypeOf(v.Target()))
		return at(v.Source(), t), at(v.Target(), t)
	case spirv.OpCopyMemorySized:
		v := inst.CopyMemorySized(in)
		c := m.Const(v.Size())
		if c == nil {
			return 0, 0
		}
		n, ok := c.Int()
		if !ok || n < 0 {
			return 0, 0
		}
		if shared(m.TypeOf(v.Source())) {
			read = uint64(n)
		}
		if shared(m.TypeOf(v.Target())) {
			written = uint64(n)
		}
		return read, written
	case spirv.OpAtomicStore:
		v := inst.AtomicStore(in)
		return 0, at(v.Pointer(), m.TypeOf(v.Value()))
	case spirv.OpAtomicLoad:
		return at(inst.AtomicLoad(in).Pointer(), m.Type(in.Type())), 0
	default:
		if strings.HasPrefix(op.String(), "OpAtomic") && len(in) > 3 {
			n := at(spirv.ID(in[3]), m.Type(in.Type()))
			return n, n
		}
	}
	return 0, 0
}

// elem returns the type that a pointer points to; nil if it is not known.
func elem(t *facts.Type) *facts.Type {
	if t == nil {
		return nil
	}
	return t.Elem
}

// shared reports whether a pointer is into memory that invocations share.
func shared(t *facts.Type) bool {
	if t == nil || t.Op != spirv.OpTypePointer && t.Op != spirv.OpTypeUntypedPointerKHR {
		return false
	}
	switch t.Storage {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassWorkgroup,
		spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassTaskPayloadWorkgroupEXT:
		return true
	}
	return false
}

// maxDepth bounds the nesting of types (SPIR-V §2.17).
const maxDepth = 255

// size returns the bytes of the scalars of a value; 0 if they are not known.
func size(t *facts.Type, depth int) (n uint64) {
	if t == nil || depth > maxDepth {
		return 0
	}
	switch t.Op {
	case spirv.OpTypeInt, spirv.OpTypeFloat:
		return uint64(t.Width) / 8
	case spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR:
		return 8
	case spirv.OpTypeVector, spirv.OpTypeMatrix, spirv.OpTypeArray:
		high, low := bits.Mul64(size(t.Elem, depth+1), t.Count)
		if high > 0 {
			return math.MaxUint64
		}
		return low
	case spirv.OpTypeStruct:
		if t.Leaves == 0 || t.Leaves > 1<<16 { // an empty one, or no value that a shader loads
			return 0
		}
		for i := range t.Members {
			n += size(t.Members[i].Type, depth+1)
		}
	}
	return n
}
