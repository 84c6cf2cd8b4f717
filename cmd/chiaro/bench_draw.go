package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// drawFlags are the flags of bench for draws.
type drawFlags struct {
	draw, depth, blend bool
	statistics         bool
	size               string
	vertices, draws    uint
	texture            uint
	folder             string
}

// scenes are drawings that other engines are measured by as well: the names of two
// shaders, and flags.
var scenes = map[string]struct {
	vertex, fragment string
	drawFlags
}{
	"cheap": {"raster.vert", "cheap.frag", drawFlags{vertices: 3, draws: 1}},
	"heavy": {"raster.vert", "heavy.frag", drawFlags{vertices: 3, draws: 1}},
	"tris":  {"tris.vert", "tris.frag", drawFlags{vertices: 3 << 20, draws: 1, depth: true}},
	"tex":   {"raster.vert", "tex.frag", drawFlags{vertices: 3, draws: 1, texture: 1024}},
	"blend": {"raster.vert", "cheap.frag", drawFlags{vertices: 3, draws: 16, blend: true}},
}

// scene is a pipeline with its vertex buffers and attachments.
type scene struct {
	pipeline *draw.Pipeline
	target   *state.Target
	args     state.Args
	pass     draw.Pass
	color    *texture.Image
	draws    int
}

// benchDraw times draws and prints the report: names is a scene, or the files of a
// vertex and a fragment shader.
func benchDraw(ctx context.Context, c console, f benchFlags, names []string) error {
	d := f.drawing
	name, files := "", names
	if len(names) == 1 {
		s, ok := scenes[names[0]]
		if !ok {
			return unreadable("no scene %q; want cheap, heavy, tris, tex or blend, or the files of a vertex and a fragment shader", names[0])
		}
		name = "raster_" + names[0]
		files = []string{filepath.Join(d.folder, s.vertex+".spv"), filepath.Join(d.folder, s.fragment+".spv")}
		d.vertices, d.draws, d.depth, d.blend, d.texture = s.vertices, s.draws, s.depth, s.blend, s.texture
		if f.push == "" {
			f.push = "12345,f0.006"
		}
	}
	if f.name == "" {
		f.name = name
	}
	if f.name == "" {
		f.name = strings.TrimSuffix(filepath.Base(files[0]), ".spv")
	}
	options, err := f.pipeline.lowering()
	if err != nil {
		return err
	}
	chosen, err := f.engine.choose(c)
	if err != nil {
		return err
	}
	defer f.spare()()
	defer collectSeldom(compilePercent)()
	r := benchReport{Name: f.name, K: 1, Device: "chiaro interp", Level: "interp", Subgroup: max(options.SubgroupSize, lower.DefaultSubgroup), Threads: f.threads}
	if e, ok := chosen.(engine.Preferred); ok {
		chosen = e.First
	}
	if e, ok := chosen.(jit.Engine); ok {
		r.Device, r.Level = "chiaro jit", e.Level.String()
	}
	var s *scene
	make := func() (err error) {
		s, err = f.scene(ctx, c, d, chosen, options, files)
		return err
	}
	if r.Pipe, r.CPUPipe, err = timed(make); err != nil {
		return reported(c, files[0], err)
	}
	defer s.pipeline.Close()
	r.Invocations = uint64(d.vertices) * uint64(d.draws)
	if err := r.measureDraws(f, s); err != nil {
		return reported(c, files[0], err)
	}
	if d.statistics {
		if r.Statistics, err = s.count(); err != nil {
			return reported(c, files[0], err)
		}
	}
	return r.print(c, f.format)
}

// frame draws in a pass that begins with clears.
func (s *scene) frame() error {
	clears := draw.Clears{Colors: []draw.Clear{{Do: true, Value: words(0.1, 0.1, 0.1, 1)}}, Depth: draw.Clear{Do: true, Value: words(1)}}
	if err := s.pass.Begin(s.target, &clears, s.args.Shader.Workers); err != nil {
		return err
	}
	for range s.draws {
		if err := s.pass.Draw(context.Background(), s.pipeline, &s.args); err != nil {
			return err
		}
	}
	return s.pass.End(context.Background())
}

func words(list ...float32) (w [4]uint64) {
	for i, x := range list {
		w[i] = uint64(math.Float32bits(x))
	}
	return w
}

