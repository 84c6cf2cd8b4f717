package vectorize

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Counted loops: bounds checks before the loop
//
// A loop with a uniform counter often accesses memory at offsets that are linear functions of it. Then one check of the last
// offset before the loop serves all iterations, and an address that advances replaces the offset (strength reduction, Cocke &
// Kennedy 1977). The loop exists twice: the copy without checks, and the original one for the case that a check fails:
//
//	                                        p = address of a[u], and of a[u + n − 1], or jump to top
//	top:  jump out unless i < n             fast: jump out unless i < n
//	      x = stridedload a[u + i]     →          x = stridedload p   checked
//	      …                                       …; p += 4
//	      i += 1; jump top                        i += 1; jump fast
//	                                        top:  the original loop
//
// A loop at the start of a speculative function needs no second copy: a check that fails bails out (speculate.go).
//
// It is loop versioning with the range analysis of Gupta 1993. The check fails too if an index wraps around modulo 2³² within the
// loop: last indices are computed with 64 bits and saturate beyond every buffer.

// Limits of copies: instructions of a loop, all and for each access that gains, checks of a loop, and loops of a function.
const (
	maxVersioned          = 400
	maxVersionedPerAccess = 48
	maxLoopChecks         = 16
	maxVersionedLoops     = 16
	maxLinearDepth        = 8 // operations from the counter to an offset
)

// versionLoops adds to each counted loop a copy without bounds checks. bailout is the general version of a speculative function, or 0.
func versionLoops(f *vcode.Func, bailout int) {
	loops := innermostLoops(f)
	if len(loops) == 0 {
		return
	}
	mem := acquireArena()
	defer mem.release()
	n := len(f.Classes)
	total := mem.numbers.Alloc(n)
	f.Each(func(in *vcode.Inst) {
		for _, d := range in.Defs {
			total[d]++
		}
	})
	local := workgroupHandles(f) // their checks are cheap
	var found []*countedLoop
	written := mem.flags.Alloc(n)
	var writes, position []int32 // for the next loop
	sources := jumpSources(f)
	for _, b := range loops {
		c := &countedLoop{f: f, first: b.first, last: b.last, total: total}
		if !c.listInsts(sources) {
			continue
		}
		if writes == nil {
			writes, position = mem.numbers.Alloc(n), mem.numbers.Alloc(n)
		}
		c.writes, c.position = writes, position
		if c.recognize() && c.collect(local) {
			found = append(found, c)
			c.eachWrite(func(r vcode.Reg) { written[r] = true })
			writes, position = nil, nil // they belong to this loop
		} else {
			c.eachWrite(func(r vcode.Reg) { writes[r] = 0 })
		}
		if len(found) == maxVersionedLoops {
			break
		}
	}
	if len(found) == 0 {
		return
	}
	live, ok := newLiveness(f, func(r vcode.Reg) bool { return written[r] }, mem)
	if !ok || !live.solve() {
		return
	}
	for _, c := range found {
		c.findLocals(live)
	}
	for i, c := range slices.Backward(found) { // later blocks first: the numbers of earlier ones stay
		if i == 0 && bailout > 0 && c.mayBailOut(sources) {
			c.bailout = bailout
			c.replace()
		} else {
			c.version()
		}
	}
	eliminateDead(f)
}

// blockRange is a run of blocks.
type blockRange struct{ first, last int }

// innermostLoops returns runs of blocks that end with a jump back to their first block, and do not contain one another.
func innermostLoops(f *vcode.Func) (list []blockRange) {
	for b := range f.Blocks {
		to, ok := jumpTarget(f.Blocks[b])
		if ok && to <= b && (len(list) == 0 || list[len(list)-1].last < to) {
			list = append(list, blockRange{to, b})
		}
	}
	return list
}

// jumpSources returns for each block the first and the last block with a jump to it.
func jumpSources(f *vcode.Func) []blockRange {
	list := slices.Repeat([]blockRange{{math.MaxInt, -1}}, len(f.Blocks))
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			if in := &f.Blocks[b].Insts[i]; in.Op.Jumps() {
				list[in.Target] = blockRange{min(list[in.Target].first, b), max(list[in.Target].last, b)}
			}
		}
	}
	return list
}

