package vk_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"log"
	"math"
	"os"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/vk"
)

// must returns the result of a creation, and ends the program after an error.
func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

// check ends the program after an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// shader returns the SPIR-V module of an assembly file.
func shader(file string) []byte {
	version, _ := asm.Target("vulkan1.3")
	return asm.Bytes(must(asm.Assemble(must(os.ReadFile(file)), asm.AssembleOptions{Version: version})))
}

// floats returns the bytes of numbers.
func floats(list ...float32) []byte {
	var out []byte
	for _, x := range list {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// newBuffer makes a buffer with content in memory of its own, which the host sees.
func newBuffer(d *vk.Device, usage vk.BufferUsage, content []byte) (*vk.Buffer, []byte) {
	b := must(d.NewBuffer(vk.BufferInfo{Size: uint64(len(content)), Usage: usage}))
	m := must(d.Allocate(vk.MemoryInfo{Size: b.Requirements().Size, DeviceAddress: usage&vk.DeviceAddress != 0}))
	check(b.Bind(m, 0))
	copy(m.Bytes(), content)
	return b, m.Bytes()[:len(content)]
}

// newImage makes a 2D image in memory of its own, and a view of it.
func newImage(d *vk.Device, info vk.ImageInfo) (*vk.Image, *vk.ImageView) {
	info.Type = enum.ImageType2d
	m := must(d.NewImage(info))
	size, _ := m.Requirements()
	check(m.Bind(must(d.Allocate(vk.MemoryInfo{Size: size})), 0))
	return m, must(d.NewImageView(vk.ImageViewInfo{Image: m, Type: enum.ViewType2d}))
}

// run records commands, submits them and waits until they are finished.
func run(d *vk.Device, commands func(c *vk.CommandBuffer)) {
	c := must(d.NewCommandBuffer(vk.CommandBufferInfo{}))
	defer c.Close()
	check(c.Begin(vk.BeginInfo{OneTime: true}))
	commands(c)
	check(c.End())
	check(d.Queue().Submit(vk.SubmitInfo{Commands: []*vk.CommandBuffer{c}}))
	check(d.WaitIdle(context.Background()))
}

// saxpy returns a pipeline that multiplies the numbers of binding 0 by the push constant, and adds them to those of binding 1. Its set is
// for push descriptors.
func saxpy(d *vk.Device) (*vk.ComputePipeline, *vk.PipelineLayout) {
	set := must(d.NewSetLayout(vk.SetLayoutInfo{Flags: enum.SetFlagsPushDescriptor, Bindings: []link.Binding{
		{Binding: 0, Type: link.StorageBuffer, Count: 1, Stages: link.StageCompute},
		{Binding: 1, Type: link.StorageBuffer, Count: 1, Stages: link.StageCompute},
	}}))
	layout := must(d.NewPipelineLayout(vk.PipelineLayoutInfo{Sets: []*vk.SetLayout{set}, Push: []link.Range{{Size: 4, Stages: link.StageCompute}}}))
	info := vk.ComputePipelineInfo{Stage: vk.StageInfo{Code: shader("../docs/tour/saxpy.spvasm")}, Layout: layout}
	return must(d.NewComputePipeline(context.Background(), info)), layout
}

// A compute shader runs on two buffers: y = 2·x + y.
func Example() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Checking: vk.All}))
	defer d.Close()

	set := must(d.NewSetLayout(vk.SetLayoutInfo{Bindings: []link.Binding{
		{Binding: 0, Type: link.StorageBuffer, Count: 1, Stages: link.StageCompute},
		{Binding: 1, Type: link.StorageBuffer, Count: 1, Stages: link.StageCompute},
	}}))
	layout := must(d.NewPipelineLayout(vk.PipelineLayoutInfo{Sets: []*vk.SetLayout{set}, Push: []link.Range{{Size: 4, Stages: link.StageCompute}}}))
	pipeline := must(d.NewComputePipeline(context.Background(), vk.ComputePipelineInfo{
		Stage:  vk.StageInfo{Code: shader("../docs/tour/saxpy.spvasm")},
		Layout: layout,
	}))

	memory := must(d.Allocate(vk.MemoryInfo{Size: 2 * vk.BufferAlignment}))
	bytes := memory.Bytes() // the memory itself
	copy(bytes, floats(1, 2, 3, 4))
	copy(bytes[vk.BufferAlignment:], floats(10, 20, 30, 40))
	var writes []vk.Write
	for i := range uint32(2) {
		b := must(d.NewBuffer(vk.BufferInfo{Size: 16, Usage: vk.StorageBuffer}))
		check(b.Bind(memory, uint64(i)*vk.BufferAlignment))
		writes = append(writes, vk.Write{Binding: i, Buffers: []vk.BufferDescriptor{{Buffer: b, Range: vk.WholeSize}}})
	}
	pool := must(d.NewPool(vk.PoolInfo{MaxSets: 1}))
	bound := must(pool.Allocate(set))
	check(bound.Update(writes...))

	c := must(d.NewCommandBuffer(vk.CommandBufferInfo{}))
	check(c.Begin(vk.BeginInfo{}))
	c.BindPipeline(pipeline)
	c.BindSets(vk.Compute, layout, 0, []*vk.Set{bound}, nil)
	c.PushConstants(layout, 0, floats(2))
	c.Dispatch(1, 1, 1)
	check(c.End())

	fence := must(d.NewFence(false))
	check(d.Queue().Submit(vk.SubmitInfo{Commands: []*vk.CommandBuffer{c}, Fence: fence}))
	check(fence.Wait(context.Background()))
	for i := range 4 {
		fmt.Print(math.Float32frombits(binary.LittleEndian.Uint32(bytes[vk.BufferAlignment+4*i:])), " ")
	}
	// Output: 12 24 36 48
}

