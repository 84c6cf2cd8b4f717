package modgen

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// Sizes that the layout of the interface has.
const (
	inputs   = 64  // words of the buffer that is only read
	slots    = 16  // words that each invocation has in the buffer of results
	elements = 256 // of the buffer of structures; no dispatch has more invocations
	counters = 16  // words that atomics count in
	shared   = 64  // words of workgroup memory
	tallies  = 8   // words of workgroup memory that atomics count in
)

// variable is memory of an invocation.
type variable struct {
	id, class string
	t         *typ
}

// member is a member of the structure in the buffer of structures.
type member struct {
	t        *typ
	offset   int
	decorate string
}

// members is the layout of the structure: 128 bytes.
func members(transposed, words bool) []member {
	matrices := member{&typ{kind: matrix, elem: []*typ{vector(typing.Float, 32, 3)}, n: 2}, 48, "ColMajor MatrixStride 16"}
	if transposed {
		matrices.decorate = "RowMajor MatrixStride 8"
	}
	if words {
		return []member{
			{vector(typing.Float, 32, 4), 0, ""}, {u32, 16, ""}, {vector(typing.UInt, 32, 2), 24, ""}, {f32, 32, ""},
			{i32, 36, ""}, {u32, 40, ""}, matrices, {vector(typing.Float, 32, 3), 96, ""}, {i32, 108, ""},
			{&typ{kind: array, elem: []*typ{i32}, n: 2}, 112, "ArrayStride 8"},
		}
	}
	return []member{
		{vector(typing.Float, 32, 4), 0, ""}, {u32, 16, ""}, {vector(typing.Int, 16, 2), 20, ""},
		{vector(typing.Float, 16, 2), 24, ""}, {vector(typing.UInt, 8, 4), 28, ""}, {scalar(typing.Int, 64), 32, ""},
		{scalar(typing.Float, 64), 40, ""}, matrices, {vector(typing.Float, 32, 3), 96, ""}, {i32, 108, ""},
		{&typ{kind: array, elem: []*typ{i32}, n: 2}, 112, "ArrayStride 8"},
	}
}

