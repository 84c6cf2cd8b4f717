package vk

import (
	"errors"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

var (
	sampledImage = link.DescriptorType(iface.SampledImage)
	uniform      = link.DescriptorType(iface.UniformBuffer)
)

// isRule reports whether an error is of a rule.
func isRule(err error, rule string) bool {
	var bad *UsageError
	return errors.As(err, &bad) && bad.Rule == rule
}

// broke fails unless an error is of a rule.
func broke(t *testing.T, what string, err error, rule string) {
	t.Helper()
	if !isRule(err, rule) {
		t.Errorf("%s: %v, want %s", what, err, rule)
	}
}

// run records saxpy after bind, runs it with 2 groups and a = 2, and checks y, which begins as 100.
func (r *rig) run(t *testing.T, bind func(c *CommandBuffer)) {
	t.Helper()
	for i := range 8 {
		r.put(64, i, 100)
	}
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		bind(c)
		c.PushConstants(r.pipeline, 0, push(2))
		c.Dispatch(2, 1, 1)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got, want := r.get(64, i), 100+2*float32(i); got != want {
			t.Errorf("y[%d] = %v, want %v", i, got, want)
		}
	}
}

// both is one write of x and y, which continues in the next binding.
func (r *rig) both() Write {
	return Write{Buffers: []BufferDescriptor{{r.x, 0, WholeSize}, {r.y, 0, 32}}}
}

// TestCopySets copies the descriptors of saxpy to another set, at once and one by one, and checks the rules of copies.
func TestCopySets(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	other := must(r.pool.Allocate(r.layout))(t)
	if err := other.Copy(Copy{Source: r.set, Count: 2}); err != nil {
		t.Fatal(err)
	}
	r.run(t, func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 0, []*Set{other}, nil) })
	// A copy of a descriptor holds the objects of it.
	if list, _ := (&Copy{Source: other, Count: 2}).read(); list[0].used[0] != r.x || list[1].used[0] != r.y {
		t.Error("the copy does not refer to the buffers")
	}
	for _, c := range []struct {
		rule string
		copy Copy
	}{
		{"VUID-VkCopyDescriptorSet-srcBinding-00345", Copy{Source: r.set, SourceBinding: 2, Count: 1}},
		{"VUID-VkCopyDescriptorSet-dstBinding-00347", Copy{Source: r.set, Binding: 2, Count: 1}},
		{"VUID-VkCopyDescriptorSet-srcArrayElement-00346", Copy{Source: r.set, SourceBinding: 1, Count: 2}},
		{"VUID-VkCopyDescriptorSet-dstArrayElement-00348", Copy{Source: r.set, Binding: 1, Count: 2}},
		{"VUID-VkCopyDescriptorSet-srcArrayElement-00346", Copy{Source: r.set, SourceElement: 1 << 31, Count: 1 << 31}},
		{"VUID-VkCopyDescriptorSet-srcSet-00349", Copy{Source: other, Binding: 0, Count: 1}},
	} {
		broke(t, "copy", other.Copy(c.copy), c.rule)
	}
	if err := other.Copy(Copy{Source: nil}); err == nil {
		t.Error("a copy of nil is accepted")
	}
}

// TestCopyMutableToInline copies nothing from a mutable binding to places of an inline uniform block, in and past its bytes.
func TestCopyMutableToInline(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
		{Type: link.Mutable, Count: 1, Mutable: []link.DescriptorType{storage}, Stages: link.AllStages},
		{Binding: 1, Type: link.InlineUniformBlock, Count: 16, Stages: link.AllStages},
	}}))(t)
	s := must(r.pool.Allocate(l))(t)
	for _, at := range []uint32{0, 16, 20, 1<<32 - 4} {
		broke(t, "copy", s.Copy(Copy{Source: s, Binding: 1, Element: at}), "VUID-VkCopyDescriptorSet-srcSet-04613")
	}
}

