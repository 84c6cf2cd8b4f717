package draw_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// renderable are the names of the color formats of one texel with up to 128 bits whose
// numbers have at most 32.
func renderable() (list []string) {
	for id := range uint32(200) {
		f := format.ByID(id)
		if f == nil || f.Aspects != format.Color || f.Compressed || f.Planes > 0 || f.Wide || strings.Contains(f.Name, "422") {
			continue
		}
		if _, ok := format.ByName(f.Name); ok && f.Bytes <= 16 && !strings.Contains(f.Name, "SCALED") {
			list = append(list, f.Name)
		}
	}
	return list
}

// wholeText is loadedText with integers.
var wholeText = strings.ReplaceAll(strings.NewReplacer("location f32", "location i32", "ld.f32", "ld.i32", "out.f32", "out.i32").Replace(loadedText), "source 1", "")

// integers is wholeText without a second source.
func integers() string {
	text := wholeText
	for i := 4; i < 8; i++ {
		text = strings.Replace(text, "out location i32 "+string(rune('0'+i-4))+" \n", "", 1)
		text = strings.Replace(text, "\tout.i32 v1"+string(rune('0'+i))+", #"+string(rune('0'+i))+"\n", "", 1)
	}
	return text
}

// TestFormats writes random colors, with random masks, to attachments of each format:
// the components of the mask are the nearest to the color, and others keep their
// bits.
func TestFormats(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	list := renderable()
	if len(list) < 60 {
		t.Fatalf("only %d formats", len(list))
	}
	for _, name := range list {
		t.Run(name, func(t *testing.T) {
			for _, mask := range []uint8{15, uint8(r.Intn(16))} {
				testFormat(t, r, name, mask)
			}
		})
	}
}

func testFormat(t *testing.T, r *rand.Rand, name string, mask uint8) {
	f, _ := format.ByName(name)
	info := format.InfoByName(name)
	if f.Has(format.E) {
		mask = 15 // all share one exponent
	}
	text, data := loadedText, make([]byte, 0, side*side*32)
	for range side * side * 8 {
		if info.Sampled == format.Float {
			data = append(data, floats(2*r.Float32()-0.5)...)
		} else {
			data = binary.LittleEndian.AppendUint32(data, r.Uint32())
		}
	}
	if info.Sampled != format.Float {
		text = integers()
	}
	before := make([]byte, side*side*f.Bytes)
	r.Read(before)
	var first []byte
	for _, e := range engines() {
		c := blank(t, side, side, name)
		copy(c.bytes(0), before)
		s := full(c)
		s.Blend.Attachments = []state.BlendAttachment{{WriteMask: mask}}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: cover, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: data}}}}})
		if first == nil {
			first = bytes.Clone(c.bytes(0))
		}
		if !bytes.Equal(first, c.bytes(0)) {
			t.Error("engines differ")
		}
	}
	code, _ := f.Codec(format.Color)
	for i := range side * side {
		var n [4]uint64
		for k := range n {
			n[k] = uint64(fitting(&f, k, binary.LittleEndian.Uint32(data[32*i+4*k:])))
		}
		was, got := before[i*f.Bytes:][:f.Bytes], first[i*f.Bytes:][:f.Bytes]
		want := make([]byte, f.Bytes)
		code.Store(want, n)
		for _, k := range f.Components() {
			color := k.Raw(want)
			if k.Bits <= 22 && (k.Numeric == format.UNorm || k.Numeric == format.SNorm) {
				color = fixed(k, math.Float32frombits(uint32(n[k.Channel])))
			}
			keep := k.Channel <= format.A && mask>>k.Channel&1 == 0
			if keep && k.Raw(got) != k.Raw(was) || !keep && k.Channel <= format.A && k.Raw(got) != color {
				t.Fatalf("mask %x, texel %d, component %d is %x; was %x, and the color is %x", mask, i, k.Channel, k.Raw(got), k.Raw(was), color)
			}
		}
	}
}

// fixed is what stands for a number in fixed point where its product with 2ⁿ−1 is
// rounded first; docs/undefined.md.
func fixed(k format.Component, v float32) uint64 {
	ones := uint64(1)<<k.Bits - 1
	least, top := float32(0), float32(ones)
	if k.Numeric == format.SNorm {
		least, top = -1, float32(ones>>1)
	}
	product := float32(min(max(v, least), 1) * top)
	return uint64(int64(math.RoundToEven(float64(product)))) & ones
}