// Two triangles are drawn with a depth test and four samples for each pixel. The samples are resolved to an image, and a query counts
// those that pass the depth test.
func ExampleCommandBuffer_BeginRendering() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Checking: vk.All}))
	defer d.Close()
	const rgba, deep, size = link.FormatR8G8B8A8Unorm, link.FormatD32Sfloat, 8

	layout := must(d.NewPipelineLayout(vk.PipelineLayoutInfo{Push: []link.Range{{Size: 16, Stages: link.StageFragment}}}))
	pipeline := must(d.NewGraphicsPipeline(context.Background(), vk.GraphicsPipelineInfo{
		Vertex:   &vk.StageInfo{Code: shader("testdata/position.vert.spvasm")},
		Fragment: &vk.StageInfo{Code: shader("testdata/push.frag.spvasm")},
		Layout:   layout,
		State: vk.FixedState{
			Vertex: &link.VertexInput{
				Bindings:   []link.VertexBinding{{Stride: 12}},
				Attributes: []link.Attribute{{Format: link.FormatR32G32B32Sfloat}},
			},
			Assembly:      &link.InputAssembly{Topology: enum.TopologyTriangleList},
			Rasterization: &link.Rasterization{LineWidth: 1},
			Multisample:   &link.Multisample{Samples: 4},
			DepthStencil:  &link.DepthStencil{DepthTest: true, DepthWrite: true, Compare: enum.CompareOpLess},
			Blend:         &link.ColorBlend{Attachments: []link.Blend{{}}},
			Rendering:     link.Rendering{Color: []link.Format{rgba}, Depth: deep},
			Viewports:     []vk.Viewport{{Width: size, Height: size, MaxDepth: 1}},
			Scissors:      []vk.Rect{{Width: size, Height: size}},
		},
	}))

	extent := [3]int{size, size}
	_, samples := newImage(d, vk.ImageInfo{Format: rgba, Extent: extent, Samples: 4, Usage: vk.ImageColorAttachment})
	_, depths := newImage(d, vk.ImageInfo{Format: deep, Extent: extent, Samples: 4, Usage: vk.ImageDepthStencilAttachment})
	target, view := newImage(d, vk.ImageInfo{Format: rgba, Extent: extent, Usage: vk.ImageColorAttachment | vk.ImageTransferSource})
	vertices, _ := newBuffer(d, vk.VertexBufferUsage, floats(
		-1, -1, .5, 1, -1, .5, -1, 1, .5, // the upper left half
		-1, -1, .7, 1, -1, .7, 1, 1, .7)) // the upper right half, farther
	out, pixels := newBuffer(d, vk.TransferTarget, make([]byte, 4*size*size))
	passed := must(d.NewQueryPool(vk.QueryPoolInfo{Type: vk.Occlusion, Count: 1}))

	run(d, func(c *vk.CommandBuffer) {
		c.ResetQueries(passed, 0, 1)
		c.BeginRendering(vk.RenderingInfo{
			Colors: []vk.AttachmentInfo{{View: samples, Load: vk.ClearOnLoad, Resolve: view, ResolveMode: vk.ResolveAverage}},
			Depth:  &vk.AttachmentInfo{View: depths, Load: vk.ClearOnLoad, Clear: [4]uint32{math.Float32bits(1)}},
		})
		c.BindGraphicsPipeline(pipeline)
		c.BindVertexBuffers(0, []vk.VertexBuffer{{Buffer: vertices}})
		c.PushConstants(layout, 0, floats(1, 1, 1, 1))
		c.Draw(3, 1, 0, 0)
		c.BeginQuery(passed, 0, vk.QueryPrecise)
		c.PushConstants(layout, 0, floats(.5, .5, .5, 1))
		c.Draw(3, 1, 3, 0)
		c.EndQuery(passed, 0)
		c.EndRendering()
		c.CopyImageToBuffer(target, out, []vk.BufferImageCopy{{Extent: [3]int{size, size, 1}}})
	})

	for y := range size {
		for x := range size {
			fmt.Printf("%c", " .:-=+*#%@"[pixels[4*(y*size+x)]/26])
		}
		fmt.Println("|")
	}
	n, _ := passed.Result(0)
	fmt.Println(n, "of", 4*size*size, "samples")
	// Output:
	// @@@@@@@#|
	// @@@@@@#=|
	// @@@@@#==|
	// @@@@#===|
	// @@@=:===|
	// @@=  :==|
	// @=    :=|
	// =      :|
	// 64 of 256 samples
}