// TestNullSets binds null for a set that no shader uses, before and after one that is used. With graphicsPipelineLibrary an element of
// pDescriptorSets may be VK_NULL_HANDLE (Vulkan, vkCmdBindDescriptorSets); it has no dynamic offsets.
func TestNullSets(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	unused := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.UniformBufferDynamic, Count: 1, Stages: link.AllStages}}}))(t)
	own := *r
	own.pipeline = must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.layout, unused}, Push: r.pipeline.link.Push}))(t)
	own.run(t, func(c *CommandBuffer) { c.BindSets(Compute, own.pipeline, 0, []*Set{r.set, nil}, nil) })

	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	c.Begin(BeginInfo{})
	c.BindSets(Compute, own.pipeline, 0, []*Set{r.set, nil}, []uint32{0})
	broke(t, "a dynamic offset for a null set", c.End(), "VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359")

	r.dev.checking = All
	c = r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, own.pipeline, 0, []*Set{nil, nil}, nil)
		c.Dispatch(1, 1, 1)
	})
	broke(t, "a null set that the shader uses", r.submit(t, c), "VUID-vkCmdDispatch-None-08600")
}

// TestMutable writes descriptors of several types to a mutable binding (VK_EXT_mutable_descriptor_type).
func TestMutable(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	list := []link.DescriptorType{uniform, storage, sampledImage}
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.Mutable, Count: 2, Mutable: list, Stages: link.AllStages}, {Binding: 1, Type: storage, Count: 1, Stages: link.AllStages}}}))(t)
	pool := must(r.dev.NewPool(PoolInfo{MaxSets: 9, Sizes: []PoolSize{{Type: link.Mutable, Count: 2, Mutable: list}, {Type: storage, Count: 1}}}))(t)
	s := must(pool.Allocate(l))(t)
	w := Write{Buffers: []BufferDescriptor{{r.x, 0, WholeSize}}}
	broke(t, "a write without a type", s.Update(w), "VUID-VkWriteDescriptorSet-descriptorType-00319")
	w.Type = link.StorageBufferDynamic
	broke(t, "a write of another type", s.Update(w), "VUID-VkWriteDescriptorSet-descriptorType-00319")
	w.Type = storage
	if err := s.Update(w, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, 32}}}); err != nil {
		t.Fatal(err)
	}
	p := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}, Push: r.pipeline.link.Push}))(t)
	own := *r
	own.pipeline = p
	own.saxpy = must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, saxpy)))(t)}, Layout: p}))(t)
	own.run(t, func(c *CommandBuffer) { c.BindSets(Compute, p, 0, []*Set{s}, nil) })

	// The active type decides which copies are allowed; another write changes it.
	if err := r.set.Copy(Copy{Source: s, Count: 1}); err != nil {
		t.Errorf("a storage buffer from a mutable descriptor: %v", err)
	}
	if err := s.Copy(Copy{Source: r.set, SourceBinding: 1, Element: 1, Count: 1}); err != nil {
		t.Errorf("a storage buffer to a mutable descriptor: %v", err)
	}
	if err := s.Update(Write{Type: sampledImage, Element: 1, Images: []ImageDescriptor{{}}}); err != nil {
		t.Fatal(err)
	}
	if b := s.content[0].Buffers[1]; b.Bytes != nil {
		t.Error("a descriptor has the buffer of its former type")
	}
	if _, err := pool.Allocate(l); !errors.As(err, new(*OutOfPoolMemoryError)) {
		t.Errorf("a second set of the pool: %v", err)
	}
	for _, types := range [][]link.DescriptorType{nil, {link.Mutable}, {link.InlineUniformBlock}, {link.StorageBufferDynamic}} {
		if _, err := r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.Mutable, Count: 1, Mutable: types, Stages: link.AllStages}}}); err == nil {
			t.Errorf("a mutable binding may be %v", types)
		}
	}
}

