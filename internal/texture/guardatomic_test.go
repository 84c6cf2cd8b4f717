package texture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// pointerCases are atomics on texels of a format, with their effect on an old value.
var pointerCases = []struct {
	op     ir.Op
	typ    ir.Type
	format string
	next   func(old, v uint64) uint64
}{
	{ir.AtomAdd, ir.I32, "R32_UINT", func(old, v uint64) uint64 { return uint64(uint32(old + v)) }},
	{ir.AtomXchg, ir.I32, "R32_SINT", func(old, v uint64) uint64 { return v }},
	{ir.AtomCmpXchg, ir.I32, "R32_UINT", func(old, v uint64) uint64 {
		if old == 0xa5a5a5a5 {
			return v
		}
		return old
	}},
	{ir.AtomSMax, ir.I32, "R32_SINT", func(old, v uint64) uint64 { return uint64(uint32(max(int32(old), int32(v)))) }},
	{ir.AtomUMin, ir.I64, "R64_UINT", func(old, v uint64) uint64 { return min(old, v) }},
	{ir.AtomXor, ir.I64, "R64_SINT", func(old, v uint64) uint64 { return old ^ v }},
	{ir.AtomFAdd, ir.F32, "R32_SFLOAT", func(old, v uint64) uint64 {
		return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(v))))
	}},
}

// TestGuardsOfAtomics executes atomics on texels at wild coordinates through views of the middle of images, with a
// guard pattern in all other texels, in every engine: each selected texel changes once per invocation that
// selects it, no other byte changes, and outside the view the old value is 0 (Vulkan §"Out-of-Bounds Image
// Access").
func TestGuardsOfAtomics(t *testing.T) {
	wild := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 1 << 31, 1<<31 - 1, 1<<32 - 1, 1<<32 - 2, 1 << 16, 1 << 30, 1 << 29, 0x7fc00000}
	for i, g := range guardCases {
		for _, c := range pointerCases {
			g.image.Format, g.image.Packed = c.format, true
			r := rand.New(rand.NewSource(int64(33 + i)))
			x := ir.Texture{Op: ir.TextureTexel, Dim: g.view.Dim, Arrayed: g.view.Arrayed, Multisampled: g.image.Samples > 1, Type: c.typ, Sampler: -1}
			if x.Type.IsFloat() {
				x.Type = ir.F32
			}
			if x.Multisampled {
				x.Operands = ir.TextureSampleI
			}
			n := x.Coordinates()
			var args [][]uint64
			for range 400 {
				list := []uint64{0}
				for range n + g.image.Samples/4 {
					list = append(list, uint64(wild[r.Intn(len(wild))]))
				}
				v := r.Uint64() & c.typ.Mask()
				if c.typ.IsFloat() {
					v = uint64(math.Float32bits(float32(r.Intn(100))))
				}
				args = append(args, append(list, v))
			}
			for _, e := range engines() {
				guardAtomics(t, e, c.op, c.typ, c.next, x, g.image, g.view, args)
			}
		}
	}
}

// guardAtomics runs the atomics of one case on one engine.
func guardAtomics(t *testing.T, e exec.Engine, op ir.Op, typ ir.Type, next func(old, v uint64) uint64, x ir.Texture, d texture.Desc, view texture.ViewDesc, args [][]uint64) {
	t.Helper()
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v, err := texture.NewView(m, view)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := texture.NewImage(d)
	for level := range m.Levels {
		for _, y := range []*texture.Image{m, want} {
			copy(y.LevelBytes(0, level), bytes.Repeat([]byte{0xa5}, len(y.LevelBytes(0, level))))
		}
	}
	n := x.Coordinates()
	olds := make([]uint64, len(args))
	for i, list := range args {
		if p, in := guardPlace(want, view, list[1:], n); in {
			b := want.Texel(p)
			old := uint64(0)
			if len(b) == 8 {
				old = binary.LittleEndian.Uint64(b)
				binary.LittleEndian.PutUint64(b, next(old, list[len(list)-1]))
			} else {
				old = uint64(binary.LittleEndian.Uint32(b))
				binary.LittleEndian.PutUint32(b, uint32(next(old, list[len(list)-1])))
			}
			olds[i] = old
		}
	}
	p := atomics(x, op, typ, len(args))
	q, err := texture.Bind(p, []texture.Bound{{}, {}, {Views: []*texture.View{v}}, {}})
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := e.Compile(q, exec.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", e.Name(), err, q)
	}
	defer compiled.Close()
	width := len(args[0])
	words, out := make([]uint64, len(args)*width), make([]uint64, len(args))
	for i, list := range args {
		copy(words[i*width:], list)
	}
	job := &exec.Job{Groups: [3]uint32{uint32(len(args)+lanes-1) / lanes, 1, 1}, Workers: 1,
		Resources: [][]exec.Buffer{{{Bytes: raw(words)}}, {{Bytes: raw(out)}}, {v.Memory()}, {v.Shape()}}}
	if err := compiled.Run(context.Background(), job); err != nil {
		t.Fatalf("%s: %v", e.Name(), err)
	}
	for i := range olds {
		if out[i] != olds[i] {
			t.Fatalf("%s: %s of %s %s at %x: the old value is %x; must be %x", e.Name(), op, d.Format, view.Dim, args[i][1:], out[i], olds[i])
		}
	}
	for level := range m.Levels {
		if !bytes.Equal(m.LevelBytes(0, level), want.LevelBytes(0, level)) {
			t.Errorf("%s: %s of %s %s: level %d is % x; must be % x", e.Name(), op, d.Format, view.Dim, level, m.LevelBytes(0, level), want.LevelBytes(0, level))
		}
	}
}

// atomics returns a program that executes an atomic on the texel that each of n lists of arguments selects; the
// operand is the last argument.
func atomics(x ir.Texture, op ir.Op, typ ir.Type, n int) *ir.Program {
	x.Image = 2
	p := program(x, n)
	p.Res = p.Res[:4]
	types, _ := x.Signature()
	b := ir.NewFunc("main", nil, nil)
	i := b.OpAux(ir.In, ir.I32, 0)
	b.If(b.Cmp(ir.ULt, i, b.I32(uint32(n))))
	in, out := b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.Res, ir.H, 1, b.I32(0))
	at := b.OpAux(ir.At, ir.I32, uint64(8*(len(types)+1)), b.I32(0), i)
	var list []ir.V
	for k, t := range types {
		list = append(list, b.OpAux(ir.Ld, t, uint64(8*k), in, at))
	}
	v := ir.Val{Op: op, Type: typ, Args: [4]ir.V{b.OpAux(ir.Res, ir.H, 2, b.I32(0)), b.Call(1, []ir.Type{ir.I32}, list...)[0], b.OpAux(ir.Ld, typ, uint64(8*len(types)), in, at)}}
	if op == ir.AtomCmpXchg {
		v.Args[3] = b.Const(typ, 0xa5a5a5a5)
	}
	b.Emit(ir.Val{Op: ir.St, Type: typ, Args: [4]ir.V{out, b.OpAux(ir.At, ir.I32, 8, b.I32(0), i), b.Emit(v)}})
	b.End()
	b.Return()
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("texture", x)}
	p.StateEffects()
	return p
}
