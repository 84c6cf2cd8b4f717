package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// instrumented is the function to which a follower adds shadows.
type instrumented struct {
	*follower
	f         *function // appends the reports
	b         *ir.Builder
	fn        *ir.Func
	vals      []*source
	addresses []bool
	shadowed  map[ir.V]ir.V // the shadows of values, and of addresses those in the shadow memory
	moved     map[ir.V]ir.V
}

// instrument adds the shadows of a function.
func (w *follower) instrument(n int, fn *ir.Func) {
	b, code := ir.Edit(fn)
	x := &instrumented{
		follower: w, b: b, fn: fn, vals: w.vals[n], addresses: w.addresses[n], shadowed: map[ir.V]ir.V{}, moved: map[ir.V]ir.V{},
		f: &function{unit: w.unit, b: b, number: n},
	}
	for _, a := range slices.Clone(fn.Args) {
		x.parallel(a, func(t ir.Type) ir.V {
			v := x.implicit(ir.Val{Op: ir.Arg, Type: t, Aux: uint64(len(fn.Args))})
			fn.Args = append(fn.Args, v)
			return v
		})
	}
	for i, v := range code {
		b.Origin = fn.Val(v).Origin
		x.value(v)
		if i == 0 {
			x.poison(n)
		}
	}
}

// implicit adds a value without a position in the code.
func (x *instrumented) implicit(v ir.Val) ir.V {
	x.fn.Vals = append(x.fn.Vals, v)
	return ir.V(len(x.fn.Vals) - 1)
}

// parallel makes the shadow and the shadow address of a parameter, an argument or a result, in this order, if it has them.
func (x *instrumented) parallel(v ir.V, add func(t ir.Type) ir.V) {
	if x.vals[v] != nil {
		x.shadowed[v] = add(ir.B1)
	}
	if x.addresses[v] {
		x.moved[v] = add(ir.I32)
	}
}

// parallels returns a list with the shadows and the shadow addresses that the values of like have; like are of the function with
// the sources and addresses given.
func (x *instrumented) parallels(list, like []ir.V, vals []*source, addresses []bool) []ir.V {
	out := slices.Clone(list)
	for i, v := range list {
		if vals[like[i]] != nil {
			out = append(out, x.shadowOf(v))
		}
		if addresses[like[i]] {
			out = append(out, x.addressOfShadow(v))
		}
	}
	return out
}

// list stores an operand list.
func (x *instrumented) list(lists ...[]ir.V) ir.V {
	at := ir.V(len(x.fn.Extra))
	for _, l := range lists {
		x.fn.Extra = append(x.fn.Extra, l...)
	}
	return at
}

// poisoned is the shadow of a slot to which nothing was stored. The first instruction of a module is no store.
const poisoned = 1

// poison marks the variables of a function as undefined, at its start.
func (x *instrumented) poison(n int) {
	for number := range uint64(len(x.of)) {
		shadow, ok := x.shadow[number]
		ok = ok || x.sharesShadow(number)
		if v := x.prog.Vars[number]; !ok || x.followed[number] == nil || v.Func != n && !(v.Func < 0 && n == 0) {
			continue
		}
		for slot := range x.prog.Vars[number].Slots {
			if x.sharesShadow(number) {
				x.b.Op(ir.PStI, ir.I32, x.slotAddress(number, x.b.I32(slot)), x.b.I32(poisoned))
				continue
			}
			x.b.OpAux(ir.PSt, ir.I32, shadow, x.b.I32(slot), x.b.I32(poisoned))
		}
	}
	if n == 0 && x.prog.Stage == ir.Intersection {
		x.poisonAttributes()
	}
}

// shadowOf returns the shadow of a value.
func (x *instrumented) shadowOf(v ir.V) ir.V {
	if s, ok := x.shadowed[v]; ok {
		return s
	}
	return x.b.Bool(false)
}

// addressOfShadow returns the address in the shadow memory for one in private memory; out of range if it has none.
func (x *instrumented) addressOfShadow(v ir.V) ir.V {
	if a, ok := x.moved[v]; ok {
		return a
	}
	return x.b.I32(farAway)
}

// or returns the disjunction of two shadows; 0 is none.
func (x *instrumented) or(a, b ir.V) ir.V {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	}
	return x.b.Op(ir.Or, ir.B1, a, b)
}

// bad returns the shadow of a value; 0 if it is always defined.
func (x *instrumented) bad(v ir.V) ir.V { return x.shadowed[v] }

// matters reports a value that decides what the program does.
func (x *instrumented) matters(v ir.V, what string) {
	s := x.bad(v)
	if s == 0 {
		return
	}
	of := x.vals[v]
	x.at = max(int(x.b.Origin)-1, 0)
	x.f.report(of.rule, s, what+" depends on "+of.text())
}

