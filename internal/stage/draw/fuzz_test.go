package draw_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// givenText is a vertex program whose vertices have a place and a color, and what
// stands at MORE.
const givenText = `
program "given" vertex
subgroup 16
local 1 1 1
in location f32 0
in location f32 1
in location f32 2
in location f32 3
in location f32 4
in location f32 5
in location f32 6
in instanceindex i32 0
in vertexindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
DECLARED
func "main"() L1 {
	v1 = in.f32 #0
	out.f32 v1, #0
	v2 = in.f32 #1
	out.f32 v2, #1
	v3 = in.f32 #2
	out.f32 v3, #2
	v4 = in.f32 #3
	out.f32 v4, #3
	v5 = in.f32 #4
	out.f32 v5, #4
	v6 = in.f32 #5
	out.f32 v6, #5
	v7 = in.f32 #6
	out.f32 v7, #6
	v8 = in.i32 #7
	v9 = in.i32 #8
	MORE
}`

// extras are what givenText may give besides.
var extras = [][2]string{
	{"", ""},
	{"out pointsize f32 0", "out.f32 v5, #7"},
	{"out pointsize f32 0", "v10 = fmul.f32 v5, 40.0:f32\nout.f32 v10, #7"},
	{"out layer i32 0", "out.i32 v8, #7"},
	{"out viewportindex i32 0", "out.i32 v9, #7"},
	{"out clipdistance f32 0\nout clipdistance f32 1", "out.f32 v5, #7\nout.f32 v6, #8"},
	{"out clipdistance f32 0\nout culldistance f32 0", "out.f32 v6, #7\nout.f32 v5, #8"},
}

// loopText is a fragment program that goes round as often as a color says, and ends or
// is demoted on the way.
const loopText = `
program "loop" fragment
subgroup 16
local 1 1 1
in location f32 4
in fragcoord f32 0
out location f32 0
out location f32 3
func "main"() L1 {
	v1 = in.f32 #0
	v2 = fmul.f32 v1, 8.0:f32
	v3 = ftou.i32.f32 v2
	v4 = and.i32 v3, 7:i32
	v5 = in.f32 #1
	block L8(v6 f32) {
		loop L9(v7 i32 = 0:i32, v8 f32 = 0.0:f32) {
			v9 = quadswap.f32 v8, #1
			v10 = fadd.f32 v9, v5
			v11 = add.i32 v7, 1:i32
			v12 = eq.i32 v11, 5:i32
			if v12 {
				ENDS
			}
			v13 = ult.i32 v7, v4
			if v13 {
				br L9(v11, v10)
			}
			br L8(v10)
		}
	}
	out.f32 v6, #0
	out.f32 v1, #1
}`

// waiting is loopText without quads, that waits for the operation in its loop.
func waiting(operation string) string {
	return strings.NewReplacer("quadswap.f32 v8, #1", operation, "ENDS", "br L8(v5)").Replace(loopText)
}

// fragmentTexts are the fragment programs of FuzzDraw: all that give one picture
// whatever the size of the subgroups.
func fragmentTexts() []string {
	return []string{
		whiteText, shownText, deepText, holesText, waiting("fsqrt.f32 v8"),
		strings.Replace(slopeText, "DEMOTE", "", 1),
		strings.Replace(slopeText, "DEMOTE", "if v23 {\n demote\n }\n", 1),
		strings.Replace(slopeText, "DEMOTE", "if v23 {\n kill\n }\n", 1),
		giveText("pointcoord f32 0", "f32"), giveText("fragcoord f32 2", "f32"), giveText("fragcoord f32 3", "f32"),
		giveText("sampleid i32 0", "i32"), giveText("sampleposition f32 0", "f32"), giveText("samplemask i32 0", "i32"),
		giveText("primitiveid i32 0", "i32"), giveText("layer i32 0", "i32"), giveText("viewindex i32 0", "i32"),
		giveText("barycoord f32 1", "f32"), giveText("barycoordnopersp f32 2", "f32"), giveText("clipdistance f32 1", "f32"),
		giveText("fullycovered i32 0", "i32"), giveText("frontfacing i32 0", "i32"), giveText("fragsize i32 0", "i32"), giveText("fragsize i32 1", "i32"),
		with(shownText, "in samplemask i32 0\nout samplemask i32 0", "v30 = in.i32 #3\nv31 = and.i32 v30, 11:i32\nout.i32 v31, #4"),
		tallyText,
	}
}