// countedLoop is a loop of innermostLoops.
type countedLoop struct {
	f           *vcode.Func
	first, last int     // its blocks
	total       []int32 // by register: writes in the function
	writes      []int32 // by register: writes in the loop
	position    []int32 // by register: position of the only write
	insts       []*vcode.Inst
	bailout     int         // function to bail out to if a check fails, or 0
	locals      []vcode.Reg // registers that no other code, and no other iteration reads

	counter, bound vcode.Reg
	compare        ir.Op // of the test counter < bound, at the start of each iteration
	test, advance  int32 // positions of the test, and of the addition to the counter
	step           uint32
	groups         []*loopAccesses

	before      []vcode.Inst            // the code before the loop
	distance    vcode.Reg               // of the counter's first value and its last one
	firsts      map[vcode.Reg]vcode.Reg // by register: its value in the first iteration
	lasts       map[vcode.Reg]vcode.Reg // by register: its value in the last one, of indices saturated
	coefficient map[vcode.Reg]vcode.Reg // by register: how much it grows with the counter
	advances    map[vcode.Reg]vcode.Reg // by register: how many bytes it grows in an iteration
}

// loopAccesses is the accesses of a loop that share a check.
type loopAccesses struct {
	accessKey
	extent  uint64
	members []int32 // positions
	pointer vcode.Reg
	step    vcode.Reg // bytes by which the pointer advances, or 0
}

// each calls do for the instructions of the loop with their positions.
func (c *countedLoop) each(do func(at int32, in *vcode.Inst)) {
	for i, in := range c.insts {
		do(int32(i), in)
	}
}

// listInsts lists the instructions, and reports whether the loop may be a counted one: code enters it at its start only, it has one
// jump back, and the first block ends with a test.
func (c *countedLoop) listInsts(sources []blockRange) bool {
	n := 0
	for b := c.first; b <= c.last; b++ {
		if from := sources[b]; b > c.first && from.last >= 0 && (from.first < c.first || from.last > c.last) {
			return false
		}
		if n += len(c.f.Blocks[b].Insts); n > maxVersioned {
			return false
		}
	}
	c.insts = make([]*vcode.Inst, 0, n)
	tested := false
	for b := c.first; b <= c.last; b++ {
		list := c.f.Blocks[b].Insts
		for i := range list {
			in := &list[i]
			tested = tested || b == c.first && in.Op == vcode.JumpIfZero
			if in.Op.Jumps() && in.Target >= c.first && in.Target <= b && (b < c.last || i < len(list)-1) {
				return false
			}
			c.insts = append(c.insts, in)
		}
	}
	return tested
}

// eachWrite calls do for the registers that the loop writes.
func (c *countedLoop) eachWrite(do func(vcode.Reg)) {
	c.each(func(_ int32, in *vcode.Inst) {
		for _, d := range in.Defs {
			do(d)
		}
	})
}

// recognize finds the counter and its test, and reports whether the loop is a counted one.
func (c *countedLoop) recognize() bool {
	c.each(func(at int32, in *vcode.Inst) {
		for _, d := range in.Defs {
			c.writes[d]++
			c.position[d] = at
		}
	})
	list := c.f.Blocks[c.first].Insts
	for i := range list {
		in := &list[i]
		if in.Op != vcode.JumpIfZero || c.contains(in.Target) {
			continue
		}
		compare := in
		if r := in.Uses[0]; len(in.Uses) == 1 {
			if c.f.IsConst(r) || c.writes[r] != 1 || c.total[r] != 1 || c.position[r] > int32(i) {
				continue
			}
			compare = c.insts[c.position[r]]
		}
		if compare.Op != vcode.Scalar && compare.Op != vcode.JumpIfZero || compare.IR != ir.ULt && compare.IR != ir.SLt || len(compare.Uses) != 2 {
			continue
		}
		c.counter, c.bound, c.compare, c.test = compare.Uses[0], compare.Uses[1], compare.IR, int32(i)
		if c.always(c.test) && c.invariant(c.bound) && c.findAdvance() && c.advance > c.test {
			return true
		}
	}
	return false
}

