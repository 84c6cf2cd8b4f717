package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// What hardly computes waits for memory. The machine then asks for as many lines
// as it can look ahead, so each instruction beside the accesses costs time, and
// it follows streams best that go on at the same pace. Such code is therefore
// made for wide strips, by columns: a column is all that one part of the strip
// does, and columns stand one behind the other. Whether all rows are in range is
// found out before the first one; where they are not the strip begins anew in the
// function that follows, as where a guard fails.

// maxPartInsts bounds the instructions of a column. In longer ones too little of the
// next one is within the machine's reach, and parts side by side are faster.
const maxPartInsts = 32

// generalParts is how many parts the second function does at a time: few strips come
// there, so it had better be short.
const generalParts = 2

// PartMajor widens the entry point of a verified program without calls, whose
// strips were merged (Merge.Columns), to code by columns. The second function is
// what the first leaves for; it does a strip in turns. It returns nil where that
// cannot be.
func PartMajor(p *ir.Program, form vcode.Form) []*vcode.Func {
	const other = 1 // the number of the second function
	f := p.Funcs[0]
	w := newVectorizer(p, form, 0, nil)
	defer func() { w.arena.release() }()
	if !w.startsFull() {
		return nil
	}
	if a := speculate(f, w.shapes); a != nil {
		w.arena.release()
		w = newVectorizer(p, form, 0, a)
	} else {
		w.assumed = &assumptions{}
	}
	if !w.onlyStridedAccesses() {
		return nil
	}
	w.entry, w.bailout = true, other
	w.run()
	first := w.runPasses()
	if !orderByPart(first, other) {
		return nil
	}
	hoistBoundsChecks(first)
	return []*vcode.Func{first, generalStrip(p, form)}
}

// generalStrip widens the entry point to what does a strip in turns.
func generalStrip(p *ir.Program, form vcode.Form) *vcode.Func {
	few := *p
	few.SubgroupSize = min(p.SubgroupSize, uint32(generalParts*form.Lanes))
	w := newVectorizer(&few, form, 0, nil)
	defer w.arena.release()
	w.entry, w.stripLanes = true, p.SubgroupSize
	w.dst.Parts = form.Parts(p.SubgroupSize)
	w.run()
	return w.finish()
}

// onlyStridedAccesses reports whether nothing is accessed in lanes but rows of words, as far as
// that can be told before the code is made.
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
			if x.Op.Family() == ir.PrivateMemory {
				return false
			}
		}
	}
	return true
}

// partOrder orders the one block of a function by columns.
type partOrder struct {
	f       *vcode.Func
	bailout int // the function to leave for
	insts   []vcode.Inst

	part       []int32 // of each instruction of list: its column, or none
	writer     []int32 // of each register: the instruction that writes it, or none
	checks     []vcode.Inst
	checkIndex map[accessKey]int // its place in windows
	zero       vcode.Reg
}

// orderByPart orders a function by columns, and reports whether it could: of one
// block, in which nothing but rows of all parts is accessed in lanes, all of
// which do everything.
func orderByPart(f *vcode.Func, bailout int) bool {
	if len(f.Blocks) != 1 || f.Parts == 1 {
		return false
	}
	n := len(f.Blocks[0].Insts) // most are of one part already
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

// split adds an instruction to the list, that on rows as one for each part, and
// reports whether it may stand there.
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

// indexIsReg splits an access to a row of all parts.
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
		one.Masks, one.Uses = in.Masks[p:p+1], []vcode.Reg{in.Uses[0], c.zero, c.zero, c.zero} // the window says where
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

// checkFor returns the address from which on an access reaches so many bytes. All
// accesses from one place on share it.
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

// singleDef reports whether no register is written twice, or read before it is
// written.
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

// assignParts finds the column of each instruction, and reports whether there are
// columns, none too long. What comes of a part belongs to it, and what only one
// part reads, unless it loads.
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

// severalParts is a column in place of several, or of what stands before all.
const severalParts = -2

// combineParts is what is known of what several instructions want.
func combineParts(a, b int32) int32 {
	switch {
	case b == noPart:
		return severalParts
	case a == noPart || a == b:
		return b
	}
	return severalParts
}

// assign puts an instruction into a column, where there is one and it is in no other.
func (c *partOrder) assign(i int, part int32) bool {
	if part == noPart {
		return true
	}
	if in := &c.insts[i]; c.part[i] == noPart && c.movable(in) {
		c.part[i] = part
	}
	return c.part[i] == part
}

// movable reports whether an instruction may stand in a column.
func (c *partOrder) movable(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane, vcode.Own, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast:
		return c.f.Classes[in.Defs[0]] != vcode.Gen
	}
	return false
}

// partMajor is the list by columns: what belongs to none first, then the windows.
func (c *partOrder) partMajor() []vcode.Inst {
	last := len(c.insts) - 1           // the return
	starts := make([]int, c.f.Parts+1) // of each column, after those of none
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