// The levels of a texture are made by blits, and a triangle shows the texture on fewer pixels than it has.
func ExampleCommandBuffer_BlitImage() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Checking: vk.All}))
	defer d.Close()
	const rgba, size, levels = link.FormatR8G8B8A8Unorm, 8, 4

	picture := image.NewRGBA(image.Rect(0, 0, size, size)) // a chessboard
	for i := range size * size {
		picture.SetRGBA(i%size, i/size, color.RGBA{uint8((i + i/size) % 2 * 255), 0, 0, 255})
	}
	upload, _ := newBuffer(d, vk.TransferSource, picture.Pix)
	texture, view := newImage(d, vk.ImageInfo{Format: rgba, Extent: [3]int{size, size}, Levels: levels, Usage: vk.ImageTransferTarget | vk.ImageTransferSource | vk.ImageSampled})
	target, attachment := newImage(d, vk.ImageInfo{Format: rgba, Extent: [3]int{2, 2}, Usage: vk.ImageColorAttachment | vk.ImageTransferSource})
	out, pixels := newBuffer(d, vk.TransferTarget, make([]byte, 4*2*2))

	set := must(d.NewSetLayout(vk.SetLayoutInfo{Flags: enum.SetFlagsPushDescriptor, Bindings: []link.Binding{
		{Type: link.CombinedImageSampler, Count: 1, Stages: link.StageFragment},
	}}))
	layout := must(d.NewPipelineLayout(vk.PipelineLayoutInfo{Sets: []*vk.SetLayout{set}}))
	pipeline := must(d.NewGraphicsPipeline(context.Background(), vk.GraphicsPipelineInfo{
		Vertex:   &vk.StageInfo{Code: shader("testdata/corner.vert.spvasm")},
		Fragment: &vk.StageInfo{Code: shader("testdata/texture.frag.spvasm")},
		Layout:   layout,
		State: vk.FixedState{
			Vertex:        &link.VertexInput{},
			Assembly:      &link.InputAssembly{Topology: enum.TopologyTriangleList},
			Rasterization: &link.Rasterization{LineWidth: 1},
			Multisample:   &link.Multisample{},
			Blend:         &link.ColorBlend{Attachments: []link.Blend{{}}},
			Rendering:     link.Rendering{Color: []link.Format{rgba}},
			Viewports:     []vk.Viewport{{Width: 2, Height: 2, MaxDepth: 1}},
			Scissors:      []vk.Rect{{Width: 2, Height: 2}},
		},
	}))
	sampler := must(d.NewSampler(vk.SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: vk.LodClampNone}))

	run(d, func(c *vk.CommandBuffer) {
		c.CopyBufferToImage(upload, texture, []vk.BufferImageCopy{{Extent: [3]int{size, size, 1}}})
		for l := 1; l < levels; l++ {
			from, to := size>>(l-1), size>>l
			c.BlitImage(texture, texture, []vk.ImageBlit{{
				Source: vk.Layers{Level: l - 1}, SourceBox: [2][3]int{{}, {from, from, 1}},
				Target: vk.Layers{Level: l}, TargetBox: [2][3]int{{}, {to, to, 1}},
			}}, enum.FilterLinear)
		}
		c.Barrier()
		c.BeginRendering(vk.RenderingInfo{Colors: []vk.AttachmentInfo{{View: attachment, Load: vk.DontCare}}})
		c.BindGraphicsPipeline(pipeline)
		c.PushDescriptors(vk.Graphics, layout, 0, vk.Write{Images: []vk.ImageDescriptor{{View: view, Sampler: sampler}}})
		c.Draw(3, 1, 0, 0)
		c.EndRendering()
		c.CopyImageToBuffer(target, out, []vk.BufferImageCopy{{Extent: [3]int{2, 2, 1}}})
	})
	fmt.Println(pixels[:4], pixels[12:])
	// Output: [128 0 0 255] [128 0 0 255]
}

