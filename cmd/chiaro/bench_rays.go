package main

import (
	"context"
	"embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ray/rayscene"
	"github.com/chiaro-gpu/chiaro/vk"
)

// rayShaders are the shaders that trace: query by ray queries, the others are the stages of a ray tracing pipeline. Each traces ray i
// of a buffer and stores T, the primitive and the instance as words 3·i to 3·i + 2 of another.
//
//go:embed rays/*.spvasm
var rayShaders embed.FS

// rayModes are the modes of bench --rays, in order. The last one moves the scene.
var rayModes = []struct {
	name string
	time func(b *rayBench, r *rayReport) error
}{
	{"blas", func(b *rayBench, r *rayReport) error { return b.timeBuild(r, b.builds.trace) }},
	{"blas_fast", func(b *rayBench, r *rayReport) error { return b.timeBuild(r, b.builds.fast) }},
	{"tlas", func(b *rayBench, r *rayReport) error { return b.timeBuild(r, b.builds.top) }},
	{"primary_rq", func(b *rayBench, r *rayReport) error { return b.timeTrace(r, b.primary, b.query) }},
	{"primary_rt", func(b *rayBench, r *rayReport) error { return b.timeTrace(r, b.primary, b.pipeline) }},
	{"incoh_rq", func(b *rayBench, r *rayReport) error { return b.timeTrace(r, b.incoherent, b.query) }},
	{"incoh_rt", func(b *rayBench, r *rayReport) error { return b.timeTrace(r, b.incoherent, b.pipeline) }},
	{"refit", func(b *rayBench, r *rayReport) error { return b.timeRefit(r) }},
}

// rayReport is the line of a mode. Work is the work of one submission, in 1e9 of the unit.
type rayReport struct {
	benchReport
	Work   float64 `json:"work"`
	Unit   string  `json:"unit"`          // Gtri, Ginst or Gray
	Rate   float64 `json:"rate"`          // millions a second of processor time, or of wall time if there is no other
	Hit    float64 `json:"hit,omitempty"` // the share of rays that hit
	Bytes  uint64  `json:"bytes,omitempty"`
	Memory uint64  `json:"scratch,omitempty"` // bytes that a build needs besides
}

// rayBench is a scene on a device.
type rayBench struct {
	*benchDevice
	ctx   context.Context
	flags benchFlags
	scene *rayscene.Scene
	count struct{ width, height uint32 } // of the picture

	vertices, instances *rayBuffer
	rays, hits          *rayBuffer
	builds              struct{ trace, fast, top, refit *rayBuild }
	primary, incoherent func() ([]rayscene.Ray, error)
	primaryHits         []rayscene.Hit
	list                []rayscene.Ray // in the buffer
	queried             *vk.ComputePipeline
	traced              *vk.RayTracingPipeline
	tables              vk.ShaderTables
}

// benchRays times a scene, and prints a line for each mode.
func benchRays(ctx context.Context, c console, f benchFlags, names []string) error {
	if f.format != "text" && f.format != "json" {
		return unreadable("unknown format %q; want text or json", f.format)
	}
	modes, err := rayModesOf(names[1:])
	if err != nil {
		return err
	}
	scene := rayscene.New(names[0])
	if scene == nil {
		return unreadable("no scene %q; want %s", names[0], strings.Join(rayscene.Names(), ", "))
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
	b := &rayBench{ctx: ctx, flags: f, scene: scene}
	if b.count.width, b.count.height, err = f.drawing.extent(); err != nil {
		return err
	}
	chosen, head := f.reportOn(chosen, options)
	if b.benchDevice, err = b.flags.openRays(ctx, chosen, options); err != nil {
		return err
	}
	defer b.device.Close()
	if err := b.prepare(); err != nil {
		return benchError(ctx, c, scene.Name, err)
	}
	for _, m := range rayModes {
		if !modes[m.name] {
			continue
		}
		r := rayReport{benchReport: head}
		r.Name = "ray_" + scene.Name + "_" + m.name
		if err := m.time(b, &r); err != nil {
			return benchError(ctx, c, r.Name, err)
		}
		if err := r.print(c, f.format); err != nil {
			return err
		}
	}
	return nil
}

// rayModesOf returns the modes of names, or all.
func rayModesOf(names []string) (map[string]bool, error) {
	var known []string
	all := map[string]bool{}
	for _, m := range rayModes {
		known = append(known, m.name)
		all[m.name] = len(names) == 0
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, unreadable("no measurement %q of rays; want %s", n, strings.Join(known, ", "))
		}
		all[n] = true
	}
	return all, nil
}