// contains reports whether a block is in the loop.
func (c *countedLoop) contains(b int) bool { return b >= c.first && b <= c.last }

// invariant reports whether the loop does not write a register.
func (c *countedLoop) invariant(r vcode.Reg) bool { return c.f.IsConst(r) || c.writes[r] == 0 }

// findAdvance reports whether each iteration adds a constant to the counter, and nothing else writes it.
func (c *countedLoop) findAdvance() bool {
	if c.f.IsConst(c.counter) || c.writes[c.counter] != 1 {
		return false
	}
	c.advance = c.position[c.counter]
	in := c.insts[c.advance]
	if in.Op == vcode.Copy && len(in.Masks) == 0 && !c.invariant(in.Uses[0]) && c.writes[in.Uses[0]] == 1 {
		in = c.insts[c.position[in.Uses[0]]]
	}
	if in.Op != vcode.Scalar || in.IR != ir.Add || in.Uses[0] != c.counter {
		return false
	}
	k, ok := c.f.Const(in.Uses[1])
	if c.step = uint32(k); !ok || k == 0 || k > maxStep {
		return false
	}
	return c.always(c.advance)
}

// always reports whether each iteration executes the instruction at a position: no jump within the loop leads past it.
func (c *countedLoop) always(at int32) bool {
	block, n := c.first, int32(0)
	for ; n+int32(len(c.f.Blocks[block].Insts)) <= at; block++ {
		n += int32(len(c.f.Blocks[block].Insts))
	}
	for _, in := range c.insts[:at] {
		if in.Op.Jumps() && c.contains(in.Target) && in.Target > block {
			return false
		}
	}
	return true
}

// collect finds the accesses that gain, and reports whether they are worth a copy of the loop.
func (c *countedLoop) collect(local map[vcode.Reg]bool) bool {
	n := 0
	c.each(func(at int32, in *vcode.Inst) {
		k, ok := loopAccessKey(c.f, in)
		if !ok || at < c.test || local[k.handle] || !c.invariant(k.handle) || c.kindOf(k.base, at, maxLinearDepth) == notLinear {
			return
		}
		i := slices.IndexFunc(c.groups, func(g *loopAccesses) bool { return g.accessKey == k })
		if i < 0 {
			if len(c.groups) == maxLoopChecks {
				return
			}
			i = len(c.groups)
			c.groups = append(c.groups, &loopAccesses{accessKey: k})
		}
		g := c.groups[i]
		g.extent = max(g.extent, extentOf(c.f, in))
		g.members = append(g.members, at)
		n++
	})
	return n > 0 && len(c.insts) <= n*maxVersionedPerAccess
}

// loopAccessKey returns the key of an access that may be checked before the loop.
func loopAccessKey(f *vcode.Func, in *vcode.Inst) (k accessKey, ok bool) {
	if in.Op == vcode.Scalar && in.IR == ir.Ld && in.Key.Type == ir.I32 && !in.Checked {
		k = accessKey{handle: in.Uses[0], base: in.Uses[1]}
		return k, !f.IsConst(k.base) && in.Key.Aux+4 <= maxCheckedBytes
	}
	if in.Op == vcode.Scalar || in.Op != vcode.BroadcastLoad && in.Step*in.Stride != 4 { // others fall back to offsets for some masks
		return k, false
	}
	return checkKey(f, in)
}

// linearKind is how a register depends on the counter.
type linearKind uint8

const (
	notLinear     linearKind = iota
	loopInvariant            // not at all
	linearIndex              // linear modulo 2³²
	linearOffset             // sums and products of linear indices, saturated or with 64 bits
)