// TestPoolSizes checks the accounting of a pool by type, and that closed sets return their descriptors.
func TestPoolSizes(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	d := r.dev
	inline := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.InlineUniformBlock, Count: 16, Stages: link.AllStages}}}))(t)
	pool := must(d.NewPool(PoolInfo{MaxSets: 3, InlineBlocks: 1, Sizes: []PoolSize{{Type: storage, Count: 3}, {Type: storage, Count: 1}, {Type: link.InlineUniformBlock, Count: 40}}}))(t)
	var sets []*Set
	for range 2 {
		sets = append(sets, must(pool.Allocate(r.layout))(t))
	}
	var out *OutOfPoolMemoryError
	if _, err := pool.Allocate(r.layout); !errors.As(err, &out) || out.Type != storage || out.Need != 1 && out.Need != 2 {
		t.Errorf("two storage buffers more: %v", err)
	}
	block := must(pool.Allocate(inline))(t)
	if _, err := pool.Allocate(inline); !errors.As(err, &out) || out.Type != "" {
		t.Errorf("a fourth set: %v", err)
	}
	sets[0].Close()
	if _, err := pool.Allocate(inline); !errors.As(err, &out) || out.Type != link.InlineUniformBlock {
		t.Errorf("a second inline uniform block: %v", err)
	}
	block.Close()
	for range 2 { // again and again
		s := must(pool.Allocate(r.layout))(t)
		s.Close()
	}
	if err := pool.Reset(); err != nil {
		t.Fatal(err)
	}
	if pool.left[0].Count+pool.left[1].Count != 4 || pool.left[2].Count != 40 || pool.blocks != 1 {
		t.Errorf("the empty pool has %v, %d blocks", pool.left, pool.blocks)
	}
}

// TestPoolFlags checks the rules on the flags of pools and layouts.
func TestPoolFlags(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	binding := []link.Binding{{Type: storage, Count: 1, Stages: link.AllStages}}
	for _, c := range []struct {
		flags enum.SetFlags
		rule  string
	}{
		{enum.SetFlagsPushDescriptor, "VUID-VkDescriptorSetAllocateInfo-pSetLayouts-00308"},
		{enum.SetFlagsDescriptorBuffer, "VUID-VkDescriptorSetAllocateInfo-pSetLayouts-08009"},
		{enum.SetFlagsUpdateAfterBindPool, "VUID-VkDescriptorSetAllocateInfo-pSetLayouts-03044"},
		{enum.SetFlagsHostOnlyPool, "VUID-VkDescriptorSetAllocateInfo-pSetLayouts-04610"},
	} {
		l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: c.flags, Bindings: binding}))(t)
		_, err := r.pool.Allocate(l)
		broke(t, c.flags.String(), err, c.rule)
	}
	// A set for the host only is a source of copies, and cannot be bound.
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsHostOnlyPool, Bindings: r.layout.link.Bindings}))(t)
	s := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1, Flags: HostOnly}))(t).Allocate(l))(t)
	if err := s.Update(r.both()); err != nil {
		t.Fatal(err)
	}
	other := must(r.pool.Allocate(r.layout))(t)
	if err := other.Copy(Copy{Source: s, Count: 2}); err != nil {
		t.Fatal(err)
	}
	r.run(t, func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 0, []*Set{other}, nil) })
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	c.Begin(BeginInfo{})
	c.BindSets(Compute, r.pipeline, 0, []*Set{s}, nil)
	broke(t, "a set for the host is bound", c.End(), "VUID-vkCmdBindDescriptorSets-pDescriptorSets-04616")
}

// TestGreatLayout: a layout of maxPerSetDescriptors descriptors is supported, with inline uniform blocks as one each
// (VkDescriptorSetLayoutSupport, VkPhysicalDeviceMaintenance3Properties).
func TestGreatLayout(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	bindings := []link.Binding{{Type: storage, Count: MaxSetDescriptors - 256, Stages: link.AllStages}}
	for n := range uint32(256) {
		bindings = append(bindings, link.Binding{Binding: 1 + n, Type: link.InlineUniformBlock, Count: MaxInlineBytes, Stages: link.AllStages})
	}
	if _, ok := r.dev.SupportsSetLayout(SetLayoutInfo{Bindings: bindings}); !ok {
		t.Errorf("%d descriptors of one set are not supported", MaxSetDescriptors)
	}
	more := append(bindings, link.Binding{Binding: 300, Type: storage, Count: 1})
	if _, ok := r.dev.SupportsSetLayout(SetLayoutInfo{Bindings: more}); ok {
		t.Errorf("%d descriptors of one set are supported", MaxSetDescriptors+1)
	}
	more[256].Type, more[256].Count = link.InlineUniformBlock, MaxInlineTotal
	if _, ok := r.dev.SupportsSetLayout(SetLayoutInfo{Bindings: more}); ok {
		t.Error("inline uniform blocks of twice the bytes are supported")
	}
}

