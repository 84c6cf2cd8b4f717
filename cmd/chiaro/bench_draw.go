package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/engine"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// drawFlags are the flags of bench for draws.
type drawFlags struct {
	draw, depth, blend bool
	statistics         bool
	size               string
	vertices, draws    uint
	texture            uint
	folder             string
	kind               sceneKind
}

// scene is a device with the passes of a frame.
type scene struct {
	bench    *benchDevice
	flags    drawFlags
	passes   []scenePass
	color    *benchImage       // the target of the last pass
	commands *vk.CommandBuffer // of a frame
}

// benchDraw times draws and prints the report: names is a scene, or the files of a
// vertex and a fragment shader.
func benchDraw(ctx context.Context, c console, f benchFlags, names []string) error {
	d := f.drawing
	name, files := "", names
	if len(names) == 1 {
		s, ok := scenes[names[0]]
		if !ok {
			return unreadable("no scene %q; want "+sceneNames+", or the files of a vertex and a fragment shader", names[0])
		}
		name = "raster_" + names[0]
		files = []string{filepath.Join(d.folder, s.vertex+".spv"), filepath.Join(d.folder, s.fragment+".spv")}
		d.vertices, d.draws, d.depth, d.blend, d.texture, d.kind = s.vertices, s.draws, s.depth, s.blend, s.texture, s.kind
		if f.push == "" {
			f.push = s.kind.push()
		}
	}
	if f.name == "" {
		f.name = name
	}
	if f.name == "" {
		f.name = strings.TrimSuffix(filepath.Base(files[0]), ".spv")
	}
	options, err := f.lowering()
	if err != nil {
		return err
	}
	chosen, err := f.engine.choose(c)
	if err != nil {
		return err
	}
	defer f.spare()()
	defer collectSeldom(compilePercent)()
	chosen, r := f.reportOn(chosen, options)
	r.Name = f.name
	var s *scene
	create := func() (err error) {
		s, err = f.scene(ctx, c, d, chosen, options, files)
		return err
	}
	if r.Pipe, r.CPUPipe, err = timed(create); err != nil {
		return benchError(ctx, c, files[0], err)
	}
	defer s.bench.device.Close()
	r.Invocations = uint64(d.vertices) * uint64(d.draws) * uint64(len(s.passes))
	if err := r.measureDraws(c, f, s); err != nil {
		return benchError(ctx, c, files[0], err)
	}
	if d.statistics {
		if r.Statistics, err = s.count(ctx); err != nil {
			return benchError(ctx, c, files[0], err)
		}
	}
	if err := r.print(c, f.format); err != nil {
		return err
	}
	return s.bench.end(true)
}

// reportOn returns the engine that runs, of a choice, and a report that names it.
func (f *benchFlags) reportOn(chosen exec.Engine, options lower.Options) (exec.Engine, benchReport) {
	r := benchReport{K: 1, Device: "chiaro interp", Level: "interp", Subgroup: max(options.SubgroupSize, lower.DefaultSubgroup), Threads: f.threads}
	if e, ok := chosen.(engine.Preferred); ok {
		chosen = e.First
	}
	if e, ok := chosen.(jit.Engine); ok {
		r.Device, r.Level = "chiaro jit", e.Level.String()
	}
	return chosen, r
}

// words are the bits of a color.
func words(list ...float32) (w [4]uint32) {
	for i, x := range list {
		w[i] = math.Float32bits(x)
	}
	return w
}

// measureDraws times frames.
func (r *benchReport) measureDraws(c console, f benchFlags, s *scene) error {
	once := func() error { return s.bench.run(s.commands) }
	if err := r.first(c, s.bench, once); err != nil {
		return err
	}
	if err := f.writeCode(s.bench.engine.take()...); err != nil {
		return err
	}
	for _, d := range f.dumps {
		data, err := s.bench.texels(s.color) // four bytes a pixel, row by row
		if err != nil {
			return err
		}
		if err := os.WriteFile(strings.TrimPrefix(d, "0="), data, 0o666); err != nil {
			return err
		}
	}
	return r.steady(f, 1, once)
}

