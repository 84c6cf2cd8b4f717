package draw_test

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// heapedText shows values of the primitive, and a variable that starts at 0.
const heapedText = `
program "heaped" fragment
subgroup 16
local 1 1 1
var "count" 1 -1
in location f32 4
in location f32 5 HOW
in location f32 6 flat
in fragcoord f32 0
in fragcoord f32 1
in primitiveid i32 0
out location f32 0
out location f32 1
out location f32 2
out location f32 3
func "main"() L1 {
	v1 = in.f32 #0
	v2 = in.f32 #1
	v3 = in.f32 #2
	v4 = in.f32 #3
	v5 = in.f32 #4
	v6 = in.i32 #5
	v7 = pld.i32 0:i32, #0
	v8 = add.i32 v7, v6
	pst.i32 0:i32, v8, #0
	v9 = and.i32 v8, 7:i32
	v10 = utof.f32.i32 v9
	v11 = fmul.f32 v10, 0.125:f32
	out.f32 v11, #3
	v12 = ffma.f32 v4, 0.001:f32, v1
	out.f32 v12, #0
	v13 = ffma.f32 v5, -0.002:f32, v2
	out.f32 v13, #1
	v14 = fmul.f32 v3, 1.5:f32
	out.f32 v14, #2
}`

// heaped returns the vertices of random layers: runs of equal triangles with colors of their own, some of which cover the picture.
func heaped(r *rand.Rand) (places, colors []byte, count uint32) {
	var list []float32
	for range 1 + r.Intn(4) {
		triangle := []float32{-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1}
		if r.Intn(3) == 0 {
			for i := range triangle {
				triangle[i] = r.Float32()*3 - 1.5
				if i%4 == 3 {
					triangle[i] = 1 + r.Float32()
				}
			}
		}
		for range 1 + r.Intn(10) {
			list = append(list, triangle...)
			for range 3 {
				colors = append(colors, byte(r.Int()), byte(r.Int()), byte(r.Int()), 255)
			}
			count += 3
		}
	}
	return floats(list...), colors, count
}

// stackEngines returns the interpreter and the JIT at each level.
func stackEngines() []exec.Engine {
	list := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		list = append(list, jit.Engine{Level: level})
	}
	return list
}

// TestStacks draws random layers with random blending in stacks and without, by each engine and level, as one draw and by two workers: the
// pictures are the same.
func TestStacks(t *testing.T) {
	formats := []string{"R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8_UNORM", "R8G8B8A8_SRGB", "A2B10G10R10_UNORM_PACK32", "R5G6B5_UNORM_PACK16", "R16G16B16A16_UNORM", "R16G16B16A16_SFLOAT",
		"B10G11R11_UFLOAT_PACK32", "R8G8B8A8_SNORM", "R32G32B32A32_SFLOAT", "R16_SNORM"}
	engines := stackEngines()
	vertex := strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText)
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		factor := func() enum.BlendFactor { return enum.BlendFactor(r.Intn(int(enum.BlendFactorSrcAlphaSaturate) + 1)) }
		blend := func() state.BlendAttachment {
			return state.BlendAttachment{Enable: r.Intn(5) > 0, SrcColor: factor(), DstColor: factor(), ColorOp: enum.BlendOp(r.Intn(5)),
				SrcAlpha: factor(), DstAlpha: factor(), AlphaOp: enum.BlendOp(r.Intn(5)), WriteMask: []uint8{15, 15, 15, 7, uint8(r.Intn(16))}[r.Intn(5)]}
		}
		f := &fuzzed{formats: formats[r.Intn(len(formats)):][:1], uncounted: true, fragment: shownText}
		if seed%3 > 0 {
			f.fragment = strings.Replace(heapedText, " HOW", []string{"", " linear", " flat"}[r.Intn(3)], 1)
		}
		if seed%4 == 3 { // infinities and NaNs
			f.fragment = strings.Replace(f.fragment, "fmul.f32 v3, 1.5:f32", "fdiv.f32 v3, v11", 1)
		}
		f.state.Blend = state.Blend{Attachments: []state.BlendAttachment{blend()}, Constants: [4]float32{0.25, 0.5, 1.5, 0.75}, Logic: r.Intn(8) == 0, LogicOp: enum.LogicOp(r.Intn(16))}
		f.state.Dither = r.Intn(6) == 0
		f.complete(vertex)
		var places, colors []byte
		places, colors, f.args.Count = heaped(r)
		f.args.VertexBuffers = []exec.Buffer{{Bytes: places}, {Bytes: colors}}
		back := draw.Stacks(false)
		want, _, err := f.run(t, how{engines[0], 16, 1})
		back()
		must(t, err)
		for i, e := range engines {
			back := draw.Stacks(true)
			got, _, err := f.run(t, how{e, []uint32{16, 8, 32}[(int(seed)+i)%3], 1 + i%2})
			back()
			must(t, err)
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d, engine %d: another picture in stacks\n%s", seed, i, f)
			}
		}
	}
}

