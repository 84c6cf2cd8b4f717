package modgen

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// maker writes one module.
type maker struct {
	*source
	o         Options
	remaining int // statements still to be written

	annotations, globals strings.Builder
	known                map[string]bool // ids that are declared
	interfaces           string
	names                int
	lanes                int // invocations of a workgroup
	members              []member
	callees              []callee
	spec                 []uint32

	// Of the function that is written:
	body, locals strings.Builder
	pool         []value
	vars         []variable
	block        string
	dead         bool // the block has ended
	diverged     bool // not all invocations come here
	returned     bool // some may have ended
	breaks       []breakable
	loops, depth int
	result       *typ
	text         strings.Builder // functions that are done
}

// callee is a function that can be called: its parameters, the last of which
// may be a pointer, and its result.
type callee struct {
	id      string
	params  []*typ
	pointer *typ
	result  *typ
}

const preamble = `OpCapability Shader
%sOpCapability DotProduct
OpCapability DotProductInput4x8BitPacked
%sOpExtension "SPV_KHR_integer_dot_product"
%%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main"%s
OpExecutionMode %%main LocalSize %d %d %d
`

// widths are the capabilities of numbers that have not 32 bits.
const widths = `OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability StorageBuffer8BitAccess
OpCapability StorageBuffer16BitAccess
OpCapability DotProductInput4x8Bit
`

// module writes the whole module.
func (g *maker) module() *Module {
	m := &Module{LocalSize: [3]uint32{uint32(1 + g.intn(24)), uint32(1 + g.intn(2)), 1}, Groups: [3]uint32{uint32(1 + g.intn(3)), 1, 1}}
	if g.chance(4) {
		m.LocalSize[0] = uint32(1 + g.intn(64))
		m.LocalSize[1] = 1
	}
	if g.o.Peers && g.o.Subgroups { // no lane is missing
		m.LocalSize = [3]uint32{uint32(16 * (1 + g.intn(4))), 1, 1}
	}
	g.lanes = int(m.LocalSize[0] * m.LocalSize[1])
	g.members = members(g.chance(2), g.o.Words)
	g.declare("%void", "OpTypeVoid")
	g.declare("%fn", "OpTypeFunction %void")
	g.buffers()
	if g.o.Images {
		g.pictures()
	}
	for range g.intn(3) {
		g.callee()
	}
	g.main()
	sizes, groups := widths, g.groupCapabilities()
	if g.o.Words {
		sizes = ""
	}
	if g.o.Atomics64 {
		groups += "OpCapability Int64Atomics\n"
	}
	if g.o.Images {
		groups += imageCapabilities
	}
	if g.o.Peers { // else the sign of a zero and 0 times ∞ are free
		groups += "OpCapability SignedZeroInfNanPreserve\n"
	}
	m.Text = fmt.Sprintf(preamble, sizes, groups, g.interfaces, m.LocalSize[0], m.LocalSize[1], m.LocalSize[2]) + g.modes() +
		g.annotations.String() + g.globals.String() + g.text.String()
	m.Buffers = []Buffer{
		{0, false, g.fill(inputs, false)}, {1, false, make([]byte, 4*slots*g.lanes*int(m.Groups[0]))},
		{2, false, g.fill(elements*32, g.o.Flush)}, {3, false, g.fill(counters, false)}, {4, true, g.fill(32, g.o.Flush)},
	}
	m.Push = g.fill(12, g.o.Flush)
	if g.o.Images {
		m.Pictures = g.bound()
	}
	m.Spec = g.spec
	return m
}

// modes are the execution modes besides the size.
func (g *maker) modes() string {
	if !g.o.Peers {
		return ""
	}
	s := ""
	for _, w := range []int{16, 32, 64} {
		if g.o.Words && w != 32 {
			continue
		}
		s += fmt.Sprintf("OpExecutionMode %%main SignedZeroInfNanPreserve %d\n", w)
	}
	return s
}

// finish puts the function together.
func (g *maker) finish(head string) {
	g.text.WriteString(head)
	g.text.WriteString(g.locals.String())
	g.text.WriteString(g.body.String())
	g.text.WriteString("OpFunctionEnd\n")
}

// start begins a function.
func (g *maker) start(result *typ) {
	g.body.Reset()
	g.locals.Reset()
	g.pool, g.vars, g.breaks = nil, nil, nil
	g.dead, g.diverged, g.returned = false, false, false
	g.loops, g.depth, g.result = 0, 0, result
}