// timeBuild times a build.
func (b *rayBench) timeBuild(r *rayReport, x *rayBuild) error {
	c, err := b.record(func(c *vk.CommandBuffer) { c.BuildAccelerationStructures([]vk.BuildInfo{x.info}) })
	if err != nil {
		return err
	}
	defer c.Close()
	r.Bytes, r.Memory = x.sizes.Structure, x.sizes.BuildScratch
	unit, n := "Gtri", b.scene.Triangles()
	if x.info.Level == vk.TopLevel {
		unit, n = "Ginst", len(b.scene.Instances)
	}
	return b.time(r, c, unit, n)
}

// timeRefit times updates of the bottom level for moved vertices.
func (b *rayBench) timeRefit(r *rayReport) error {
	b.vertices.floats(b.scene.Moved())
	return b.timeBuild(r, b.builds.refit)
}

// time times submissions of commands.
func (b *rayBench) time(r *rayReport, c *vk.CommandBuffer, unit string, n int) (err error) {
	once := func() error { return b.run(c) }
	if r.First, r.CPUFirst, err = timed(once); err != nil {
		return err
	}
	if err := r.steady(b.flags, 1, once); err != nil {
		return err
	}
	r.Work, r.Unit, r.Invocations = float64(n)*1e-9, unit, uint64(n)
	if r.N == 0 { // the first one is the only one
		r.Med, r.Min, r.P90, r.CPUMed, r.CPUMin, r.N = r.First, r.First, r.First, r.CPUFirst, r.CPUFirst, 1
	}
	spent := r.CPUMed
	if spent == 0 {
		spent = r.Med
	}
	if spent > 0 {
		r.Rate = float64(n) / spent / 1e3
	}
	return nil
}

// timeTrace times traces of rays: makes the pipeline, and then submits the commands of trace.
func (b *rayBench) timeTrace(r *rayReport, rays func() ([]rayscene.Ray, error), trace func() (func(c *vk.CommandBuffer), error)) error {
	list, err := rays()
	if err != nil {
		return err
	}
	var commands func(c *vk.CommandBuffer)
	if r.Pipe, r.CPUPipe, err = timed(func() (err error) {
		commands, err = trace()
		return err
	}); err != nil {
		return err
	}
	b.setRays(list)
	c, err := b.record(commands)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := b.time(r, c, "Gray", len(list)); err != nil {
		return err
	}
	hits := 0
	for _, h := range b.hitsOf(len(list)) {
		if h.T >= 0 {
			hits++
		}
	}
	r.Hit = float64(hits) / float64(len(list))
	return nil
}

// setRays writes rays to the buffer.
func (b *rayBench) setRays(list []rayscene.Ray) {
	if len(b.list) > 0 && &b.list[0] == &list[0] {
		return
	}
	b.list = list
	words := b.rays.memory.Bytes()
	for i := range list {
		r := &list[i]
		for k, x := range [8]float32{r.Origin[0], r.Origin[1], r.Origin[2], r.Tmin, r.Direction[0], r.Direction[1], r.Direction[2], r.Tmax} {
			binary.LittleEndian.PutUint32(words[32*i+4*k:], math.Float32bits(x))
		}
	}
}

// hitBytes is the size of a hit in the buffer.
const hitBytes = int(unsafe.Sizeof(rayscene.Hit{}))

// hitsOf reads the first n hits.
func (b *rayBench) hitsOf(n int) []rayscene.Hit {
	list := make([]rayscene.Hit, n)
	for i := range list {
		w := b.hits.memory.Bytes()[hitBytes*i:]
		list[i] = rayscene.Hit{T: math.Float32frombits(binary.LittleEndian.Uint32(w)), Primitive: binary.LittleEndian.Uint32(w[4:]), Instance: binary.LittleEndian.Uint32(w[8:])}
	}
	return list
}
