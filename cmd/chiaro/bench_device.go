package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// benchDevice is a device that checks nothing, with the objects that bench dispatches or draws with.
type benchDevice struct {
	device   *vk.Device
	engine   *watchedEngine
	layout   *vk.PipelineLayout
	sets     []*vk.Set      // set 0, or none without resources
	shape    *vk.SetLayout  // of set 0
	types    []link.Binding // its bindings
	push     []byte
	contents []contents // of the resources, by binding

	reports vk.Reported // of --sanitize, up to the first dispatch or frame
	settled bool        // it has run
}

// note adds a report of --sanitize. The queue calls it while a submission runs.
func (d *benchDevice) note(r vk.Report) {
	if !d.settled {
		d.reports.Add(r)
	}
}

// first times the first dispatch or frame, and prints the reports of --sanitize.
func (r *benchReport) first(c console, d *benchDevice, once func() error) (err error) {
	r.First, r.CPUFirst, err = timed(once)
	d.settled = true
	writeReports(c.err, d.reports.List())
	return err
}

// end returns the exit code of a run: a report of --sanitize is a finding, as is a difference.
func (d *benchDevice) end(same bool) error {
	if !same || len(d.reports.List()) > 0 {
		return &coded{code: exitFindings}
	}
	return nil
}

// watchedEngine is an engine that keeps the programs that it compiles: reports have their properties.
type watchedEngine struct {
	exec.Engine
	mu       sync.Mutex
	programs []exec.Program
}

// Compile keeps the program.
func (e *watchedEngine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	prog, err := e.Engine.Compile(p, o)
	if err == nil {
		e.mu.Lock()
		e.programs = append(e.programs, prog)
		e.mu.Unlock()
	}
	return prog, err
}

// take returns the programs since the last call.
func (e *watchedEngine) take() []exec.Program {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.programs
	e.programs = nil
	return list
}

// open makes the device and the resources of the flags for entry points. The work of the device ends with ctx. more has
// further resources, which replace the flags' ones.
func (f *benchFlags) open(ctx context.Context, engine exec.Engine, options lower.Options, entries []*iface.Entry, more map[uint32]benchBinding) (*benchDevice, error) {
	d := &benchDevice{engine: &watchedEngine{Engine: engine}}
	if f.push != "" {
		for _, w := range strings.Split(f.push, ",") {
			bits, err := parseWord(w)
			if err != nil {
				return nil, unreadable("-p %q; want words such as 7, i-3 or f1.5", w)
			}
			d.push = binary.LittleEndian.AppendUint32(d.push, bits)
		}
	}
	for _, e := range entries {
		if err := host.CheckPush(e, uint64(len(d.push))); err != nil {
			return nil, err
		}
	}
	if err := d.make(ctx, f.threads, options); err != nil {
		return nil, err
	}
	if err := d.bind(f, entries, more); err != nil {
		d.device.Close()
		return nil, err
	}
	return d, nil
}

// make makes the device. Its work ends with ctx.
func (d *benchDevice) make(ctx context.Context, threads int, options lower.Options) (err error) {
	info := vk.DeviceInfo{Workers: threads, DeferFree: true, Until: ctx, Engine: d.engine, Lowering: options, Written: true}
	if options.Sanitize != 0 {
		info.Reports = d.note
	}
	d.device, err = vk.Chiaro().NewDevice(info)
	return err
}

// bind makes the resources, the layout and the set.
func (d *benchDevice) bind(f *benchFlags, entries []*iface.Entry, more map[uint32]benchBinding) error {
	all := map[uint32]benchBinding{}
	for i, r := range f.resources {
		parsed, err := r.parse()
		if err != nil {
			return err
		}
		all[uint32(i)] = parsed
	}
	maps.Copy(all, more)
	d.contents = make([]contents, len(f.resources))
	var writes []vk.Write
	var list []link.Binding
	for at, of := range all {
		w, data, err := of(d)
		if err != nil {
			return err
		}
		if int(at) < len(d.contents) {
			d.contents[at] = data
		}
		w.Binding, w.Type = at, typeAt(entries, at, w.Images != nil)
		writes = append(writes, w)
		list = append(list, link.Binding{Binding: at, Type: w.Type, Count: 1, Stages: link.AllStages})
	}
	info := vk.PipelineLayoutInfo{}
	if len(list) > 0 {
		layout, err := d.device.NewSetLayout(vk.SetLayoutInfo{Bindings: list})
		if err != nil {
			return host.Cause(err)
		}
		pool, err := d.device.NewPool(vk.PoolInfo{MaxSets: 1})
		if err != nil {
			return err
		}
		set, err := pool.Allocate(layout)
		if err == nil {
			err = set.Update(writes...)
		}
		if err != nil {
			return host.Cause(err)
		}
		d.sets, d.shape, d.types, info.Sets = []*vk.Set{set}, layout, list, []*vk.SetLayout{layout}
	}
	if n := len(d.push); n > 0 {
		info.Push = []link.Range{{Size: uint32(n), Stages: link.AllStages}}
	}
	var err error
	d.layout, err = d.device.NewPipelineLayout(info)
	return host.Cause(err)
}

