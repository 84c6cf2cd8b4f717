package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// join removes parameters that are given the same value on all ways, or
// themselves. Every way to the label has that value, so it may be read wherever
// the parameter may; and it is not computed anew while the parameter is alive,
// for that way would lead to the parameter again.
func join(_ *ir.Program, f *ir.Func) {
	j := &joiner{f: f, to: make([]ir.V, len(f.Vals)), ways: make([][]ir.V, len(f.Vals)), feeds: make([][]ir.V, len(f.Vals))}
	var work []ir.V
	for _, v := range f.Code {
		switch x := f.Val(v); x.Op {
		case ir.Block, ir.Loop:
			if v != f.Body() {
				work = append(work, f.Params(v)...)
			}
			if x.Op == ir.Loop {
				j.way(v, f.Inits(v))
			}
		case ir.Br:
			j.ways[x.Args[0]] = append(j.ways[x.Args[0]], v)
			j.way(x.Args[0], f.BrArgs(v))
		}
	}
	// A parameter that goes makes others worth another look.
	for budget := 64 * len(f.Code); len(work) > 0 && budget > 0; {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if j.to[p] != 0 {
			continue
		}
		budget -= 1 + len(j.ways[f.Val(p).Args[0]])
		if same := j.same(p); same != 0 {
			j.to[p] = same
			work = append(work, j.feeds[p]...)
			j.feeds[same] = append(j.feeds[same], j.feeds[p]...)
		}
	}
	for _, v := range f.Code {
		redirect(f, v, j.to)
	}
	dropParams(f, func(p ir.V) bool { return int(p) < len(j.to) && j.to[p] != 0 })
}

type joiner struct {
	f     *ir.Func
	to    []ir.V
	ways  [][]ir.V // by label: the branches to it
	feeds [][]ir.V // by value: the parameters that are given it
}

// way notes which parameters of the label the arguments go to.
func (j *joiner) way(label ir.V, args []ir.V) {
	if label == j.f.Body() {
		return
	}
	for i, p := range j.f.Params(label) {
		if a := args[i]; j.f.Val(a).Op == ir.Param {
			j.feeds[a] = append(j.feeds[a], p)
		}
	}
}

// same returns the one value that a parameter is given, or 0.
func (j *joiner) same(p ir.V) ir.V {
	x := j.f.Val(p)
	label, i := x.Args[0], x.Aux
	one := ir.V(0)
	if j.f.Val(label).Op == ir.Loop {
		one = follow(j.f.Inits(label)[i], j.to)
	}
	for _, br := range j.ways[label] {
		switch a := follow(j.f.BrArgs(br)[i], j.to); {
		case a == p || a == one:
		case one == 0:
			one = a
		case !alike(j.f.Val(one), j.f.Val(a)):
			return 0
		}
	}
	return one
}

// alike reports whether two values are the same constant.
func alike(a, b *ir.Val) bool {
	return a.Op == ir.Const && b.Op == ir.Const && a.Type == b.Type && a.Aux == b.Aux
}

// dropParams takes parameters away from their labels, and what they are given
// from branches.
func dropParams(f *ir.Func, gone func(ir.V) bool) {
	keep := map[ir.V][]bool{} // by label, where some go: which stay
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop:
			dropFrom(f, v, gone, keep)
		case ir.Br:
			if stays := keep[x.Args[0]]; stays != nil {
				args := only(f.BrArgs(v), stays)
				x.Aux = uint64(len(args))
			}
		}
	}
}

func dropFrom(f *ir.Func, label ir.V, gone func(ir.V) bool, keep map[ir.V][]bool) {
	x := f.Val(label)
	params := f.Params(label)
	stays, some := make([]bool, len(params)), false
	for i, p := range params {
		stays[i] = !gone(p)
		some = some || !stays[i]
	}
	if !some {
		return
	}
	keep[label] = stays
	var inits []ir.V
	if x.Op == ir.Loop {
		inits = only(f.Inits(label), stays)
	}
	params = only(params, stays)
	for i, p := range params {
		f.Val(p).Aux = uint64(i)
	}
	copy(f.Extra[int(x.Args[3])+len(params):], inits)
	x.Aux = uint64(len(params))
}

// only shortens a list, in place, to those that stay.
func only(list []ir.V, stays []bool) []ir.V {
	n := 0
	for i, v := range list {
		if stays[i] {
			list[n] = v
			n++
		}
	}
	return list[:n]
}