// TestVariableCount allocates sets with counts of their own.
func TestVariableCount(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	bindings := []link.Binding{{Type: storage, Count: 1, Stages: link.AllStages}, {Binding: 1, Type: storage, Count: 100, Stages: link.AllStages, Flags: enum.BindingFlagsVariableDescriptorCount}}
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: bindings}))(t)
	if n, ok := r.dev.SupportsSetLayout(SetLayoutInfo{Bindings: bindings}); !ok || n != MaxSetDescriptors-1 {
		t.Errorf("the variable count may be %d, %v", n, ok)
	}
	pool := must(r.dev.NewPool(PoolInfo{MaxSets: 9, Sizes: []PoolSize{{Type: storage, Count: 6}}}))(t)
	s := must(pool.AllocateVariable(l, 4))(t)
	y := Write{Binding: 1, Element: 3, Buffers: []BufferDescriptor{{r.y, 0, 32}}}
	if err := s.Update(y); err != nil {
		t.Error(err)
	}
	y.Element = 4
	broke(t, "element 4 of 4", s.Update(y), "VUID-VkWriteDescriptorSet-dstArrayElement-00321")
	if _, err := pool.AllocateVariable(l, 101); !isRule(err, "VUID-VkDescriptorSetVariableDescriptorCountAllocateInfo-pSetLayouts-03046") {
		t.Error(err)
	}
	must(pool.Allocate(l))(t) // without a count it is 0
	if _, err := pool.Allocate(l); !errors.As(err, new(*OutOfPoolMemoryError)) {
		t.Errorf("a seventh descriptor: %v", err)
	}
	bindings[0].Binding = 2
	_, err := r.dev.NewSetLayout(SetLayoutInfo{Bindings: bindings})
	broke(t, "a binding after the variable one", err, "VUID-VkDescriptorSetLayoutBindingFlagsCreateInfo-pBindingFlags-03004")
}

// TestTemplate updates a set with a template whose descriptors are two elements apart.
func TestTemplate(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	s := must(r.pool.Allocate(r.layout))(t)
	u := must(r.dev.NewUpdateTemplate(UpdateTemplateInfo{SetLayout: r.layout, Entries: []TemplateEntry{{Count: 2, Type: storage, Offset: 1, Stride: 2}}}))(t)
	data := &TemplateData{Buffers: []BufferDescriptor{{}, {r.x, 0, WholeSize}, {}, {r.y, 0, 32}}}
	if err := s.UpdateWithTemplate(u, data); err != nil {
		t.Fatal(err)
	}
	r.run(t, func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 0, []*Set{s}, nil) })
	data.Buffers = data.Buffers[:3]
	broke(t, "short data", s.UpdateWithTemplate(u, data), "VUID-vkUpdateDescriptorSetWithTemplate-pData-01685")
	_, err := r.dev.NewUpdateTemplate(UpdateTemplateInfo{SetLayout: r.layout, Entries: []TemplateEntry{{Binding: 7, Count: 1, Type: storage}}})
	broke(t, "binding 7", err, "VUID-VkDescriptorUpdateTemplateEntry-dstBinding-00354")
}