// value appends an operation of the function with its shadow.
func (x *instrumented) value(v ir.V) {
	op := *x.fn.Val(v)
	if op.Op.Is(ir.Control) || op.Op == ir.Call {
		x.control(v, op)
		return
	}
	x.uses(op)
	shared := x.beginShared(v)
	buffer, undefined := x.beginBuffer(v)
	x.b.Keep(v)
	x.endShared(v, shared)
	x.endBuffer(v, buffer, undefined)
	if op.Op.Is(ir.Meets) || !propagates(&op) {
		x.memory(v, op)
	} else {
		x.combine(v, op)
	}
	x.address(v, op)
}

// control appends a region, a branch or a call with the parallel operands.
func (x *instrumented) control(v ir.V, op ir.Val) {
	fn := x.fn
	switch op.Op {
	case ir.Block, ir.Loop:
		params, inits := slices.Clone(fn.Params(v)), []ir.V(nil)
		if op.Op == ir.Loop {
			inits = x.parallels(fn.Inits(v), params, x.vals, x.addresses)
		}
		for _, p := range slices.Clone(params) {
			x.parallel(p, func(t ir.Type) ir.V {
				n := x.implicit(ir.Val{Op: ir.Param, Type: t, Args: [4]ir.V{v}, Aux: uint64(len(params))})
				params = append(params, n)
				return n
			})
		}
		at := x.list(params, inits)
		fn.Vals[v].Aux, fn.Vals[v].Args[3] = uint64(len(params)), at
	case ir.Br:
		old := fn.BrArgs(v)
		list := x.parallels(old, fn.Params(op.Args[0])[:len(old)], x.vals, x.addresses)
		at := x.list(list)
		fn.Vals[v].Aux, fn.Vals[v].Args[3] = uint64(len(list)), at
	case ir.If, ir.Switch:
		if !x.guards[branch{fn, v}] {
			x.matters(op.Args[0], "a branch")
		}
	case ir.Call:
		x.call(v, op)
	}
	x.b.Keep(v)
	if op.Op == ir.Call && x.fn.Callee(v) >= ir.FirstTexture {
		x.texels(v)
	}
}

func (x *instrumented) call(v ir.V, op ir.Val) {
	fn, k := x.fn, x.fn.Callee(v)
	args, results := fn.CallArgs(v), slices.Clone(fn.CallResults(v))
	if k >= ir.FirstTexture {
		texel := len(args)
		if x.textures.Heads[k-ir.FirstTexture].Op == ir.TextureWrite {
			texel -= 4 // a format may have one component
			x.matters(args[texel], "a store to an image")
		}
		for _, a := range args[:texel] {
			x.matters(a, "an access of an image")
		}
		return
	}
	g := x.prog.Funcs[k]
	list := x.parallels(args, g.Args[:len(args)], x.follower.vals[k], x.follower.addresses[k])
	for _, r := range slices.Clone(results) {
		x.parallel(r, func(t ir.Type) ir.V {
			n := x.implicit(ir.Val{Op: ir.Result, Type: t, Args: [4]ir.V{v}, Aux: uint64(len(results))})
			results = append(results, n)
			return n
		})
	}
	at := x.list(list, results)
	c := &fn.Vals[v]
	c.Args = [4]ir.V{ir.V(len(list)), ir.V(len(results)), 0, at}
}

// uses reports the operands of an operation that matter.
func (x *instrumented) uses(op ir.Val) {
	switch op.Op.Family() {
	case ir.Memory, ir.Atomics:
		x.matters(op.Args[0], "an address")
		x.matters(op.Args[1], "an address")
		if op.Op != ir.Ld {
			x.keepsUndefined(op)
		}
		return
	}
	switch op.Op {
	case ir.PLd, ir.PSt, ir.PLdI, ir.PStI, ir.Res, ir.InAt, ir.OutGet:
		x.matters(op.Args[0], "an index")
	case ir.OutAt:
		x.matters(op.Args[0], "an index")
		if !x.copiesPayload(op) {
			x.output(op, op.Args[1])
		}
	case ir.Out:
		x.output(op, op.Args[0])
	}
}

// maxStores bounds the stores to an output that have reports of their own.
const maxStores = 16

