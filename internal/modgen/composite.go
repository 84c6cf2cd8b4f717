package modgen

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// composite writes an instruction that constructs or decomposes a composite.
func (g *maker) composite() {
	switch g.intn(8) {
	case 0, 1:
		t := g.any(0)
		if t.kind == number && t.shape.Count == 1 {
			t = t.times(2 + g.intn(3))
		}
		form, uniform := "OpCompositeConstruct %s", true
		for _, p := range t.parts() {
			v := g.need(p)
			form += " " + v.id
			uniform = uniform && v.uniform
		}
		g.put(t, uniform, form)
	case 2, 3:
		if v, ok := g.find(func(v value) bool { return v.t.kind != number || v.t.shape.Count > 1 }); ok {
			g.extract(v)
		}
	case 4:
		if v, ok := g.find(func(v value) bool { return v.t.kind != number || v.t.shape.Count > 1 }); ok {
			path, t := g.path(v.t)
			part := g.need(t)
			g.put(v.t, v.uniform && part.uniform, "OpCompositeInsert %s "+part.id+" "+v.id+path)
		}
	case 5:
		g.shuffle()
	case 6:
		g.dynamic()
	case 7:
		g.choice()
	}
}

// path chooses literal indices into a composite.
func (g *maker) path(t *typ) (string, *typ) {
	b := strings.Builder{}
	for {
		parts := t.parts()
		i := g.intn(len(parts))
		t = parts[i]
		fmt.Fprintf(&b, " %d", i)
		if t.kind == number && t.shape.Count == 1 || g.chance(2) {
			return b.String(), t
		}
	}
}

func (g *maker) extract(v value) value {
	path, t := g.path(v.t)
	return g.put(t, v.uniform, "OpCompositeExtract %s "+v.id+path)
}

// vector returns a value that is a vector.
func (g *maker) vector() value {
	if v, ok := g.find(func(v value) bool { return v.t.kind == number && v.t.shape.Count > 1 }); ok {
		return v
	}
	return g.need(vector(typing.UInt, 32, 2+g.intn(3)))
}

func (g *maker) shuffle() {
	a := g.vector()
	b := g.need(a.t.times(2 + g.intn(3)))
	n := 2 + g.intn(3)
	form := "OpVectorShuffle %s " + a.id + " " + b.id
	for range n {
		if !g.o.Peers && g.chance(12) {
			form += " 4294967295"
			continue
		}
		form += fmt.Sprintf(" %d", g.intn(int(a.t.shape.Count+b.t.shape.Count)))
	}
	g.put(a.t.times(n), a.uniform && b.uniform, form)
}

// dynamic writes a vector access by an index that is a value.
func (g *maker) dynamic() {
	v, i := g.vector(), g.need(choose(g.source, u32, i32))
	if g.o.Peers || g.chance(2) {
		i = g.and(i, "1")
	}
	if g.chance(2) {
		g.put(v.t.component(), v.uniform && i.uniform, "OpVectorExtractDynamic %s "+v.id+" "+i.id)
		return
	}
	c := g.need(v.t.component())
	g.put(v.t, v.uniform && i.uniform && c.uniform, "OpVectorInsertDynamic %s "+v.id+" "+c.id+" "+i.id)
}

// choice writes an OpSelect, of whole composites too.
func (g *maker) choice() {
	t := g.any(0)
	a, b := g.need(t), g.need(t)
	c := g.need(boolean)
	if t.kind == number && g.chance(2) {
		c = g.need(t.bools())
	}
	g.put(t, a.uniform && b.uniform && c.uniform, "OpSelect %s "+c.id+" "+a.id+" "+b.id)
}

// special writes an instruction without a row in the typing table.
func (g *maker) special() {
	switch g.intn(6) {
	case 0:
		g.carry()
	case 1, 2:
		g.bitcast()
	case 3:
		g.linear()
	case 4:
		g.packing()
	case 5:
		g.structured()
	}
}

func (g *maker) carry() {
	t := vector(typing.UInt, 32, choose(g.source, 1, 1, 2, 3))
	op := choose(g.source, "OpIAddCarry", "OpISubBorrow", "OpUMulExtended", "OpSMulExtended")
	a, b := g.need(t), g.need(t)
	g.put(&typ{kind: structure, elem: []*typ{t, t}}, a.uniform && b.uniform, op+" %s "+a.id+" "+b.id)
}

// bitcast writes an OpBitcast between numbers of as many bits.
func (g *maker) bitcast() {
	from := g.number(choose(g.source, typing.Int, typing.Float))
	bits := int(from.shape.Width) * int(from.shape.Count)
	for range 8 {
		to := g.number(choose(g.source, typing.Int, typing.Float))
		w := int(to.shape.Width)
		n := bits / w
		if n*w != bits || n < 1 || n > 4 || to.times(n).id() == from.id() {
			continue
		}
		if g.o.Peers && (w == 64 && from.shape.Width < 32 || w < 32 && from.shape.Width == 64) {
			continue // lavapipe loses the upper half of constants
		}
		v := g.canon(g.need(from))
		g.put(to.times(n), v.uniform, "OpBitcast %s "+v.id)
		return
	}
}

