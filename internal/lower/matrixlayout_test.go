package lower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// formCase is a module in which addresses of matrices of one type, of arrays of
// them and of their columns are chosen by lanes. It knows what each of them reads.
type formCase struct {
	r             *rand.Rand
	columns, rows int
	dims          []int // of the array that each member is
	members       []formMember
	arrayStride   []int // in bytes, outermost first
	words         int   // of the whole struct
	consts        map[int]bool
	body          strings.Builder
	ids           int
	results       [8][]int // by lane, the words that are to be read
}

type formMember struct {
	offset, stride int // in bytes
	rowMajor       bool
}

// formPlace is a pointer of the module: its id, and for each lane the member and
// the word of the struct that it leads to.
type formPlace struct {
	id     string
	member [8]int
	at     [8]int // bytes from the struct's begin
}

func newFormCase(seed uint64) *formCase {
	c := &formCase{r: rand.New(rand.NewPCG(seed, 1)), consts: map[int]bool{}}
	c.columns, c.rows = 2+c.r.IntN(3), 2+c.r.IntN(3)
	largest := 0
	for range 2 + c.r.IntN(4) {
		m := formMember{rowMajor: c.r.IntN(2) == 0}
		along, lines := c.rows, c.columns
		if m.rowMajor {
			along, lines = lines, along
		}
		m.stride = 4 * (along + c.r.IntN(3))
		largest = max(largest, m.stride*lines)
		c.members = append(c.members, m)
	}
	size := largest
	for range c.r.IntN(3) {
		c.arrayStride = append([]int{size + 4*c.r.IntN(2)}, c.arrayStride...)
		c.dims = append([]int{1 + c.r.IntN(3)}, c.dims...)
		size = c.arrayStride[0] * c.dims[0]
	}
	at := 4 * c.r.IntN(3)
	for i := range c.members {
		c.members[i].offset = at
		at += size + 4*c.r.IntN(2)
	}
	c.words = at / 4
	return c
}

func (c *formCase) emit(format string, args ...any) string {
	c.ids++
	id := fmt.Sprintf("%%x%d", c.ids)
	fmt.Fprintf(&c.body, "%s = %s\n", id, fmt.Sprintf(format, args...))
	return id
}

// index returns the id of an index below n, and what it is in each lane: a
// constant, or what the lane's number makes of it.
func (c *formCase) index(n int) (id string, values [8]int) {
	k := c.r.IntN(n)
	if c.r.IntN(2) == 0 {
		for i := range values {
			values[i] = k
		}
		return c.number(k), values
	}
	for i := range values {
		values[i] = (i + k) % n
	}
	return c.emit("OpUMod %%uint %s %s", c.emit("OpIAdd %%uint %%lane %s", c.number(k)), c.number(n)), values
}

func (c *formCase) number(n int) string {
	c.consts[n] = true
	return fmt.Sprintf("%%n%d", n)
}

// level names the type that is depth steps into a member.
func (c *formCase) level(depth int) string {
	return fmt.Sprintf("%%p%d", depth)
}

// step goes from a place, depth steps into its member, to a part of it.
func (c *formCase) step(p formPlace, depth int) formPlace {
	n := c.rows
	switch d := len(c.dims); {
	case depth < d:
		n = c.dims[depth]
	case depth == d:
		n = c.columns
	}
	id, values := c.index(n)
	p.id = c.emit("OpAccessChain %s %s %s", c.level(depth+1), p.id, id)
	for l := range p.at {
		m, far := c.members[p.member[l]], 4
		switch d := len(c.dims); {
		case depth < d:
			far = c.arrayStride[depth]
		case depth == d != m.rowMajor:
			far = m.stride
		}
		p.at[l] += values[l] * far
	}
	return p
}

// place returns a place in one member, so many steps into it.
func (c *formCase) place(depth int) formPlace {
	k := c.r.IntN(len(c.members))
	p := formPlace{id: c.emit("OpAccessChain %s %%buf %s", c.level(0), c.number(k))}
	for l := range p.at {
		p.member[l], p.at[l] = k, c.members[k].offset
	}
	for d := range depth {
		p = c.step(p, d)
	}
	return p
}

// choose returns one place in some lanes and another one in the others.
func (c *formCase) choose(p, q formPlace, depth int) formPlace {
	bit := 1 << c.r.IntN(3)
	masked := c.emit("OpBitwiseAnd %%uint %%lane %s", c.number(bit))
	is := c.emit("OpINotEqual %%bool %s %s", masked, c.number(0))
	for l := range p.at {
		if l&bit == 0 {
			p.member[l], p.at[l] = q.member[l], q.at[l]
		}
	}
	p.id = c.emit("OpSelect %s %s %s %s", c.level(depth), is, p.id, q.id)
	return p
}

