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

// maxUnrolledLanes is how many components of all lanes a partitioned operation reads without a loop.
const maxUnrolledLanes = 32

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
	w = f.eachLane(len(x), w, func(word int, lane, bit ir.V, w []ir.V) []ir.V {
		var equal []ir.V
		for i, p := range f.fromLane(x, lane) {
			equal = append(equal, f.b.Cmp(ir.Eq, p, x[i]))
		}
		w = append([]ir.V(nil), w...)
		w[word] = f.b.Op(ir.Or, ir.I32, w[word], f.b.Select(f.combine(ir.And, equal), bit, f.b.I32(0)))
		return w
	})
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
	return f.eachLane(len(x), parts, func(word int, lane, bit ir.V, parts []ir.V) []ir.V {
		out := f.b.Cmp(ir.Eq, f.b.Op(ir.And, ir.I32, w[word], bit), f.b.I32(0))
		next := make([]ir.V, len(parts))
		for i, p := range f.fromLane(x, lane) {
			t := f.b.Func.Type(p)
			next[i] = f.b.Select(out, parts[i], f.Make(by, t, t, parts[i], p, 0))
		}
		return next
	})
}

// eachLane calls visit for each lane of the subgroup in ascending order, with the lane's word and bit of a ballot and the carried
// values, first inits; it returns the next ones, and eachLane the last ones. If n components of all lanes are many, the lanes of
// each word are a loop: the code is in proportion to the words.
func (f *function) eachLane(n int, inits []ir.V, visit func(word int, lane, bit ir.V, now []ir.V) []ir.V) []ir.V {
	size, now := f.options.SubgroupSize, inits
	if uint64(n)*uint64(size) <= maxUnrolledLanes {
		for k := range size {
			now = visit(int(k/32), f.b.I32(k), f.b.I32(1<<(k%32)), now)
		}
		return now
	}
	for first := uint32(0); first < size; first += 32 {
		lanes := span{first: uint64(first), last: uint64(min(first+32, size))}
		now = f.counted(lanes, 1, now, func(lane ir.V, now []ir.V) []ir.V {
			return visit(int(first/32), lane, f.b.Op(ir.Shl, ir.I32, f.b.I32(1), f.b.Op(ir.And, ir.I32, lane, f.b.I32(31))), now)
		})
	}
	return now
}