// choices are the bytes that say what is drawn. Behind the end there are zeros.
type choices struct{ data []byte }

func (c *choices) byte() byte {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *choices) below(n int) int { return int(c.byte()) % n }
func (c *choices) flag() bool      { return c.byte()&1 != 0 }

// odd are numbers that places and state seldom have.
var odd = []float32{0, 1, -1, 0.5, -0.25, 3, 1e-30, 1e30, -1e30, 1e38, 1e-45, 40000, -40000, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
	float32(math.Copysign(0, -1)), math.MaxFloat32, 16777216, 1e-37}

// float is a number, mostly one of -1 to 1.
func (c *choices) float() float32 {
	b := c.byte()
	if int(b) < len(odd) && c.below(4) == 1 {
		return odd[b]
	}
	return (float32(b) - 136 + float32(c.byte())/256) / 116
}

func (c *choices) floats(n int) (list []float32) {
	for range n {
		list = append(list, c.float())
	}
	return list
}

// place is the place of a vertex: mostly one that is seen.
func (c *choices) place() []float32 {
	p := []float32{1.5 * c.float(), 1.5 * c.float(), 0.5 + 0.4*c.float(), 1}
	switch c.below(12) {
	case 1:
		p[3] = c.float()
	case 2:
		p[2] = c.float()
	case 3:
		p[3] = 3
	}
	return p
}

// fuzzed is a draw that a fuzzer has chosen.
type fuzzed struct {
	vertex, fragment string
	modes            ir.Modes
	relative         bool // layers count from the viewport
	middle           int  // 1: a geometry program, 2: tessellation
	domain, level    string
	state            state.State
	args             state.Args
	formats          []string
	tests            string
	samples, layers  int
	width, height    int
	second           int // how much smaller the second attachment is
	counted          bool
	feedback         int    // bytes of the buffers of transform feedback, from 1; 0: it is not active
	rates            []byte // texels of the shading rate attachment, if there is one
	uncounted        bool   // no samples are counted
	mesh             struct {
		text   string // a mesh program in place of the vertex program; empty: there is none
		data   []byte // its buffer
		groups uint32
	}
}

func (c *choices) draw() *fuzzed {
	f := &fuzzed{width: 1 + c.below(40) + 97*(c.below(8)/7), height: 1 + c.below(24) + 80*(c.below(8)/7), samples: []int{1, 1, 1, 4, 2, 8, 4}[c.below(7)], layers: 1 + c.below(3)*c.below(2)}
	f.formats = []string{[]string{"R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", "R8G8B8A8_SRGB", "R16G16_SFLOAT", "A2B10G10R10_UNORM_PACK32", "B10G11R11_UFLOAT_PACK32", "R5G6B5_UNORM_PACK16"}[c.below(7)]}
	if c.below(4) == 1 {
		f.formats, f.second = append(f.formats, "R16_UNORM"), c.below(3)
	}
	f.tests = []string{"", "D32_SFLOAT_S8_UINT", "D16_UNORM", "D24_UNORM_S8_UINT"}[c.below(4)]
	f.programs(c)
	f.choose(c)
	f.vertices(c)
	if f.counted = c.below(4) == 1; c.below(4) == 1 && f.state.ViewMask == 0 {
		f.feedback = 1 + c.below(256)*c.below(16)
	}
	f.more(c)
	return f
}

