package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/ptx"
)

// ending is the end of a basic block.
type ending uint8

const (
	jumps    ending = iota // to succs[0]
	branches               // to succs[0] if the guard of the last instruction holds, else to succs[1]
	selects                // brx.idx: to succs[i]
	leaves                 // ret or exit: to succs[0] if the guard does not hold
	guides                 // a guide of reduce: to the successor that its variable names
)

// block is a basic block: items[from:to] without the instruction that ends it.
type block struct {
	from, to int
	end      ending
	last     *item // the instruction that ends it, unless it jumps
	succs    []int

	past  bool            // no barrier is ahead (endings.go)
	ends  map[int]bool    // by the number of a successor: no barrier is ahead of this edge of the kernel
	spins map[int]bool    // by the number of a successor: whether the thread goes round a spin loop by this edge; false if it leaves one
	guide uint64          // of a guide: the variable that names the successor
	sets  map[int]setting // by the number of a successor that is a guide
}

// setting is the value of a guide's variable on an edge to the guide.
type setting struct {
	guide uint64
	value uint32
}

// ends reports whether an instruction ends a basic block.
func ends(i *ptx.Instr) bool {
	switch i.Op {
	case "bra", "brx", "ret", "exit":
		return true
	}
	return false
}

// buildBlocks finds the basic blocks. The last one returns.
func (f *function) buildBlocks() {
	starts := map[int]int{0: 0}
	for _, at := range f.names {
		starts[at] = 0
	}
	for i := range f.items {
		if ends(f.items[i].in) {
			starts[i+1] = 0
		}
	}
	for i := range f.gates {
		starts[i] = 0
	}
	n := 0
	for i := 0; i <= len(f.items); i++ {
		if _, ok := starts[i]; ok {
			starts[i] = n
			f.blocks = append(f.blocks, block{from: i})
			n++
		}
	}
	for i := range f.blocks {
		b := &f.blocks[i]
		b.to = len(f.items)
		if i+1 < n {
			b.to = f.blocks[i+1].from
		}
		if i+1 < n || b.to > b.from {
			f.endBlock(b, starts)
		}
		if b.end == jumps && i+1 == n {
			b.end, b.last = leaves, nil
		} else if b.end == jumps && b.last == nil {
			b.succs = []int{i + 1}
		}
	}
}

// endBlock finds the successors of a block from its last instruction.
func (f *function) endBlock(b *block, starts map[int]int) {
	if b.to == b.from || !ends(f.items[b.to-1].in) {
		return
	}
	b.to--
	b.last = &f.items[b.to]
	in := b.last.in
	next, hasNext := starts[b.to+1]
	switch in.Op {
	case "bra":
		if len(in.Operands) != 1 || in.Operands[0].Kind != ptx.Symbol {
			malformed(in.Pos, "%s has no label; must have one", in.Name())
		}
		b.succs = []int{f.target(in.Operands[0], starts)}
		if in.Guard != "" && hasNext {
			b.end, b.succs = branches, append(b.succs, next)
		}
	case "brx":
		f.endTable(b, starts)
	default:
		b.end = leaves
		if in.Guard != "" && hasNext {
			b.succs = []int{next}
		}
	}
}

// endTable finds the successors of a brx.idx.
func (f *function) endTable(b *block, starts map[int]int) {
	in := b.last.in
	if in.Guard != "" || len(in.Operands) != 2 || !in.Has(".idx") {
		unsupported(in.Pos, "this form of %s", in.Name())
	}
	d := b.last.at.directive(in.Operands[1].Name)
	if d == nil || d.Name != ".branchtargets" {
		malformed(in.Pos, "%s is no label of a .branchtargets; must be one", in.Operands[1].Name)
	}
	b.end = selects
	for _, o := range d.Names {
		b.succs = append(b.succs, f.target(o, starts))
	}
}

// target returns the block of a label.
func (f *function) target(o *ptx.Operand, starts map[int]int) int {
	at, ok := f.names[o.Name]
	if !ok {
		malformed(o.Pos, "there is no label %s in the function", o.Name)
	}
	return starts[at]
}
