package chiaro

import (
	"context"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/vk"
)

// run is one call of Run: the objects that it makes.
type run struct {
	*Shader
	memory   *vk.Memory
	given    []given
	parts    []part
	pictures []picture
	sets     []*vk.Set
	push     []byte
	made     []interface{ Close() error }
}

// given is an argument with its resource.
type given struct {
	Argument
	resource *iface.Resource
}

// part is the memory of an argument.
type part struct {
	argument Argument
	offset   int
	written  bool // the shader may write it
}

// bind makes the buffers and the sets, and copies the arguments.
func (r *run) bind(args []Argument) error {
	size := 0
	for _, a := range args {
		if a.push {
			r.push = append(r.push, a.data...)
			continue
		}
		x, err := r.expected(a)
		if err != nil {
			return err
		}
		if r.given = append(r.given, given{a, x}); a.isImage {
			continue
		}
		r.parts = append(r.parts, part{a, size, x.Type == iface.StorageBuffer && !x.NonWritable})
		size += (max(len(a.data), 1) + vk.BufferAlignment - 1) &^ (vk.BufferAlignment - 1)
	}
	if err := r.complete(); err != nil {
		return err
	}
	pool, err := r.device.NewPool(vk.PoolInfo{MaxSets: len(r.layouts) + 1})
	if err != nil {
		return err
	}
	r.made = append(r.made, pool)
	for _, l := range r.layouts {
		set, err := pool.Allocate(l)
		if err != nil {
			return err
		}
		r.sets = append(r.sets, set)
	}
	for _, g := range r.given {
		if !g.isImage {
			continue
		}
		if err := r.bindImage(g.Argument, g.resource); err != nil {
			return err
		}
	}
	if err := r.bindSamplers(); err != nil || size == 0 {
		return err
	}
	if r.memory, err = r.device.Allocate(vk.MemoryInfo{Size: uint64(size)}); err != nil {
		return err
	}
	r.made = append(r.made, r.memory)
	for _, p := range r.parts {
		if err := r.bindPart(p); err != nil {
			return err
		}
	}
	return nil
}

// bindPart makes the buffer of an argument. An empty slice is the null descriptor.
func (r *run) bindPart(p part) error {
	n := len(p.argument.data)
	if n == 0 {
		return nil
	}
	copy(r.memory.Bytes()[p.offset:], p.argument.data)
	b, err := r.device.NewBuffer(vk.BufferInfo{Size: uint64(n), Usage: vk.StorageBuffer | vk.UniformBuffer})
	if err != nil {
		return err
	}
	r.made = append(r.made, b)
	if err := b.Bind(r.memory, uint64(p.offset)); err != nil {
		return err
	}
	return r.sets[p.argument.set].Update(vk.Write{Binding: p.argument.binding, Buffers: []vk.BufferDescriptor{{Buffer: b, Range: vk.WholeSize}}})
}

// expected returns the resource of an argument, or an error if the shader does not have it.
func (r *run) expected(a Argument) (*iface.Resource, error) {
	for _, g := range r.given {
		if g.set == a.set && g.binding == a.binding {
			return nil, fmt.Errorf("set %d, binding %d has two arguments; must have one", a.set, a.binding)
		}
	}
	for i := range r.entry.Resources {
		if x := &r.entry.Resources[i]; x.Used && x.Set == a.set && x.Binding == a.binding && x.Type != iface.Sampler {
			if a.isImage != (x.Image != nil) {
				return nil, fmt.Errorf("%s is a %s, and its argument is of another kind; must be Image for images, and Buffer for buffers", x.Name, x.Type)
			}
			return x, nil
		}
	}
	return nil, fmt.Errorf("an argument is for set %d, binding %d, which the shader does not use; must be one of its buffers or images", a.set, a.binding)
}

// complete returns an error if a buffer, an image or a push constant is missing.
func (r *run) complete() error {
	for i := range r.entry.Resources {
		x := &r.entry.Resources[i]
		is := func(g given) bool { return g.set == x.Set && g.binding == x.Binding }
		if x.Used && x.Type != iface.Sampler && !slices.ContainsFunc(r.given, is) {
			return fmt.Errorf("no argument for %s, set %d, binding %d; must have one", x.Name, x.Set, x.Binding)
		}
	}
	if n := len(r.push); n > vk.MaxPushBytes || n > 0 && len(r.entry.PushConstants) == 0 {
		return fmt.Errorf("%d bytes of push constants; the shader takes at most %d", n, min(vk.MaxPushBytes, len(r.entry.PushConstants)*vk.MaxPushBytes))
	}
	return nil
}

// submit records and runs the dispatch.
func (r *run) submit(ctx context.Context, groups [3]uint32) error {
	c, err := r.device.NewCommandBuffer(vk.CommandBufferInfo{})
	if err != nil {
		return err
	}
	r.made = append(r.made, c)
	if err := c.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	for i := range r.pictures {
		p := &r.pictures[i]
		p.convert(c, p.pixels, p.image)
	}
	c.BindPipeline(r.pipeline)
	c.BindSets(vk.Compute, r.layout, 0, r.sets, nil)
	if len(r.push) > 0 {
		c.PushConstants(r.layout, 0, append(r.push, make([]byte, -len(r.push)&3)...))
	}
	c.Dispatch(groups[0], groups[1], groups[2])
	for i := range r.pictures {
		if p := &r.pictures[i]; p.written {
			p.convert(c, p.image, p.pixels)
		}
	}
	if err := c.End(); err != nil {
		return err
	}
	if err := r.device.Queue().Submit(vk.SubmitInfo{Commands: []*vk.CommandBuffer{c}}); err != nil {
		return err
	}
	err = r.device.WaitIdle(ctx)
	if ctx.Err() != nil && err != nil { // the dispatch still writes: end it before its memory goes
		r.device.Close()
		return ctx.Err()
	}
	for _, p := range r.parts {
		if p.written {
			copy(p.argument.data, r.memory.Bytes()[p.offset:])
		}
	}
	if err != nil {
		return err
	}
	for i := range r.pictures {
		if p := &r.pictures[i]; p.written {
			if err := p.draw(r.device); err != nil {
				return err
			}
		}
	}
	return nil
}

// close frees the objects.
func (r *run) close() {
	for _, x := range slices.Backward(r.made) {
		x.Close()
	}
}
