package ir_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// examples returns programs with every operation, with all declarations and with a texture function.
func examples(t testing.TB) (list []*ir.Program) {
	t.Helper()
	_, p := everyOperation(t)
	q := p.Clone()
	q.Res = append(q.Res, ir.Resource{Kind: ir.Texels, Count: 1, NonWritable: true}, ir.Resource{Kind: ir.ImageShape, Count: 1}, ir.Resource{Kind: ir.SamplerState, Count: 1, Heap: true})
	n := len(q.Res)
	q.Funcs = append(q.Funcs, ir.NewTexture("sample", ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod, Image: n - 3, Sampler: n - 1}))
	return append(list, p, q)
}

func TestBinary(t *testing.T) {
	for i, p := range examples(t) {
		if err := p.Verify(); err != nil {
			t.Fatal(i, err)
		}
		b := p.Append([]byte("x"))[1:]
		q, err := ir.Decode(b)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if again := q.Append(nil); !bytes.Equal(again, b) || q.String() != p.String() {
			t.Errorf("%d: another program", i)
		}
		for n := range b {
			if _, err := ir.Decode(b[:n]); err == nil {
				t.Fatalf("%d: the first %d of %d bytes are a program", i, n, len(b))
			}
		}
		if _, err := ir.Decode(append(b[:len(b):len(b)], 0)); err == nil {
			t.Errorf("%d: a byte more is a program", i)
		}
	}
}

// TestBinaryFields changes every field of the head of a program, whatever fields there are: each survives.
func TestBinaryFields(t *testing.T) {
	p := examples(t)[1]
	p.Funcs[0].Vals[0].Origin = -1
	p.Messages = append(p.Messages, ir.Message{})
	for i, x := range []any{&p.Res[0], &p.Vars[0], &p.Effects, p.Funcs[len(p.Funcs)-1].Texture, &p.Funcs[0].Vals[0], &p.Messages[0].Site, &p.Messages[0].Event} {
		v := reflect.ValueOf(x).Elem()
		for k := range v.NumField() {
			name := v.Type().Field(k).Name
			f := v.Field(k)
			old := reflect.New(f.Type()).Elem()
			old.Set(f)
			before := p.Append(nil)
			switch f.Kind() {
			case reflect.Bool:
				f.SetBool(!f.Bool())
			case reflect.String:
				f.SetString(f.String() + "x")
			case reflect.Int, reflect.Int32:
				f.SetInt(f.Int() + 1)
			case reflect.Array:
				f.Index(0).SetInt(f.Index(0).Int() + 1)
			default:
				f.SetUint(f.Uint() + 1)
			}
			if bytes.Equal(p.Append(nil), before) {
				t.Errorf("%d: field %s is not encoded", i, name)
			}
			f.Set(old)
		}
	}
}

// TestEvents checks that the binary form and the text of a program keep its events: accesses of bytes and of texels, bound to a
// resource and not.
func TestEvents(t *testing.T) {
	access := ir.Event{Kind: ir.AccessEvent, Memory: "%8", Size: 4, Read: true, Private: true}
	bound := access
	bound.Bound, bound.Set, bound.Binding, bound.Resource = true, 1, 2, ir.UniformBuffer
	texel := bound
	texel.Resource, texel.Texel, texel.Axes, texel.Domain = ir.Texels, 2, 2, ir.EventImages
	texel.Scope = ir.EventInvocation
	fence := ir.Event{Kind: ir.FenceEvent, Scope: ir.EventGroup, Acquire: 3, Release: 1}
	p := examples(t)[1]
	for _, x := range []struct {
		event  ir.Event
		values int
	}{{access, 2}, {bound, 2}, {texel, 5}, {fence, 0}} {
		p.Messages = append(p.Messages, ir.Message{Kind: ir.Traced, Event: x.event, Args: slices.Repeat([]ir.Type{ir.I32}, x.values)})
	}
	decoded, err := ir.Decode(p.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ir.Parse(p.String())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range p.Messages {
		if got := decoded.Messages[i]; got.Event != want.Event || !slices.Equal(got.Args, want.Args) {
			t.Errorf("message %d decoded: %+v, want %+v", i, got, want)
		}
		if got := parsed.Messages[i]; got.Event != want.Event || !slices.Equal(got.Args, want.Args) {
			t.Errorf("message %d parsed: %+v, want %+v", i, got, want)
		}
	}
}

// TestBinaryHostile changes bytes of encoded programs: Decode returns an error, or a program that verifies and that the
// encoding reproduces. CHIARO_LONG has more changes.
func TestBinaryHostile(t *testing.T) {
	n := 300
	if os.Getenv("CHIARO_LONG") != "" {
		n = 100_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, p := range examples(t) {
		b := p.Append(nil)
		for range n {
			c := bytes.Clone(b)
			for range 1 + r.IntN(3) {
				switch i := r.IntN(len(c)); r.IntN(3) {
				case 0:
					c[i] ^= 1 << r.IntN(8)
				case 1:
					c[i] = byte(r.IntN(256))
				case 2:
					c[i]++
				}
			}
			q, err := ir.Decode(c)
			if err != nil {
				continue
			}
			once := q.Append(nil)
			if q2, err := ir.Decode(once); err != nil || !bytes.Equal(q2.Append(nil), once) {
				t.Fatalf("decoded twice: %v", err)
			}
		}
	}
}

// TestVerifyHostile has forms with references out of range: Verify must reject them before it follows the references.
func TestVerifyHostile(t *testing.T) {
	for name, change := range map[string]func(p *ir.Program, f *ir.Func){
		"an empty list outside the lists": func(p *ir.Program, f *ir.Func) {
			for i := range f.Vals {
				if x := &f.Vals[i]; x.Op == ir.Block && x.Aux == 0 {
					x.Args[3] = 1 << 20
				}
			}
		},
		"a type of texels that does not exist": func(p *ir.Program, f *ir.Func) { p.Funcs[len(p.Funcs)-1].Texture.Type = 99 },
	} {
		p := examples(t)[1]
		change(p, p.Funcs[0])
		if p.Verify() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestKeyOfUnused: an operand that an operation does not have may be any number.
func TestKeyOfUnused(t *testing.T) {
	b := ir.NewFunc("main", nil, nil)
	v := b.Op(ir.Helper, ir.B1)
	b.Func.Vals[v].Args[0] = 1 << 20
	if k := b.Func.Key(v); k.From != ir.None || k.Type != ir.B1 {
		t.Errorf("%+v", k)
	}
}

// FuzzDecode decodes any bytes: the result is a program that the encoding reproduces, or an error.
func FuzzDecode(f *testing.F) {
	for _, p := range examples(f) {
		f.Add(p.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ir.Decode(b)
		if err != nil {
			return
		}
		once := p.Append(nil)
		q, err := ir.Decode(once)
		if err != nil || !bytes.Equal(q.Append(nil), once) {
			t.Errorf("decoded twice: %v", err)
		}
	})
}
