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

// maxColumn bounds the instructions of a column. In longer ones too little of the
// next one is within the machine's reach, and parts side by side are faster.
const maxColumn = 32

// edgeParts is how many parts the second function does at a time: few strips come
// there, so it had better be short.
const edgeParts = 2

// Columns widens the entry point of a verified program without calls, whose
// strips were merged (Merge.Columns), to code by columns. The second function is
// what the first leaves for; it does a strip in turns. It returns nil where that
// cannot be.
func Columns(p *ir.Program, form vcode.Form) []*vcode.Func {
	const other = 1 // the number of the second function
	f := p.Funcs[0]
	w := newWidener(p, form, 0, nil)
	defer func() { w.in.leave() }()
	if !w.startsFull() {
		return nil
	}
	if a := guardsOf(f, w.shapes); a != nil {
		w.in.leave()
		w = newWidener(p, form, 0, a)
	} else {
		w.assumed = &assumed{}
	}
	if !w.rowsAlone() {
		return nil
	}
	w.entry, w.otherwise = true, other
	w.run()
	first := w.unchecked()
	if !byColumns(first, other) {
		return nil
	}
	windows(first)
	return []*vcode.Func{first, edges(p, form)}
}

// edges widens the entry point to what does a strip in turns.
func edges(p *ir.Program, form vcode.Form) *vcode.Func {
	few := *p
	few.SubgroupSize = min(p.SubgroupSize, uint32(edgeParts*form.Lanes))
	w := newWidener(&few, form, 0, nil)
	defer w.in.leave()
	w.entry, w.over = true, p.SubgroupSize
	w.dst.Parts = form.Parts(p.SubgroupSize)
	w.run()
	return w.finish()
}