// TestStackOrder stacks random items: all are there, in order for each pixel, and the items of a stack have equal masks.
func TestStackOrder(t *testing.T) {
	r, whole := rand.New(rand.NewSource(1)), 0
	for range 300 {
		var items []uint64
		last := map[[2]uint64][]uint32{}
		primitive := uint64(0)
		for range 1 + r.Intn(5) {
			var blocks []uint64
			for range 1 + r.Intn(4) {
				blocks = append(blocks, uint64(64+8*r.Intn(3))<<32|uint64(128+8*r.Intn(3))<<48, []uint64{1<<64 - 1, 1<<64 - 1, 0xff, 0xf0f0}[r.Intn(4)])
			}
			for range 1 + r.Intn(9) {
				for i := 0; i < len(blocks); i += 2 {
					items = append(items, blocks[i]|primitive, blocks[i+1])
					for bit := range uint64(64) {
						if blocks[i+1]>>bit&1 != 0 {
							at := [2]uint64{blocks[i], bit}
							last[at] = append(last[at], uint32(primitive))
						}
					}
				}
				primitive++
			}
		}
		stacks := draw.Stack(items)
		for ; len(stacks) > 0; stacks = stacks[shade.StackWords:] {
			layers := shade.StackLayers
			if stacks[2] == shade.NoLayer {
				layers = 1
			} else {
				whole++
			}
			for n := range layers {
				x := stacks[2*n:][:2]
				if x[0]>>32 != stacks[0]>>32 || x[1] != stacks[1] {
					t.Fatalf("layer %d of a stack is %#x; the first is %#x", n, x, stacks[:2])
				}
				for bit := range uint64(64) {
					if at := [2]uint64{x[0] >> 32 << 32, bit}; x[1]>>bit&1 != 0 {
						if len(last[at]) == 0 || last[at][0] != raster.Item(x).Primitive() {
							t.Fatalf("primitive %d in pixel %d of block %#x; want one of %d", raster.Item(x).Primitive(), bit, x[0]>>32, last[at])
						}
						last[at] = last[at][1:]
					}
				}
			}
		}
		for at, list := range last {
			if len(list) > 0 {
				t.Fatalf("no item of the primitives %d in block %#x", list, at[0])
			}
		}
	}
	if whole < 100 {
		t.Errorf("%d whole stacks", whole)
	}
}

// TestFindsLayers draws layers, and triangles that are none, several times by a pipeline: it finds the former, unless vectors are so wide that
// stacks are not worth it for narrow texels, and the picture is the same each time.
func TestFindsLayers(t *testing.T) {
	for _, e := range stackEngines() {
		for _, few := range []bool{false, true} {
			findsLayers(t, e, "R8G8B8A8_UNORM", 8, few)
			findsLayers(t, e, "R16G16B16A16_SFLOAT", 16, few)
		}
	}
}

// findsLayers is TestFindsLayers for one engine and format, with a number of lanes of a vector up to which stacks are worth it. few tells whether
// the triangles are no layers.
func findsLayers(t *testing.T, e exec.Engine, format string, lanes int, few bool) {
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorConstantAlpha, DstColor: enum.BlendFactorOneMinusConstantAlpha, SrcAlpha: enum.BlendFactorOne, WriteMask: 15}
	f := &fuzzed{formats: []string{format}, fragment: shownText, uncounted: true}
	f.state.Blend = state.Blend{Attachments: []state.BlendAttachment{over}, Constants: [4]float32{0, 0, 0, 0.25}}
	f.complete(strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText))
	if !few {
		var places []float32
		for range 16 {
			places = append(places, -1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1)
		}
		f.args.VertexBuffers[0].Bytes, f.args.Count = floats(places...), 3*16
	}
	p, err := draw.New(f.stages(t, 16), f.state, e, exec.Options{})
	must(t, err)
	defer p.Close()
	var pictures [3][]byte
	for i := range pictures {
		pictures[i], _, err = f.draw(t, p, 1)
		must(t, err)
	}
	v, ok := p.Programs()[0].(exec.Vectors)
	want := !few && (!ok || v.Lanes() <= lanes)
	if found, can := draw.HasLayers(p); found != want || !can {
		t.Errorf("%s, few layers: %v; found %v, can be stacked %v; want %v", format, few, found, can, want)
	}
	if !bytes.Equal(pictures[1], pictures[0]) || !bytes.Equal(pictures[2], pictures[0]) {
		t.Errorf("few layers: %v; the pictures differ", few)
	}
}
