package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Part-major code
//
// Code with few computations waits for memory. Its speed is the number of cache lines in flight, so that
// every instruction besides the accesses costs time, and the hardware prefetcher works best if all streams
// advance at the same pace. Such code is emitted for strips of up to 16 parts, one part at a time: all
// instructions of part 0, then of part 1, and so on. All bounds checks and scalars come first; no part has
// a check or a mask of its own.
//
//	interleaved                        part-major
//	load  x0 … x3                      boundscheck x, y: all bytes, or bail out
//	load  y0 … y3                      load x0; load y0; fma; store y0
//	fma   0 … 3                        load x1; load y1; fma; store y1
//	store y0 … y3                      …
//
// If a check fails, the strip bails out to a second function, as from a speculation guard (guard.go). That
// one, for strips at the edges of the data, is short instead of fast: it executes the strip in chunks of
// two parts (strip mining, Loveman 1977).

// maxPartInsts bounds the instructions of one part. In longer code too little of the next part is in the
// machine's out-of-order window, and interleaved parts are faster.
const maxPartInsts = 32

// generalParts is the number of parts that the second function executes at a time.
const generalParts = 2

// PartMajor vectorizes the entry point of a verified program without calls, with the strips of
// Merge.PartMajor, to part-major code. It returns this code and the general version, which executes a strip
// in chunks, or nil if the program does not qualify.
func PartMajor(p *ir.Program, form vcode.Form) []*vcode.Func {
	const general = 1 // index of the general version
	w := newVectorizer(p, form, 0, nil)
	defer func() { w.arena.release() }()
	if !w.startsFull() {
		return nil
	}
	if a := w.speculate(); a != nil {
		w.arena.release()
		w = newVectorizer(p, form, 0, a)
	} else {
		w.assumed = &assumptions{}
	}
	if !w.onlyStridedAccesses() {
		return nil
	}
	w.entry, w.bailout = true, general
	w.run()
	first := w.runPasses()
	if !orderByPart(first, general) {
		return nil
	}
	hoistBoundsChecks(first)
	formRecordRuns(first)
	return []*vcode.Func{first, generalStrip(p, form)}
}

// generalStrip vectorizes the entry point to a loop over chunks of the strip.
func generalStrip(p *ir.Program, form vcode.Form) *vcode.Func {
	few := *p
	few.SubgroupSize = min(p.SubgroupSize, uint32(generalParts*form.Lanes))
	w := newVectorizer(&few, form, 0, nil)
	defer w.arena.release()
	w.entry, w.cold, w.stripLanes = true, true, p.SubgroupSize
	w.dst.Parts = form.Parts(p.SubgroupSize)
	w.run()
	return w.finish()
}

// onlyStridedAccesses reports whether all accesses by lane are to strided words, as far as is known before
// emission.
func (w *vectorizer) onlyStridedAccesses() bool {
	for _, v := range w.src.Code {
		x := w.src.Val(v)
		switch x.Op {
		case ir.Ld, ir.St:
			s := w.shapes.of[x.Args[1]]
			bytes := uint64(s.step)
			switch s.kind {
			case strided:
			case address:
				bytes *= s.stride
			case uniform:
				bytes = 4
			default:
				return false
			}
			if bytes != 4 && (x.Op == ir.St || s.step != 0) {
				return false
			}
		default:
			if x.Op.Family() == ir.PrivateMemory || x.Op.Family() == ir.Rays {
				return false
			}
		}
	}
	return true
}

// partOrder is the reordering of a function's only block.
type partOrder struct {
	f       *vcode.Func
	bailout int // index of the general version
	insts   []vcode.Inst

	part       []int32           // by instruction: its part, or noPart
	writer     []int32           // by register: the instruction that writes it, or noPart
	checks     []vcode.Inst      // bounds checks, which come before all parts
	checkIndex map[accessKey]int // index in checks
	zero       vcode.Reg
}

// orderByPart makes a function part-major, and reports whether it could. It must have one block, without
// other accesses by lane than to strided words of all parts, and without masks.
func orderByPart(f *vcode.Func, bailout int) bool {
	if len(f.Blocks) != 1 || f.Parts == 1 {
		return false
	}
	n := len(f.Blocks[0].Insts) // most have a part already
	c := partOrder{insts: make([]vcode.Inst, 0, 2*n), part: make([]int32, 0, 2*n), f: f, bailout: bailout, checkIndex: map[accessKey]int{}, zero: f.NewConst(vcode.Gen, 0)}
	for i := range f.Blocks[0].Insts {
		if !c.split(&f.Blocks[0].Insts[i]) {
			return false
		}
	}
	if !c.singleAssignment() || !c.assignParts() {
		return false
	}
	f.Blocks[0].Insts = c.partMajor()
	return true
}

// split appends an instruction to the list, a strided access as one for each part. It returns false if
// part-major code cannot have it.
func (c *partOrder) split(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.StridedLoad, vcode.StridedStore:
		return c.splitStrided(in)
	case vcode.Lane, vcode.Own, vcode.Copy, vcode.BroadcastLoad, vcode.Scalar:
		const seen = ir.Volatile | ir.Coherent
		if in.Op == vcode.Lane && (in.IR.Is(ir.Reads) || in.IR.Is(ir.Writes)) || in.IR.Is(ir.Writes) || in.IR.Is(ir.Meets) || in.Key.Flags&seen != 0 || in.Merging {
			return false
		}
	case vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast, vcode.InputBase, vcode.StridedBase, vcode.Guard, vcode.Return, vcode.Undef:
	default:
		return false
	}
	c.insts, c.part = append(c.insts, *in), append(c.part, noPart)
	return true
}