// buffers declares the buffers that the module shares with its dispatch.
func (g *maker) buffers() {
	u, f4 := g.typeOf(u32), g.typeOf(vector(typing.Float, 32, 4))
	g.note("%words ArrayStride 4", "%Words Block", "%in DescriptorSet 0", "%in Binding 0", "%out DescriptorSet 0", "%out Binding 1",
		"%Mix Block", "%elements ArrayStride 128", "%mix DescriptorSet 0", "%mix Binding 2", "%counters ArrayStride 4", "%Atom Block", "%atom DescriptorSet 0", "%atom Binding 3",
		"%rows ArrayStride 16", "%Ubo Block", "%ubo DescriptorSet 0", "%ubo Binding 4", "%Push Block", "%tail ArrayStride 4",
		"%index BuiltIn LocalInvocationIndex", "%group BuiltIn WorkgroupId", "%groups BuiltIn NumWorkgroups")
	for _, m := range []string{"%Words 0 Offset 0", "%Mix 0 Offset 0", "%Atom 0 Offset 0", "%Ubo 0 Offset 0", "%Push 0 Offset 0", "%Push 1 Offset 16", "%Push 2 Offset 32"} {
		fmt.Fprintf(&g.annotations, "OpMemberDecorate %s\n", m)
	}
	g.declare("%words", "OpTypeRuntimeArray "+u)
	g.declare("%Words", "OpTypeStruct %words")
	elem := "OpTypeStruct"
	for i, m := range g.members {
		t := g.typeOf(m.t)
		fmt.Fprintf(&g.annotations, "OpMemberDecorate %%Elem %d Offset %d\n", i, m.offset)
		switch {
		case strings.HasPrefix(m.decorate, "Array"):
			t = g.declare("%spaced", "OpTypeArray "+g.typeOf(m.t.elem[0])+" "+g.constant(u32, fmt.Sprint(m.t.n)))
			g.note("%spaced " + m.decorate)
		case m.decorate != "":
			major, stride, _ := strings.Cut(m.decorate, " ")
			fmt.Fprintf(&g.annotations, "OpMemberDecorate %%Elem %d %s\nOpMemberDecorate %%Elem %d %s\n", i, major, i, stride)
		}
		elem += " " + t
	}
	g.declare("%Elem", elem)
	g.declare("%elements", "OpTypeArray %Elem "+g.constant(u32, fmt.Sprint(elements)))
	g.declare("%Mix", "OpTypeStruct %elements")
	g.declare("%counters", "OpTypeArray "+u+" "+g.constant(u32, fmt.Sprint(counters)))
	g.declare("%Atom", "OpTypeStruct %counters")
	g.declare("%rows", "OpTypeArray "+f4+" "+g.constant(u32, "8"))
	g.declare("%Ubo", "OpTypeStruct %rows")
	g.declare("%tail", "OpTypeArray "+g.typeOf(i32)+" "+g.constant(u32, "4"))
	g.declare("%Push", "OpTypeStruct "+u+" "+f4+" %tail")
	uvec3 := g.typeOf(vector(typing.UInt, 32, 3))
	for _, v := range [][3]string{
		{"%in", "%Words", "StorageBuffer"}, {"%out", "%Words", "StorageBuffer"}, {"%mix", "%Mix", "StorageBuffer"},
		{"%atom", "%Atom", "StorageBuffer"}, {"%ubo", "%Ubo", "Uniform"}, {"%push", "%Push", "PushConstant"},
		{"%index", u, "Input"}, {"%group", uvec3, "Input"}, {"%groups", uvec3, "Input"},
		{"%shared", g.typeOf(&typ{kind: array, elem: []*typ{u32}, n: shared}), "Workgroup"}, {"%tally", g.typeOf(&typ{kind: array, elem: []*typ{u32}, n: tallies}), "Workgroup"}, {"%lin", u, "Private"},
		{"%seen", u, "Private"},
	} {
		g.global(v[0], v[1], v[2])
	}
	if g.o.Subgroups {
		g.note("%lane BuiltIn SubgroupLocalInvocationId", "%lanes BuiltIn SubgroupSize")
		g.global("%lane", u, "Input")
		g.global("%lanes", u, "Input")
	}
}

func (g *maker) note(list ...string) {
	for _, s := range list {
		fmt.Fprintf(&g.annotations, "OpDecorate %s\n", s)
	}
}

// global declares a variable of the module.
func (g *maker) global(id, t, class string) {
	form := "OpVariable " + g.pointer(class, t) + " " + class
	if class == "Private" {
		form += " " + g.zero()
	}
	g.declare(id, form)
	g.interfaces += " " + id
}

// at returns an index below a power of two, or sometimes any index if
// that is defined.
func (g *maker) at(n int) value {
	i := g.need(u32)
	if !g.o.Peers && g.chance(6) {
		return i
	}
	return g.and(i, fmt.Sprint(n-1))
}

// chain writes an access chain and returns its id.
func (g *maker) chain(class, to, base string, indices ...string) string {
	g.names++
	id := fmt.Sprintf("%%q%d", g.names)
	g.line("%s = OpAccessChain %s %s %s", id, g.pointer(class, to), base, strings.Join(indices, " "))
	return id
}

func (g *maker) zero() string { return g.constant(u32, "0") }

// memory writes a load or a store.
func (g *maker) memory() {
	if g.o.Images && g.chance(2) {
		g.picture()
		return
	}
	switch g.intn(10) {
	case 0, 1:
		i := g.at(inputs)
		g.put(u32, i.uniform, "OpLoad %s "+g.chain("StorageBuffer", g.typeOf(u32), "%in", g.zero(), i.id))
	case 2:
		i := g.at(8)
		c := g.need(u32)
		c = g.and(c, "3")
		g.put(f32, i.uniform && c.uniform, "OpLoad %s "+g.chain("Uniform", g.typeOf(f32), "%ubo", g.zero(), i.id, c.id))
	case 3:
		switch g.intn(3) {
		case 0:
			g.put(u32, true, "OpLoad %s "+g.chain("PushConstant", g.typeOf(u32), "%push", g.zero()))
		case 1:
			f4 := vector(typing.Float, 32, 4)
			g.put(f4, true, "OpLoad %s "+g.chain("PushConstant", g.typeOf(f4), "%push", g.constant(u32, "1")))
		default:
			i := g.at(4)
			if g.o.Peers && !i.uniform { // if lanes differ, lavapipe uses the index of the first
				i.id = g.constant(u32, "2")
			}
			g.put(i32, i.uniform, "OpLoad %s "+g.chain("PushConstant", g.typeOf(i32), "%push", g.constant(u32, "2"), i.id))
		}
	case 4, 5, 6:
		g.element()
	case 7, 8:
		g.local()
	case 9:
		if !g.o.Peers {
			g.anywhere()
		}
	}
}

