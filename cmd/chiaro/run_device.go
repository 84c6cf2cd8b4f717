package main

import (
	"context"
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// shaderDevice is the device of a job, with its objects.
type shaderDevice struct {
	device  *vk.Device
	job     *shaderJob
	buffers map[*content]*vk.Buffer // of the contents that are not empty
	sets    []*vk.Set
	layout  *vk.PipelineLayout
}

// open makes the device and the memory of the buffers. The work of the device ends with ctx. The contents are afterwards in the
// memory of the device: they end with its Close.
func (j *shaderJob) open(ctx context.Context, f *runFlags) (*shaderDevice, error) {
	device, err := vk.Chiaro().NewDevice(vk.DeviceInfo{
		Workers: max(f.jobs, 1), DeferFree: true, Until: ctx, Budget: exec.DefaultBudget, Engine: f.opts.Engine, Lowering: f.opts.Lowering, Debugger: f.opts.Debugger, Schedule: f.opts.Schedule,
		Print: func(text string) { j.log = append(j.log, text) }, MaxPrinted: amber.MaxLog,
		Reports: func(r vk.Report) { j.reports.Add(j.source.placed(r)) }, Written: true,
	})
	if err != nil {
		return nil, err
	}
	d := &shaderDevice{device: device, job: j, buffers: map[*content]*vk.Buffer{}}
	if err := d.allocate(); err != nil {
		d.device.Close()
		return nil, err
	}
	return d, nil
}

// allocate makes a buffer of each content. All of them have addresses if one address is in use; an empty content then
// has one byte of memory, which no descriptor contains.
func (d *shaderDevice) allocate() error {
	usage, addressed := vk.StorageBuffer|vk.UniformBuffer|vk.IndirectBuffer|vk.TransferSource|vk.TransferTarget, d.job.addressed()
	if addressed {
		usage |= vk.DeviceAddress
	}
	for _, x := range d.job.contents() {
		n := uint64(len(x.data))
		size := n
		if addressed {
			size = max(size, 1)
		}
		if size == 0 {
			continue
		}
		b, memory, err := host.NewBuffer(d.device, size, usage)
		if err != nil {
			return err
		}
		copy(memory.Bytes(), x.data)
		x.data, x.beside = memory.Bytes()[:n:n], nil
		d.buffers[x] = b
	}
	return nil
}

// maxSets is the number of descriptor sets of a shader (maxBoundDescriptorSets).
const maxSets = 32

// bind makes the layout, with one descriptor for each buffer: the other elements of an array are null.
func (d *shaderDevice) bind() error {
	var lists [][]link.Binding
	for at := range d.job.buffers {
		if at.Set >= maxSets {
			return unreadable("set %d binding %d; want a set less than %d", at.Set, at.Binding, maxSets)
		}
		for len(lists) <= int(at.Set) {
			lists = append(lists, nil)
		}
		lists[at.Set] = append(lists[at.Set], link.Binding{Binding: at.Binding, Type: d.job.typeOf(at), Count: 1, Stages: link.AllStages})
	}
	pool, err := d.device.NewPool(vk.PoolInfo{MaxSets: maxSets})
	if err != nil {
		return err
	}
	var layouts []*vk.SetLayout
	for _, bindings := range lists {
		l, err := d.device.NewSetLayout(vk.SetLayoutInfo{Bindings: bindings})
		if err != nil {
			return err
		}
		set, err := pool.Allocate(l)
		if err != nil {
			return err
		}
		layouts, d.sets = append(layouts, l), append(d.sets, set)
	}
	for at, x := range d.job.buffers {
		if len(x.data) == 0 { // the null descriptor
			continue
		}
		w := vk.Write{Binding: at.Binding, Type: d.job.typeOf(at), Buffers: []vk.BufferDescriptor{{Buffer: d.buffers[x], Range: vk.WholeSize}}}
		if err := d.sets[at.Set].Update(w); err != nil {
			return err
		}
	}
	info := vk.PipelineLayoutInfo{Sets: layouts}
	if n := len(d.job.push); n > 0 {
		info.Push = []link.Range{{Size: uint32(n+3) &^ 3, Stages: link.AllStages}}
	}
	d.layout, err = d.device.NewPipelineLayout(info)
	return err
}

// typeOf returns the type of the descriptor of a buffer.
func (j *shaderJob) typeOf(at vk.SetBinding) link.DescriptorType {
	i := slices.IndexFunc(j.entry.Resources, func(r iface.Resource) bool { return r.Set == at.Set && r.Binding == at.Binding && r.Block != nil })
	return link.DescriptorType(j.entry.Resources[i].Type)
}

// dispatch compiles and runs the entry point.
func (d *shaderDevice) dispatch(ctx context.Context, way host.Way, robustness *vk.Robustness) error {
	j := d.job
	if err := d.bind(); err != nil {
		return host.Cause(err)
	}
	program, err := host.NewComputeProgram(ctx, d.device, way, vk.ComputePipelineInfo{
		Stage:  vk.StageInfo{Code: j.module.Encode(), Entry: j.entry.Name, Specialization: j.spec, Robustness: robustness},
		Layout: d.layout,
	})
	if err != nil {
		return host.CompileCause(err)
	}
	defer program.Close()
	if err := host.CheckPush(j.entry, uint64(len(j.push))); err != nil {
		return err
	}
	err = d.submit(program)
	return j.source.located(err, host.Cause(err))
}

// submit records the dispatch, runs it and waits for its end.
func (d *shaderDevice) submit(program *host.ComputeProgram) error {
	j := d.job
	c, err := d.device.NewCommandBuffer(vk.CommandBufferInfo{})
	if err == nil {
		err = c.Begin(vk.BeginInfo{OneTime: true})
	}
	if err != nil {
		return err
	}
	program.Bind(c)
	if len(d.sets) > 0 {
		c.BindSets(vk.Compute, d.layout, 0, d.sets, nil)
	}
	if len(j.push) > 0 {
		c.PushConstants(d.layout, 0, host.WholeWords(j.push))
	}
	for number, data := range j.banks {
		c.PushDataBank(number, 0, host.WholeWords(data))
	}
	if a := j.arguments; a != nil {
		c.DispatchIndirect(d.buffers[a.of], a.at)
	} else {
		c.DispatchBase(j.base, j.groups)
	}
	if err := c.End(); err != nil {
		return err
	}
	return host.Run(d.device, c)
}