// splitStrided splits a strided access of all parts.
func (c *partOrder) splitStrided(in *vcode.Inst) bool {
	const seen = ir.Volatile | ir.Coherent
	reach := extentOf(c.f, in)
	store := in.Op == vcode.StridedStore
	parts := len(in.Defs)
	if store {
		parts = len(in.Uses) - 4
	}
	if parts != c.f.Parts || in.Step*in.Stride != 4 || in.Prefetch != 0 || in.Key.Flags&seen != 0 || in.Merging || reach > maxCheckedBytes {
		return false
	}
	for _, k := range in.Masks {
		if bits, ok := c.f.Const(k); !ok || bits&1 == 0 {
			return false
		}
	}
	at := c.checkFor(in, reach)
	for p := range parts {
		one := *in
		one.Part, one.Checked, one.Proven = uint8(p), true, true
		one.Key.Aux += uint64(4 * p * c.f.Form.Lanes)
		// the check yields the address
		one.Masks, one.Uses = in.Masks[p:p+1], []vcode.Reg{in.Uses[0], c.zero, c.zero, c.zero}
		if store {
			one.Uses = append(one.Uses, in.Uses[4+p])
		} else {
			one.Defs = in.Defs[p : p+1]
		}
		one.Uses = append(one.Uses, at)
		c.insts, c.part = append(c.insts, one), append(c.part, int32(p))
	}
	return true
}

// checkFor returns the result of the bounds check of an access, which ends extent bytes after its base. All
// accesses with the same base share it.
func (c *partOrder) checkFor(in *vcode.Inst, reach uint64) vcode.Reg {
	k := accessKey{in.Uses[0], in.Uses[1], in.Op == vcode.StridedStore}
	i, ok := c.checkIndex[k]
	if !ok {
		w := vcode.Inst{
			Op: vcode.BoundsCheck, Proven: true, Target: c.bailout, Origin: in.Origin,
			Defs: []vcode.Reg{c.f.NewReg(vcode.Gen)}, Uses: []vcode.Reg{k.handle, k.base},
		}
		if k.store {
			w.Op = vcode.StoreBoundsCheck
		}
		i = len(c.checks)
		c.checkIndex[k] = i
		c.checks = append(c.checks, w)
	}
	w := &c.checks[i]
	w.Key.Aux = max(w.Key.Aux, reach)
	return w.Defs[0]
}

// singleAssignment reports whether each register is written once, before it is read.
func (c *partOrder) singleAssignment() bool {
	c.writer = slices.Repeat([]int32{noPart}, len(c.f.Classes))
	seen := make([]bool, len(c.f.Classes))
	for i := range c.insts {
		in := &c.insts[i]
		eachRead(in, func(r vcode.Reg) { seen[r] = true })
		for _, r := range in.Defs {
			if seen[r] {
				return false
			}
			seen[r], c.writer[r] = true, int32(i)
		}
	}
	return len(c.checks) > 0
}

// assignParts finds the part of each instruction, and reports whether that succeeds and no part is too
// long. Results of a part belong to it, and so do values that only one part reads, except for loads.
func (c *partOrder) assignParts() bool {
	for i := range c.insts {
		in := &c.insts[i]
		ok := true
		eachRead(in, func(r vcode.Reg) {
			if from := c.writer[r]; from != noPart {
				ok = c.assign(i, c.part[from]) && ok
			}
		})
		if !ok {
			return false
		}
	}
	userParts := slices.Repeat([]int32{noPart}, len(c.insts))
	length := 0
	for i := len(c.insts) - 1; i >= 0; i-- {
		in := &c.insts[i]
		if c.part[i] == noPart && userParts[i] != noPart && userParts[i] != severalParts && c.movable(in) {
			c.part[i] = userParts[i]
		}
		if c.part[i] != noPart {
			length++
		}
		eachRead(in, func(r vcode.Reg) {
			if from := c.writer[r]; from != noPart {
				userParts[from] = combineParts(userParts[from], c.part[i])
			}
		})
	}
	return length <= maxPartInsts*c.f.Parts
}

// severalParts is the part of instructions that several parts use.
const severalParts = -2

// combineParts returns the part that two users have in common.
func combineParts(a, b int32) int32 {
	switch {
	case b == noPart:
		return severalParts
	case a == noPart || a == b:
		return b
	}
	return severalParts
}

// assign sets the part of an instruction, and reports whether that is possible. noPart changes nothing.
func (c *partOrder) assign(i int, part int32) bool {
	if part == noPart {
		return true
	}
	if in := &c.insts[i]; c.part[i] == noPart && c.movable(in) {
		c.part[i] = part
	}
	return c.part[i] == part
}

// movable reports whether an instruction may belong to a part.
func (c *partOrder) movable(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane, vcode.Own, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast:
		return c.f.Classes[in.Defs[0]] != vcode.Gen
	}
	return false
}

// partMajor returns the list in part-major order: instructions without a part, the checks, then part by
// part.
func (c *partOrder) partMajor() []vcode.Inst {
	last := len(c.insts) - 1           // the return
	starts := make([]int, c.f.Parts+1) // by part, after the instructions without one
	for _, part := range c.part[:last] {
		if part+1 < int32(c.f.Parts) {
			starts[part+2]++
		}
	}
	starts[1] += len(c.checks)
	for p := range c.f.Parts {
		starts[p+1] += starts[p]
	}
	out := make([]vcode.Inst, len(c.insts)+len(c.checks))
	for i, part := range c.part[:last] {
		out[starts[part+1]] = c.insts[i]
		starts[part+1]++
	}
	copy(out[starts[0]:], c.checks)
	out[len(out)-1] = c.insts[last]
	return out
}
