package ptxlower

import (
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A function with a spin loop takes the place of its calls, if the threads of a warp make progress independently: its threads return one by
// one, and a thread that has returned must be able to go on, for example to the code that a lock protects and the end of the lock, while
// others of the warp spin. A call of the IR returns for all of them together.
//
//	call (r), f, (p);   →   { .param p'1, r'1;
//	                          copy of p
//	                          { body of f with p'1, r'1 and labels of its own; ret is a branch to return'1 }
//	                          return'1: copy of r'1 }
//
// A call through a pointer compares it with the functions of this kind. A kernel that would be too large has their bodies once (merge.go).

// maxInlined bounds the instructions of a kernel with such functions in place of their calls.
const maxInlined = 1 << 15

// inliner makes a kernel without calls of functions with spin loops.
type inliner struct {
	*unit
	spinning map[string]bool // the functions, and those that call them
	path     []string        // the functions that the current body is in
	sites    int
	size     int // instructions
	top      *names
	merged   map[string]*merged
	queue    []*merged // in the order of their first calls
	owners   owners
}

// owners has the functions of variables in the bodies that take the place of calls: one in .shared or .global is the same at each place.
type owners map[*ptx.Variable]*ptx.Function

// owner returns the function of a variable that a body declares.
func (u *unit) owner(f *ptx.Function, v *ptx.Variable) *ptx.Function {
	if o := u.owners[v]; o != nil {
		return o
	}
	return f
}

// names are the variables of a block and the blocks around it in one function; registers with a parameterised name are not among them.
type names struct {
	parent *names
	own    map[string]*ptx.Variable
}

// find returns the variable with a name; nil if there is none.
func (n *names) find(name string) *ptx.Variable {
	for ; n != nil; n = n.parent {
		if v := n.own[name]; v != nil {
			return v
		}
	}
	return nil
}

// site is a call that a body takes the place of. The zero site is the kernel itself.
type site struct {
	of     *ptx.Function
	suffix string            // of the labels and the parameters; "" of the kernel
	params map[string]string // new names of parameters and results
}

// inlineSpins returns the kernel with the functions that have spin loops, or barriers of a part of a warp, in place of their calls; nil if it
// calls none.
func (u *unit) inlineSpins(mix mixture) (*ptx.Function, owners) {
	if len(u.list) == 1 || !independent(u.module.Target) || len(u.registers) > 0 {
		return nil, nil
	}
	var spinning []string
	for _, f := range u.list[1:] {
		if !f.ofHeap(f.f) && (f.markSpins() || mix.split && f.hasSingle() || mix.early && f.hasBlockBarrier()) {
			spinning = append(spinning, f.f.Name)
		}
	}
	if spinning == nil {
		return nil, nil
	}
	n := &inliner{unit: u, spinning: u.withPointerCallers(spinning), merged: map[string]*merged{}, owners: owners{}}
	forInstrs(u.entry.Body, func(*ptx.Instr) { n.size++ })
	f := *u.entry
	own := map[string]*ptx.Variable{}
	for _, v := range f.Params {
		own[v.Name] = v
	}
	n.top = &names{nil, own}
	if f.Body = n.block(u.entry.Body, n.top, &site{of: u.entry}); n.sites == 0 {
		return nil, nil
	}
	f.Body = n.withMerged(f.Body)
	return &f, n.owners
}

// withPointerCallers is withCallers with the functions that may call one of the functions through a pointer.
func (u *unit) withPointerCallers(work []string) map[string]bool {
	all := u.withCallers(slices.Clone(work))
	if !slices.ContainsFunc(u.image.taken, func(f *ptx.Function) bool { return all[f.Name] }) {
		return all
	}
	for _, f := range u.reached {
		if u.image.callsPointer(f.Body) {
			work = append(work, f.Name)
		}
	}
	return u.withCallers(work)
}

// block returns a copy of a block.
func (n *inliner) block(b *ptx.Block, outer *names, at *site) *ptx.Block {
	c := *b
	c.Stmts = nil
	scope := &names{outer, map[string]*ptx.Variable{}}
	for _, s := range b.Stmts {
		if v, ok := s.(*ptx.Variable); ok && v.Count == 0 {
			scope.own[v.Name] = v
			if at.suffix != "" {
				n.owners[v] = at.of
			}
		}
	}
	for _, s := range b.Stmts {
		switch x := s.(type) {
		case *ptx.Label:
			l := *x
			l.Name += at.suffix
			c.Stmts = append(c.Stmts, &l)
		case *ptx.Directive:
			c.Stmts = append(c.Stmts, at.directive(x))
		case *ptx.Block:
			c.Stmts = append(c.Stmts, n.block(x, scope, at))
		case *ptx.Instr:
			x = at.instruction(x)
			if body := n.call(x, scope); body != nil {
				c.Stmts = append(c.Stmts, body)
			} else {
				c.Stmts = append(c.Stmts, x)
			}
		default:
			c.Stmts = append(c.Stmts, s)
		}
	}
	return &c
}

// directive returns a directive with the new names of the labels that it lists.
func (at *site) directive(d *ptx.Directive) *ptx.Directive {
	if at.suffix == "" || d.Name != ".branchtargets" {
		return d
	}
	c := *d
	c.Names = nil
	for _, o := range d.Names {
		l := *o
		l.Name += at.suffix
		c.Names = append(c.Names, &l)
	}
	return &c
}

// instruction returns an instruction with the new names of labels and parameters. A return is a branch.
func (at *site) instruction(x *ptx.Instr) *ptx.Instr {
	if at.suffix == "" {
		return x
	}
	c := *x
	if to, ok := at.params[x.Guard]; ok {
		c.Guard = to
	}
	switch {
	case x.Op == "ret":
		c.Op, c.Operands = "bra", []*ptx.Operand{symbolOperand(x.Pos, returnLabel+at.suffix)}
	case x.Op == "bra" && len(x.Operands) == 1:
		c.Operands = []*ptx.Operand{symbolOperand(x.Pos, x.Operands[0].Name+at.suffix)}
	default:
		c.Operands = at.operands(x.Operands)
	}
	return &c
}

// operands returns operands with the new names of parameters.
func (at *site) operands(list []*ptx.Operand) (out []*ptx.Operand) {
	for _, o := range list {
		c := *o
		if to, ok := at.params[o.Name]; ok && o.Kind == ptx.Symbol {
			c.Name = to
		}
		c.Elems = at.operands(o.Elems)
		out = append(out, &c)
	}
	return out
}

// The names that a site adds, before its suffix. PTX has no identifiers with an apostrophe.
const (
	returnLabel = "return"
	afterLabel  = "after"
	copyName    = "copy"
	stackName   = "stack"
)

// call returns a block that takes the place of a call; nil if the call stays.
func (n *inliner) call(x *ptx.Instr, scope *names) *ptx.Block {
	if x.Op != "call" {
		return nil
	}
	callee, results, params := callParts(x)
	f := n.image.functions[callee.Name]
	if f == nil {
		return n.dispatch(x, scope)
	}
	if !n.spinning[callee.Name] || f.Body == nil || slices.Contains(n.path, callee.Name) {
		return nil
	}
	size, most := 0, n.o.inlined
	forInstrs(f.Body, func(*ptx.Instr) { size++ })
	if most == 0 {
		most = maxInlined
	}
	switch {
	case n.size+size <= most && n.fitsSite(f, results, params, scope, scope):
		n.size += size
		return n.inline(x, f, scope)
	case !n.recurs(f) && n.fitsSite(f, results, params, scope, n.top):
		return n.jump(x, f, scope)
	}
	return nil
}

// inline returns a block with the body of the function that an instruction calls.
func (n *inliner) inline(x *ptx.Instr, f *ptx.Function, scope *names) *ptx.Block {
	_, results, params := callParts(x)
	at, own, declarations := n.newSite(f, "", x.Pos)
	b := &ptx.Block{Stmts: declarations}
	if x.Guard != "" {
		b.Stmts = append(b.Stmts, branchUnless(x, afterLabel+at.suffix))
	}
	for i, v := range f.Params {
		b.Stmts = append(b.Stmts, at.copies(v, params[i], scope, false)...)
	}
	b.Stmts = append(b.Stmts, n.body(f, at, own)...)
	for i, v := range f.Results {
		b.Stmts = append(b.Stmts, at.copies(v, results[i], scope, true)...)
	}
	b.Stmts = append(b.Stmts, &ptx.Label{Pos: x.Pos, Name: afterLabel + at.suffix})
	return b
}

// newSite returns a site of a function, the variables of its parameters and results, and all declarations that it needs.
func (n *inliner) newSite(f *ptx.Function, name string, pos ptx.Position) (at *site, own map[string]*ptx.Variable, list []ptx.Stmt) {
	n.sites++
	at = &site{of: f, suffix: "'" + name + strconv.Itoa(n.sites), params: map[string]string{}}
	own = map[string]*ptx.Variable{}
	for _, v := range append(f.Params[:len(f.Params):len(f.Params)], f.Results...) {
		w := *v
		w.Name += at.suffix
		at.params[v.Name], own[w.Name] = w.Name, &w
		list = append(list, &w)
	}
	list = append(list, newRegister(pos, ".b32", copyName+at.suffix))
	if allocates(f.Body) {
		list = append(list, newRegister(pos, ".b64", stackName+at.suffix))
	}
	return at, own, list
}

// body returns the body of a function at a site, from its start to the label of its return. A function with alloca gives its bytes back.
func (n *inliner) body(f *ptx.Function, at *site, own map[string]*ptx.Variable) (list []ptx.Stmt) {
	stack := []*ptx.Operand{symbolOperand(f.Pos, stackName+at.suffix)}
	if allocates(f.Body) {
		list = append(list, &ptx.Instr{Pos: f.Pos, Op: "stacksave", Mods: []string{".u64"}, Operands: stack})
	}
	n.path = append(n.path, f.Name)
	list = append(list, n.block(f.Body, &names{nil, own}, at))
	n.path = n.path[:len(n.path)-1]
	list = append(list, &ptx.Label{Pos: f.Pos, Name: returnLabel + at.suffix})
	if allocates(f.Body) {
		list = append(list, &ptx.Instr{Pos: f.Pos, Op: "stackrestore", Mods: []string{".u64"}, Operands: stack})
	}
	return list
}

// branchUnless returns a branch to a label without the guard of an instruction.
func branchUnless(x *ptx.Instr, label string) ptx.Stmt {
	return &ptx.Instr{Pos: x.Pos, Guard: x.Guard, Not: !x.Not, Op: "bra", Operands: []*ptx.Operand{symbolOperand(x.Pos, label)}}
}

// newRegister returns the declaration of a register.
func newRegister(pos ptx.Position, t, name string) ptx.Stmt {
	return &ptx.Variable{Pos: pos, Space: ".reg", Type: t, Name: name}
}

// allocates reports whether a body has alloca, stacksave or stackrestore.
func allocates(b *ptx.Block) (yes bool) {
	forInstrs(b, func(in *ptx.Instr) { yes = yes || in.Op == "alloca" || in.Op == "stacksave" || in.Op == "stackrestore" })
	return yes
}

// fitsSite reports whether the body of a function means the same at another place: its parameters are scalars or memory that only accesses name,
// its variables are its own, and its other names are none of the place's. scope is that of the call.
func (n *inliner) fitsSite(f *ptx.Function, results, params []*ptx.Operand, scope, place *names) bool {
	if len(params) != len(f.Params) || len(results) != len(f.Results) {
		return false
	}
	own, ok := map[string]bool{}, true
	for i, v := range append(f.Params[:len(f.Params):len(f.Params)], f.Results...) {
		o := append(params[:len(params):len(params)], results...)[i]
		memory := o.Kind == ptx.Symbol && scope.find(o.Name) != nil && scope.find(o.Name).Space == ".param"
		scalar := len(v.Dims) == 0 && v.Vector <= 1 && v.Count == 0 && ptx.TypeSize(v.Type) <= 8
		ok = ok && (scalar || memory && v.Space == ".param") && (v.Space == ".param" || v.Space == ".reg" && !memory)
		ok = ok && (!memory || scope.find(o.Name).Size() >= v.Size()) && (v.Type != ".pred" || v.Space == ".reg")
		ok = ok && (o.Kind == ptx.Symbol || o.Kind == ptx.Immediate || o.Kind == ptx.Sink)
		own[v.Name] = v.Space == ".param"
	}
	forVariables(f.Body, func(v *ptx.Variable) {
		_, again := own[v.Name]
		ok = ok && !again
	})
	forInstrs(f.Body, func(in *ptx.Instr) {
		access := (in.Op == "ld" || in.Op == "st") && in.Has(".param")
		forSymbols(in.Operands, func(o *ptx.Operand) {
			ok = ok && (!own[o.Name] || access) && (place.find(o.Name) == nil || n.moduleSymbol(o.Name) == nil && n.image.functions[o.Name] == nil)
		})
	})
	return ok
}

// copies returns the instructions that copy an argument to a parameter, or a result to the caller.
func (at *site) copies(v *ptx.Variable, o *ptx.Operand, scope *names, back bool) (list []ptx.Stmt) {
	name := at.params[v.Name]
	if o.Kind == ptx.Sink {
		return nil
	}
	access := func(op, mod, variable string, plus int, value *ptx.Operand) ptx.Stmt {
		base := symbolOperand(o.Pos, variable)
		base.Expr = &ptx.Expr{Op: "int", Bits: uint64(plus)}
		in := &ptx.Instr{Pos: o.Pos, Op: op, Mods: []string{".param", mod}, Operands: []*ptx.Operand{{Pos: o.Pos, Kind: ptx.Address, Elems: []*ptx.Operand{base}}, value}}
		if op == "ld" {
			slices.Reverse(in.Operands)
		}
		return in
	}
	bits := func(n int) string { return ".b" + strconv.Itoa(8*n) }
	memory := scope.find(o.Name)
	switch {
	case o.Kind == ptx.Symbol && memory != nil && memory.Space == ".param":
		from, to := o.Name, name
		if back {
			from, to = name, o.Name
		}
		word := symbolOperand(o.Pos, copyName+at.suffix)
		for plus, unit := 0, 4; unit > 0; unit /= 2 {
			for ; v.Size()-plus >= unit; plus += unit {
				list = append(list, access("ld", bits(unit), from, plus, word), access("st", bits(unit), to, plus, word))
			}
		}
	case v.Space == ".param" && back:
		list = append(list, access("ld", bits(v.Size()), name, 0, o))
	case v.Space == ".param":
		list = append(list, access("st", bits(v.Size()), name, 0, o))
	default:
		operands := []*ptx.Operand{symbolOperand(o.Pos, name), o}
		if back {
			slices.Reverse(operands)
		}
		list = append(list, &ptx.Instr{Pos: o.Pos, Op: "mov", Mods: []string{v.Type}, Operands: operands})
	}
	return list
}

// symbolOperand returns an operand that is a name.
func symbolOperand(pos ptx.Position, name string) *ptx.Operand {
	return &ptx.Operand{Pos: pos, Kind: ptx.Symbol, Name: name}
}
