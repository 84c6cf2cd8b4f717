package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var ballotRules = rules{
	spirv.OpGroupNonUniformBallot:           ballot,
	spirv.OpSubgroupBallotKHR:               ballot,
	spirv.OpGroupNonUniformInverseBallot:    inverseBallot,
	spirv.OpGroupNonUniformBallotBitExtract: ballotBitExtract,
	spirv.OpGroupNonUniformBallotBitCount:   ballotBitCount,
	spirv.OpGroupNonUniformBallotFindLSB:    ballotFind,
	spirv.OpGroupNonUniformBallotFindMSB:    ballotFind,
}

// ballotSize is how many words a ballot has.
const ballotSize = 4

// words returns how many words of a ballot have lanes.
func (f *function) words() int { return int(f.options.SubgroupSize+31) / 32 }

// ballotWords returns the words of a ballot that have lanes.
func (f *function) ballotWords(x ir.V) []ir.V {
	w := make([]ir.V, f.words())
	for i := range w {
		w[i] = f.b.OpAux(ir.Ballot, ir.I32, uint64(i), x)
	}
	return w
}

func ballot(f *function, in spirv.Inst) {
	w := f.ballotWords(f.typed(spirv.ID(f.groupOperands(in)[0]), ir.B1))
	for len(w) < ballotSize {
		w = append(w, f.b.I32(0))
	}
	f.define(in, w...)
}

// ballotValue returns the words of a ballot operand.
func (f *function) ballotValue(id spirv.ID) []ir.V { return f.words32(id, ballotSize) }

func inverseBallot(f *function, in spirv.Inst) {
	w := f.ballotValue(spirv.ID(f.groupOperands(in)[0]))
	f.checkInverse(w[:f.words()])
	f.define(in, f.bitOf(w, f.lane()))
}

func ballotBitExtract(f *function, in spirv.Inst) {
	args := f.groupOperands(in)
	w := f.ballotValue(spirv.ID(args[0]))
	i := f.toInt(f.one(spirv.ID(args[1])), ir.I32)
	if f.sanitizes(ir.SanitizeUndefined) {
		f.checkBit(i)
	}
	f.define(in, f.bitOf(w, i))
}

// bitOf returns bit i of a ballot; false if i is past its end.
func (f *function) bitOf(w []ir.V, i ir.V) ir.V {
	word := f.selectPart(w, operand{v: f.b.Op(ir.LShr, ir.I32, i, f.b.I32(5))})
	bit := f.b.Op(ir.And, ir.I32, f.b.Op(ir.LShr, ir.I32, word, i), f.b.I32(1))
	return f.b.Cmp(ir.Eq, bit, f.b.I32(1))
}

func ballotBitCount(f *function, in spirv.Inst) {
	f.groupOperands(in)
	v := inst.GroupNonUniformBallotBitCount(in)
	mask := allMask
	switch g := v.Operation(); g {
	case spirv.GroupOperationReduce:
	case spirv.GroupOperationInclusiveScan:
		mask = atMostMask
	case spirv.GroupOperationExclusiveScan:
		mask = belowMask
	default:
		f.unsupported("%s", g)
	}
	w := f.ballotValue(v.Value())
	sum := f.b.I32(0)
	for i := range f.words() {
		bits := f.b.Op(ir.And, ir.I32, w[i], f.maskWord(mask, i))
		sum = f.b.Op(ir.Add, ir.I32, sum, f.b.Op(ir.BitCount, ir.I32, bits))
	}
	f.define(in, sum)
}

func ballotFind(f *function, in spirv.Inst) {
	w := f.ballotValue(spirv.ID(f.groupOperands(in)[0]))[:f.words()]
	masked := make([]ir.V, len(w))
	for i := range w {
		masked[i] = f.b.Op(ir.And, ir.I32, w[i], f.maskWord(allMask, i))
	}
	if f.sanitizes(ir.SanitizeUndefined) {
		f.checkFind(masked)
	}
	if in.Op() == spirv.OpGroupNonUniformBallotFindLSB {
		f.define(in, f.findLsb(masked))
		return
	}
	f.define(in, f.findMsb(masked))
}

// findLsb returns the number of the lowest bit that is set, −1 if there is none.
func (f *function) findLsb(w []ir.V) ir.V {
	last := len(w) - 1
	out := f.b.Op(ir.FindLsb, ir.I32, w[last])
	if last > 0 {
		out = f.found(w[last], f.raised(out, last), f.b.I32(^uint32(0)))
	}
	for i := last - 1; i >= 0; i-- {
		out = f.found(w[i], f.raised(f.b.Op(ir.FindLsb, ir.I32, w[i]), i), out)
	}
	return out
}

// findMsb returns the number of the highest bit that is set, −1 if there is none.
func (f *function) findMsb(w []ir.V) ir.V {
	out := f.b.Op(ir.FindUMsb, ir.I32, w[0])
	for i := 1; i < len(w); i++ {
		out = f.found(w[i], f.raised(f.b.Op(ir.FindUMsb, ir.I32, w[i]), i), out)
	}
	return out
}

// raised adds the number of the bits of the words before word i.
func (f *function) raised(v ir.V, i int) ir.V {
	if i == 0 {
		return v
	}
	return f.b.Op(ir.Add, ir.I32, v, f.b.I32(uint32(32*i)))
}

// found returns yes if a word has a bit, else no.
func (f *function) found(word, yes, no ir.V) ir.V {
	return f.b.Select(f.b.Cmp(ir.Eq, word, f.b.I32(0)), no, yes)
}

// laneMask is a set of lanes relative to the lane that reads it.
type laneMask uint8

const (
	equalMask laneMask = iota
	belowMask
	atMostMask
	atLeastMask
	aboveMask
	allMask
)

// maskWord returns word i of a set of lanes, as a ballot.
func (f *function) maskWord(m laneMask, i int) ir.V {
	base := uint32(32 * i)
	if base >= f.options.SubgroupSize {
		return f.b.I32(0)
	}
	all := f.b.I32(ones(f.options.SubgroupSize - base))
	lane := f.b.Op(ir.Sub, ir.I32, f.lane(), f.b.I32(base)) // negative, or 32 and more, outside of the word
	next := f.b.Op(ir.Add, ir.I32, lane, f.b.I32(1))
	switch m {
	case equalMask:
		in := f.b.Cmp(ir.ULt, lane, f.b.I32(32))
		return f.b.Select(in, f.b.Op(ir.Shl, ir.I32, f.b.I32(1), lane), f.b.I32(0))
	case belowMask:
		return f.lowBits(lane)
	case atMostMask:
		return f.lowBits(next)
	case atLeastMask:
		return f.b.Op(ir.And, ir.I32, all, f.b.Op(ir.Not, ir.I32, f.lowBits(lane)))
	case aboveMask:
		return f.b.Op(ir.And, ir.I32, all, f.b.Op(ir.Not, ir.I32, f.lowBits(next)))
	}
	return all
}

// lowBits returns n ones from bit 0 on: none if n is negative, 32 at most.
func (f *function) lowBits(n ir.V) ir.V {
	n = f.b.Op(ir.SMin, ir.I32, f.b.Op(ir.SMax, ir.I32, n, f.b.I32(0)), f.b.I32(32))
	return f.b.Op(ir.BitFieldMask, ir.I32, f.b.I32(0), n)
}

// ones returns n ones from bit 0 on, 32 at most.
func ones(n uint32) uint32 {
	if n >= 32 {
		return ^uint32(0)
	}
	return 1<<n - 1
}