// linear writes an instruction of linear algebra.
func (g *maker) linear() {
	w := g.width(32, 32, 16, 64)
	rows, columns := 2+g.intn(3), 2+g.intn(3)
	c, r := scalar(typing.Float, w), vector(typing.Float, w, rows)
	row := vector(typing.Float, w, columns)
	m := &typ{kind: matrix, elem: []*typ{r}, n: columns}
	var t *typ
	var args []*typ
	op := choose(g.source, "OpDot", "OpVectorTimesScalar", "OpMatrixTimesScalar", "OpVectorTimesMatrix", "OpMatrixTimesVector", "OpMatrixTimesMatrix", "OpOuterProduct", "OpTranspose")
	if g.o.Peers { // the order of sums is free
		op = choose(g.source, "OpVectorTimesScalar", "OpMatrixTimesScalar", "OpOuterProduct", "OpTranspose")
		if g.o.Flush { // SwiftShader does not flush denormals in a matrix
			op = choose(g.source, "OpVectorTimesScalar", "OpTranspose")
		}
	}
	flipped := &typ{kind: matrix, elem: []*typ{row}, n: rows}
	switch op {
	case "OpDot":
		t, args = c, []*typ{r, r}
	case "OpVectorTimesScalar":
		t, args = r, []*typ{r, c}
	case "OpMatrixTimesScalar":
		t, args = m, []*typ{m, c}
	case "OpVectorTimesMatrix":
		t, args = row, []*typ{r, m}
	case "OpMatrixTimesVector":
		t, args = r, []*typ{m, row}
	case "OpMatrixTimesMatrix":
		t, args = &typ{kind: matrix, elem: []*typ{r}, n: rows}, []*typ{m, flipped}
	case "OpOuterProduct":
		t, args = m, []*typ{r, row}
	case "OpTranspose":
		t, args = flipped, []*typ{m}
	}
	form, uniform := op+" %s", true
	for _, a := range args {
		v := g.need(a)
		form += " " + v.id
		uniform = uniform && v.uniform
	}
	v := g.put(t, uniform, form)
	if g.o.Peers && op != "OpTranspose" {
		fmt.Fprintf(&g.annotations, "OpDecorate %s NoContraction\n", v.id)
	}
}

// packing writes one of the packing instructions of GLSL.std.450, or an integer
// dot product.
func (g *maker) packing() {
	f := func(n int) *typ { return vector(typing.Float, 32, n) }
	list := []struct {
		name  string
		t     *typ
		arg   *typ
		loose bool
	}{
		{"PackHalf2x16", u32, f(2), true}, {"PackSnorm4x8", u32, f(4), true}, {"PackUnorm4x8", u32, f(4), true},
		{"PackSnorm2x16", u32, f(2), true}, {"PackUnorm2x16", u32, f(2), true},
		{"PackDouble2x32", scalar(typing.Float, 64), vector(typing.UInt, 32, 2), g.o.Words},
		{"UnpackHalf2x16", f(2), u32, true}, {"UnpackSnorm4x8", f(4), u32, true}, {"UnpackUnorm4x8", f(4), u32, true},
		{"UnpackSnorm2x16", f(2), u32, true}, {"UnpackUnorm2x16", f(2), u32, true},
	}
	x := list[g.intn(len(list))]
	if g.chance(2) || g.o.Peers && x.loose || g.o.Words && x.t.shape.Width == 64 {
		g.dot()
		return
	}
	v := g.need(x.arg)
	g.put(x.t, v.uniform, "OpExtInst %s %glsl "+x.name+" "+v.id)
}

// dot writes an integer dot product, of vectors or of four bytes in a word.
func (g *maker) dot() {
	op := choose(g.source, "OpSDot", "OpUDot", "OpSUDot", "OpSDotAccSat", "OpUDotAccSat", "OpSUDotAccSat")
	if g.o.Peers && op == "OpSUDotAccSat" { // of constants lavapipe does not saturate
		op = "OpSUDot"
	}
	t, first, second, format := i32, choose(g.source, typing.UInt, typing.Int), choose(g.source, typing.UInt, typing.Int), ""
	switch {
	case strings.HasPrefix(op, "OpSU"):
		second = typing.UInt
	case strings.HasPrefix(op, "OpU"):
		t, first, second = u32, typing.UInt, typing.UInt
	}
	a, b := vector(first, 8, 4), vector(second, 8, 4)
	if g.o.Words || g.chance(2) {
		a, b, format = scalar(first, 32), scalar(second, 32), " PackedVectorFormat4x8Bit"
	}
	x, y := g.need(a), g.need(b)
	form, uniform := op+" %s "+x.id+" "+y.id, x.uniform && y.uniform
	if strings.HasSuffix(op, "AccSat") {
		c := g.need(t)
		form, uniform = form+" "+c.id, uniform && c.uniform
	}
	g.put(t, uniform, form+format)
}

// structured writes an instruction of GLSL.std.450 that yields a structure, or
// one whose types differ.
func (g *maker) structured() {
	t := vector(typing.Float, g.width(32, 16), 1+g.intn(4))
	n := vector(typing.Int, 32, int(t.shape.Count))
	if g.o.Peers {
		t = g.number(choose(g.source, typing.Int, typing.Float))
		v := g.need(t)
		g.put(t, v.uniform, "OpCopyObject %s "+v.id)
		return
	}
	v := g.need(t)
	switch g.intn(6) {
	case 0:
		g.put(&typ{kind: structure, elem: []*typ{t, t}}, v.uniform, "OpExtInst %s %glsl ModfStruct "+v.id)
	case 1:
		g.put(&typ{kind: structure, elem: []*typ{t, n}}, v.uniform, "OpExtInst %s %glsl FrexpStruct "+v.id)
	case 2:
		e := g.need(n)
		g.put(t, v.uniform && e.uniform, "OpExtInst %s %glsl Ldexp "+v.id+" "+e.id)
	case 3:
		g.put(t.component(), v.uniform, "OpExtInst %s %glsl Length "+v.id)
	case 4:
		a, b := g.need(t.times(3)), g.need(t.times(3))
		g.put(t.times(3), a.uniform && b.uniform, "OpExtInst %s %glsl Cross "+a.id+" "+b.id)
	case 5:
		any := g.any(0)
		g.put(any, true, "OpUndef %s")
	}
}
