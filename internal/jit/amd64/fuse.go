package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The operations of this machine that several of vcode make: what Fused says.
const (
	fusedRotate       = iota // u0 rotated left by Aux
	fusedTernaryLogic        // bit by bit, what the table Aux says of u0, u1 and u2 (VPTERNLOGD)
	fusedCompare             // a comparison, or where Aux is 1 its contrary, in the lanes of m0
	fusedNegMulAdd           // u2 − u0·u1, rounded once
	fusedRoundHalf           // u0, a float of 32 bits, rounded to 16 and widened again; where Aux is 1, u0 is a nearSum
	fusedUnorm8              // byte Aux of u0 divided by 255: unitByte
	fusedBitMask             // bits Aux, Aux + 1 … of u0, a Gen, one for each lane
	fusedHalfMulAdd          // the fusedHalf of a product of f16 and, of that and a constant, the nearSum: term
)

// fuse makes one operation of several, where nobody else wants what they yield:
// rotates, logic of up to three operands, comparisons in the lanes of a mask,
// fused operations with a negated factor, bytes divided by 255, and what is rounded to 16
// bits and widened again. Every level has an operation for the last, and of what general
// registers do.
func fuse(f *vcode.Func, level Level) {
	r, n := acquireFuseScratch(), len(f.Classes)
	defer r.release()
	z := &fuser{
		f: f, vectors: level == AVX512, reads: r.numbers.Alloc(n), defs: r.numbers.Alloc(n),
		def: r.makers.Alloc(n), defPos: r.numbers.Alloc(n), defBlock: r.numbers.Alloc(n),
		logic: map[vcode.Reg]logic{},
	}
	wide := false
	each(f, func(in *vcode.Inst) {
		for _, r := range in.Defs {
			z.defs[r]++
		}
		z.count(in, 1)
		wide = wide || widensF16(in)
	})
	if wide {
		z.isF16 = f16Registers(f)
	}
	for b := range f.Blocks {
		z.block++
		clear(z.logic)
		list := f.Blocks[b].Insts
		for i := range list {
			z.pos++
			z.inst(&list[i])
			for _, r := range list[i].Defs {
				z.def[r], z.defPos[r], z.defBlock[r] = &list[i], z.pos, z.block
			}
		}
		f.Blocks[b].Insts = compact(list)
	}
	z.emitFactors()
}

// withoutDropped is a list without what drop has emptied.
func compact(list []vcode.Inst) []vcode.Inst {
	n := 0
	for i := range list {
		if list[i].Op == vcode.Undef && len(list[i].Defs) == 0 {
			continue
		}
		if n != i {
			list[n] = list[i]
		}
		n++
	}
	return list[:n]
}

type fuser struct {
	f           *vcode.Func
	vectors     bool    // operations on vectors are fused too
	reads, defs []int32 // how often registers are read and written
	pos, block  int32

	// Of the walk, by register: what wrote it last, where, and in which block.
	def      []*vcode.Inst
	defPos   []int32
	defBlock []int32

	logic map[vcode.Reg]logic // what logic operations of the block yield

	isF16      []bool                 // of registers that there were before: they hold nothing but numbers of f16; nil where none does
	loopStarts []int32                // by block: the first of the innermost loop around it, 0 where there is none
	factors    map[vcode.Reg][]factor // what terms read of registers
}

// logic is a function of up to three registers bit by bit: bit abc of table is
// what it yields where their bits are a, b and c.
type logic struct {
	of    []vcode.Reg
	table uint8
}

// count adds n to how often an instruction reads its operands.
func (z *fuser) count(in *vcode.Inst, n int32) {
	for _, list := range [...][]vcode.Reg{in.Uses, in.Masks} {
		for _, r := range list {
			z.reads[r] += n
		}
	}
}

// maker returns the lane operation of this block that makes r, where r is read
// up to most times in all and the operands of the operation are still there; nil
// elsewhere.
func (z *fuser) foldableDef(r vcode.Reg, most int32) *vcode.Inst {
	in := z.def[r]
	if in == nil || z.defBlock[r] != z.block || z.defs[r] != 1 || z.reads[r] > most || in.Merging || in.Op != vcode.Lane && in.Op != vcode.Own {
		return nil
	}
	for _, u := range in.Uses {
		if z.defBlock[u] == z.block && z.defPos[u] >= z.defPos[r] {
			return nil
		}
	}
	return in
}