// kindOf returns the kind of a register that is read at a position.
func (c *countedLoop) kindOf(r vcode.Reg, at int32, depth int) linearKind {
	switch {
	case c.invariant(r):
		return loopInvariant
	case depth == 0 || c.writes[r] != 1:
		return notLinear
	case r == c.counter:
		if at <= c.advance {
			return linearIndex
		}
		return notLinear
	case c.total[r] != 1 || c.position[r] >= at:
		return notLinear
	}
	in := c.insts[c.position[r]]
	kind := func(i int) linearKind { return c.kindOf(in.Uses[i], c.position[r], depth-1) }
	switch in.Op {
	case vcode.Copy:
		if len(in.Masks) == 0 {
			return kind(0)
		}
	case vcode.StridedBase:
		if kind(0) != notLinear && (kind(1) == loopInvariant || kind(1) == linearIndex) {
			return linearOffset
		}
	case vcode.Scalar:
		switch in.IR {
		case ir.Add:
			if a, b := kind(0), kind(1); a != notLinear && b != notLinear && max(a, b) <= linearIndex {
				return linearIndex
			}
		case ir.Mul:
			if a, b := kind(0), kind(1); min(a, b) == loopInvariant && max(a, b) <= linearIndex {
				return linearIndex
			}
		case ir.Shl:
			if k := kind(0); c.f.IsConst(in.Uses[1]) && (k == loopInvariant || k == linearIndex) {
				return linearIndex
			}
		case ir.At:
			if kind(0) != notLinear && (kind(1) == loopInvariant || kind(1) == linearIndex) && in.Key.Aux <= maxStep {
				return linearOffset
			}
		}
	}
	return notLinear
}

// emit appends an instruction with one result to the code before the loop.
func (c *countedLoop) emit(in vcode.Inst) vcode.Reg {
	r := c.f.NewReg(vcode.Gen)
	in.Defs = []vcode.Reg{r}
	c.before = append(c.before, in)
	return r
}

// scalar emits an operation on numbers of 32 bits, or folds it.
func (c *countedLoop) scalar(op ir.Op, a, b vcode.Reg) vcode.Reg {
	key := ir.Key{Type: ir.I32, From: ir.I32}
	x, okA := c.f.Const(a)
	y, okB := c.f.Const(b)
	switch {
	case okA && okB:
		return c.constant(op.Row().Eval(key, x, y, 0))
	case op == ir.Add && okA && x == 0, op == ir.Mul && okA && x == 1:
		return b
	case op == ir.Add && okB && y == 0, op == ir.Mul && okB && y == 1:
		return a
	case op == ir.Mul && (okA && x == 0 || okB && y == 0):
		return c.constant(0)
	}
	return c.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: key, Uses: []vcode.Reg{a, b}})
}

// constant returns a register with a constant.
func (c *countedLoop) constant(bits uint64) vcode.Reg { return c.f.NewConst(vcode.Gen, bits) }

// firstOf returns a register with the value of r in the first iteration.
func (c *countedLoop) firstOf(r vcode.Reg) vcode.Reg {
	if c.invariant(r) || r == c.counter {
		return r
	}
	if c.firsts[r] == 0 {
		c.firsts[r] = c.clone(r, c.firstOf)
	}
	return c.firsts[r]
}

// clone emits the operation that computes r with other operands.
func (c *countedLoop) clone(r vcode.Reg, operand func(vcode.Reg) vcode.Reg) vcode.Reg {
	in := *c.insts[c.position[r]]
	uses := make([]vcode.Reg, len(in.Uses))
	for i, u := range in.Uses {
		uses[i] = operand(u)
	}
	if in.Op == vcode.Copy {
		return uses[0]
	}
	in.Uses, in.Proven = uses, false
	return c.emit(in)
}