// read loads the matrix, the column or the component at a place.
func (c *formCase) read(p formPlace, depth int) {
	d := len(c.dims)
	columns, rows := c.columns, c.rows
	if depth > d {
		columns = 1
	}
	if depth > d+1 {
		rows = 1
	}
	v := c.emit("OpLoad %%t%d %s Aligned 4", depth, p.id)
	for col := range columns {
		for row := range rows {
			x := v
			switch depth - d {
			case 0:
				x = c.emit("OpCompositeExtract %%float %s %d %d", v, col, row)
			case 1:
				x = c.emit("OpCompositeExtract %%float %s %d", v, row)
			}
			slot := c.emit("OpIAdd %%uint %%base %s", c.number(len(c.results[0])))
			to := c.emit("OpAccessChain %%po %%out %s %s", c.number(0), slot)
			fmt.Fprintf(&c.body, "OpStore %s %s\n", to, x)
			for l := range c.results {
				m := c.members[p.member[l]]
				at := p.at[l] + col*m.stride + row*4
				if m.rowMajor {
					at = p.at[l] + col*4 + row*m.stride
				}
				c.results[l] = append(c.results[l], at/4)
			}
		}
	}
}

// source returns the module and its script.
func (c *formCase) source() (module, script string) {
	d := len(c.dims)
	for range 3 {
		depth := c.r.IntN(d + 1)
		p := c.place(depth)
		for ; depth < d+2; depth++ {
			if c.r.IntN(2) == 0 {
				p = c.choose(p, c.place(depth), depth)
			}
			if depth >= d {
				c.read(p, depth)
			}
			p = c.step(p, depth)
		}
		c.read(p, depth)
	}
	stride := len(c.results[0])
	c.consts[stride] = true
	var w strings.Builder
	w.WriteString(formHead)
	for i, m := range c.members {
		order := "ColMajor"
		if m.rowMajor {
			order = "RowMajor"
		}
		fmt.Fprintf(&w, "OpMemberDecorate %%B %d Offset %d\nOpMemberDecorate %%B %d MatrixStride %d\nOpMemberDecorate %%B %d %s\n", i, m.offset, i, m.stride, i, order)
	}
	for i, s := range c.arrayStride {
		fmt.Fprintf(&w, "OpDecorate %%t%d ArrayStride %d\n", i, s)
	}
	w.WriteString(formTypes)
	for n := range 4096 {
		if c.consts[n] {
			fmt.Fprintf(&w, "%%n%d = OpConstant %%uint %d\n", n, n)
		}
	}
	fmt.Fprintf(&w, "%%t%d = OpTypeVector %%float %d\n%%t%d = OpTypeMatrix %%t%d %d\n", d+1, c.rows, d, d+1, c.columns)
	for i := d - 1; i >= 0; i-- {
		fmt.Fprintf(&w, "%%len%d = OpConstant %%uint %d\n%%t%d = OpTypeArray %%t%d %%len%d\n", i, c.dims[i], i, i+1, i)
	}
	for i := range d + 2 {
		fmt.Fprintf(&w, "%%p%d = OpTypePointer PhysicalStorageBuffer %%t%d\n", i, i)
	}
	fmt.Fprintf(&w, "%%p%d = OpTypePointer PhysicalStorageBuffer %%float\n%%B = OpTypeStruct%s\n", d+2, strings.Repeat(" %t0", len(c.members)))
	fmt.Fprintf(&w, formMain, stride)
	w.WriteString(c.body.String())
	w.WriteString("OpReturn\nOpFunctionEnd\n")
	module = strings.ReplaceAll(w.String(), fmt.Sprintf("%%t%d ", d+2), "%float ")

	var s strings.Builder
	s.WriteString("push 0x10000 0\nregion 0x10000")
	for i := range c.words + 64 {
		fmt.Fprintf(&s, " %d", i+1)
	}
	fmt.Fprintf(&s, "\nbuffer 0.1 0×%d\nwant 0.1", 8*stride)
	for l := range c.results {
		for _, at := range c.results[l] {
			fmt.Fprintf(&s, " %d", at+1)
		}
	}
	return module, s.String()
}

const formHead = `OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %index %push %out
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %B Block
OpDecorate %P Block
OpMemberDecorate %P 0 Offset 0
OpDecorate %ra ArrayStride 4
OpDecorate %O Block
OpMemberDecorate %O 0 Offset 0
`

const formTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%ra = OpTypeRuntimeArray %float
%O = OpTypeStruct %ra
%pO = OpTypePointer StorageBuffer %O
%po = OpTypePointer StorageBuffer %float
%pin = OpTypePointer Input %uint
%zero = OpConstant %uint 0
`

const formMain = `%%pB = OpTypePointer PhysicalStorageBuffer %%B
%%P = OpTypeStruct %%pB
%%pP = OpTypePointer PushConstant %%P
%%ppB = OpTypePointer PushConstant %%pB
%%index = OpVariable %%pin Input
%%push = OpVariable %%pP PushConstant
%%out = OpVariable %%pO StorageBuffer
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%lane = OpLoad %%uint %%index
%%base = OpIMul %%uint %%lane %%n%d
%%bufp = OpAccessChain %%ppB %%push %%zero
%%buf = OpLoad %%pB %%bufp
`

// TestForms reads matrices of one type that lie in forms made at random, and
// arrays, columns and components of them, by way of addresses that lanes choose.
func TestForms(t *testing.T) {
	n := uint64(60)
	if testing.Short() {
		n = 10
	}
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			module, script := newFormCase(seed).source()
			runCase(t, []byte(module), script)
		})
	}
}
