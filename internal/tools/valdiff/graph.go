package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// graphs generates functions with random control flow. Most are structured programs
// (selections, switches with fall-through, loops, exits) with a few random changes of
// edges, merge instructions and the order of blocks; the others are random graphs.
type graphs struct {
	*rand.Rand
	labels int
	blocks []*node  // in the order of the text
	values []string // results of blocks
}

// node is one block of the text.
type node struct {
	label string
	phis  []string
	lines []string
	merge []string // the operation and its labels
	term  string   // before the labels
	to    []string
	cases []int // literals of a switch, for to[1:]
}

// exits are the blocks outside a region that its blocks may branch to.
type exits struct {
	breaks []string // merge blocks of the innermost loop and switch
	next   string   // the continue target of the innermost loop
}

// generate returns the text of a module.
func (g *graphs) generate() string {
	g.labels, g.blocks, g.values = 0, nil, nil
	if g.IntN(4) == 0 {
		g.anything(2 + g.IntN(7))
	} else {
		end := g.label()
		g.region(1+g.IntN(3), exits{}, g.add(), end)
		g.leave(g.named(end))
		for range g.IntN(3) {
			g.dead()
		}
		for range g.IntN(3) {
			g.disturb()
		}
	}
	g.compute()
	return g.text()
}

func (g *graphs) label() string {
	g.labels++
	return fmt.Sprintf("%%b%d", g.labels)
}

// add adds a block at the end.
func (g *graphs) add() *node { return g.named(g.label()) }

// named adds a block with a label that exists.
func (g *graphs) named(label string) *node {
	b := &node{label: label}
	g.blocks = append(g.blocks, b)
	return b
}

func (b *node) jump(to ...string) { b.term, b.to = "OpBranch", to }

func (b *node) branch(x, y string) { b.term, b.to = "OpBranchConditional %c", []string{x, y} }

// leave ends a function in a block.
func (g *graphs) leave(b *node) {
	b.term = [...]string{"OpReturn", "OpReturn", "OpReturn", "OpKill", "OpUnreachable"}[g.IntN(5)]
	b.to = nil
}

// region writes blocks from b on, which branch to next.
func (g *graphs) region(depth int, x exits, b *node, next string) {
	if depth == 0 {
		g.leaf(x, b, next)
		return
	}
	switch g.IntN(8) {
	case 0, 1:
		g.leaf(x, b, next)
	case 2: // one region after the other
		mid := g.label()
		g.region(depth-1, x, b, mid)
		g.region(depth-1, x, g.named(mid), next)
	case 3, 4:
		m := g.label()
		b.merge = []string{"OpSelectionMerge", m}
		if g.IntN(3) == 0 {
			arm := g.label()
			b.branch(arm, m)
			g.region(depth-1, x, g.named(arm), m)
		} else {
			y, z := g.label(), g.label()
			b.branch(y, z)
			g.region(depth-1, x, g.named(y), m)
			g.region(depth-1, x, g.named(z), m)
		}
		g.region(depth-1, x, g.named(m), next)
	case 5:
		g.choice(depth, x, b, next)
	default:
		g.loop(depth, x, b, next)
	}
}

// choice writes a switch, with cases that may fall through.
func (g *graphs) choice(depth int, x exits, b *node, next string) {
	m := g.label()
	inner := exits{breaks: append(slices.Clone(x.breaks), m), next: x.next}
	b.merge, b.term = []string{"OpSelectionMerge", m}, "OpSwitch %i"
	var arms []string
	for range 1 + g.IntN(4) {
		arms = append(arms, g.label())
	}
	fallback := m
	switch g.IntN(3) {
	case 0:
		fallback = g.label()
	case 1:
		fallback = arms[g.IntN(len(arms))]
	}
	b.to = []string{fallback}
	for i, a := range arms {
		b.to, b.cases = append(b.to, a), append(b.cases, i)
		if g.IntN(5) == 0 { // two literals
			b.to, b.cases = append(b.to, a), append(b.cases, 10+i)
		}
	}
	for i, a := range arms {
		after := m
		if i+1 < len(arms) && g.IntN(3) == 0 {
			after = arms[i+1]
		}
		g.region(depth-1, inner, g.named(a), after)
	}
	if fallback != m && !slices.Contains(arms, fallback) {
		g.region(depth-1, inner, g.named(fallback), m)
	}
	g.region(depth-1, x, g.named(m), next)
}

// loop writes a loop.
func (g *graphs) loop(depth int, x exits, b *node, next string) {
	h, m, c, body := g.label(), g.label(), g.label(), g.label()
	b.jump(h)
	head := g.named(h)
	head.merge = []string{"OpLoopMerge", m, c}
	if g.IntN(2) == 0 {
		head.jump(body)
	} else {
		head.branch(body, m)
	}
	g.region(depth-1, exits{[]string{m}, c}, g.named(body), c)
	next2 := g.named(c)
	if g.IntN(4) == 0 {
		back := g.label()
		g.region(g.IntN(depth), exits{breaks: []string{m}}, next2, back)
		next2 = g.named(back)
	}
	if g.IntN(2) == 0 {
		next2.jump(h)
	} else {
		next2.branch(h, m)
	}
	g.region(depth-1, x, g.named(m), next)
}

// leaf ends a block.
func (g *graphs) leaf(x exits, b *node, next string) {
	var to []string
	to = append(to, x.breaks...)
	if x.next != "" {
		to = append(to, x.next)
	}
	switch g.IntN(8) {
	case 0:
		g.leave(b)
	case 1:
		if len(to) > 0 {
			b.jump(to[g.IntN(len(to))])
			return
		}
		b.jump(next)
	case 2:
		if len(to) > 0 {
			b.branch(to[g.IntN(len(to))], next)
			return
		}
		b.jump(next)
	default:
		b.jump(next)
	}
}