// coefficientOf returns how much an index grows with the counter, modulo 2³².
func (c *countedLoop) coefficientOf(r vcode.Reg) vcode.Reg {
	switch {
	case c.invariant(r):
		return c.constant(0)
	case r == c.counter:
		return c.constant(1)
	case c.coefficient[r] != 0:
		return c.coefficient[r]
	}
	in := c.insts[c.position[r]]
	out := c.coefficientOf(in.Uses[0])
	switch {
	case in.Op == vcode.Copy:
	case in.IR == ir.Add:
		out = c.scalar(ir.Add, out, c.coefficientOf(in.Uses[1]))
	case in.IR == ir.Mul && c.invariant(in.Uses[0]):
		out = c.scalar(ir.Mul, in.Uses[0], c.coefficientOf(in.Uses[1]))
	case in.IR == ir.Mul:
		out = c.scalar(ir.Mul, out, in.Uses[1])
	default: // ir.Shl
		k, _ := c.f.Const(in.Uses[1])
		out = c.scalar(ir.Mul, out, c.constant(1<<(k&31)))
	}
	c.coefficient[r] = out
	return out
}

// isIndex reports whether the register is a linear index, not an offset.
func (c *countedLoop) isIndex(r vcode.Reg) bool {
	if r == c.counter {
		return true
	}
	in := c.insts[c.position[r]]
	if in.Op == vcode.Copy {
		return c.invariant(in.Uses[0]) || c.isIndex(in.Uses[0])
	}
	return in.Op == vcode.Scalar && in.IR != ir.At
}

// lastOf returns a register with the value of r in the last iteration: of an index at most 2³² − 1, which is beyond every buffer.
func (c *countedLoop) lastOf(r vcode.Reg) vcode.Reg {
	switch {
	case c.invariant(r):
		return r
	case c.lasts[r] != 0:
		return c.lasts[r]
	case !c.isIndex(r):
		c.lasts[r] = c.clone(r, c.lastOf)
	default:
		first, by := c.firstOf(r), c.coefficientOf(r)
		if k, ok := c.f.Const(by); ok && k == 0 {
			return first
		}
		c.lasts[r] = c.emit(vcode.Inst{Op: vcode.LinearEnd, Uses: []vcode.Reg{first, c.distance, by}})
	}
	return c.lasts[r]
}

// advanceOf returns by how many bytes an offset grows in each iteration, with 64 bits, or 0 if it is constant.
func (c *countedLoop) advanceOf(r vcode.Reg) vcode.Reg {
	if c.invariant(r) {
		return 0
	}
	out, ok := c.advances[r]
	if !ok {
		out = c.computeAdvance(r)
		c.advances[r] = out
	}
	return out
}

// computeAdvance computes the result of advanceOf, which keeps it.
func (c *countedLoop) computeAdvance(r vcode.Reg) vcode.Reg {
	if c.isIndex(r) {
		return c.nonzero(c.scalar(ir.Mul, c.coefficientOf(r), c.constant(uint64(c.step))))
	}
	in := c.insts[c.position[r]]
	if in.Op == vcode.Copy {
		return c.advanceOf(in.Uses[0])
	}
	start, index, stride := c.advanceOf(in.Uses[0]), vcode.Reg(0), in.Stride
	if in.IR == ir.At {
		stride = uint32(in.Key.Aux)
	}
	if !c.invariant(in.Uses[1]) {
		index = c.nonzero(c.scalar(ir.Mul, c.coefficientOf(in.Uses[1]), c.constant(uint64(c.step))))
	}
	if index == 0 {
		return start
	}
	if start == 0 {
		start = c.constant(0)
	}
	x, okX := c.f.Const(start)
	y, okY := c.f.Const(index)
	if okX && okY {
		return c.constant(x + y*uint64(stride))
	}
	return c.emit(vcode.Inst{Op: vcode.StridedBase, Uses: []vcode.Reg{start, index}, Stride: stride})
}

// nonzero returns the register, or 0 for the constant 0.
func (c *countedLoop) nonzero(r vcode.Reg) vcode.Reg {
	if k, ok := c.f.Const(r); ok && k == 0 {
		return 0
	}
	return r
}