// TestFixedPoint writes numbers that are just beyond the middle between two of a format:
// their products with 2ⁿ−1 are the middle in float32, and the even one is next;
// docs/undefined.md.
func TestFixedPoint(t *testing.T) {
	for name, want := range map[string][]byte{"R8G8_UNORM": {76, 26}, "R16G16_UNORM": {0xcc, 0x4c, 0x9a, 0x19}} {
		text := strings.NewReplacer("out location f32 0", "out location f32 0\nout location f32 1", "out.f32 1.0:f32, #0", "out.f32 0x3e99999a:f32, #0\nout.f32 0x3dcccccd:f32, #1").Replace(whiteText)
		for _, e := range engines() {
			c := blank(t, side, side, name)
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, full(c), c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			if got := c.bytes(0)[:len(want)]; !bytes.Equal(got, want) {
				t.Errorf("%s, %s: %v; want %v", e.Name(), name, got, want)
			}
		}
	}
}

// fitting clamps an integer to what a component of a format has; docs/undefined.md.
func fitting(f *format.Format, channel int, v uint32) uint32 {
	for _, k := range f.Components() {
		if int(k.Channel) != channel || k.Bits >= 32 {
			continue
		}
		switch k.Numeric {
		case format.UInt:
			return min(v, 1<<k.Bits-1)
		case format.SInt:
			return uint32(min(max(int32(v), -1<<(k.Bits-1)), 1<<(k.Bits-1)-1))
		}
	}
	return v
}

// TestLogicOp compares logical operations with their table of truths (Vulkan §"Logical
// Operations").
func TestLogicOp(t *testing.T) {
	truth := [16]func(s, d byte) byte{
		func(s, d byte) byte { return 0 }, func(s, d byte) byte { return s & d }, func(s, d byte) byte { return s &^ d }, func(s, d byte) byte { return s },
		func(s, d byte) byte { return ^s & d }, func(s, d byte) byte { return d }, func(s, d byte) byte { return s ^ d }, func(s, d byte) byte { return s | d },
		func(s, d byte) byte { return ^(s | d) }, func(s, d byte) byte { return ^(s ^ d) }, func(s, d byte) byte { return ^d }, func(s, d byte) byte { return s | ^d },
		func(s, d byte) byte { return ^s }, func(s, d byte) byte { return ^s | d }, func(s, d byte) byte { return ^(s & d) }, func(s, d byte) byte { return 255 },
	}
	r := rand.New(rand.NewSource(10))
	for op, of := range truth {
		for _, name := range []string{"R8G8B8A8_UINT", "R8G8B8A8_UNORM"} {
			f, _ := format.ByName(name)
			before, data, src := make([]byte, side*side*4), []byte(nil), make([]byte, side*side*4)
			r.Read(before)
			r.Read(src)
			for i := range side * side * 8 {
				b := byte(0)
				if i%8 < 4 {
					b = src[i/8*4+i%4]
				}
				if name == "R8G8B8A8_UINT" {
					data = binary.LittleEndian.AppendUint32(data, uint32(b))
				} else {
					data = append(data, floats(float32(f.Components()[0].Value(uint64(b))))...)
				}
			}
			text := loadedText
			if name == "R8G8B8A8_UINT" {
				text = integers()
			}
			for _, e := range engines() {
				c := blank(t, side, side, name)
				copy(c.bytes(0), before)
				s := full(c)
				s.Blend = state.Blend{Logic: true, LogicOp: enum.LogicOp(op), Attachments: []state.BlendAttachment{{Enable: true, WriteMask: 7}}}
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3,
					Shader: compute.Args{Push: cover, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: data}}}}})
				for i, got := range c.bytes(0) {
					want := of(src[i], before[i])
					if i%4 == 3 {
						want = before[i]
					}
					if got != want {
						t.Fatalf("operation %d of %s, byte %d: %x and %x give %x; want %x", op, name, i, src[i], before[i], got, want)
					}
				}
			}
		}
	}
}