// output reports an output with an undefined value, at the store to its variable if there is one.
func (x *instrumented) output(op ir.Val, v ir.V) {
	if x.bad(v) == 0 {
		return
	}
	load, origin := x.fn.Val(v), x.b.Origin
	var stores []noted
	if load.Op == ir.PLd {
		stores = x.stores[load.Aux]
	}
	never := load.Op == ir.PLd && x.followed[load.Aux] != nil && x.followed[load.Aux].rule == undefinedOutput // SanitizeInterface reports an output without a store
	switch {
	case never && len(stores) == 0 && !x.exposed[load.Aux]:
		return
	case len(stores) == 0 && !never || len(stores) > maxStores:
		x.outputOf(op, x.vals[v], x.bad(v))
		return
	}
	by, rest := x.b.OpAux(ir.PLd, ir.I32, x.shadow[load.Aux], load.Args[0]), x.bad(v)
	for _, store := range stores {
		x.b.Origin = store.origin
		is := x.b.Cmp(ir.Eq, by, x.b.I32(uint32(x.b.Origin)))
		x.outputOf(op, store.of, is)
		rest = x.b.Op(ir.And, ir.B1, rest, x.b.Op(ir.Not, ir.B1, is))
	}
	x.b.Origin = origin
	if never {
		rest = x.b.Op(ir.And, ir.B1, rest, x.b.Op(ir.Not, ir.B1, x.b.Cmp(ir.Eq, by, x.b.I32(poisoned))))
	}
	if x.exposed[load.Aux] { // stores through addresses are not in the list
		x.outputOf(op, x.vals[v], rest)
	}
}

// outputOf reports an output that depends on a source if s is true. Outputs with a Location matter if the next stage reads them.
func (x *instrumented) outputOf(op ir.Val, of *source, s ir.V) {
	o := x.prog.Out[op.Aux]
	x.at = max(int(x.b.Origin)-1, 0)
	if o.Semantic != ir.Location || x.prog.Stage == ir.Fragment {
		x.f.report(of.rule, s, "an output depends on "+of.text())
		return
	}
	args := []ir.V{x.b.I32(o.Index / 4), x.b.I32(o.Index % 4)}
	n, ok := x.checkMessage(ir.Unwritten, "the output at Location %u, component %u, depends on "+of.text(), x.f.typesOf(args), x.f.site(of.rule))
	if !ok {
		return
	}
	x.b.If(s)
	x.f.log(n, args)
	for _, in := range x.identity() {
		x.b.Op(ir.LogArg, in.Type, x.b.OpAux(ir.In, in.Type, x.inputNumber(in)))
	}
	x.b.End()
}

// combine makes the shadow of a result of operands.
func (x *instrumented) combine(v ir.V, op ir.Val) {
	if x.vals[v] == nil {
		return
	}
	a, c := op.Args[0], op.Args[1]
	switch {
	case op.Op == ir.Select:
		chosen := x.b.Op(ir.Select, ir.B1, a, x.shadowOf(c), x.shadowOf(op.Args[2]))
		x.shadowed[v] = x.or(x.bad(a), chosen)
	case op.Op == ir.And || op.Op == ir.Or || op.Op == ir.Mul: // a defined operand alone may decide the result
		x.shadowed[v] = x.or(x.unless(a, c, op), x.unless(c, a, op))
	default:
		var s ir.V
		for i := range op.Op.Args() {
			s = x.or(s, x.bad(op.Args[i]))
		}
		x.shadowed[v] = s
	}
	if x.shadowed[v] == 0 {
		delete(x.shadowed, v)
	}
}

// unless returns the shadow of a, unless the defined value of other decides the result of an and, an or, or a product.
func (x *instrumented) unless(a, other ir.V, op ir.Val) ir.V {
	s := x.bad(a)
	if s == 0 {
		return 0
	}
	deciding := uint64(0)
	if op.Op == ir.Or {
		deciding = op.Type.Mask()
	}
	open := x.b.Op(ir.Not, ir.B1, x.b.Cmp(ir.Eq, other, x.b.Const(op.Type, deciding)))
	return x.b.Op(ir.And, ir.B1, s, x.or(open, x.bad(other)))
}