// some returns the label of a block, mostly not of the entry.
func (g *graphs) some() string {
	if len(g.blocks) == 1 || g.IntN(100) == 0 {
		return g.blocks[0].label
	}
	return g.blocks[1+g.IntN(len(g.blocks)-1)].label
}

// two returns two labels, mostly different ones.
func (g *graphs) two() (x, y string) {
	x, y = g.some(), g.some()
	for n := 0; x == y && n < 3; n++ {
		y = g.some()
	}
	return x, y
}

// loopMerge returns the operation of a loop with random blocks.
func (g *graphs) loopMerge() []string {
	m, c := g.two()
	return []string{"OpLoopMerge", m, c}
}

// dead adds a block that no other one branches to.
func (g *graphs) dead() {
	b := g.add()
	switch g.IntN(4) {
	case 0:
		g.leave(b)
	case 1:
		b.branch(g.two())
		if g.IntN(2) == 0 {
			b.merge = []string{"OpSelectionMerge", g.some()}
		}
	case 2: // a loop
		b.merge = g.loopMerge()
		b.branch(g.two())
	default:
		b.jump(g.some())
	}
}

// disturb makes a random change.
func (g *graphs) disturb() {
	b := g.blocks[g.IntN(len(g.blocks))]
	switch g.IntN(9) {
	case 0, 1, 2:
		if len(b.to) > 0 {
			b.to[g.IntN(len(b.to))] = g.some()
		}
	case 3:
		b.merge = nil
	case 4:
		if len(b.merge) > 1 {
			b.merge[1+g.IntN(len(b.merge)-1)] = g.some()
		}
	case 5:
		if b.merge = []string{"OpSelectionMerge", g.some()}; g.IntN(2) == 0 {
			b.merge = g.loopMerge()
		}
	case 6: // the order of two blocks
		i, j := g.IntN(len(g.blocks)), g.IntN(len(g.blocks))
		if i > 0 && j > 0 {
			g.blocks[i], g.blocks[j] = g.blocks[j], g.blocks[i]
		}
	case 7:
		b.cases = nil
		g.leave(b)
	default:
		b.cases = nil
		if g.IntN(2) == 0 {
			b.jump(g.some())
		} else {
			b.branch(g.two())
		}
	}
}

// anything writes n blocks with random edges.
func (g *graphs) anything(n int) {
	for range n {
		g.add()
	}
	for _, b := range g.blocks {
		switch g.IntN(6) {
		case 0:
			g.leave(b)
		case 1, 2:
			b.branch(g.two())
		case 3:
			b.term, b.to, b.cases = "OpSwitch %i", []string{g.some(), g.some(), g.some()}, []int{1, 2}
		default:
			b.jump(g.some())
		}
		switch {
		case len(b.to) > 1 && g.IntN(5) != 0:
			b.merge = []string{"OpSelectionMerge", g.some()}
			if g.IntN(3) == 0 {
				b.merge = g.loopMerge()
			}
		case len(b.to) == 1 && g.IntN(4) == 0:
			b.merge = g.loopMerge()
		}
	}
}

// compute adds instructions with uses of results of other blocks, and phis.
func (g *graphs) compute() {
	if g.IntN(2) == 0 {
		return
	}
	for i := range g.blocks {
		if g.IntN(2) == 0 {
			g.values = append(g.values, fmt.Sprintf("%%v%d", i))
		}
	}
	value := func(before int) string { // mostly of an earlier block
		if n := len(g.values); n > 0 && g.IntN(3) == 0 {
			if v := g.values[g.IntN(n)]; g.IntN(50) == 0 || len(v) < 5 && v < fmt.Sprintf("%%v%d", before) {
				return v
			}
		}
		return "%i"
	}
	for i, b := range g.blocks {
		v := fmt.Sprintf("%%v%d", i)
		if !slices.Contains(g.values, v) {
			continue
		}
		if i == 0 || g.IntN(3) != 0 {
			b.lines = append(b.lines, fmt.Sprintf("%s = OpIAdd %%int %%i %s", v, value(i)))
			continue
		}
		phi := v + " = OpPhi %int"
		for _, p := range g.blocks {
			if slices.Contains(p.to, b.label) != (g.IntN(80) == 0) {
				phi += " " + value(99) + " " + p.label
			}
		}
		b.phis = append(b.phis, phi)
	}
}

// text writes the module.
func (g *graphs) text() string {
	var t strings.Builder
	t.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\"\nOpExecutionMode %main OriginUpperLeft\n" +
		"%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%fn = OpTypeFunction %void\n%i = OpConstant %int 1\n%c = OpConstantTrue %bool\n%main = OpFunction %void None %fn\n")
	for _, b := range g.blocks {
		fmt.Fprintf(&t, "%s = OpLabel\n", b.label)
		for _, l := range append(b.phis, b.lines...) {
			t.WriteString(l + "\n")
		}
		if b.merge != nil {
			fmt.Fprintf(&t, "%s None\n", strings.Join(b.merge, " "))
		}
		t.WriteString(b.term)
		for i, to := range b.to {
			if b.cases != nil && i > 0 {
				fmt.Fprintf(&t, " %d", b.cases[i-1])
			}
			t.WriteString(" " + to)
		}
		t.WriteString("\n")
	}
	t.WriteString("OpFunctionEnd\n")
	return t.String()
}