// measureDraws times frames.
func (r *benchReport) measureDraws(f benchFlags, s *scene) (err error) {
	if r.First, r.CPUFirst, err = timed(s.frame); err != nil {
		return err
	}
	if err := f.writeCode(s.pipeline.Programs()...); err != nil {
		return err
	}
	for _, d := range f.dumps {
		if err := s.dump(strings.TrimPrefix(d, "0=")); err != nil {
			return err
		}
	}
	var wall, cpu []float64
	for start := time.Now(); len(wall) < f.most && (len(wall) < f.least || time.Since(start).Seconds() < f.budget); {
		w, p, err := timed(s.frame)
		if err != nil {
			return err
		}
		wall, cpu = append(wall, w), append(cpu, p)
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	if r.N = len(wall); r.N > 0 {
		r.Med, r.Min, r.P90 = wall[r.N/2], wall[0], wall[r.N*9/10]
		r.CPUMed, r.CPUMin = cpu[r.N/2], cpu[0]
	}
	return nil
}

// dump writes the picture: four bytes a pixel, row by row.
func (s *scene) dump(file string) error {
	var data []byte
	for y := range s.color.Height {
		data = append(data, s.color.TexelRow(texture.Coord{Y: y})...)
	}
	return os.WriteFile(file, data, 0o666)
}

// scene creates the pipeline and its attachments.
func (f *benchFlags) scene(ctx context.Context, c console, d drawFlags, engine exec.Engine, options lower.Options, files []string) (*scene, error) {
	w, h, ok := strings.Cut(d.size, "x")
	width, err := parseUint(w, 14)
	height, err2 := parseUint(h, 14)
	if !ok || err != nil || err2 != nil || width == 0 || height == 0 {
		return nil, unreadable("--size %q; want WIDTHxHEIGHT", d.size)
	}
	args, _, err := f.args()
	if err != nil {
		return nil, err
	}
	s := &scene{target: &state.Target{}, draws: int(d.draws)}
	if s.color, err = attach(&s.target.Colors, "R8G8B8A8_UNORM", int(width), int(height)); err != nil {
		return nil, err
	}
	if d.depth {
		var views []*texture.View
		if _, err = attach(&views, "D32_SFLOAT", int(width), int(height)); err != nil {
			return nil, err
		}
		s.target.Depth = views[0]
	}
	if d.texture > 0 {
		if err := mipmapped(&args, int(d.texture)); err != nil {
			return nil, err
		}
	}
	var stages draw.Stages
	if stages.Vertex, err = f.entry(ctx, c, files[0], spirv.ExecutionModelVertex, options); err != nil {
		return nil, err
	}
	if stages.Fragment, err = f.entry(ctx, c, files[1], spirv.ExecutionModelFragment, options); err != nil {
		return nil, err
	}
	fixed := d.state(float32(width), float32(height))
	s.args = state.Args{Shader: args, Count: uint32(d.vertices), Instances: 1}
	s.pipeline, err = draw.New(stages, fixed, engine, exec.Options{})
	return s, err
}

// state returns the fixed-function state that the flags select.
func (d *drawFlags) state(width, height float32) state.State {
	b := state.BlendAttachment{WriteMask: 15}
	if d.blend {
		b = state.BlendAttachment{WriteMask: 15, Enable: true, SrcColor: enum.BlendFactorConstantAlpha, DstColor: enum.BlendFactorOneMinusConstantAlpha, SrcAlpha: enum.BlendFactorOne}
	}
	return state.State{
		Assembly:      state.Assembly{Topology: enum.TopologyTriangleList},
		Viewports:     []state.Viewport{{Width: width, Height: height, MaxDepth: 1}},
		Scissors:      []state.Rect{{Width: uint32(width), Height: uint32(height)}},
		Rasterization: state.Rasterization{DepthClip: true, LineWidth: 1},
		DepthStencil:  state.DepthStencil{Test: d.depth, Write: d.depth, Compare: enum.CompareOpLess},
		Blend:         state.Blend{Attachments: []state.BlendAttachment{b}, Constants: [4]float32{0, 0, 0, 0.25}},
	}
}

// attach makes an attachment and adds its view to a list.
func attach(views *[]*texture.View, name string, width, height int) (*texture.Image, error) {
	m, err := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: width, Height: height})
	if err != nil {
		return nil, err
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	*views = append(*views, v)
	return m, err
}

// entry lowers the first entry point of a module for a stage.
func (f *benchFlags) entry(ctx context.Context, c console, file string, model spirv.ExecutionModel, options lower.Options) (*ir.Program, error) {
	data, err := f.module(ctx, c, file)
	if err != nil {
		return nil, err
	}
	m, err := spirv.Decode(data)
	if err != nil {
		return nil, reported(c, file, err)
	}
	g := facts.Gather(m, nil)
	i := slices.IndexFunc(g.EntryPoints, func(e facts.EntryPoint) bool { return e.Model == model })
	if i < 0 {
		return nil, fmt.Errorf("%s: no entry point of the execution model %s", file, model)
	}
	s, err := shader.Lower(ctx, valid.Assume(g), &g.EntryPoints[i], options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s.Program, nil
}

// mipmapped binds a square picture of a checkered pattern with noise, all its levels,
// and a trilinear sampler.
func mipmapped(args *compute.Args, size int) error {
	levels := 1
	for 1<<levels <= size {
		levels++
	}
	m, err := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: size, Height: size, Levels: levels})
	if err != nil {
		return err
	}
	noise := make([]byte, 4*size*size)
	fill(noise, "rand", 3)
	for y := range size {
		row := m.TexelRow(texture.Coord{Y: y})
		for x := range size {
			c := uint32(0xff204060)
			if (x>>5^y>>5)&1 != 0 {
				c = 0xffe0c090
			}
			n := binary.LittleEndian.Uint32(noise[4*(y*size+x):]) & 0x1f1f1f
			binary.LittleEndian.PutUint32(row[4*x:], c^n)
		}
	}
	for l := 1; l < levels; l++ {
		halve(m, l)
	}
	view, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		return err
	}
	sampler, err := texture.NewSampler(texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: 16})
	at := compute.Binding{}
	args.Images[at], args.Samplers[at] = []*texture.View{view}, []*texture.Sampler{sampler}
	return err
}

// halve makes a level of the means of four texels of the level before.
func halve(m *texture.Image, level int) {
	w, h, _ := m.LevelExtent(level)
	for y := range h {
		a := m.TexelRow(texture.Coord{Level: level - 1, Y: 2 * y})
		b := m.TexelRow(texture.Coord{Level: level - 1, Y: 2*y + 1})
		to := m.TexelRow(texture.Coord{Level: level, Y: y})
		for i := range 4 * w {
			k := i/4*8 + i%4
			to[i] = byte((int(a[k]) + int(a[k+4]) + int(b[k]) + int(b[k+4]) + 2) / 4)
		}
	}
}