// Descriptors are pushed by commands, without a set.
func ExampleCommandBuffer_PushDescriptors() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Checking: vk.All}))
	defer d.Close()
	pipeline, layout := saxpy(d)
	x, _ := newBuffer(d, vk.StorageBuffer, floats(1, 2, 3, 4))
	y, result := newBuffer(d, vk.StorageBuffer, floats(0, 0, 0, 1))
	run(d, func(c *vk.CommandBuffer) {
		c.BindPipeline(pipeline)
		c.PushDescriptors(vk.Compute, layout, 0,
			vk.Write{Binding: 0, Buffers: []vk.BufferDescriptor{{Buffer: x, Range: vk.WholeSize}}},
			vk.Write{Binding: 1, Buffers: []vk.BufferDescriptor{{Buffer: y, Range: vk.WholeSize}}})
		c.PushConstants(layout, 0, floats(3))
		c.Dispatch(1, 1, 1)
	})
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(result[12:])))
	// Output: 13
}

// A timeline semaphore orders the work of two queues and of the host. A submission may wait for a value before a call signals it.
func ExampleSemaphore() {
	ctx := context.Background()
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Queues: []vk.QueueInfo{{Family: 0, Count: 1}, {Family: 1, Count: 1}}}))
	defer d.Close()
	s := must(d.NewSemaphore(0))
	at := func(value uint64) []vk.SemaphoreValue { return []vk.SemaphoreValue{{Semaphore: s, Value: value}} }
	check(d.FamilyQueue(1, 0).Submit(vk.SubmitInfo{Wait: at(2), Signal: at(3)}))
	check(d.FamilyQueue(0, 0).Submit(vk.SubmitInfo{Wait: at(1), Signal: at(2)}))
	fmt.Println(s.Value())
	check(s.Signal(1))
	check(s.Wait(ctx, 3))
	fmt.Println(s.Value())
	// Output:
	// 0
	// 3
}