// prepare makes the code before the loop. If a check fails it bails out, or jumps to block slow.
func (c *countedLoop) prepare(slow int) {
	for _, m := range []*map[vcode.Reg]vcode.Reg{&c.firsts, &c.lasts, &c.coefficient, &c.advances} {
		*m = map[vcode.Reg]vcode.Reg{}
	}
	if c.bailout > 0 { // a loop without iterations needs no check
		c.before = append(c.before, vcode.Inst{Op: vcode.JumpIfZero, IR: c.compare, Key: ir.Key{Type: ir.B1, From: ir.I32}, Uses: []vcode.Reg{c.counter, c.bound}, Target: slow})
	}
	if c.step > 1 { // the counter must not wrap around before it reaches the bound
		test := vcode.Inst{Op: vcode.JumpIfZero, IR: ir.ULe, Key: ir.Key{Type: ir.B1, From: ir.I32}, Target: slow}
		most := uint64(math.MaxUint32)
		if c.compare == ir.SLt {
			test.IR, most = ir.SLe, math.MaxInt32
		}
		if c.bailout > 0 {
			test.Op, test.Target = vcode.Guard, c.bailout
		}
		test.Uses = []vcode.Reg{c.bound, c.constant(most - uint64(c.step) + 1)}
		c.before = append(c.before, test)
	}
	// The counter ends at bound − 1, or before. Modulo 2³² the distance is right for signed numbers too. It is huge if the loop
	// has no iterations, so that a check may fail then.
	c.distance = c.scalar(ir.Add, c.bound, c.constant(math.MaxUint32))
	c.distance = c.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Sub, Key: ir.Key{Type: ir.I32, From: ir.I32}, Uses: []vcode.Reg{c.distance, c.counter}})
	for _, g := range c.groups {
		check := vcode.Inst{Op: vcode.BoundsCheck, Key: ir.Key{Aux: g.extent}, Origin: c.insts[g.members[0]].Origin}
		if g.store {
			check.Op = vcode.StoreBoundsCheck
		}
		check.Proven, check.Target = c.bailout > 0, c.bailout
		check.Uses = []vcode.Reg{g.handle, c.lastOf(g.base)}
		if end := c.emit(check); c.bailout == 0 {
			c.before = append(c.before, vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{end}, Target: slow})
		}
		check.Uses = []vcode.Reg{g.handle, c.firstOf(g.base)}
		g.pointer = c.emit(check)
		g.step = c.advanceOf(g.base)
	}
}

// mayBailOut reports whether a check before the loop may bail out: no side effect and no step is before it, and every iteration
// executes all accesses.
func (c *countedLoop) mayBailOut(sources []blockRange) bool {
	for b := 0; b <= c.first; b++ {
		if sources[b].last > c.last { // an outer loop
			return false
		}
	}
	for _, block := range c.f.Blocks[:c.first] {
		for i := range block.Insts {
			if in := &block.Insts[i]; hasEffect(in) && !in.Op.Jumps() && in.Op != vcode.Guard && in.Op != vcode.Return {
				return false
			}
		}
	}
	for _, g := range c.groups {
		for _, at := range g.members {
			if !c.always(at) {
				return false
			}
		}
	}
	return true
}

// replace makes the loop one without checks.
func (c *countedLoop) replace() {
	for b := range c.f.Blocks {
		list := c.f.Blocks[b].Insts
		for i := range list {
			if in := &list[i]; in.Op.Jumps() && (in.Target > c.first || in.Target == c.first && c.contains(b)) {
				in.Target++
			}
		}
	}
	c.prepare(c.first + 1) // without iterations, the addresses are undefined, and nothing reads them
	for _, g := range c.groups {
		for _, at := range g.members {
			c.useAddress(c.insts[at], g)
		}
	}
	list := c.f.Blocks[c.last].Insts
	out := append(c.f.Form.Arena.Insts(len(list)+len(c.groups)), list[:len(list)-1]...)
	c.f.Blocks[c.last].Insts = append(c.advancePointers(out), list[len(list)-1])
	c.f.Blocks = slices.Insert(c.f.Blocks, c.first, vcode.Block{Insts: c.before})
}

