package modgen

import (
	"fmt"
	"strings"
)

// arrival is a branch to a block: its source, and its arguments.
type arrival struct {
	from   string
	values []string
}

// target is a block that is branched to, and the types of its phis.
type target struct {
	label    string
	types    []*typ
	arrivals []arrival
}

// breakable is a construct that code within may leave: a loop to its merge and
// continue target, a switch to its merge.
type breakable struct {
	merge, next *target // next is nil for a switch
}

func (g *maker) label() string {
	g.names++
	return fmt.Sprintf("%%L%d", g.names)
}

// target makes a block to branch to, with up to two phis.
func (g *maker) target() *target {
	t := &target{label: g.label()}
	for range g.intn(3) {
		t.types = append(t.types, g.any(0))
	}
	return t
}

// arrive notes a branch from the current block to t.
func (g *maker) arrive(t *target) {
	a := arrival{from: g.block}
	for _, x := range t.types {
		a.values = append(a.values, g.need(x).id)
	}
	t.arrivals = append(t.arrivals, a)
}

// jump branches to t.
func (g *maker) jump(t *target) {
	g.arrive(t)
	g.line("OpBranch %s", t.label)
	g.dead = true
}

// begin starts a block.
func (g *maker) begin(label string) {
	g.line("%s = OpLabel", label)
	g.block, g.dead = label, false
}

// land starts a block that was branched to, with its phis.
func (g *maker) land(t *target) {
	g.begin(t.label)
	if len(t.arrivals) == 0 {
		g.line("OpUnreachable")
		g.dead = true
		return
	}
	for i, x := range t.types {
		form := strings.Builder{}
		for _, a := range t.arrivals {
			fmt.Fprintf(&form, " %s %s", a.values[i], a.from)
		}
		g.put(x, false, "OpPhi %s"+form.String())
	}
}

// within writes code with values that do not live on.
func (g *maker) within(write func()) {
	pool, depth := len(g.pool), g.depth
	g.depth++
	write()
	g.depth = depth
	g.pool = g.pool[:pool]
}

// condition returns a Boolean, sometimes a uniform one; if it is not, code
// that depends on it diverges.
func (g *maker) condition() value {
	if g.chance(3) {
		if v, ok := g.find(func(v value) bool { return v.uniform && v.t.id() == boolean.id() }); ok {
			return v
		}
	}
	return g.need(boolean)
}

// conditional writes an if.
func (g *maker) conditional() {
	c := g.condition()
	merge := g.target()
	arms := [2]string{g.label(), g.label()}
	one := g.chance(3)
	if one {
		g.arrive(merge)
		arms[1] = merge.label
	}
	g.line("OpSelectionMerge %s %s", merge.label, choose(g.source, "None", "Flatten", "DontFlatten"))
	g.line("OpBranchConditional %s %s %s", c.id, arms[0], arms[1])
	diverged := g.diverged
	g.diverged = diverged || !c.uniform
	for i, a := range arms {
		if i == 1 && one {
			break
		}
		g.within(func() {
			g.begin(a)
			g.statements()
			if !g.dead {
				g.jump(merge)
			}
		})
	}
	g.diverged = diverged
	g.land(merge)
}

// selection writes a switch, with cases that fall into the next.
func (g *maker) selection() {
	t := choose(g.source, u32, i32, u32, g.long())
	x := g.need(t)
	x = g.and(x, "7")
	merge := g.target()
	merge.types = nil
	n := 1 + g.intn(4)
	labels := make([]string, n+1)
	for i := range labels {
		labels[i] = g.label()
	}
	none := merge.label
	last := g.chance(2) // whether there is a default
	if last {
		none = labels[n]
	} else {
		g.arrive(merge)
		labels = labels[:n]
	}
	form := ""
	literal := g.intn(3)
	for i := range n {
		for range 1 + g.intn(2) {
			form += fmt.Sprintf(" %d %s", literal, labels[i])
			literal += 1 + g.intn(2)
		}
	}
	g.line("OpSelectionMerge %s None", merge.label)
	g.line("OpSwitch %s %s%s", x.id, none, form)
	diverged := g.diverged
	g.diverged = true
	g.breaks = append(g.breaks, breakable{merge, nil})
	for i, l := range labels {
		g.within(func() {
			g.begin(l)
			g.statements()
			switch {
			case g.dead:
			case i+1 < n && g.chance(3):
				g.line("OpBranch %s", labels[i+1])
				g.dead = true
			default:
				g.jump(merge)
			}
		})
	}
	g.breaks = g.breaks[:len(g.breaks)-1]
	g.diverged = diverged
	g.land(merge)
}

