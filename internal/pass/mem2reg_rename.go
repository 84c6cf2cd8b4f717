package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// renamer walks the code forward with the current value of each cell (the renaming
// step of Cytron et al. 1991).
type renamer struct {
	*promoter
	now  []ir.V // by cell: its current value
	log  []was  // undo log of now
	code []ir.V
	to   []ir.V // by load: its replacement
	open []opened
	swap map[ir.V]ir.V // in switchOn: the block that replaces a target label
	phis [][]int       // by region: cells for which its label has parameters
}

// was is an entry of the undo log: a cell and its old value.
type was struct {
	cell int
	v    ir.V
}

// opened is an open region.
type opened struct {
	number int32
	mark   int   // length of the undo log at its start
	wrap   ir.V  // if: the block around it that has the parameters, or 0
	left   []was // if whose second arm never falls off its end: the cells after the first arm
}

// rename replaces loads and stores of cells by values, and adds parameters.
func (r *promoter) rename() {
	n := &renamer{promoter: r, now: make([]ir.V, len(r.cells)), to: make([]ir.V, len(r.f.Vals)), phis: make([][]int, len(r.regions))}
	for c, x := range r.cells {
		n.now[c] = r.edit.constant(x.t, 0)
	}
	code := r.f.Code
	for _, v := range code {
		n.value(v)
	}
	r.f.Code = n.code
	for _, v := range n.code {
		redirect(r.f, v, n.to)
	}
}

// set assigns a value to a cell.
func (n *renamer) set(c int, v ir.V) {
	n.log = append(n.log, was{c, n.now[c]})
	n.now[c] = v
}

// back restores the values at the given length of the log.
func (n *renamer) back(mark int) {
	for i := len(n.log) - 1; i >= mark; i-- {
		n.now[n.log[i].cell] = n.log[i].v
	}
	n.log = n.log[:mark]
}

// holds returns the current values of cells.
func (n *renamer) holds(cells []int) []ir.V {
	list := make([]ir.V, len(cells))
	for i, c := range cells {
		list[i] = n.now[c]
	}
	return list
}

// types returns the types of cells.
func (n *renamer) types(cells []int) []ir.Type {
	list := make([]ir.Type, len(cells))
	for i, c := range cells {
		list[i] = n.cells[c].t
	}
	return list
}

func (n *renamer) emit(v ir.V) { n.code = append(n.code, v) }

func (n *renamer) value(v ir.V) {
	x := n.f.Val(v)
	switch x.Op {
	case ir.Block, ir.Loop:
		n.enter(v, x.Op)
	case ir.If:
		n.enterIf(v)
	case ir.Else:
		n.elseArm(v)
	case ir.End:
		n.leave(v)
	case ir.Br:
		if cells := n.phis[n.number[x.Args[0]]]; len(cells) > 0 {
			n.edit.addArgs(v, n.holds(cells))
		}
		n.emit(v)
	case ir.Switch:
		n.switchOn(v)
	case ir.PLd:
		n.load(v, x)
	case ir.PSt:
		n.store(v, x)
	case ir.PClr:
		if !n.use[x.Aux] {
			n.emit(v)
			return
		}
		for _, c := range n.of[x.Aux] {
			n.set(c, n.edit.constant(n.cells[c].t, 0))
		}
	default:
		n.emit(v)
	}
}

func (n *renamer) load(v ir.V, x *ir.Val) {
	if !n.use[x.Aux] {
		n.emit(v)
		return
	}
	c := n.cell(x)
	switch {
	case c < 0:
		n.to[v] = n.edit.constant(x.Type, 0)
	case n.cells[c].t == x.Type:
		n.to[v] = n.now[c]
	default: // the same bits, as another type
		*x = ir.Val{Op: ir.Bitcast, Type: x.Type, Args: [4]ir.V{n.now[c]}, Origin: x.Origin}
		n.emit(v)
	}
}

func (n *renamer) store(v ir.V, x *ir.Val) {
	if !n.use[x.Aux] {
		n.emit(v)
		return
	}
	c := n.cell(x)
	if c < 0 {
		return
	}
	bits := follow(x.Args[1], n.to)
	if t := n.cells[c].t; t != x.Type {
		bits = n.edit.float(ir.Val{Op: ir.Bitcast, Type: t, Args: [4]ir.V{bits}, Origin: x.Origin})
		n.emit(bits)
	}
	n.set(c, bits)
}

// enter opens a block or loop and adds its parameters.
func (n *renamer) enter(v ir.V, op ir.Op) {
	i := n.number[v]
	o := opened{number: i, mark: len(n.log)}
	if n.regions[i].brs > 0 || op == ir.Loop {
		n.phis[i] = n.both(n.defs[i], n.out[i])
	}
	if cells := n.phis[i]; len(cells) > 0 {
		var inits []ir.V
		if op == ir.Loop {
			inits = n.holds(cells)
		}
		params := n.edit.addParams(v, n.types(cells), inits)
		if op == ir.Loop {
			for k, c := range cells {
				n.set(c, params[k])
			}
		}
	}
	n.emit(v)
	n.open = append(n.open, o)
}