// rowsAlone reports whether nothing is accessed in lanes but rows of words, as far as
// that can be told before the code is made.
func (w *widener) rowsAlone() bool {
	for _, v := range w.src.Code {
		x := w.src.Val(v)
		switch x.Op {
		case ir.Ld, ir.St:
			s := w.shapes.of[x.Args[1]]
			bytes := uint64(s.step)
			switch s.kind {
			case row:
			case address:
				bytes *= s.size
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

// columns orders the one block of a function by columns.
type columns struct {
	f     *vcode.Func
	other int // the function to leave for
	list  []vcode.Inst

	of      []int32 // of each instruction of list: its column, or none
	by      []int32 // of each register: the instruction that writes it, or none
	windows []vcode.Inst
	window  map[accessKey]int // its place in windows
	zero    vcode.Reg
}

// byColumns orders a function by columns, and reports whether it could: of one
// block, in which nothing but rows of all parts is accessed in lanes, all of
// which do everything.
func byColumns(f *vcode.Func, other int) bool {
	if len(f.Blocks) != 1 || f.Parts == 1 {
		return false
	}
	n := len(f.Blocks[0].Insts) // most are of one part already
	c := columns{list: make([]vcode.Inst, 0, 2*n), of: make([]int32, 0, 2*n), f: f, other: other, window: map[accessKey]int{}, zero: f.NewConst(vcode.Gen, 0)}
	for i := range f.Blocks[0].Insts {
		if !c.split(&f.Blocks[0].Insts[i]) {
			return false
		}
	}
	if !c.once() || !c.color() {
		return false
	}
	f.Blocks[0].Insts = c.sorted()
	return true
}

// split adds an instruction to the list, that on rows as one for each part, and
// reports whether it may stand there.
func (c *columns) split(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.StridedLoad, vcode.StridedStore:
		return c.row(in)
	case vcode.Lane, vcode.Own, vcode.Copy, vcode.BroadcastLoad, vcode.Scalar:
		const seen = ir.Volatile | ir.Coherent
		if in.Op == vcode.Lane && (in.IR.Is(ir.Reads) || in.IR.Is(ir.Writes)) || in.IR.Is(ir.Writes) || in.IR.Is(ir.Meets) || in.Key.Flags&seen != 0 || in.Merging {
			return false
		}
	case vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast, vcode.InputBase, vcode.StridedBase, vcode.Guard, vcode.Return, vcode.Undef:
	default:
		return false
	}
	c.list, c.of = append(c.list, *in), append(c.of, none)
	return true
}

// row splits an access to a row of all parts.
func (c *columns) row(in *vcode.Inst) bool {
	const seen = ir.Volatile | ir.Coherent
	reach := reachOf(c.f, in)
	store := in.Op == vcode.StridedStore
	parts := len(in.Defs)
	if store {
		parts = len(in.Uses) - 4
	}
	if parts != c.f.Parts || in.Step*in.Stride != 4 || in.Prefetch != 0 || in.Key.Flags&seen != 0 || in.Merging || reach > maxWindow {
		return false
	}
	for _, k := range in.Masks {
		if bits, ok := c.f.Const(k); !ok || bits&1 == 0 {
			return false
		}
	}
	at := c.windowOf(in, reach)
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
		c.list, c.of = append(c.list, one), append(c.of, int32(p))
	}
	return true
}

// windowOf returns the address from which on an access reaches so many bytes. All
// accesses from one place on share it.
func (c *columns) windowOf(in *vcode.Inst, reach uint64) vcode.Reg {
	k := accessKey{in.Uses[0], in.Uses[1], in.Op == vcode.StridedStore}
	i, ok := c.window[k]
	if !ok {
		w := vcode.Inst{
			Op: vcode.BoundsCheck, Proven: true, Target: c.other, Origin: in.Origin,
			Defs: []vcode.Reg{c.f.NewReg(vcode.Gen)}, Uses: []vcode.Reg{k.handle, k.base},
		}
		if k.store {
			w.Op = vcode.StoreBoundsCheck
		}
		i = len(c.windows)
		c.window[k] = i
		c.windows = append(c.windows, w)
	}
	w := &c.windows[i]
	w.Key.Aux = max(w.Key.Aux, reach)
	return w.Defs[0]
}

// once reports whether no register is written twice, or read before it is
// written.
func (c *columns) once() bool {
	c.by = slices.Repeat([]int32{none}, len(c.f.Classes))
	late := make([]bool, len(c.f.Classes))
	for i := range c.list {
		in := &c.list[i]
		reads(in, func(r vcode.Reg) { late[r] = true })
		for _, r := range in.Defs {
			if late[r] {
				return false
			}
			late[r], c.by[r] = true, int32(i)
		}
	}
	return len(c.windows) > 0
}

// color finds the column of each instruction, and reports whether there are
// columns, none too long. What comes of a part belongs to it, and what only one
// part reads, unless it loads.
func (c *columns) color() bool {
	for i := range c.list {
		in := &c.list[i]
		ok := true
		reads(in, func(r vcode.Reg) {
			if from := c.by[r]; from != none {
				ok = c.join(i, c.of[from]) && ok
			}
		})
		if !ok {
			return false
		}
	}
	wanted := slices.Repeat([]int32{none}, len(c.list))
	length := 0
	for i := len(c.list) - 1; i >= 0; i-- {
		in := &c.list[i]
		if c.of[i] == none && wanted[i] != none && wanted[i] != many && c.sinks(in) {
			c.of[i] = wanted[i]
		}
		if c.of[i] != none {
			length++
		}
		reads(in, func(r vcode.Reg) {
			if from := c.by[r]; from != none {
				wanted[from] = meet(wanted[from], c.of[i])
			}
		})
	}
	return length <= maxColumn*c.f.Parts
}

// reads names the registers that an instruction reads.
func reads(in *vcode.Inst, do func(vcode.Reg)) {
	for _, r := range in.Uses {
		do(r)
	}
	for _, r := range in.Masks {
		do(r)
	}
}

// many is a column in place of several, or of what stands before all.
const many = -2

// meet is what is known of what several instructions want.
func meet(a, b int32) int32 {
	switch {
	case b == none:
		return many
	case a == none || a == b:
		return b
	}
	return many
}

// join puts an instruction into a column, where there is one and it is in no other.
func (c *columns) join(i int, column int32) bool {
	if column == none {
		return true
	}
	if in := &c.list[i]; c.of[i] == none && c.sinks(in) {
		c.of[i] = column
	}
	return c.of[i] == column
}

// sinks reports whether an instruction may stand in a column.
func (c *columns) sinks(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.Lane, vcode.Own, vcode.Copy, vcode.And, vcode.AndNot, vcode.Or, vcode.Broadcast:
		return c.f.Classes[in.Defs[0]] != vcode.Gen
	}
	return false
}

// sorted is the list by columns: what belongs to none first, then the windows.
func (c *columns) sorted() []vcode.Inst {
	last := len(c.list) - 1            // the return
	starts := make([]int, c.f.Parts+1) // of each column, after those of none
	for _, column := range c.of[:last] {
		if column+1 < int32(c.f.Parts) {
			starts[column+2]++
		}
	}
	starts[1] += len(c.windows)
	for p := range c.f.Parts {
		starts[p+1] += starts[p]
	}
	out := make([]vcode.Inst, len(c.list)+len(c.windows))
	for i, column := range c.of[:last] {
		out[starts[column+1]] = c.list[i]
		starts[column+1]++
	}
	copy(out[starts[0]:], c.windows)
	out[len(out)-1] = c.list[last]
	return out
}
