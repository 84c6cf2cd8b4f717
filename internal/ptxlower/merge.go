package ptxlower

import (
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A function that takes the place of its calls (inline.go) may be too large for that. Then the kernel has its body once, and a call is a branch
// to it with the number of the call, which its return branches back by:
//
//	call (r), f, (p);   →   copy of p; mov back'1, 0; bra enter'1; back'1'0: copy of r
//
//	{ the kernel } ret;
//	enter'1: { body of f } return'1: brx.idx back'1, { back'1'0, … };

// merged is a function with one body in the kernel.
type merged struct {
	f     *ptx.Function
	at    *site
	own   map[string]*ptx.Variable
	stmts []ptx.Stmt // declarations
	calls int
}

// The names of a merged function, before its suffix.
const (
	enterLabel   = "enter"
	backName     = "back" // of the register with the number of the call, and the labels after calls
	targetsLabel = "targets"
	targetName   = "target"
	equalName    = "equal"
)

// recurs reports whether a function may call itself.
func (n *inliner) recurs(f *ptx.Function) bool {
	x := n.funcs[f.Name]
	list := x.callees()
	return slices.Contains(list, x) || slices.ContainsFunc(n.list, func(o *function) bool { return o != x && o.component == x.component })
}

// jump returns a block with a branch to the body of the function that an instruction calls.
func (n *inliner) jump(x *ptx.Instr, f *ptx.Function, scope *names) *ptx.Block {
	_, results, params := callParts(x)
	m := n.merged[f.Name]
	if m == nil {
		m = &merged{f: f}
		m.at, m.own, m.stmts = n.newSite(f, "m", f.Pos)
		m.stmts = append(m.stmts, newRegister(f.Pos, ".b32", backName+m.at.suffix))
		n.merged[f.Name] = m
		n.queue = append(n.queue, m)
	}
	number := &ptx.Operand{Pos: x.Pos, Kind: ptx.Immediate, Expr: &ptx.Expr{Op: "int", Bits: uint64(m.calls)}}
	back := m.back(m.calls)
	m.calls++
	b := &ptx.Block{}
	if x.Guard != "" {
		b.Stmts = append(b.Stmts, branchUnless(x, afterLabel+back))
	}
	for i, v := range f.Params {
		b.Stmts = append(b.Stmts, m.at.copies(v, params[i], scope, false)...)
	}
	b.Stmts = append(b.Stmts,
		&ptx.Instr{Pos: x.Pos, Op: "mov", Mods: []string{".u32"}, Operands: []*ptx.Operand{symbolOperand(x.Pos, backName+m.at.suffix), number}},
		&ptx.Instr{Pos: x.Pos, Op: "bra", Operands: []*ptx.Operand{symbolOperand(x.Pos, enterLabel+m.at.suffix)}},
		&ptx.Label{Pos: x.Pos, Name: back})
	for i, v := range f.Results {
		b.Stmts = append(b.Stmts, m.at.copies(v, results[i], scope, true)...)
	}
	b.Stmts = append(b.Stmts, &ptx.Label{Pos: x.Pos, Name: afterLabel + back})
	return b
}

// back returns the label after a call.
func (m *merged) back(call int) string { return backName + m.at.suffix + "'" + strconv.Itoa(call) }

// withMerged returns the body of the kernel with those of the merged functions, which may call more of them.
func (n *inliner) withMerged(kernel *ptx.Block) *ptx.Block {
	if len(n.queue) == 0 {
		return kernel
	}
	b := &ptx.Block{Pos: kernel.Pos}
	var bodies []ptx.Stmt
	for i := 0; i < len(n.queue); i++ {
		m := n.queue[i]
		bodies = append(bodies, &ptx.Label{Pos: m.f.Pos, Name: enterLabel + m.at.suffix})
		bodies = append(bodies, n.body(m.f, m.at, m.own)...)
		bodies = append(bodies, &ptx.Instr{Pos: m.f.Pos, Op: "brx", Mods: []string{".idx"}, Operands: []*ptx.Operand{symbolOperand(m.f.Pos, backName+m.at.suffix), symbolOperand(m.f.Pos, targetsLabel+m.at.suffix)}})
	}
	for _, m := range n.queue {
		d := &ptx.Directive{Pos: m.f.Pos, Label: targetsLabel + m.at.suffix, Name: ".branchtargets"}
		for i := range m.calls {
			d.Names = append(d.Names, symbolOperand(m.f.Pos, m.back(i)))
		}
		b.Stmts = append(append(b.Stmts, m.stmts...), d)
	}
	b.Stmts = append(b.Stmts, kernel, &ptx.Instr{Pos: n.entry.Pos, Op: "ret"})
	b.Stmts = append(b.Stmts, bodies...)
	return b
}

// dispatch returns a block that compares the pointer of a call with the functions that take the place of their calls; nil if it may be none of
// them. A function that might call its caller again is none of them.
func (n *inliner) dispatch(x *ptx.Instr, scope *names) *ptx.Block {
	callee, results, params := callParts(x)
	caller := n.entry.Name
	if len(n.path) > 0 {
		caller = n.path[len(n.path)-1]
	}
	var list []*ptx.Function
	for _, f := range n.image.taken {
		known := n.spinning[f.Name] && n.funcs[f.Name] != nil && n.funcs[f.Name].component != n.funcs[caller].component
		if known && sameSizes(params, f.Params, scope) && sameSizes(results, f.Results, scope) && n.fitsSite(f, results, params, scope, n.top) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	n.sites++
	suffix := "'p" + strconv.Itoa(n.sites)
	word := ".b" + strconv.Itoa(n.module.AddressSize)
	target, equal := symbolOperand(x.Pos, targetName+suffix), symbolOperand(x.Pos, equalName+suffix)
	b := &ptx.Block{Stmts: []ptx.Stmt{newRegister(x.Pos, word, target.Name), newRegister(x.Pos, ".pred", equal.Name)}}
	if x.Guard != "" {
		b.Stmts = append(b.Stmts, branchUnless(x, afterLabel+suffix))
	}
	plain := *x
	plain.Guard, plain.Not = "", false
	for i, f := range list {
		next := symbolOperand(x.Pos, "next"+suffix+"'"+strconv.Itoa(i))
		b.Stmts = append(b.Stmts,
			&ptx.Instr{Pos: x.Pos, Op: "mov", Mods: []string{word}, Operands: []*ptx.Operand{target, symbolOperand(x.Pos, f.Name)}},
			&ptx.Instr{Pos: x.Pos, Op: "setp", Mods: []string{".ne", word}, Operands: []*ptx.Operand{equal, target, callee}},
			&ptx.Instr{Pos: x.Pos, Guard: equal.Name, Op: "bra", Operands: []*ptx.Operand{next}})
		direct := plain
		direct.Operands = nil
		if results != nil {
			direct.Operands = append(direct.Operands, &ptx.Operand{Pos: x.Pos, Kind: ptx.List, Elems: results})
		}
		direct.Operands = append(direct.Operands, symbolOperand(x.Pos, f.Name), &ptx.Operand{Pos: x.Pos, Kind: ptx.List, Elems: params})
		var taken ptx.Stmt = &direct
		if body := n.call(&direct, scope); body != nil {
			taken = body
		}
		b.Stmts = append(b.Stmts, taken,
			&ptx.Instr{Pos: x.Pos, Op: "bra", Operands: []*ptx.Operand{symbolOperand(x.Pos, afterLabel+suffix)}},
			&ptx.Label{Pos: x.Pos, Name: next.Name})
	}
	b.Stmts = append(b.Stmts, &plain, &ptx.Label{Pos: x.Pos, Name: afterLabel + suffix})
	return b
}

// sameSizes reports whether arguments or results in memory have the sizes of a function's.
func sameSizes(list []*ptx.Operand, decls []*ptx.Variable, scope *names) bool {
	if len(list) != len(decls) {
		return false
	}
	for i, o := range list {
		if v := scope.find(o.Name); o.Kind == ptx.Symbol && v != nil && v.Space == ".param" && v.Size() != decls[i].Size() {
			return false
		}
	}
	return true
}