// TestPushDescriptors pushes x and y one after the other, with and without a template: a push keeps the other bindings, and
// does not change an earlier dispatch.
func TestPushDescriptors(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	l := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsPushDescriptor, Bindings: r.layout.link.Bindings}))(t)
	p := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}, Push: r.pipeline.link.Push}))(t)
	own := *r
	own.pipeline = p
	own.saxpy = must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Module: must(r.dev.NewShaderModule(t.Context(), code(t, saxpy)))(t)}, Layout: p}))(t)
	x, y := BufferDescriptor{r.x, 0, WholeSize}, BufferDescriptor{r.y, 0, 32}
	own.run(t, func(c *CommandBuffer) {
		c.PushDescriptors(Compute, p, 0, Write{Buffers: []BufferDescriptor{x}})
		c.PushDescriptors(Compute, p, 0, Write{Binding: 1, Buffers: []BufferDescriptor{y}})
	})
	u := must(r.dev.NewUpdateTemplate(UpdateTemplateInfo{Point: Compute, Layout: p, Entries: []TemplateEntry{{Count: 2, Type: storage}}}))(t)
	own.run(t, func(c *CommandBuffer) {
		c.PushDescriptorsWithTemplate(u, p, 0, &TemplateData{Buffers: []BufferDescriptor{x, y}})
	})
	for i := range 8 {
		r.put(64, i, 100)
		r.put(128, i, 7)
	}
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	for range 2 { // the second recording uses the sets of the first again
		c.Begin(BeginInfo{})
		c.BindPipeline(own.saxpy)
		c.PushConstants(p, 0, push(1))
		c.PushDescriptors(Compute, p, 0, Write{Buffers: []BufferDescriptor{x, y}})
		c.Dispatch(2, 1, 1)
		c.PushDescriptors(Compute, p, 0, Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 64, 32}}})
		c.Dispatch(2, 1, 1)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if r.get(64, 3) != 106 || r.get(128, 3) != 13 {
		t.Errorf("y[3] = %v and y'[3] = %v, want 106 and 13", r.get(64, 3), r.get(128, 3))
	}
	c.Begin(BeginInfo{})
	c.PushDescriptors(Compute, r.pipeline, 0, Write{Buffers: []BufferDescriptor{x}})
	broke(t, "a set that is not for push descriptors", c.End(), "VUID-vkCmdPushDescriptorSet-set-00365")
}

// TestUpdateRules checks at the level All that an update invalidates command buffers that bound the set, unless its
// bindings are for updates after they are bound.
func TestUpdateRules(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newRig(t, DeviceInfo{}, storage)
		r.dev.checking = All
		if late {
			bindings := append([]link.Binding(nil), r.layout.link.Bindings...)
			for i := range bindings {
				bindings[i].Flags = enum.BindingFlagsUpdateAfterBind | enum.BindingFlagsPartiallyBound
			}
			r.relayout(t, SetLayoutInfo{Flags: enum.SetFlagsUpdateAfterBindPool, Bindings: bindings}, PoolInfo{Flags: UpdateAfterBind})
		}
		event, c := r.waiting(t)
		if err := r.set.Update(r.both()); err != nil { // after it was bound
			t.Fatal(err)
		}
		err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}})
		if !late {
			broke(t, "a submission after an update", err, "VUID-vkQueueSubmit-pCommandBuffers-00070")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := r.set.Update(Write{Buffers: []BufferDescriptor{{}}}, r.both()); err != nil { // while it is pending
			t.Error(err)
		}
		event.Set()
		if err := r.dev.WaitIdle(t.Context()); err != nil || r.get(64, 3) != 106 {
			t.Errorf("y[3] = %v, want 106; %v", r.get(64, 3), err)
		}
	}
}

// TestClosedLayouts closes the layouts of bound sets and of push constants before the end of the recording, and after it, which
// Vulkan permits (VUID-vkDestroyPipelineLayout-pipelineLayout-02004): the commands still have them.
func TestClosedLayouts(t *testing.T) {
	for _, during := range []bool{true, false} {
		r := newRig(t, DeviceInfo{}, storage)
		end := func() {
			r.pipeline.Close()
			r.layout.Close()
		}
		c := r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(r.saxpy)
			c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
			c.PushConstants(r.pipeline, 0, []byte{0, 0, 0, 0x40}) // 2
			if during {
				end()
			}
			c.Dispatch(2, 1, 1)
		})
		if !during {
			end()
		}
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if got := r.get(64, 7); got != 114 {
			t.Errorf("closed during the recording: %v: 2·7 + 100 is %v; must be 114", during, got)
		}
	}
}