// element loads or stores a member of a structure, that of this invocation
// if order matters.
func (g *maker) element() {
	own := g.plain(u32, false, "OpLoad %s %lin")
	if !g.o.Peers && g.chance(3) {
		own = g.at(elements)
	}
	n := g.intn(len(g.members))
	m := g.members[n]
	indices := []string{g.zero(), own.id, g.constant(u32, fmt.Sprint(n))}
	t := m.t
	for t.kind == array || (t.kind == matrix || t.shape.Count > 1) && g.chance(3) {
		parts := t.parts()
		i := g.need(u32)
		if g.o.Peers || t.kind != array || g.chance(4) {
			i = value{id: g.constant(u32, fmt.Sprint(g.intn(len(parts))))}
		}
		indices, t = append(indices, i.id), parts[0]
	}
	if g.chance(2) {
		p := g.chain("StorageBuffer", g.typeOf(t), "%mix", indices...)
		g.put(t, false, "OpLoad %s "+p)
		return
	}
	v := g.need(t)
	if t.kind == number {
		v = g.canon(v)
	} else if g.o.Peers {
		return
	}
	g.line("OpStore %s %s", g.chain("StorageBuffer", g.typeOf(t), "%mix", indices...), v.id)
}

// local loads or stores through a variable of the invocation.
func (g *maker) local() {
	if len(g.vars) == 0 || g.chance(6) {
		g.newLocal()
	}
	v := choose(g.source, g.vars...)
	p, t := v.id, v.t
	var indices []string
	for (t.kind != number || t.shape.Count > 1) && !g.chance(4) {
		parts := t.parts()
		k := g.intn(len(parts))
		i := g.constant(u32, fmt.Sprint(k))
		if t.kind != structure && len(parts)&(len(parts)-1) == 0 && g.chance(2) {
			i, k = g.at(len(parts)).id, 0
		}
		indices, t = append(indices, i), parts[k]
	}
	if len(indices) > 0 {
		p = g.chain(v.class, g.typeOf(t), v.id, indices...)
	}
	if g.chance(2) {
		g.put(t, false, "OpLoad %s "+p)
		return
	}
	g.line("OpStore %s %s", p, g.need(t).id)
}

// newLocal declares a variable of the function.
func (g *maker) newLocal() {
	t := g.any(0)
	if g.chance(2) {
		t = &typ{kind: array, elem: []*typ{choose(g.source, u32, u32, f32, g.long(), g.any(1))}, n: choose(g.source, 2, 4, 8)}
	}
	g.names++
	id := fmt.Sprintf("%%w%d", g.names)
	// Without an initializer the value is undefined, and only Chiaro defines it as 0.
	init := ""
	if g.o.Peers || g.chance(2) {
		init = " " + g.fresh(t).id
	}
	fmt.Fprintf(&g.locals, "%s = OpVariable %s Function%s\n", id, g.pointer("Function", g.typeOf(t)), init)
	g.vars = append(g.vars, variable{id, "Function", t})
}