// typeAt returns the type of the descriptors of a binding of set 0: the one that the entry points declare, if the resource
// can have it.
func typeAt(entries []*iface.Entry, at uint32, image bool) link.DescriptorType {
	var found []iface.Descriptor
	for _, e := range entries {
		for i := range e.Resources {
			if r := &e.Resources[i]; r.Set == 0 && r.Binding == at && (r.Block == nil) == image && !slices.Contains(found, r.Type) {
				found = append(found, r.Type)
			}
		}
	}
	switch {
	case len(found) == 1:
		return link.DescriptorType(found[0])
	case image: // also of a sampled image and a sampler
		return link.DescriptorType(iface.CombinedImageSampler)
	}
	return link.DescriptorType(iface.StorageBuffer)
}

// benchImage is a two-dimensional image with memory, and a view of all of it.
type benchImage struct {
	*vk.Image
	view   *vk.ImageView
	extent [3]int
}

// image makes an image of a format.
func (d *benchDevice) image(format string, width, height, levels int, usage vk.ImageUsage) (*benchImage, error) {
	return newImage(d.device, format, []int{width, height}, levels, usage)
}

// picture makes an image of the format R8G8B8A8_UNORM with the texels of its levels.
func (d *benchDevice) picture(width, height int, levels ...[]byte) (*benchImage, error) {
	m, err := d.image(rgba8, width, height, len(levels), vk.ImageSampled|vk.ImageStorage|vk.ImageTransferSource|vk.ImageTransferTarget)
	for l := range levels {
		if err == nil {
			err = d.copyTexels(m, l, levels[l], true)
		}
	}
	return m, err
}

// rgba8 is the format of the images of bench.
const rgba8 = "R8G8B8A8_UNORM"

// copyTexels copies the texels of a level of an image of the format R8G8B8A8_UNORM: into it, or out of it.
func (d *benchDevice) copyTexels(m *benchImage, level int, texels []byte, into bool) error {
	b, memory, err := host.NewBuffer(d.device, uint64(len(texels)), vk.TransferSource|vk.TransferTarget)
	if err != nil {
		return err
	}
	defer memory.Close()
	defer b.Close()
	region := []vk.BufferImageCopy{{
		Image: vk.Layers{Level: level, Count: 1}, Extent: [3]int{max(m.extent[0]>>level, 1), max(m.extent[1]>>level, 1), 1},
	}}
	if into {
		copy(memory.Bytes(), texels)
	}
	err = d.once(func(c *vk.CommandBuffer) {
		if into {
			c.CopyBufferToImage(b, m.Image, region)
		} else {
			c.CopyImageToBuffer(m.Image, b, region)
		}
	})
	if err == nil && !into {
		copy(texels, memory.Bytes())
	}
	return err
}

// texels returns the texels of the first level of an image of the format R8G8B8A8_UNORM.
func (d *benchDevice) texels(m *benchImage) ([]byte, error) {
	out := make([]byte, 4*m.extent[0]*m.extent[1])
	return out, d.copyTexels(m, 0, out, false)
}

// record records commands.
func (d *benchDevice) record(commands func(c *vk.CommandBuffer)) (*vk.CommandBuffer, error) {
	c, err := d.device.NewCommandBuffer(vk.CommandBufferInfo{})
	if err == nil {
		err = c.Begin(vk.BeginInfo{})
	}
	if err != nil {
		return nil, err
	}
	commands(c)
	return c, c.End()
}

// run executes recorded commands and waits for their end.
func (d *benchDevice) run(c ...*vk.CommandBuffer) error { return host.Cause(host.Run(d.device, c...)) }

// once records commands and executes them.
func (d *benchDevice) once(commands func(c *vk.CommandBuffer)) error {
	c, err := d.record(commands)
	if err != nil {
		return err
	}
	defer c.Close()
	return d.run(c)
}

// bound binds the set and sets the push constants.
func (d *benchDevice) bound(c *vk.CommandBuffer, point vk.BindPoint) {
	d.boundTo(c, point, d.sets)
}

// boundTo is bound with other sets.
func (d *benchDevice) boundTo(c *vk.CommandBuffer, point vk.BindPoint, sets []*vk.Set) {
	if sets != nil {
		c.BindSets(point, d.layout, 0, sets, nil)
	}
	if len(d.push) > 0 {
		c.PushConstants(d.layout, 0, d.push)
	}
}

// benchEntry returns the first entry point of a module of an execution model.
func benchEntry(c console, file string, data []byte, spec facts.Spec, model spirv.ExecutionModel) (*iface.Entry, error) {
	m, err := spirv.Decode(data)
	if err != nil {
		return nil, reported(c, file, err)
	}
	for e := range iface.Entries(valid.Assume(facts.Gather(m, spec)), facts.ReadingDefault) {
		if e.Model == model {
			return e, nil
		}
	}
	return nil, reported(c, file, fmt.Errorf("no entry point of the execution model %s", model))
}