// drop takes away one read of r, and what makes it where that was the last, and
// so on.
func (z *fuser) drop(r vcode.Reg) {
	z.reads[r]--
	for todo := []vcode.Reg{r}; len(todo) > 0; {
		r, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if in := z.foldableDef(r, 0); in != nil && len(in.Defs) > 0 {
			z.count(in, -1)
			todo = append(todo, in.Uses...)
			*in = vcode.Inst{}
		}
	}
}

// replace makes of in another operation that reads uses, for which it has no
// more need of the operands gone, nor of its mask where it keeps nothing.
func (z *fuser) replace(in *vcode.Inst, fused uint8, aux uint64, uses []vcode.Reg, gone ...vcode.Reg) {
	for _, r := range uses {
		z.reads[r]++
	}
	if !in.Merging {
		for _, r := range in.Masks {
			z.reads[r]--
		}
		in.Masks = nil
	}
	old := in.Uses
	in.Op, in.Fused, in.Key.Aux, in.Uses = vcode.Own, fused, aux, uses
	for _, r := range old {
		if slices.Contains(gone, r) {
			z.drop(r)
		} else {
			z.reads[r]--
		}
	}
}

func (z *fuser) inst(in *vcode.Inst) {
	switch {
	case in.Op == vcode.JumpIfZero:
		z.branch(in)
	case in.Op == vcode.Lane && in.Key.Type == ir.F32 && in.IR == ir.FCvt:
		z.roundHalf(in)
	case !z.vectors:
	case in.Op == vcode.And || in.Op == vcode.AndNot:
		z.maskedCompare(in, in.Op == vcode.AndNot)
	case in.Op != vcode.Lane:
	case in.Key.Type == ir.B1:
		z.mask(in)
	case in.Key.Type == ir.I32 && !z.rotate(in):
		z.bitwise(in)
	case in.Key.Type == ir.F32 && in.IR == ir.FFma && !z.unorm8(in):
		z.negMulAdd(in)
	}
}

// branch makes one of a comparison of general registers and the jump that reads
// it.
func (z *fuser) branch(in *vcode.Inst) {
	r := in.Uses[0]
	c := z.def[r]
	if !z.foldableScalar(r) {
		return
	}
	if n := c.Uses[0]; c.IR == ir.Not && z.foldableScalar(n) && z.invertBranch(in, z.def[n]) {
		z.reads[r], z.reads[n] = 0, 0
		*z.def[n], *c = vcode.Inst{}, vcode.Inst{}
		return
	}
	if _, ok := conditions[c.IR]; !ok || z.reads[r] != 1 {
		return
	}
	in.IR, in.Key, in.Uses = c.IR, c.Key, c.Uses
	z.reads[r] = 0
	*c = vcode.Inst{}
}

// condition reports whether r is what a scalar operation of this block makes for one
// reader alone, and its operands are still there.
func (z *fuser) foldableScalar(r vcode.Reg) bool {
	c := z.def[r]
	return c != nil && z.defBlock[r] == z.block && z.defs[r] == 1 && z.reads[r] == 1 && c.Op == vcode.Scalar && !z.changed(r, c.Uses)
}

// contrary makes of a jump where the contrary of a comparison does not hold one that
// needs no contrary, and reports whether there is one: of equality for that with zero
// alone.
func (z *fuser) invertBranch(in *vcode.Inst, c *vcode.Inst) bool {
	x, y := c.Uses[0], c.Uses[1]
	if c.IR == ir.Eq && c.Key.From == ir.I32 {
		if z.constant(x, 0) {
			x, y = y, x
		}
		if z.constant(y, 0) {
			in.Uses = []vcode.Reg{x}
			return true
		}
	}
	op, ok := map[ir.Op]ir.Op{ir.ULt: ir.ULe, ir.ULe: ir.ULt, ir.SLt: ir.SLe, ir.SLe: ir.SLt}[c.IR]
	if ok {
		in.IR, in.Key, in.Uses = op, c.Key, []vcode.Reg{y, x}
	}
	return ok
}

// comparison returns the comparison that makes a mask.
func (z *fuser) comparison(r vcode.Reg) *vcode.Inst {
	in := z.foldableDef(r, 2)
	if in == nil || len(in.Defs) != 1 || in.Op != vcode.Lane {
		return nil
	}
	if _, ok := predicates[rule{in.IR, in.Key.Type, in.Key.From}]; !ok {
		return nil
	}
	return in
}