// memory makes the shadow of a load or of an operation of the subgroup, and stores shadows.
func (x *instrumented) memory(v ir.V, op ir.Val) {
	word := func(v ir.V) ir.V { // the number of the instruction that stores an undefined value; 0 for a defined one
		s := x.bad(v)
		if s == 0 {
			return x.b.I32(0)
		}
		return x.b.Select(s, x.b.I32(uint32(max(x.b.Origin, 1))), x.b.I32(0))
	}
	is := func(v ir.V) ir.V { return x.b.Op(ir.Not, ir.B1, x.b.Cmp(ir.Eq, v, x.b.I32(0))) }
	switch op.Op {
	case ir.In, ir.InAt, ir.Interp, ir.OutGet:
		if s := x.storedShadow(op); s != 0 {
			x.shadowed[v] = s
		}
	case ir.PLd:
		if x.sharesShadow(op.Aux) && x.vals[v] != nil {
			x.shadowed[v] = is(x.b.Op(ir.PLdI, ir.I32, x.slotAddress(op.Aux, op.Args[0])))
		} else if shadow, ok := x.shadow[op.Aux]; ok {
			x.shadowed[v] = is(x.b.OpAux(ir.PLd, ir.I32, shadow, op.Args[0]))
		}
	case ir.PLdI:
		if x.vals[v] != nil && x.prog.Stage.OfRays() {
			x.shadowed[v] = is(x.b.Op(ir.PLdI, ir.I32, x.sharedAddress(op.Args[0])))
		} else if x.vals[v] != nil {
			x.shadowed[v] = is(x.b.Op(ir.PLdI, ir.I32, x.addressOfShadow(op.Args[0])))
		}
	case ir.PSt:
		if x.sharesShadow(op.Aux) {
			of := x.b.I32(0)
			if x.of[op.Aux] != nil {
				of = word(op.Args[1])
			}
			x.setShared(x.slotAddress(op.Aux, op.Args[0]), op.Type, of)
			return
		}
		shadow, ok := x.shadow[op.Aux]
		if !ok {
			return
		}
		x.b.OpAux(ir.PSt, ir.I32, shadow, op.Args[0], word(op.Args[1]))
		if op.Type.Slots() > 1 {
			x.b.OpAux(ir.PSt, ir.I32, shadow, x.b.OpAux(ir.At, ir.I32, 1, op.Args[0], x.b.I32(1)), word(op.Args[1]))
		}
	case ir.PStI:
		if x.prog.Stage.OfRays() {
			if x.incoming(x.fn, op.Args[0]) != nil {
				x.setShared(x.sharedAddress(op.Args[0]), op.Type, word(op.Args[1]))
			}
		} else if at, ok := x.moved[op.Args[0]]; ok {
			x.b.Op(ir.PStI, ir.I32, at, word(op.Args[1]))
			if op.Type.Slots() > 1 {
				x.b.Op(ir.PStI, ir.I32, x.b.OpAux(ir.At, ir.I32, 1, at, x.b.I32(1)), word(op.Args[1]))
			}
		}
	case ir.PClr: // at the start of a function it makes the values undefined, and poison has marked them
		start := x.followed[op.Aux] != nil && op.Origin > 0 && x.facts.Code.Inst(int(op.Origin)-1).Op() == spirv.OpVariable
		if slots := x.prog.Vars[op.Aux].Slots; x.sharesShadow(op.Aux) && !start && slots <= maxFollowedSlots {
			for slot := range slots {
				x.b.Op(ir.PStI, ir.I32, x.slotAddress(op.Aux, x.b.I32(slot)), x.b.I32(0))
			}
		}
		if shadow, ok := x.shadow[op.Aux]; ok && !start {
			x.b.OpAux(ir.PClr, ir.None, shadow)
		}
	case ir.Shuf, ir.QuadSwap:
		if s := x.bad(op.Args[0]); s != 0 {
			args := op.Args
			args[0] = x.b.Op(ir.ZExt, ir.I32, s)
			x.shadowed[v] = x.or(is(x.b.Emit(ir.Val{Op: op.Op, Type: ir.I32, Aux: op.Aux, Args: args})), x.lane(op))
		}
	case ir.Reduce, ir.ScanI, ir.ScanX: // a result depends on the lanes that it combines
		if s := x.bad(op.Args[0]); s != 0 {
			args := op.Args
			args[0] = x.b.Op(ir.ZExt, ir.I32, s)
			x.shadowed[v] = is(x.b.Emit(ir.Val{Op: op.Op, Type: ir.I32, Aux: op.Aux&^0xff | uint64(ir.Or), Args: args}))
		}
	default:
		if x.vals[v] != nil && op.Op.Family() == ir.Subgroup {
			x.shadowed[v] = x.b.Op(ir.Any, ir.B1, x.shadowOf(op.Args[0]))
		}
	}
}

// lane returns the shadow of the number of another invocation; 0 if there is none.
func (x *instrumented) lane(op ir.Val) ir.V {
	if op.Op == ir.Shuf {
		return x.bad(op.Args[1])
	}
	return 0
}

// address makes the address in the shadow memory for an address in private memory.
func (x *instrumented) address(v ir.V, op ir.Val) {
	if !x.addresses[v] {
		return
	}
	switch op.Op {
	case ir.PAddr:
		if shadow, ok := x.shadow[op.Aux]; ok {
			x.moved[v] = x.b.OpAux(ir.PAddr, ir.I32, shadow)
		}
	case ir.At:
		if base, ok := x.moved[op.Args[0]]; ok {
			x.moved[v] = x.b.OpAux(ir.At, ir.I32, op.Aux, base, op.Args[1])
		}
	case ir.Select:
		x.moved[v] = x.b.Op(ir.Select, ir.I32, op.Args[0], x.addressOfShadow(op.Args[1]), x.addressOfShadow(op.Args[2]))
	}
}