// version adds the copy without checks before the loop. Both leave to the same blocks, with the variables of the loop in the same
// registers; the values within an iteration have registers of their own in the copy. Layout: the code before, copy, original.
func (c *countedLoop) version() {
	n := c.last - c.first + 1
	fast, slow := c.first+1, c.first+1+n
	for b := range c.f.Blocks {
		list := c.f.Blocks[b].Insts
		for i := range list {
			switch in := &list[i]; {
			case !in.Op.Jumps() || in.Target < c.first || in.Target == c.first && !c.contains(b):
			case in.Target > c.last, c.contains(b):
				in.Target += n + 1
			}
		}
	}
	names := make(map[vcode.Reg]vcode.Reg, len(c.locals))
	for _, r := range c.locals {
		names[r] = c.f.NewReg(c.f.Classes[r])
	}
	c.prepare(slow)
	members := map[*vcode.Inst]*loopAccesses{}
	for _, g := range c.groups {
		for _, at := range g.members {
			members[c.insts[at]] = g
		}
	}
	copies := make([]vcode.Block, 0, n+1)
	copies = append(copies, vcode.Block{Insts: c.before})
	for b := c.first; b <= c.last; b++ {
		list := c.f.Blocks[b].Insts
		out := c.f.Form.Arena.Insts(len(list) + len(c.groups))
		for i := range list {
			in := list[i]
			in.Defs, in.Uses, in.Masks = renamedBy(names, in.Defs), renamedBy(names, in.Uses), renamedBy(names, in.Masks)
			if in.Op.Jumps() && in.Target >= slow && in.Target < slow+n {
				in.Target -= slow - fast
			}
			if g := members[&list[i]]; g != nil {
				c.useAddress(&in, g)
			}
			if b == c.last && i == len(list)-1 {
				out = c.advancePointers(out)
			}
			out = append(out, in)
		}
		copies = append(copies, vcode.Block{Insts: out})
	}
	c.f.Blocks = slices.Insert(c.f.Blocks, c.first, copies...)
}

// advancePointers appends the additions to the addresses.
func (c *countedLoop) advancePointers(out []vcode.Inst) []vcode.Inst {
	for _, g := range c.groups {
		if g.step != 0 {
			out = append(out, vcode.Inst{Op: vcode.StridedBase, Defs: []vcode.Reg{g.pointer}, Uses: []vcode.Reg{g.pointer, g.step}, Stride: 1})
		}
	}
	return out
}

// useAddress makes an access use the checked address of its group.
func (c *countedLoop) useAddress(in *vcode.Inst, g *loopAccesses) {
	zero := c.constant(0)
	switch in.Op {
	case vcode.StridedLoad, vcode.StridedStore:
		uses := append([]vcode.Reg{in.Uses[0], zero, zero, zero}, in.Uses[4:]...)
		in.Uses = append(uses, g.pointer)
	default:
		in.Uses = []vcode.Reg{g.pointer}
	}
	in.Checked, in.Proven = true, true
}

// findLocals finds the registers that no other code, and no other iteration reads. The copy has other ones, so that both have short
// live ranges.
func (c *countedLoop) findLocals(live *liveness) {
	var exits []int
	c.each(func(_ int32, in *vcode.Inst) {
		if in.Op.Jumps() && !c.contains(in.Target) && !slices.Contains(exits, in.Target) {
			exits = append(exits, in.Target)
		}
	})
	c.each(func(at int32, in *vcode.Inst) {
		for _, d := range in.Defs {
			outside := live.liveAtStart(c.first, d) || slices.ContainsFunc(exits, func(b int) bool { return live.liveAtStart(b, d) })
			if !outside && c.position[d] == at { // once
				c.locals = append(c.locals, d)
			}
		}
	})
}

// renamedBy returns a list of registers with other names.
func renamedBy(names map[vcode.Reg]vcode.Reg, list []vcode.Reg) []vcode.Reg {
	if !slices.ContainsFunc(list, func(r vcode.Reg) bool { return names[r] != 0 }) {
		return list
	}
	out := slices.Clone(list)
	for i, r := range list {
		if n := names[r]; n != 0 {
			out[i] = n
		}
	}
	return out
}