// within makes of a comparison and the set that it is cut to one comparison.
func (z *fuser) maskedCompare(in *vcode.Inst, not bool) {
	x, y := in.Uses[0], in.Uses[1]
	c := z.comparison(y)
	if c == nil && !not {
		x, y = y, x
		c = z.comparison(y)
	}
	if c == nil || x == y {
		return
	}
	z.compare(in, c, x, y, not)
}

// mask looks at logic of masks in all lanes.
func (z *fuser) mask(in *vcode.Inst) {
	switch {
	case in.Merging:
	case in.IR == ir.Eq && in.Key.From == ir.I32:
		z.bitMask(in)
	case in.IR == ir.And && in.Key.From == ir.B1:
		z.maskedCompare(in, false)
	case in.IR == ir.Not:
		if c := z.comparison(in.Uses[0]); c != nil {
			z.compare(in, c, 0, in.Uses[0], true)
		}
	}
}

// compare makes of in the comparison c, which makes y, or its contrary, in the
// lanes of x.
func (z *fuser) compare(in, c *vcode.Inst, x, y vcode.Reg, not bool) {
	out := vcode.Inst{Op: vcode.Own, IR: c.IR, Key: c.Key, Value: c.Value, Origin: in.Origin, Part: c.Part, Defs: in.Defs}
	out.Fused, out.Uses = fusedCompare, c.Uses
	out.Key.Aux = 0
	if not {
		out.Key.Aux = 1
	}
	if bits, ok := z.f.Const(x); x != 0 && (!ok || bits&1 == 0) {
		out.Masks = []vcode.Reg{x}
	}
	z.count(&out, 1)
	z.count(in, -1)
	z.reads[y]++
	z.drop(y)
	*in = out
}

// rotate looks for x<<n | x>>(32−n).
func (z *fuser) rotate(in *vcode.Inst) bool {
	if in.IR != ir.Or && in.IR != ir.Xor && in.IR != ir.Add {
		return false
	}
	a, b := z.foldableDef(in.Uses[0], 1), z.foldableDef(in.Uses[1], 1)
	if a == nil || b == nil || a.Op != vcode.Lane || b.Op != vcode.Lane {
		return false
	}
	if a.IR == ir.LShr {
		a, b = b, a
	}
	if a.IR != ir.Shl || b.IR != ir.LShr || a.Key.Type != ir.I32 || b.Key.Type != ir.I32 || a.Uses[0] != b.Uses[0] {
		return false
	}
	left, ok := z.f.Const(a.Uses[1])
	right, also := z.f.Const(b.Uses[1])
	if !ok || !also || left == 0 || left+right != 32 {
		return false
	}
	z.replace(in, fusedRotate, left, []vcode.Reg{a.Uses[0]}, in.Uses[0], in.Uses[1])
	return true
}

// negative looks for (−x)·y + z and x·(−y) + z. A NaN's sign is not observed
// before it is made canonical.
func (z *fuser) negMulAdd(in *vcode.Inst) {
	if in.Key.Flags&ir.RTZ != 0 {
		return
	}
	for i := range 2 {
		n := z.foldableDef(in.Uses[i], 1)
		if n == nil || n.Op != vcode.Lane || n.IR != ir.FNeg {
			continue
		}
		uses := []vcode.Reg{n.Uses[0], in.Uses[1-i], in.Uses[2]}
		z.replace(in, fusedNegMulAdd, 0, uses, in.Uses[i])
		return
	}
}

// bitwise folds logic operations into one with up to three operands.
func (z *fuser) bitwise(in *vcode.Inst) {
	var x logic
	var gone []vcode.Reg
	switch in.IR {
	case ir.Not:
		y, inner := z.operand(in.Uses[0])
		x = logic{y.of, ^y.table}
		if inner {
			gone = in.Uses
		}
	case ir.And, ir.Or, ir.Xor:
		x, gone = z.combineOperands(in.IR, in.Uses[0], in.Uses[1])
	default:
		return
	}
	if len(x.of) > 3 {
		return
	}
	z.logic[in.Defs[0]] = x
	if len(gone) > 0 && len(x.of) == 3 {
		z.replace(in, fusedTernaryLogic, uint64(x.table), x.of, gone...)
	}
}