// enterIf opens an if. If its arms leave different values, a block with parameters
// goes around it, because an if has none.
func (n *renamer) enterIf(v ir.V) {
	i := n.number[v]
	g := &n.regions[i]
	o := opened{number: i, mark: len(n.log)}
	if g.falls && (g.first || !g.second) {
		n.phis[i] = n.both(n.defs[i], n.out[i])
	}
	if cells := n.phis[i]; len(cells) > 0 {
		o.wrap = n.edit.float(ir.Val{Op: ir.Block, Origin: n.f.Val(v).Origin})
		n.edit.addParams(o.wrap, n.types(cells), nil)
		n.emit(o.wrap)
	}
	n.emit(v)
	n.open = append(n.open, o)
}

// elseArm ends the first arm and restores the values before the if.
func (n *renamer) elseArm(v ir.V) {
	o := &n.open[len(n.open)-1]
	g := &n.regions[o.number]
	switch {
	case o.wrap != 0:
		n.emit(n.edit.br(o.wrap, n.f.Val(v).Origin, n.holds(n.phis[o.number])))
	case g.first && !g.falls:
		for _, c := range n.both(n.defs[o.number], n.out[o.number]) {
			o.left = append(o.left, was{c, n.now[c]})
		}
	}
	n.back(o.mark)
	n.emit(v)
}

// leave closes a region.
func (n *renamer) leave(v ir.V) {
	o := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	g := &n.regions[o.number]
	cells := n.phis[o.number]
	if n.f.Val(g.opener).Op == ir.If {
		n.leaveIf(v, &o, g, cells)
		return
	}
	loop := n.f.Val(g.opener).Op == ir.Loop
	if len(cells) > 0 && !loop && g.falls {
		n.emit(n.edit.br(g.opener, n.f.Val(v).Origin, n.holds(cells)))
	}
	n.emit(v)
	if g.brs > 0 || loop {
		n.back(o.mark)
	}
	if !loop {
		n.take(g.opener, cells)
	}
}

// take assigns the last parameters of the label to the cells.
func (n *renamer) take(label ir.V, cells []int) {
	if len(cells) == 0 {
		return
	}
	params := n.f.Params(label)
	params = params[len(params)-len(cells):]
	for k, c := range cells {
		n.set(c, params[k])
	}
}

// leaveIf closes an if. Its cells get the parameters of the wrapping block, or the
// values of the only arm that falls off its end.
func (n *renamer) leaveIf(v ir.V, o *opened, g *regionInfo, cells []int) {
	switch {
	case o.wrap != 0:
		origin := n.f.Val(v).Origin
		n.emit(n.edit.br(o.wrap, origin, n.holds(cells)))
		n.emit(v)
		n.back(o.mark)
		if !g.second { // the lanes that skipped the arm
			n.emit(n.edit.br(o.wrap, origin, n.holds(cells)))
		}
		n.emit(n.edit.end(o.wrap))
		n.take(o.wrap, cells)
		return
	case g.second && !g.first && g.falls: // all lanes come from the second arm
	default:
		n.back(o.mark)
		for _, w := range o.left {
			n.set(w.cell, w.v)
		}
	}
	n.emit(v)
}

// switchOn adds blocks around a switch, one for each target with parameters: a
// switch passes no arguments, so it branches to such a block, and a branch after the
// block passes them.
func (n *renamer) switchOn(v ir.V) {
	x := *n.f.Val(v)
	cases := append([]ir.V(nil), n.f.Cases(v)...)
	n.swap = map[ir.V]ir.V{}
	var targets []ir.V // the labels that are replaced
	for i := range len(cases)/2 + 1 {
		label := &x.Args[1]
		if i < len(cases)/2 {
			label = &cases[2*i+1]
		}
		if len(n.phis[n.number[*label]]) == 0 {
			continue
		}
		if n.swap[*label] == 0 {
			n.swap[*label] = n.edit.float(ir.Val{Op: ir.Block, Origin: x.Origin})
			targets = append(targets, *label)
			n.emit(n.swap[*label])
		}
		*label = n.swap[*label]
	}
	x.Args[3] = n.edit.list(cases)
	*n.f.Val(v) = x
	n.emit(v)
	for i := len(targets) - 1; i >= 0; i-- {
		n.emit(n.edit.end(n.swap[targets[i]]))
		n.emit(n.edit.br(targets[i], x.Origin, n.holds(n.phis[n.number[targets[i]]])))
	}
}