func (f *fuzzed) programs(c *choices) {
	extra := extras[c.below(len(extras))]
	f.vertex = strings.NewReplacer("DECLARED", extra[0], "MORE", extra[1]).Replace(givenText)
	texts := fragmentTexts()
	if n := c.below(len(texts) + 4); n < len(texts) {
		f.fragment = texts[n]
	} else if n < len(texts)+3 {
		f.fragment = strings.Replace(loopText, "ENDS", []string{"kill", "demote", "br L8(v9)"}[n-len(texts)], 1)
	}
	how := []string{"", " linear", " flat", " centroid", " sample", " linear centroid", " linear sample"}[c.below(7)]
	for _, in := range []string{"in location f32 4", "in location f32 5", "in location f32 6"} {
		f.fragment = strings.Replace(strings.Replace(f.fragment, in+" linear\n", in+"\n", 1), in+"\n", in+how+"\n", 1)
	}
	if c.below(5) == 1 {
		f.modes |= ir.PerSample
	}
	if c.below(5) == 1 {
		f.modes |= ir.EarlyTests
	}
	f.middle = c.below(8)
	f.domain = []string{"quads equal ccw", "quads fractionalodd cw", "quads fractionaleven ccw pointmode", "triangles equal cw", "isolines fractionalodd ccw"}[c.below(5)]
	f.level = []string{"4.0", "1.0", "7.5", "0.0", "-1.0", "1e30", "0x7fc00000", "6.0"}[c.below(8)]
}

func (f *fuzzed) choose(c *choices) {
	s := &f.state
	f.state = state.State{
		Viewports: []state.Viewport{{Width: float32(f.width), Height: float32(f.height), MaxDepth: 1}},
		Scissors:  []state.Rect{{Width: uint32(f.width), Height: uint32(f.height)}},
		Assembly:  state.Assembly{Topology: enum.Topology(c.below(11)), Restart: c.flag()},
	}
	if c.below(7) == 1 {
		v := c.floats(6)
		s.Viewports[0] = state.Viewport{X: 30 * v[0], Y: 30 * v[1], Width: 60 * v[2], Height: 60 * v[3], MinDepth: v[4], MaxDepth: v[5]}
		s.Scissors[0] = state.Rect{X: int32(c.byte())<<24>>26 + int32(c.below(2))<<31, Y: int32(c.below(9)), Width: uint32(c.byte()) << c.below(25), Height: uint32(c.byte())}
	}
	if c.below(8) == 1 {
		s.Viewports = append(s.Viewports, state.Viewport{X: 3, Y: 20, Width: 17, Height: -12.5, MinDepth: 0.75, MaxDepth: 0.25})
		s.Scissors = append(s.Scissors, state.Rect{X: 5, Width: 9, Height: 16})
	}
	s.Rasterization = state.Rasterization{PolygonMode: enum.PolygonMode(max(c.below(6)-3, 0)), Cull: enum.CullMode(max(c.below(24)-20, 0)), Clockwise: c.flag(), LineMode: enum.LineMode(c.below(4)), LastVertex: c.flag(),
		DepthClip: c.flag(), DepthClamp: c.flag(), DepthUnrestricted: c.below(4) == 1, NegativeOneZ: c.below(4) == 1, Discard: c.below(99) == 1, Conservative: int8(max(c.below(7)-4, 0)) - 1}
	if s.Rasterization.Conservative == -1 && c.flag() {
		s.Rasterization.Conservative = 0
	}
	if c.below(3) == 1 {
		v := c.floats(5)
		r := &s.Rasterization
		r.DepthBias, r.BiasConstant, r.BiasSlope, r.BiasClamp, r.LineWidth, r.ExtraOverestimate = true, v[0], v[1], v[2], 4+4*v[3], v[4]
	}
	s.Multisample = state.Multisample{Samples: uint32(f.samples), SampleShading: c.below(4) == 1, MinShading: 0.5, AlphaToCoverage: c.below(8) == 1, AlphaToOne: c.below(8) == 1}
	if c.below(4) == 1 {
		s.Rasterization.Stipple = state.LineStipple{Factor: uint32(c.below(9)), Pattern: uint16(c.byte()) * 0x101}
	}
	if c.below(16) == 1 {
		s.Rasterization.LineWidth = []float32{1e9, -1, float32(math.NaN()), 1e30, 300}[c.below(5)]
	}
	if c.below(4) == 1 {
		s.Multisample.Mask = &[2]uint32{uint32(c.byte()) | 1, 0}
	}
	r := rand.New(rand.NewSource(int64(c.byte())))
	switch c.below(4) {
	case 1:
		s.DepthStencil = randomTests(r)
	case 2:
		s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLess}
	}
	if c.flag() {
		s.Blend.Attachments = []state.BlendAttachment{randomBlend(r)}
		s.Blend.Logic, s.Blend.LogicOp = c.below(4) == 1, enum.LogicOp(c.below(16))
		copy(s.Blend.Constants[:], c.floats(4))
	}
	if f.layers > 1 && c.flag() {
		s.ViewMask = uint32(c.byte()) & (1<<f.layers - 1)
	}
	if c.below(6) == 1 {
		s.Rate = state.ShadingRate{Width: 1 << c.below(3), Height: 1 << c.below(3)}
	}
}

