package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// simplify is control-flow simplification (Muchnick 1997, 18.2 and 18.3). It removes
// branches to the point that lanes reach anyway, blocks without branches and empty
// ifs, and inverts an if with an empty first arm:
//
//	if v1 {            v2 = not.b1 v1
//	} else {           if v2 {
//		A                  A
//	}                  }
//
// Convergence does not change. Unlike LLVM's SimplifyCFG the pass neither merges
// nor duplicates blocks: those could.
func simplify(_ *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	t := &controlSimplifier{f: f, brs: r.numbers.Alloc(len(f.Vals)), ends: r.numbers.Alloc(len(f.Vals)), gone: r.flags.Alloc(len(f.Vals))}
	for i, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.End:
			t.ends[x.Args[0]] = int32(i)
		case ir.Br:
			t.brs[x.Args[0]]++
		case ir.Switch:
			t.brs[x.Args[1]]++
			for k, c := range f.Cases(v) {
				if k%2 == 1 {
					t.brs[c]++
				}
			}
		}
	}
	for i, v := range f.Code {
		if x := f.Val(v); x.Op == ir.Br && f.Val(x.Args[0]).Op == ir.Block && x.Aux == 0 && t.fallsThrough(i+1, x.Args[0]) {
			t.gone[v] = true
			t.brs[x.Args[0]]--
		}
	}
	t.sweep()
	invertIfs(f, r)
}

type controlSimplifier struct {
	f    *ir.Func
	brs  []int32 // by label: branches to it
	ends []int32 // by opener: the position of its end
	gone []bool  // by value: it is removed
}

// maxFall limits the ends and elses that fallsThrough passes.
const maxFall = 32

// fallsThrough reports whether lanes at position at of the code reach the end of the block without
// running an operation. After an end or over an else lanes only leave regions, as long as these pass
// no parameters and do not repeat:
//
//	block L2 {
//		if v1 {
//			br L2        the next end, then the end of L2: falls through
//		}
//	}
func (t *controlSimplifier) fallsThrough(at int, block ir.V) bool {
	for range maxFall {
		x := t.f.Val(t.f.Code[at])
		switch x.Op {
		case ir.Else:
			at = int(t.ends[x.Args[0]])
			continue
		case ir.End:
		default:
			return false
		}
		if x.Args[0] == block {
			return true
		}
		if o := t.f.Val(x.Args[0]); o.Op == ir.Loop || o.Op == ir.Block && o.Aux > 0 {
			return false
		}
		at++
	}
	return false
}

// sweep drops the removed operations, and control that has become empty. One walk suffices: an if
// that becomes empty is recognized at its end, when code ends with its opener.
func (t *controlSimplifier) sweep() {
	f := t.f
	code := f.Code[:0]
	last := func() *ir.Val { return f.Val(code[len(code)-1]) }
	for _, v := range f.Code {
		x := f.Val(v)
		switch {
		case t.gone[v]:
			continue
		case x.Op == ir.Block && v != f.Body() && t.brs[v] == 0:
			t.gone[v] = true
			continue
		case x.Op == ir.End && t.gone[x.Args[0]]:
			continue
		case x.Op == ir.End && last().Op == ir.If && code[len(code)-1] == x.Args[0]:
			code = code[:len(code)-1]
			continue
		case x.Op == ir.End && last().Op == ir.Else: // an empty second arm
			code = code[:len(code)-1]
			if n := len(code) - 1; code[n] == x.Args[0] { // and an empty first one
				code = code[:n]
				continue
			}
		}
		code = append(code, v)
	}
	f.Code = code
}

// invertIfs inverts the ifs with an empty first arm.
func invertIfs(f *ir.Func, r *arena) {
	edit := editor{f: f}
	code := r.values.Alloc(len(f.Code))[:0]
	for _, v := range f.Code {
		x := f.Val(v)
		if x.Op != ir.Else || code[len(code)-1] != x.Args[0] {
			code = append(code, v)
			continue
		}
		opener := x.Args[0]
		asked := f.Val(opener).Args[0]
		if y := f.Val(asked); y.Op == ir.Not {
			f.Val(opener).Args[0] = y.Args[0]
			continue
		}
		not := edit.float(ir.Val{Op: ir.Not, Type: ir.B1, Args: [4]ir.V{asked}, Origin: f.Val(opener).Origin})
		f.Val(opener).Args[0] = not
		code[len(code)-1] = not
		code = append(code, opener)
	}
	f.Code = append(f.Code[:0], code...)
}