// operand is what an operand of a logic operation is: where nobody else reads it
// and it is one itself, that.
func (z *fuser) operand(r vcode.Reg) (x logic, inner bool) {
	if in := z.foldableDef(r, 1); in != nil {
		if x, ok := z.logic[r]; ok && !z.changed(r, x.of) {
			return x, true
		}
	}
	return logic{[]vcode.Reg{r}, 0xf0}, false
}

// changed reports whether one of a list has been written since r.
func (z *fuser) changed(r vcode.Reg, list []vcode.Reg) bool {
	return slices.ContainsFunc(list, func(u vcode.Reg) bool { return z.defBlock[u] == z.block && z.defPos[u] >= z.defPos[r] })
}

// both combines two operands, and names those that are not needed any more: as
// many as leave no more than three registers.
func (z *fuser) combineOperands(op ir.Op, a, b vcode.Reg) (x logic, gone []vcode.Reg) {
	ya, ina := z.operand(a)
	yb, inb := z.operand(b)
	leafA, leafB := logic{[]vcode.Reg{a}, 0xf0}, logic{[]vcode.Reg{b}, 0xf0}
	if x = combine(op, ya, yb); len(x.of) <= 3 {
		if ina {
			gone = append(gone, a)
		}
		if inb {
			gone = append(gone, b)
		}
		return x, gone
	}
	if x = combine(op, ya, leafB); ina && len(x.of) <= 3 {
		return x, []vcode.Reg{a}
	}
	if x = combine(op, leafA, yb); inb && len(x.of) <= 3 {
		return x, []vcode.Reg{b}
	}
	return combine(op, leafA, leafB), nil
}

// combine is an operation on two functions. Its table means nothing where it is
// of more than three registers.
func combine(op ir.Op, x, y logic) logic {
	of := slices.Clone(x.of)
	for _, r := range y.of {
		if !slices.Contains(of, r) {
			of = append(of, r)
		}
	}
	a, b := x.table, y.permuted(of)
	switch op {
	case ir.And:
		return logic{of, a & b}
	case ir.Or:
		return logic{of, a | b}
	}
	return logic{of, a ^ b}
}

// over is the table of a function where its registers stand in another list.
func (x logic) permuted(of []vcode.Reg) uint8 {
	if len(of) > 3 {
		return 0
	}
	out := uint8(0)
	for bits := range 8 {
		index := 0
		for i, r := range x.of {
			index |= bits >> (2 - slices.Index(of, r)) & 1 << (2 - i)
		}
		out |= x.table >> index & 1 << bits
	}
	return out
}

// own makes the code of a fused operation.
func (m *machine) fused(in *vcode.Inst) {
	switch in.Fused {
	case fusedRotate:
		d, o := m.dest(in, 0)
		m.RRI(VPROLD, V512, d, 0, m.vec(in.Uses[0], 0), uint8(in.Key.Aux), o)
		m.done(in, d)
	case fusedTernaryLogic:
		m.ternary(in)
	case fusedCompare:
		m.maskedCompare(in)
	case fusedNegMulAdd:
		multiplyAddOf(VFNMADD213PS, VFNMADD231PS)(m, in)
	case fusedBitMask:
		m.bitMask(in)
	case fusedRoundHalf:
		m.set.roundToHalf(in, in.Key.Aux == 1)
	case fusedUnorm8:
		m.unorm8(in)
	case fusedHalfMulAdd:
		m.halfMulAdds([]vcode.Inst{*in})
	}
}

// ternary is VPTERNLOGD, which writes over its first operand.
func (m *machine) ternary(in *vcode.Inst) {
	d, ok := m.phys(in.Defs[0])
	if in.Merging || !ok {
		d = 0
	}
	x := logic{in.Uses, uint8(in.Key.Aux)}
	for i, u := range in.Uses { // the operand that the result takes the place of comes first
		if r, ok := m.phys(u); ok && r == d {
			of := []vcode.Reg{u, in.Uses[(i+1)%3], in.Uses[(i+2)%3]}
			x = logic{of, x.permuted(of)}
			break
		}
	}
	if _, ok := m.phys(x.of[1]); !ok { // one in memory comes last
		of := []vcode.Reg{x.of[0], x.of[2], x.of[1]}
		x = logic{of, x.permuted(of)}
	}
	y := m.vec(x.of[1], 1)
	m.loadVec(d, x.of[0])
	m.withImm(VPTERNLOGD, d, y, x.of[2], x.table, 0)
	m.define(in, d)
}