func (f *fuzzed) vertices(c *choices) {
	s, a := &f.state, &f.args
	s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4 * uint32(c.below(4)), Instance: c.flag(), Divisor: uint32(c.below(3))}},
		Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: []string{"R32G32B32_SFLOAT", "R8G8B8A8_UNORM", "R16G16_SFLOAT"}[c.below(3)], Offset: uint32(c.below(4))}}}
	*a = state.Args{Count: uint32(c.below(24)), First: uint32(max(c.below(9)-6, 0)), Instances: uint32(min(c.below(20), 2)), FirstInstance: uint32(c.below(2)), Shader: compute.Args{Budget: 1 << 20}}
	if a.Count == 0 {
		a.Count = 3
	}
	s.Assembly.PatchPoints = 3 + uint32(c.below(2))
	if c.flag() {
		a.IndexBytes, a.Index = []uint32{1, 2, 4}[c.below(3)], []byte{}
		for range a.Count {
			n := uint32(c.below(16))
			if n == 15 {
				n = math.MaxUint32
			}
			a.Index = append(a.Index, words(n)[:a.IndexBytes]...)
		}
		a.BaseVertex = int32(c.below(4)) - 1
	}
	if c.below(6) == 1 {
		a.Area = state.Rect{X: 2, Y: 1, Width: uint32(1 + c.below(30)), Height: 9}
	}
	var places []float32
	for range 3 + c.below(14) {
		places = append(places, c.place()...)
	}
	a.VertexBuffers = []exec.Buffer{{Bytes: floats(places...)}, {Bytes: floats(c.floats(c.below(32))...)}}
	if s.Assembly.Topology == enum.TopologyPatchList && f.middle != 2 {
		s.Assembly.Topology = enum.TopologyTriangleList
	}
	switch f.middle {
	case 1:
		s.Assembly.Topology = enum.TopologyTriangleList
	case 2:
		a.Instances = min(a.Instances, 1)
		s.Assembly.Topology, a.Count = enum.TopologyPatchList, min(a.Count, 4) // a fuzzer abandons long inputs
	}
}

// how selects the engine, the subgroup size and the number of workers of a draw.
type how struct {
	engine   exec.Engine
	subgroup uint32
	workers  int
}

