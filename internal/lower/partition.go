package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var partitionRules = rules{
	spirv.OpGroupNonUniformPartitionEXT: partition,
}

// maxPartitioned is how many components a value may have that each lane reads of
// every other one.
const maxPartitioned = 4096

// partitionable ends lowering if a value has too many components.
func (f *function) partitionable(x []ir.V) {
	if len(x) > maxPartitioned {
		f.tooLarge("a value of %d components; at most %d", len(x), maxPartitioned)
	}
}

// partition lowers OpGroupNonUniformPartitionEXT: the active lanes that have
// the same value, as a ballot. Values are the same if their bits are.
func partition(f *function, in spirv.Inst) {
	x := append([]ir.V(nil), f.scalars(inst.GroupNonUniformPartitionEXT(in).Value())...)
	f.partitionable(x)
	for i, p := range x {
		if t := f.b.Func.Type(p); t.IsFloat() {
			x[i] = f.b.Op(ir.Bitcast, ir.Int(uint32(t.Bits())), p)
		}
	}
	active := f.ballotWords(f.b.Bool(true))
	w := make([]ir.V, ballotSize)
	for i := range w {
		w[i] = f.b.I32(0)
	}
	for k := range f.options.SubgroupSize {
		var equal []ir.V
		for i, p := range f.fromLane(x, f.b.I32(k)) {
			equal = append(equal, f.b.Cmp(ir.Eq, p, x[i]))
		}
		bit := f.b.Select(f.combine(ir.And, equal), f.b.I32(1<<(k%32)), f.b.I32(0))
		w[k/32] = f.b.Op(ir.Or, ir.I32, w[k/32], bit)
	}
	for i, a := range active {
		w[i] = f.b.Op(ir.And, ir.I32, w[i], a)
	}
	f.define(in, w...)
}

// partitioned combines the values of the lanes of a ballot, in
// ascending order from the identity on: of all lanes, of the lanes up to the current
// one, or of the lanes before it.
func (f *function) partitioned(g spirv.GroupOperation, by ir.Op, x []ir.V, ballot spirv.ID) []ir.V {
	f.partitionable(x)
	w := append([]ir.V(nil), f.ballotValue(ballot)...)
	for i, a := range f.ballotWords(f.b.Bool(true)) {
		mask := allMask
		switch g {
		case spirv.GroupOperationPartitionedInclusiveScanEXT:
			mask = atMostMask
		case spirv.GroupOperationPartitionedExclusiveScanEXT:
			mask = belowMask
		}
		w[i] = f.b.Op(ir.And, ir.I32, f.b.Op(ir.And, ir.I32, w[i], a), f.maskWord(mask, i))
	}
	parts := make([]ir.V, len(x))
	for i, p := range x {
		t := f.b.Func.Type(p)
		parts[i] = f.b.Const(t, ir.Identity(by, t))
	}
	for k := range f.options.SubgroupSize {
		bit := f.b.Op(ir.And, ir.I32, w[k/32], f.b.I32(1<<(k%32)))
		out := f.b.Cmp(ir.Eq, bit, f.b.I32(0))
		for i, p := range f.fromLane(x, f.b.I32(k)) {
			t := f.b.Func.Type(p)
			parts[i] = f.b.Select(out, parts[i], f.Make(by, t, t, parts[i], p, 0))
		}
	}
	return parts
}
