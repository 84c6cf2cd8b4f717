package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A value that differs between the threads of a block may be the same in those of each warp: the number of the warp, for example. Warps
// have consecutive threads, x first. So the first thread of a warp has an x that is a multiple of the warp's size, and the others have consecutive
// ones, if the block has one dimension or its x is such a multiple. Then x divided by the size or compared with a multiple of it is the
// same in the threads of a warp.

// Lattice values of a register: the same fact holds in all threads. 0 is the bottom: no fact.
const (
	isThreadX = 1 + iota // %tid.x
	isZero
)

// warpRegisters are special registers with the same value in all threads of a warp.
var warpRegisters = setOfWords("%warpid")

// isSpecial reports whether all threads of the block, or of each warp, have the same value in a special register.
func (d *divergence) isSpecial(o *ptx.Operand) bool {
	if uniformRegisters[o.Name] || !d.warp {
		return uniformRegisters[o.Name]
	}
	n := d.o.Block
	switch o.Name + o.Part {
	case "%tid.y":
		return n[1] == 1 || n[0]%WarpSize == 0
	case "%tid.z":
		return n[2] == 1 || n[0]*n[1]%WarpSize == 0
	}
	return warpRegisters[o.Name]
}

// findThreadX finds the registers with %tid.x or 0: those with one instruction that writes them.
func (d *divergence) findThreadX() {
	d.known = map[*register]int{}
	if n := d.o.Block; n[0]%WarpSize != 0 && n[1]*n[2] != 1 {
		return
	}
	writers := map[*register]int{}
	var work []int
	for i := range d.items {
		it := &d.items[i]
		writes, _ := written(it.in)
		d.eachRegister(it, writes, func(r *register) { writers[r]++ })
		work = append(work, i)
	}
	for len(work) > 0 {
		it := &d.items[work[len(work)-1]]
		work = work[:len(work)-1]
		writes, reads := written(it.in)
		if len(writes) != 1 || writes[0].Kind != ptx.Symbol || it.in.Guard != "" {
			continue
		}
		r := d.register(it.at, writes[0].Name+writes[0].Part)
		if r == nil || writers[r] != 1 || d.known[r] != 0 {
			continue
		}
		if k := d.result(it, reads); k != 0 {
			d.known[r] = k
			work = append(work, d.users[r]...)
		}
	}
}

// result returns the lattice value of the result of an item.
func (d *divergence) result(it *item, reads []*ptx.Operand) int {
	if isOther(it.in) || len(reads) == 0 {
		return 0
	}
	x := d.valueOf(it, reads[0])
	switch it.in.Op {
	case "mov", "cvt":
		if len(reads) == 1 { // cvt.pack has two
			return x
		}
	case "shr":
		if n, ok := integerOf(reads[len(reads)-1]); ok && len(reads) == 2 && (x == isZero || x == isThreadX && n >= 10) { // MaxThreads is 1<<10
			return isZero
		}
	case "add":
		if len(reads) == 2 {
			switch y := d.valueOf(it, reads[1]); {
			case x == isZero:
				return y
			case y == isZero:
				return x
			}
		}
	}
	return 0
}

// valueOf returns the lattice value of an operand.
func (d *divergence) valueOf(it *item, o *ptx.Operand) int {
	if o.Kind != ptx.Symbol {
		return 0
	}
	if o.Name+o.Part == "%tid.x" {
		return isThreadX
	}
	return d.known[d.register(it.at, o.Name+o.Part)]
}

// integerOf returns the value of an operand that is a constant.
func integerOf(o *ptx.Operand) (uint64, bool) {
	if o.Kind != ptx.Immediate {
		return 0, false
	}
	return o.Expr.Int()
}

// isOther reports whether an instruction has a type that does not hold each %tid.x as an integer.
func isOther(in *ptx.Instr) bool {
	for _, m := range in.Mods {
		if strings.HasPrefix(m, ".f") || strings.HasPrefix(m, ".bf") || strings.HasSuffix(m, "8") {
			return true
		}
	}
	return false
}

// isOfWarp reports whether all threads of a warp have the same result of an item because of %tid.x, or because they exchange it.
func (d *divergence) isOfWarp(it *item, reads []*ptx.Operand) bool {
	if !d.warp || len(reads) < 2 {
		return false
	}
	n, ok := integerOf(reads[1])
	if it.in.Op == "vote" || it.in.Op == "redux" || it.in.Op == "shfl" && it.in.Has(".idx") && ok && n < WarpSize && isWholeWarp(reads[2]) {
		mask, known := integerOf(reads[len(reads)-1])
		return it.in.Has(".sync") && known && uint32(mask) == allLanes
	}
	if !ok || isOther(it.in) || d.valueOf(it, reads[0]) != isThreadX {
		return false
	}
	switch it.in.Op {
	case "shr":
		return n >= 5 // 1<<5 is WarpSize
	case "div":
		return n != 0 && n%WarpSize == 0
	case "and":
		return n%WarpSize == 0
	case "set", "setp":
		return d.isUniform(it, reads[2:]) && d.divides(it.in, n)
	}
	return false
}

// isWholeWarp reports whether shfl exchanges with an operand between all threads of the warp: it has the mask of segments and the clamp.
func isWholeWarp(o *ptx.Operand) bool {
	n, ok := integerOf(o)
	return ok && n>>8&(WarpSize-1) == 0 && n&(WarpSize-1) == WarpSize-1
}

// divides reports whether a comparison of %tid.x with a constant has the same result in all threads of a warp.
func (d *divergence) divides(in *ptx.Instr, n uint64) bool {
	for _, m := range in.Mods {
		switch m {
		case ".lt", ".lo", ".ge", ".hs":
			return n%WarpSize == 0
		case ".le", ".ls", ".gt", ".hi":
			return n%WarpSize == WarpSize-1
		}
	}
	return false
}