// plainly draws without the optimizations for many triangles: set-up program, packs, hierarchical Z and removal of hidden
// fragments.
func (f *fuzzed) plainly(t testing.TB, h how) ([]byte, uint64, error) {
	defer draw.Packs(false)()
	defer draw.SetLeast(math.MaxUint64, math.MaxInt)()
	draw.DisableHiZ(true)
	defer draw.DisableHiZ(false)
	return f.run(t, h)
}

// throughout makes the draw with a program that sets up all triangles, however few, and with packs.
func (f *fuzzed) throughout(t testing.TB, h how) ([]byte, uint64, error) {
	defer draw.Packs(true)()
	defer draw.SetLeast(0, 1)()
	return f.run(t, h)
}

// stages are the programs, for subgroups of a size.
func (f *fuzzed) stages(t testing.TB, size uint32) draw.Stages {
	s := draw.Stages{}
	if f.mesh.text != "" {
		s.Mesh = parse(t, f.mesh.text, size)
	} else {
		s.Vertex = parse(t, f.vertex, size)
	}
	if f.relative {
		s.Vertex.Modes |= ir.ViewportRelative
	}
	if f.fragment != "" {
		s.Fragment = parse(t, f.fragment, size)
		s.Fragment.Modes |= f.modes
	}
	switch f.middle {
	case 1:
		s.Geometry = parse(t, doubledText, size)
	case 2:
		s.TessControl = parse(t, strings.ReplaceAll(strings.ReplaceAll(controlText, "4.0:f32", f.level+":f32"), "3.0:f32", "2.5:f32"), size)
		s.TessEval = parse(t, strings.Replace(evaluationText, "MODES", f.domain, 1), size)
	}
	if f.feedback > 0 {
		capturing(&s)
	}
	return s
}

// run draws in one way, and returns what stands in the attachments, behind what is
// captured and counted.
func (f *fuzzed) run(t testing.TB, h how) (picture []byte, passed uint64, err error) {
	p, err := draw.New(f.stages(t, h.subgroup), f.state, h.engine, exec.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer p.Close()
	return f.draw(t, p, h.workers)
}

// draw is run with a pipeline of these stages and states.
func (f *fuzzed) draw(t testing.TB, p *draw.Pipeline, workers int) (picture []byte, passed uint64, err error) {
	c := &canvas{}
	for i, name := range f.formats {
		m, v := image(t, texture.Desc{Format: name, Width: max(f.width-i*f.second, 1), Height: f.height + i*f.second, Layers: f.layers, Samples: f.samples}, texture.ViewDesc{})
		c.images, c.Colors = append(c.images, m), append(c.Colors, v)
	}
	if f.tests != "" {
		m, err := texture.NewImage(texture.Desc{Format: f.tests, Dim: ir.Dim2D, Width: f.width, Height: f.height, Layers: f.layers, Samples: f.samples})
		if err != nil {
			t.Fatal(err)
		}
		c.images = append(c.images, m)
		c.Depth, c.Stencil = views(t, m)
		for i := range f.width * f.height * f.samples * f.layers {
			n := i / f.layers
			m.Store(texture.Coord{X: n / f.samples % f.width, Y: n / f.samples / f.width, Layer: i % f.layers, Sample: n % f.samples, Aspect: m.Aspects()[0]}, [4]uint64{0x3f266666})
		}
	}
	if len(f.rates) > 0 {
		m, v := image(t, texture.Desc{Format: "R8_UINT", Width: len(f.rates), Height: 1}, texture.ViewDesc{})
		copy(m.LayerBytes(0, 0, 0), f.rates)
		c.Rates, c.RateTexel = v, [2]uint32{8, 16}
	}
	a := f.args
	if a.Passed = &passed; f.uncounted {
		a.Passed = nil
	}
	a.Shader.Workers = workers
	a.Shader.Bindings = map[compute.Binding][]exec.Buffer{{}: {{Bytes: floats(0.25, 0.5, 0.75, 1, 2, -1, 0, 0.125)}}}
	if f.mesh.text != "" {
		a.Mesh, a.Tasks = true, [3]uint32{f.mesh.groups, 1, 1}
		a.Shader.Bindings[compute.Binding{Binding: 1}] = []exec.Buffer{{Bytes: f.mesh.data}}
	}
	var counts state.Statistics
	if f.counted {
		a.Statistics = &counts
	}
	if f.feedback > 0 {
		a.Feedback = &state.Feedback{}
		for i := range a.Feedback.Buffers[1:] {
			a.Feedback.Buffers[1+i].Bytes = space(f.feedback - 1)
		}
	}
	err = p.Draw(context.Background(), &c.Target, &a)
	if picture = fmt.Append(nil, counts); f.feedback > 0 {
		picture = fmt.Append(picture, *a.Feedback)
	}
	for _, m := range c.images {
		for _, aspect := range m.Aspects() {
			for layer := range f.layers {
				for i := range m.Width * m.Height * f.samples {
					v := m.Load(texture.Coord{X: i / f.samples % m.Width, Y: i / f.samples / m.Width, Layer: layer, Sample: i % f.samples, Aspect: aspect})
					for _, x := range v {
						picture = append(picture, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
					}
				}
			}
		}
	}
	return picture, passed, err
}

// views are the views of depth and stencil that an image has.
func views(t testing.TB, m *texture.Image) (depth, stencil *texture.View) {
	for _, a := range m.Aspects() {
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Aspect: a, Arrayed: m.Layers > 1})
		if err != nil {
			t.Fatal(err)
		}
		if depth == nil && strings.HasPrefix(m.Format, "D") {
			depth = v
		} else {
			stencil = v
		}
	}
	return depth, stencil
}