// extent reads --size.
func (d *drawFlags) extent() (width, height uint32, err error) {
	a, b, ok := strings.Cut(d.size, "x")
	w, err := parseUint(a, 14)
	h, err2 := parseUint(b, 14)
	if !ok || err != nil || err2 != nil || w == 0 || h == 0 {
		return 0, 0, unreadable("--size %q; want WIDTHxHEIGHT", d.size)
	}
	return uint32(w), uint32(h), nil
}

// scene creates the pipeline and its attachments.
func (f *benchFlags) scene(ctx context.Context, c console, d drawFlags, engine exec.Engine, options lower.Options, files []string) (*scene, error) {
	width, height, err := d.extent()
	if err != nil {
		return nil, err
	}
	info := vk.GraphicsPipelineInfo{State: d.state(float32(width), float32(height))}
	var entries []*iface.Entry
	for i, of := range []struct {
		model spirv.ExecutionModel
		stage vk.ShaderStage
		info  **vk.StageInfo
	}{{spirv.ExecutionModelVertex, vk.StageVertex, &info.Vertex}, {spirv.ExecutionModelFragment, vk.StageFragment, &info.Fragment}} {
		data, err := f.module(ctx, c, files[i])
		if err != nil {
			return nil, err
		}
		entry, err := benchEntry(c, files[i], data, nil, of.model)
		if err != nil {
			return nil, err
		}
		level, err := f.robustness(of.stage)
		if err != nil {
			return nil, err
		}
		*of.info = &vk.StageInfo{Code: data, Entry: entry.Name, Robustness: level}
		entries = append(entries, entry)
	}
	more := map[uint32]benchBinding{}
	if d.texture > 0 {
		more[0] = func(into *benchDevice) (vk.Write, contents, error) {
			return mipmapped(into, int(d.texture), d.kind.anisotropy)
		}
	}
	device, err := f.open(ctx, engine, options, entries, more)
	if err != nil {
		return nil, err
	}
	s := &scene{bench: device, flags: d}
	if err := s.create(ctx, &info, int(width), int(height)); err != nil {
		s.bench.device.Close()
		var failed *vk.StageError
		file := files[0]
		if errors.As(err, &failed) && failed.Model == spirv.ExecutionModelFragment {
			file = files[1]
		}
		return nil, benchError(ctx, c, file, host.CompileCause(err))
	}
	return s, nil
}

// mipmapped makes a square picture of a checkered pattern with noise, all its levels, and a trilinear sampler with a greatest ratio of
// anisotropy.
func mipmapped(d *benchDevice, size int, anisotropy float32) (w vk.Write, data contents, err error) {
	texels := make([]byte, 4*size*size)
	fill(texels, "rand", 3)
	for i := range size * size {
		c := uint32(0xff204060)
		if (i%size>>5^i/size>>5)&1 != 0 {
			c = 0xffe0c090
		}
		binary.LittleEndian.PutUint32(texels[4*i:], c^binary.LittleEndian.Uint32(texels[4*i:])&0x1f1f1f)
	}
	levels := [][]byte{texels}
	for n := size; n > 1; n /= 2 {
		levels = append(levels, halve(levels[len(levels)-1], n))
	}
	m, err := d.picture(size, size, levels...)
	if err != nil {
		return w, nil, err
	}
	sampler, err := d.device.NewSampler(vk.SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: 16, Anisotropy: anisotropy})
	return vk.Write{Images: []vk.ImageDescriptor{{View: m.view, Sampler: sampler}}}, func() ([]byte, error) { return d.texels(m) }, err
}

// halve returns the level after a square level of n texels a side: the means of four texels each.
func halve(from []byte, n int) []byte {
	half := n / 2
	to := make([]byte, 4*half*half)
	for i := range to {
		x, y, channel := i/4%half, i/4/half, i%4
		at := 4*(2*y*n+2*x) + channel
		to[i] = byte((int(from[at]) + int(from[at+4]) + int(from[at+4*n]) + int(from[at+4*n+4]) + 2) / 4)
	}
	return to
}
