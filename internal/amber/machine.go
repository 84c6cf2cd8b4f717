package amber

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/vk"
)

// machine is the device that runs a script, with its objects.
type machine struct {
	*runner
	device    *vk.Device
	commands  *vk.CommandBuffer
	pool      *vk.Pool
	buffers   map[*Buffer]*vk.Buffer // of the script's buffers that are not empty
	pipelines map[programKey]*host.ComputeProgram
	tracers   map[*Pipeline]*traceProgram
	graphs    map[*Pipeline]*graphProgram
	shaders   map[*Pipeline]*shadeProgram
	drawn     map[graphicsKey][]graphicsPipeline
	objects   map[graphicsKey]*drawObjects // instead of drawn
	apart     map[*Buffer]*apart

	structures map[*Structure]*vk.AccelerationStructure

	temporaries []io.Closer // of the recorded commands
	bindings    map[*Pipeline]*bindings
	pictures
}

// maxBound bounds the descriptor sets of a script.
const maxBound = 1 << 20

// newMachine makes a device with the memory of the script's buffers, which it adds to the memory of the runner.
func newMachine(ctx context.Context, r *runner) (*machine, error) {
	o := &r.options
	m := &machine{
		runner: r, buffers: map[*Buffer]*vk.Buffer{}, pipelines: map[programKey]*host.ComputeProgram{}, tracers: map[*Pipeline]*traceProgram{}, graphs: map[*Pipeline]*graphProgram{}, shaders: map[*Pipeline]*shadeProgram{}, drawn: map[graphicsKey][]graphicsPipeline{}, objects: map[graphicsKey]*drawObjects{}, apart: map[*Buffer]*apart{}, structures: map[*Structure]*vk.AccelerationStructure{}, bindings: map[*Pipeline]*bindings{}, pictures: newPictures(),
	}
	var err error
	m.device, err = vk.Chiaro().NewDevice(vk.DeviceInfo{
		Workers: max(o.Workers, 1), DeferFree: true, Print: r.say, MaxPrinted: MaxLog, Reports: r.noteReport, Written: true, Until: ctx,
		DepthRangeUnrestricted: slices.ContainsFunc(r.script.Requirements, func(q Requirement) bool { return q.Name == "VK_EXT_depth_range_unrestricted" }),
		Budget:                 cmp.Or(o.Budget, host.DefaultBudget), Engine: o.Engine, Lowering: o.Lowering, Debugger: o.Debugger, Schedule: o.Schedule,
	})
	if err != nil {
		return nil, err
	}
	if err = m.allocate(); err == nil {
		m.commands, err = m.device.NewCommandBuffer(vk.CommandBufferInfo{})
	}
	if err == nil {
		m.pool, err = m.device.NewPool(vk.PoolInfo{MaxSets: maxBound})
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// close frees the objects. The contents of buffers must not be used afterwards.
func (m *machine) close() {
	for _, p := range m.pipelines {
		p.Close()
	}
	for _, p := range m.tracers {
		p.pipeline.Close()
	}
	for _, p := range m.graphs {
		p.pipeline.Close()
	}
	for _, p := range m.shaders {
		p.pipeline.Close()
	}
	for _, list := range m.drawn {
		for _, p := range list {
			p.Close()
		}
	}
	for _, list := range m.objects {
		for _, s := range list {
			if s != nil {
				s.Close()
			}
		}
	}
	m.device.Close()
}

// bufferUsage is the usage of all buffers.
const bufferUsage = vk.TransferSource | vk.TransferTarget | vk.UniformTexelBuffer | vk.StorageTexelBuffer | vk.UniformBuffer |
	vk.StorageBuffer | vk.IndexBuffer | vk.VertexBufferUsage | vk.IndirectBuffer

// placeAlignment is the alignment of the buffers that share an allocation, in bytes.
const placeAlignment = 64

// allocate makes the buffers with their first contents. Images, and buffers with a device address, have allocations of
// their own, in the order of their declarations, which determines the addresses; the others share one. An image and its
// buffer share memory: the buffer is the base level.
func (m *machine) allocate() error {
	shown, addressed := m.script.shownImages(), m.script.references()
	all := uint64(0)
	for _, b := range m.script.Buffers {
		if shown[b] {
			m.pixels[b], m.faults[b] = m.newImage(b)
		}
		if !addressed[b] {
			all += (uint64(len(b.Data)) + placeAlignment - 1) &^ (placeAlignment - 1)
		}
	}
	var shared *vk.Memory
	if all > 0 {
		var err error
		if shared, err = m.device.Allocate(vk.MemoryInfo{Size: all}); err != nil {
			return err
		}
	}
	next := uint64(0)
	for _, b := range m.script.Buffers {
		n := uint64(len(b.Data))
		if n == 0 {
			m.memory[b] = nil
			continue
		}
		memory, at, usage := shared, next, bufferUsage
		image := m.pixels[b]
		if image != nil && aspectsOf(b.Texel) == vk.Depth|vk.Stencil {
			own, _, err := m.allocateOne(image, n, false)
			if err != nil {
				return err
			}
			m.apart[b], image = &apart{image: image, memory: own.Bytes()}, nil
		}
		if image != nil || addressed[b] {
			var err error
			if memory, at, err = m.allocateOne(image, n, addressed[b]); err != nil {
				return err
			}
		} else {
			next += (n + placeAlignment - 1) &^ (placeAlignment - 1)
		}
		if addressed[b] {
			usage |= vk.DeviceAddress
		}
		x, err := m.device.NewBuffer(vk.BufferInfo{Size: n, Usage: usage})
		if err == nil {
			err = x.Bind(memory, at)
		}
		if err != nil {
			return err
		}
		m.buffers[b], m.memory[b] = x, memory.Bytes()[at:at+n:at+n]
		copy(m.memory[b], b.Data)
	}
	return nil
}

// allocateOne makes the memory of one buffer of n bytes, and of its image if it has one. It returns the offset of the
// buffer in the memory.
func (m *machine) allocateOne(image *vk.Image, n uint64, addressed bool) (memory *vk.Memory, at uint64, err error) {
	if image != nil {
		base, _ := image.Subresource(0, 0, 0)
		n, _ = image.Requirements()
		at = base.Offset
	}
	if memory, err = m.device.Allocate(vk.MemoryInfo{Size: n, DeviceAddress: addressed}); err == nil && image != nil {
		err = image.Bind(memory, 0)
	}
	return memory, at, err
}

// submit runs the recorded commands and waits for their end. The error has no trace of the device: it is the one of
// the engine or of the rule.
func (m *machine) submit() error {
	if err := m.commands.End(); err != nil {
		return err
	}
	return host.Run(m.device, m.commands)
}

// submitted runs the recorded commands of a pipeline. The error has their position, and that in the shader.
func (m *machine) submitted(ctx context.Context, p *Pipeline, at diag.Pos) error {
	err := m.submit()
	if err == nil || ctx.Err() != nil {
		return host.Cause(err)
	}
	return fmt.Errorf("%s:%s: pipeline %s: %w%s", m.script.File, at, p.Name, host.Cause(err), m.location(p, err))
}

// location describes the place in a shader at which a command stopped, as far as the error has it: its instruction, and
// the line of its debug information, which is a line of the script if the script contains the source.
func (m *machine) location(p *Pipeline, err error) string {
	var lost *vk.LostError
	if !errors.As(err, &lost) || lost.Location == nil {
		return ""
	}
	l := lost.Location
	i := slices.IndexFunc(p.Stages, func(a Attachment) bool { return models[a.Stage] == l.Model })
	if i >= 0 && l.Line > 0 {
		if n := p.Stages[i].Shader.scriptLine(p.Stages[i].Stage, l.File, int(l.Line)); n > 0 {
			return fmt.Sprintf(": %v, %s:%d", l.Op, m.script.File, n)
		}
	}
	return ": " + l.String()
}

// dispatch runs a compute pipeline.
func (m *machine) dispatch(ctx context.Context, c *Dispatch) error {
	p := c.Pipeline
	program, err := m.program(ctx, p)
	if err != nil {
		return err
	}
	b, err := m.bind(ctx, p)
	if err != nil {
		return err
	}
	if err := host.CheckPush(program.Stage().Entry, m.pushBytes(p)); err != nil {
		return fmt.Errorf("%s:%s: pipeline %s: %w", m.script.File, c.At, p.Name, err)
	}
	if err := m.commands.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	program.Bind(m.commands)
	b.record(m, p, vk.Compute)
	if c.Indirect != nil {
		m.commands.DispatchIndirect(m.buffers[c.Indirect], uint64(c.Offset))
	} else {
		m.commands.DispatchBase(c.Base, c.Groups)
	}
	return m.submitted(ctx, p, c.At)
}

// program returns a program of the device, made when it is first needed.
func (m *machine) program(ctx context.Context, p *Pipeline) (*host.ComputeProgram, error) {
	key := programKey{p, m.entryPoint(p, &p.Stages[0])}
	if x, ok := m.pipelines[key]; ok {
		return x, nil
	}
	x, err := m.computeProgram(ctx, p)
	if err != nil {
		return nil, err
	}
	m.pipelines[key] = x
	return x, m.checkStage(p, x.Stage())
}

// programKey names a program that was made.
type programKey struct {
	pipeline   *Pipeline
	entryPoint string
}