// callee writes a function that main and later functions may call.
func (g *maker) callee() {
	result := g.any(0)
	g.start(result)
	c := callee{id: fmt.Sprintf("%%f%d", len(g.callees)), result: result}
	head := ""
	fn := "OpTypeFunction " + g.typeOf(result)
	for range g.intn(4) {
		t := g.any(0)
		c.params = append(c.params, t)
		fn += " " + g.typeOf(t)
		g.names++
		id := fmt.Sprintf("%%a%d", g.names)
		head += fmt.Sprintf("%s = OpFunctionParameter %s\n", id, g.typeOf(t))
		g.pool = append(g.pool, value{id, t, false})
	}
	if g.chance(2) {
		c.pointer = &typ{kind: array, elem: []*typ{choose(g.source, u32, f32, g.long(), boolean)}, n: choose(g.source, 2, 4)}
		p := g.pointer("Function", g.typeOf(c.pointer))
		fn += " " + p
		g.names++
		id := fmt.Sprintf("%%a%d", g.names)
		head += fmt.Sprintf("%s = OpFunctionParameter %s\n", id, p)
		g.vars = append(g.vars, variable{id, "Function", c.pointer})
	}
	g.declare(c.id+"_t", fn)
	g.block = g.label()
	head = fmt.Sprintf("%s = OpFunction %s %s %s_t\n", c.id, g.typeOf(result), choose(g.source, "None", "Inline", "DontInline"), c.id) +
		head + g.block + " = OpLabel\n"
	g.diverged = true
	g.inputs()
	left := g.remaining
	g.remaining = g.remaining / 5
	g.statements()
	g.remaining = left
	if !g.dead {
		g.leaveFunction()
	}
	g.finish(head)
	g.callees = append(g.callees, c)
}

// call calls a function.
func (g *maker) call() {
	if len(g.callees) == 0 || g.loops > 1 {
		return
	}
	c := choose(g.source, g.callees...)
	form := "OpFunctionCall %s " + c.id
	for _, p := range c.params {
		form += " " + g.need(p).id
	}
	if c.pointer != nil {
		id := ""
		for _, v := range g.vars {
			if v.t.id() == c.pointer.id() && v.class == "Function" {
				id = v.id
			}
		}
		if id == "" {
			g.names++
			id = fmt.Sprintf("%%w%d", g.names)
			fmt.Fprintf(&g.locals, "%s = OpVariable %s Function %s\n", id, g.pointer("Function", g.typeOf(c.pointer)), g.fresh(c.pointer).id)
			g.vars = append(g.vars, variable{id, "Function", c.pointer})
		}
		form += " " + id
	}
	g.put(c.result, false, form)
}

// main writes the entry point.
func (g *maker) main() {
	g.start(nil)
	g.block = g.label()
	head := "%main = OpFunction %void None %fn\n" + g.block + " = OpLabel\n"
	index := g.put(u32, false, "OpLoad %s %index")
	group := g.put(vector(typing.UInt, 32, 3), true, "OpLoad %s %group")
	x := g.put(u32, true, "OpCompositeExtract %s "+group.id+" 0")
	first := g.plain(u32, true, "OpIMul %s "+x.id+" "+g.constant(u32, fmt.Sprint(g.lanes)))
	lin := g.put(u32, false, "OpIAdd %s "+first.id+" "+index.id)
	g.line("OpStore %%lin %s", lin.id)
	g.line("OpStore %%seen %s", lin.id)
	g.inputs()
	for g.remaining > 0 && !g.dead {
		g.statements()
	}
	if !g.dead {
		for range 4 {
			g.show()
		}
		g.leaveFunction()
	}
	g.finish(head)
}

// statements writes some statements, or fewer if one leaves.
func (g *maker) statements() {
	n := 1 + g.intn(6)
	if g.depth == 0 {
		n += 8
	}
	for ; n > 0 && !g.dead && g.remaining > 0; n-- {
		g.remaining--
		g.statement()
	}
}

func (g *maker) statement() {
	k := g.intn(40)
	if k >= 31 && k < 38 && g.depth > 4 {
		k -= 24
	}
	if k < 25 {
		mark := len(g.pool)
		g.value(k)
		if mark < len(g.pool) && g.chance(2) {
			g.mix(g.pool[len(g.pool)-1])
		}
		return
	}
	switch {
	case k < 28:
		g.show()
	case k == 28:
		if g.chance(2) {
			g.atomic()
		} else {
			g.ownAtomic()
		}
	case k == 29:
		if g.depth == 0 && !g.returned && !g.diverged || !g.o.Peers && g.result == nil && g.chance(8) {
			if g.chance(2) {
				g.exchange()
			} else {
				g.tally()
			}
		}
	case k == 30:
		if g.o.Subgroups && (!g.o.Peers || g.depth == 0 && !g.returned && !g.diverged) {
			g.meet()
		}
	case k < 34:
		g.conditional()
	case k < 36:
		if g.loops < 3 {
			g.loop()
		}
	case k == 36:
		g.selection()
	case k == 37:
		g.call()
	default:
		if g.depth > 1 && g.chance(2) {
			g.leave()
		}
	}
}

// value writes a statement that most often has a value.
func (g *maker) value(k int) {
	switch {
	case k < 10:
		g.operation()
	case k < 13:
		g.function()
	case k < 16:
		g.composite()
	case k < 18:
		g.special()
	default:
		g.memory()
	}
}