// loop writes a loop that each lane runs at most a few times. The count is a phi of
// the header, as are up to two values that go round.
func (g *maker) loop() {
	limit := g.need(u32)
	if g.chance(3) {
		limit = value{g.constant(u32, fmt.Sprint(1+g.intn(5))), u32, true}
	} else {
		limit = g.and(limit, choose(g.source, "3", "3", "7"))
	}
	merge, next := g.target(), g.target()
	merge.types = nil
	next.types = nil
	for range g.intn(3) {
		next.types = append(next.types, g.any(0))
	}
	header := &target{label: g.label(), types: next.types}
	g.jump(header)
	g.begin(header.label)
	pre := header.arrivals[0]
	g.names++
	count, raised, latch := fmt.Sprintf("%%n%d", g.names), fmt.Sprintf("%%m%d", g.names), g.label()
	if g.chance(2) {
		latch = next.label
	}
	g.line("%s = OpPhi %s %s %s %s %s", count, g.typeOf(u32), g.zero(), pre.from, raised, latch)
	g.pool = append(g.pool, value{count, u32, false})
	phis := make([]string, len(header.types))
	mark := len(g.pool) - 1
	for i, t := range header.types {
		g.names++
		phis[i] = fmt.Sprintf("%%r%d", g.names)
		g.put(t, false, fmt.Sprintf("OpPhi %%s %s %s %s %s", pre.values[i], pre.from, phis[i], latch))
	}
	body := g.label()
	test := g.plain(boolean, false, "OpULessThan %s "+count+" "+limit.id)
	g.arrive(merge)
	g.line("OpLoopMerge %s %s %s", merge.label, next.label, choose(g.source, "None", "None", "Unroll", "DontUnroll"))
	g.line("OpBranchConditional %s %s %s", test.id, body, merge.label)
	diverged := g.diverged
	g.diverged = true
	g.breaks = append(g.breaks, breakable{merge, next})
	g.loops++
	g.within(func() {
		g.begin(body)
		g.statements()
		if !g.dead {
			g.jump(next)
		}
	})
	g.loops--
	g.breaks = g.breaks[:len(g.breaks)-1]
	g.latch(header, next, count, raised, latch, phis)
	g.diverged = diverged
	g.pool = g.pool[:mark]
	g.land(merge)
}

// latch writes the continue construct of a loop.
func (g *maker) latch(header, next *target, count, raised, latch string, phis []string) {
	g.begin(next.label)
	for i, t := range next.types {
		form := ""
		for _, a := range next.arrivals {
			form += " " + a.values[i] + " " + a.from
		}
		if form == "" { // no lane continues
			g.line("%s = OpUndef %s", phis[i], g.typeOf(t))
			continue
		}
		g.line("%s = OpPhi %s%s", phis[i], g.typeOf(t), form)
	}
	if latch != next.label {
		g.line("OpBranch %s", latch)
		g.begin(latch)
	}
	g.line("%s = OpIAdd %s %s %s", raised, g.typeOf(u32), count, g.constant(u32, "1"))
	g.line("OpBranch %s", header.label)
	g.dead = true
}

// leave leaves the construct, or the function.
func (g *maker) leave() {
	var to []*target
	if n := len(g.breaks); n > 0 {
		to = append(to, g.breaks[n-1].merge)
		for i := n - 1; i >= 0; i-- {
			if b := g.breaks[i]; b.next != nil {
				to = append(to, b.next)
				if i == n-1 {
					to = append(to, b.merge)
				}
				break
			}
		}
	}
	if len(to) > 0 && !g.chance(4) {
		g.jump(to[g.intn(len(to))])
		return
	}
	g.leaveFunction()
}

// leaveFunction returns.
func (g *maker) leaveFunction() {
	if g.result == nil {
		g.store(g.plain(u32, false, "OpLoad %s %seen"), g.zero())
		g.line("OpReturn")
		g.returned = true
	} else {
		g.line("OpReturnValue %s", g.need(g.result).id)
	}
	g.dead = true
}
