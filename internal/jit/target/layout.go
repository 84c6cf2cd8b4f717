package target

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// A handle describes a buffer, robustly: its accesses are checked against its own lengths. Handle 0 is
// null. Code refers to a handle by its byte offset in the table (Gen) or its index (Vec).
//
//	byte  0   address of the first byte, 64 bits
//	      8   readable bytes, 64 bits
//	     16   writable bytes, 64 bits: 0 if read-only
//	     24   policy of stores and atomics, 32 bits
//	     28   the length that the shader sees, 32 bits
const (
	HandleBytes  = 32
	HandleShift  = 5 // HandleBytes is 1 << HandleShift
	HandleLength = 8
	HandleWrites = 16
	HandlePolicy = 24
	HandleRange  = 28
)

// HandlePrivate is a policy: no other worker accesses the memory, so that atomics need no lock prefix.
// The policy 0 permits nontemporal stores; any other one, usually 1, does not.
const HandlePrivate = 65 // its low six bits are 1, as of a misaligned address: such a handle permits no nontemporal stores

// HandleOwned is a policy: a store may write back the words of lanes that do not store (exec.Buffer.Owned).
const HandleOwned = 3

// The first handles. The tables of constants follow, then the fixed handles of HandleLayout.
const (
	HandleNull = iota
	HandlePush
	HandleShared
	HandleTables
)

// Bounds of the fixed part of the handle table: descriptors of each resource, and bytes of push
// constants.
const (
	maxFixed = 16
	maxPush  = 4096
)

// HandleLayout are the handles with the same index in every job, which compiled code contains as
// constants.
type HandleLayout struct {
	Resources []int // the first fixed descriptor of each resource
	Counts    []int // the number of its fixed descriptors
	Push      int   // index of the copy of the push constants, in the memory of several handles
	PushBytes int   // its length, a multiple of 4; zeros after the bytes that a job provides
	End       int   // the first handle after them
}

// HandleLayoutOf lays out the handle table of a program.
func HandleLayoutOf(p *ir.Program) HandleLayout {
	l := HandleLayout{End: HandleTables + len(p.Tables)}
	named := constantlyIndexed(p)
	for i, r := range p.Res {
		n := int(min(r.Count, maxFixed))
		if !named[i] && r.Count > 1 {
			n = 0 // a copy of the first descriptors would have no use
		}
		l.Resources = append(l.Resources, l.End)
		l.Counts = append(l.Counts, n)
		l.End += n
	}
	l.Push, l.PushBytes = l.End, int(min(p.PushBytes, maxPush))&^3
	l.End += (l.PushBytes + HandleBytes - 1) / HandleBytes
	return l
}

// constantlyIndexed returns the resources with a descriptor of a constant index.
func constantlyIndexed(p *ir.Program) []bool {
	named := make([]bool, len(p.Res))
	for _, f := range p.Funcs {
		for i := range f.Vals {
			if x := &f.Vals[i]; x.Op == ir.Res && f.Val(x.Args[0]).Op == ir.Const {
				named[x.Aux] = true
			}
		}
	}
	return named
}

// Fold makes a handle with a fixed index in every job a constant, its byte offset. No other instruction writes
// the register of such an operation.
func (l *HandleLayout) Fold(f *vcode.Func, in *vcode.Inst) {
	if in.Op != vcode.Scalar {
		return
	}
	n := 0
	switch in.IR {
	case ir.Push:
		n = HandlePush
	case ir.Wg:
		n = HandleShared
	case ir.Table:
		n = HandleTables + int(in.Key.Aux)
	case ir.Res:
		i, ok := f.Const(in.Uses[0])
		if !ok || i >= uint64(l.Counts[in.Key.Aux]) {
			return
		}
		n = l.Resources[in.Key.Aux] + int(i)
	default:
		return
	}
	f.SetConst(in.Defs[0], uint64(n)*HandleBytes)
	*in = vcode.Inst{Op: vcode.Undef}
}

// A resource is the index of its first handle and the number of its descriptors, 32 bits each.
const (
	ResourceBytes = 8
	ResourceCount = 4
)

// MaxStack is the limit in bytes of the stack of a subgroup. With it all frame offsets fit in 32 bits.
const MaxStack = 1 << 30

// An entry of the subgroup table is the stack pointer while the subgroup waits (0 after its end), its
// initial stack pointer, and the address of its record, 64 bits each.
const (
	SubgroupBytes  = 24
	SubgroupStart  = 8
	SubgroupRecord = 16
)

// Record is the layout, in byte offsets, of the memory of one subgroup while its workgroup runs. Go
// writes the fields before Steps; the code clears the private memory when a workgroup begins.
// [slot][lane] order makes the same slot of all lanes one vector.
//
//	   0      subgroup ID, initial lanes
//	Local     local IDs [index, x, y, z][lane]
//	Steps     step counters
//	Helpers   demoted lanes
//	Scratch   temporaries of one instruction
//	Private   private memory [slot][lane]
//	Size
type Record struct {
	Lanes   int32 // lanes of a strip, a multiple of the lanes of a part
	Local   int32 // local invocation index and ID, [index, x, y, z][lane], 32 bits each
	Steps   int32 // remaining steps of the subgroup of each part, 64 bits each
	Helpers int32 // demoted lanes of each part, 64 bits each
	Scratch int32 // scratch memory within one instruction
	Private int32 // private memory, [slot][lane], 32 bits each
	Size    int32
}

// Fields with the same offset in every record.
const (
	RecordID      = 0 // index of the subgroup
	RecordInitial = 8 // lanes that have an invocation, 64 bits for each part
)

// RecordOf lays out the record of a program's subgroups, with so many bytes of scratch memory, a multiple of 64.
func RecordOf(p *ir.Program, form vcode.Form, scratch int32) Record {
	parts := int32(form.Parts(p.SubgroupSize)) // 64 bits for each part
	lanes := parts * int32(form.Lanes)
	words := (8*parts + 63) &^ 63 // a double word for each part
	r := Record{Lanes: lanes, Local: 64 + words}
	r.Steps = r.Local + 4*4*lanes
	r.Helpers = r.Steps + words
	r.Scratch = r.Helpers + words
	r.Private = r.Scratch + scratch
	r.Size = r.Private + (4*lanes*int32(p.PrivateSlots())+63)&^63 // a multiple of a cache line, for clear
	return r
}