// anywhere loads and stores at offsets that other invocations use too.
func (g *maker) anywhere() {
	class, base, n := "StorageBuffer", choose(g.source, "%in", "%out"), inputs
	if g.chance(2) {
		class, base, n = "Workgroup", "%shared", shared
	}
	i := g.at(n)
	indices := []string{i.id}
	if class == "StorageBuffer" {
		indices = []string{g.zero(), i.id}
	}
	p := g.chain(class, g.typeOf(u32), base, indices...)
	if g.chance(4) { // the old value is used, and the order of effects tells
		op := choose(g.source, "OpAtomicIAdd", "OpAtomicExchange", "OpAtomicUMin", "OpAtomicXor", "OpAtomicOr")
		g.put(u32, false, op+" %s "+p+" "+g.constant(u32, "1")+" "+g.zero()+" "+g.need(u32).id)
		return
	}
	if g.chance(8) {
		g.put(u32, true, "OpArrayLength %s %out 0")
	}
	if base == "%in" || g.chance(2) {
		g.put(u32, false, "OpLoad %s "+p)
		return
	}
	g.line("OpStore %s %s", p, g.need(u32).id)
}

// show stores the visible bits of a value in a word of this invocation.
func (g *maker) show() {
	if v, ok := g.find(func(v value) bool { return true }); ok {
		g.store(g.bits(g.scalar(v)), g.constant(u32, fmt.Sprint(1+g.intn(slots-1))))
	}
}

// scalar returns a scalar of a value.
func (g *maker) scalar(v value) value {
	for v.t.kind != number || v.t.shape.Count > 1 {
		v = g.extract(v)
	}
	return v
}

// mix makes the final output of the invocation depend on a value.
func (g *maker) mix(v value) {
	w := g.bits(g.scalar(v))
	old := g.plain(u32, false, "OpLoad %s %seen")
	old = g.plain(u32, false, "OpIMul %s "+old.id+" "+g.constant(u32, "31"))
	old = g.plain(u32, false, "OpBitwiseXor %s "+old.id+" "+w.id)
	g.line("OpStore %%seen %s", old.id)
}

// inputs loads some values to begin with.
func (g *maker) inputs() {
	lin := g.plain(u32, false, "OpLoad %s %lin")
	for range 2 {
		i := g.plain(u32, false, "OpIAdd %s "+lin.id+" "+g.constant(u32, fmt.Sprint(g.intn(inputs))))
		i = g.and(i, fmt.Sprint(inputs-1))
		g.put(u32, false, "OpLoad %s "+g.chain("StorageBuffer", g.typeOf(u32), "%in", g.zero(), i.id))
	}
	f4 := vector(typing.Float, 32, 4)
	g.put(f4, false, "OpLoad %s "+g.chain("StorageBuffer", g.typeOf(f4), "%mix", g.zero(), lin.id, g.zero()))
}

// store stores a word in a slot of this invocation.
func (g *maker) store(w value, slot string) {
	lin := g.plain(u32, false, "OpLoad %s %lin")
	base := g.plain(u32, false, "OpIMul %s "+lin.id+" "+g.constant(u32, fmt.Sprint(slots)))
	at := g.plain(u32, false, "OpIAdd %s "+base.id+" "+slot)
	g.line("OpStore %s %s", g.chain("StorageBuffer", g.typeOf(u32), "%out", g.zero(), at.id), w.id)
}

// bits returns a word that has the bits of a scalar.
func (g *maker) bits(v value) value {
	w := int(v.t.shape.Width)
	switch v.t.shape.Class {
	case typing.Bool:
		return g.plain(u32, v.uniform, "OpSelect %s "+v.id+" "+g.constant(u32, "1")+" "+g.constant(u32, "0"))
	case typing.Float, typing.Int:
		v = g.canon(v)
		v = g.plain(scalar(typing.UInt, w), v.uniform, "OpBitcast %s "+v.id)
	}
	switch {
	case w == 64:
		two := g.plain(vector(typing.UInt, 32, 2), v.uniform, "OpBitcast %s "+v.id)
		a := g.plain(u32, v.uniform, "OpCompositeExtract %s "+two.id+" 0")
		b := g.plain(u32, v.uniform, "OpCompositeExtract %s "+two.id+" 1")
		r := g.plain(u32, v.uniform, "OpIMul %s "+b.id+" "+g.constant(u32, "40503"))
		return g.plain(u32, v.uniform, "OpBitwiseXor %s "+a.id+" "+r.id)
	case w < 32:
		return g.plain(u32, v.uniform, "OpUConvert %s "+v.id)
	}
	return v
}