// agree makes the draw in several ways: all must give the same, or fail alike.
func (f *fuzzed) agree(t *testing.T) {
	all := engines()
	want, passed, fault := f.plainly(t, how{all[0], 16, 1})
	for i, h := range []how{{all[len(all)-1], 16, 1}, {all[len(all)-1], 64, 3}, {all[len(all)-1], 8, 2}, {all[0], 4, 3}} {
		draws := f.run
		if i%3 == 0 {
			draws = f.throughout
		}
		got, n, err := draws(t, h)
		if (err == nil) != (fault == nil) {
			t.Fatalf("%s, subgroups of %d, %d workers: %v; with the first %v", h.engine.Name(), h.subgroup, h.workers, err, fault)
		}
		if err != nil {
			continue
		}
		if n != passed {
			t.Errorf("%s, subgroups of %d, %d workers: %d samples passed; with the first %d", h.engine.Name(), h.subgroup, h.workers, n, passed)
		}
		if !bytes.Equal(got, want) {
			at := 0
			for at < min(len(got), len(want))-16 && got[at] == want[at] {
				at++
			}
			t.Errorf("%s, subgroups of %d, %d workers: another picture than the first, from texel %d on: %x; want %x", h.engine.Name(), h.subgroup, h.workers, at/16, got[at/16*16:][:16], want[at/16*16:][:16])
		}
	}
	if t.Failed() {
		t.Log(f)
	}
}

// String shows what is drawn.
func (f *fuzzed) String() string {
	return fmt.Sprintf("%+v %+v\n%s\n%s\nmodes %v, relative %t, middle %d, %s, levels %s, formats %v, tests %s, %d samples, %d layers, %d by %d, second %d, counted %t, feedback %d",
		f.state, f.args, f.vertex, f.fragment, f.modes, f.relative, f.middle, f.domain, f.level, f.formats, f.tests, f.samples, f.layers, f.width, f.height, f.second, f.counted, f.feedback)
}

// FuzzDraw draws what a fuzzer says: no panic and no endless run, and the same picture
// with each engine, size of subgroups and number of workers.
func FuzzDraw(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for range 24 {
		data := make([]byte, 200)
		r.Read(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		(&choices{data}).draw().agree(t)
	})
}