// Findings on commands have the rule of Vulkan that is broken. The first one is also the cause of the loss of the device.
func ExampleDeviceInfo() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{
		Checking: vk.All,
		Messages: func(m vk.Message) { fmt.Printf("%s: %v\n", m.Command, m.Finding) },
	}))
	defer d.Close()
	pipeline, _ := saxpy(d)
	c := must(d.NewCommandBuffer(vk.CommandBufferInfo{}))
	check(c.Begin(vk.BeginInfo{}))
	c.BindPipeline(pipeline)
	c.Dispatch(1, 1, 1) // no descriptors are pushed
	check(c.End())
	check(d.Queue().Submit(vk.SubmitInfo{Commands: []*vk.CommandBuffer{c}}))
	var lost *vk.LostError
	if errors.As(d.WaitIdle(context.Background()), &lost) {
		fmt.Println("command", lost.Index, "failed")
	}
	// Output:
	// dispatch: the compute stage uses set 0, and no compatible set is bound; must be bound [VUID-vkCmdDispatch-None-08600]
	// dispatch: the compute stage uses set 0, and no compatible set is bound; must be bound [VUID-vkCmdDispatch-None-08600]
	// command 1 failed
}

// The descriptors of a pipeline are in a descriptor heap: memory that the program writes.
func ExampleCommandBuffer_BindResourceHeap() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Checking: vk.All}))
	defer d.Close()
	x, _ := newBuffer(d, vk.StorageBuffer|vk.DeviceAddress, floats(1, 2, 3, 4))
	y, result := newBuffer(d, vk.StorageBuffer|vk.DeviceAddress, floats(0, 0, 0, 1))
	heap, descriptors := newBuffer(d, vk.DeviceAddress, make([]byte, 2*vk.BufferDescriptorSize))
	for i, b := range []*vk.Buffer{x, y} {
		check(d.WriteDescriptor(descriptors[i*vk.BufferDescriptorSize:], vk.DescriptorInfo{Type: link.StorageBuffer, Address: b.Address(), Range: b.Size()}))
	}
	var mappings []vk.Mapping // of the bindings of the shader to the heap
	for i := range uint32(2) {
		mappings = append(mappings, vk.Mapping{Mapping: link.Mapping{
			Set: 0, First: i, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: uint64(i) * vk.BufferDescriptorSize,
		}})
	}
	pipeline := must(d.NewComputePipeline(context.Background(), vk.ComputePipelineInfo{
		Creation: vk.Creation{Flags: enum.PipelineFlagsDescriptorHeap},
		Stage:    vk.StageInfo{Code: shader("../docs/tour/saxpy.spvasm"), Mappings: mappings},
	}))
	run(d, func(c *vk.CommandBuffer) {
		c.BindPipeline(pipeline)
		c.BindResourceHeap(vk.HeapRange{Address: heap.Address(), Size: heap.Size()})
		c.PushData(0, floats(3))
		c.Dispatch(1, 1, 1)
	})
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(result[12:])))
	// Output: 13
}

// A sparse image has memory for one of its blocks. Clears of the others have no effect.
func ExampleQueue_BindSparse() {
	d := must(vk.Chiaro().NewDevice(vk.DeviceInfo{Checking: vk.All}))
	defer d.Close()
	m := must(d.NewImage(vk.ImageInfo{
		Type: enum.ImageType2d, Format: link.FormatR8Unorm, Extent: [3]int{1024, 1024},
		Flags: vk.ImageSparseBinding | vk.ImageSparseResidency, Usage: vk.ImageTransferTarget | vk.ImageTransferSource,
	}))
	block := m.SparseRequirements()[0].Granularity
	memory := must(d.Allocate(vk.MemoryInfo{Size: vk.SparseBlock, Type: vk.SparseMemory}))
	check(d.Queue().BindSparse(vk.BindSparseInfo{Images: []vk.SparseImageBinds{{
		Image: m, Binds: []vk.SparseImageBind{{Offset: [3]int{block[0], 0, 0}, Extent: block, Memory: memory}},
	}}}))
	out, texels := newBuffer(d, vk.TransferTarget, make([]byte, 1024))
	run(d, func(c *vk.CommandBuffer) {
		c.ClearColorImage(m, [4]uint32{math.Float32bits(1)}, []vk.ImageRange{{}})
		c.CopyImageToBuffer(m, out, []vk.BufferImageCopy{{Extent: [3]int{1024, 1, 1}}})
	})
	fmt.Println(block, texels[block[0]-1], texels[block[0]], texels[2*block[0]-1], texels[2*block[0]])
	// Output: [256 256 1] 0 255 255 0
}
