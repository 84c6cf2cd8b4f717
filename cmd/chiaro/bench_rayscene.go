package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/ray/rayscene"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// rayBuffer is a buffer with a device address.
type rayBuffer struct {
	*vk.Buffer
	memory *vk.Memory
}

// floats writes numbers from the first byte on.
func (b *rayBuffer) floats(list []float32) {
	for i, x := range list {
		binary.LittleEndian.PutUint32(b.memory.Bytes()[4*i:], math.Float32bits(x))
	}
}

// rayBuild is a structure and the build that makes it.
type rayBuild struct {
	info  vk.BuildInfo
	sizes vk.BuildSizes
}

// openRays makes the device. Its work ends with ctx.
func (f *benchFlags) openRays(ctx context.Context, engine exec.Engine, options lower.Options) (*benchDevice, error) {
	d := &benchDevice{engine: &watchedEngine{Engine: engine}}
	return d, d.make(ctx, f.threads, options)
}

// buffer makes a buffer.
func (b *rayBench) buffer(size uint64, usage vk.BufferUsage) (*rayBuffer, error) {
	x, m, err := host.NewBuffer(b.device, max(size, 16), usage|vk.DeviceAddress)
	return &rayBuffer{x, m}, host.Cause(err)
}

// prepare makes the buffers, builds the structures of the scene, and binds them.
func (b *rayBench) prepare() error {
	if err := b.inputs(); err != nil {
		return err
	}
	if err := b.structures(); err != nil {
		return err
	}
	for _, x := range []*rayBuild{b.builds.trace, b.builds.top} {
		if err := b.once(func(c *vk.CommandBuffer) { c.BuildAccelerationStructures([]vk.BuildInfo{x.info}) }); err != nil {
			return err
		}
	}
	width, height := int(b.count.width), int(b.count.height)
	primary := b.scene.Primary(width, height)
	b.primary = func() ([]rayscene.Ray, error) { return primary, nil }
	b.incoherent = func() ([]rayscene.Ray, error) { return b.secondary(primary) }
	if err := b.bindRays(uint64(len(primary))); err != nil {
		return err
	}
	b.push = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, b.count.width), b.count.height)
	return nil
}

// inputs makes the buffers of vertices, indices and instances.
func (b *rayBench) inputs() (err error) {
	s := b.scene
	if b.vertices, err = b.buffer(uint64(4*(len(s.Vertices)+len(s.Indices))), vk.AccelerationStructureBuildInput); err != nil {
		return err
	}
	b.vertices.floats(s.Vertices)
	for i, n := range s.Indices {
		binary.LittleEndian.PutUint32(b.vertices.memory.Bytes()[4*(len(s.Vertices)+i):], n)
	}
	b.instances, err = b.buffer(uint64(instanceBytes*len(s.Instances)), vk.AccelerationStructureBuildInput)
	return err
}

// instanceBytes is the size of VkAccelerationStructureInstanceKHR.
const instanceBytes = 64

// structures makes the structures and their builds.
func (b *rayBench) structures() (err error) {
	s := b.scene
	mesh := vk.BuildInfo{
		Level: vk.BottomLevel, Flags: vk.BuildPreferFastTrace | vk.BuildAllowUpdate,
		Geometries: []vk.Geometry{{Flags: vk.GeometryOpaque, Triangles: &vk.TriangleGeometry{
			Format: vertexFormat, Vertices: vk.BuildData{Address: b.vertices.Address()}, Stride: 12, MaxVertex: uint32(len(s.Vertices)/3 - 1),
			Indices: vk.BuildData{Address: b.vertices.Address() + uint64(4*len(s.Vertices))}, IndexSize: 4,
		}}},
		Ranges: []vk.BuildRange{{Primitives: uint32(s.Triangles())}},
	}
	if b.builds.trace, err = b.build(mesh); err != nil {
		return err
	}
	fast := mesh
	fast.Flags = vk.BuildPreferFastBuild
	if b.builds.fast, err = b.build(fast); err != nil {
		return err
	}
	refit := *b.builds.trace
	refit.info.Update, refit.info.Source = true, refit.info.Target
	b.builds.refit = &refit
	address := b.builds.trace.info.Target.Address()
	for i := range s.Instances {
		at := b.instances.memory.Bytes()[instanceBytes*i:]
		for k, x := range s.Instances[i] {
			binary.LittleEndian.PutUint32(at[4*k:], math.Float32bits(x))
		}
		binary.LittleEndian.PutUint32(at[48:], 0xff<<24|uint32(i)) // the mask, and the custom index
		binary.LittleEndian.PutUint64(at[56:], address)
	}
	b.builds.top, err = b.build(vk.BuildInfo{
		Level: vk.TopLevel, Flags: vk.BuildPreferFastTrace,
		Geometries: []vk.Geometry{{Instances: &vk.InstanceGeometry{Data: vk.BuildData{Address: b.instances.Address()}}}},
		Ranges:     []vk.BuildRange{{Primitives: uint32(len(s.Instances))}},
	})
	return err
}

// vertexFormat is VK_FORMAT_R32G32B32_SFLOAT.
const vertexFormat = 106

// build makes the target and the scratch memory of a build.
func (b *rayBench) build(info vk.BuildInfo) (*rayBuild, error) {
	sizes, err := b.device.AccelerationStructureBuildSizes(info, []uint32{info.Ranges[0].Primitives})
	if err != nil {
		return nil, host.Cause(err)
	}
	area, err := b.buffer(sizes.Structure, vk.AccelerationStructureStorageArea)
	if err != nil {
		return nil, err
	}
	scratch, err := b.buffer(max(sizes.BuildScratch, sizes.UpdateScratch)+vk.ScratchAlignment, vk.StorageBuffer)
	if err != nil {
		return nil, err
	}
	info.Scratch.Address = (scratch.Address() + vk.ScratchAlignment - 1) &^ (vk.ScratchAlignment - 1)
	info.Target, err = b.device.NewAccelerationStructure(vk.AccelerationStructureInfo{Buffer: area.Buffer, Size: sizes.Structure, Level: info.Level})
	return &rayBuild{info, sizes}, host.Cause(err)
}

// bindRays makes the buffers of n rays and hits, the set and the layout.
func (b *rayBench) bindRays(n uint64) (err error) {
	if b.rays, err = b.buffer(32*n, vk.StorageBuffer); err != nil {
		return err
	}
	if b.hits, err = b.buffer(uint64(hitBytes)*n, vk.StorageBuffer); err != nil {
		return err
	}
	info := vk.SetLayoutInfo{}
	for i, kind := range []link.DescriptorType{link.AccelerationStructure, link.StorageBuffer, link.StorageBuffer} {
		info.Bindings = append(info.Bindings, link.Binding{Binding: uint32(i), Type: kind, Count: 1, Stages: link.AllStages})
	}
	layout, err := b.device.NewSetLayout(info)
	if err != nil {
		return host.Cause(err)
	}
	pool, err := b.device.NewPool(vk.PoolInfo{MaxSets: 1})
	if err != nil {
		return err
	}
	set, err := pool.Allocate(layout)
	if err == nil {
		err = set.Update(
			vk.Write{Structures: []*vk.AccelerationStructure{b.builds.top.info.Target}},
			vk.Write{Binding: 1, Buffers: []vk.BufferDescriptor{{Buffer: b.rays.Buffer, Range: 32 * n}}},
			vk.Write{Binding: 2, Buffers: []vk.BufferDescriptor{{Buffer: b.hits.Buffer, Range: uint64(hitBytes) * n}}},
		)
	}
	if err != nil {
		return host.Cause(err)
	}
	b.sets = []*vk.Set{set}
	b.layout, err = b.device.NewPipelineLayout(vk.PipelineLayoutInfo{Sets: []*vk.SetLayout{layout}, Push: []link.Range{{Size: 8, Stages: link.AllStages}}})
	return host.Cause(err)
}

// secondary returns the rays from the points that the primary rays hit.
func (b *rayBench) secondary(primary []rayscene.Ray) ([]rayscene.Ray, error) {
	if b.primaryHits == nil {
		commands, err := b.query()
		if err != nil {
			return nil, err
		}
		b.setRays(primary)
		if err := b.once(commands); err != nil {
			return nil, err
		}
		b.primaryHits = b.hitsOf(len(primary))
	}
	list := b.scene.Incoherent(primary, b.primaryHits)
	if list == nil {
		return nil, errors.New("no ray hits the scene")
	}
	return list, nil
}

// rayStage returns one of rayShaders.
func rayStage(name string) (vk.StageInfo, error) {
	file := "rays/" + name + ".spvasm"
	text, err := rayShaders.ReadFile(file)
	if err != nil {
		return vk.StageInfo{}, err
	}
	code, err := assembled(console{}, file, text, "vulkan1.3")
	return vk.StageInfo{Code: code, Entry: "main"}, err
}

// query returns the commands that trace by ray queries.
func (b *rayBench) query() (func(c *vk.CommandBuffer), error) {
	stage, err := rayStage("query")
	if err != nil {
		return nil, err
	}
	if b.queried, err = b.device.NewComputePipeline(b.ctx, vk.ComputePipelineInfo{Stage: stage, Layout: b.layout}); err != nil {
		return nil, host.CompileCause(err)
	}
	const side = 8 // of the workgroups
	return func(c *vk.CommandBuffer) {
		c.BindPipeline(b.queried)
		b.bound(c, vk.Compute)
		c.Dispatch((b.count.width+side-1)/side, (b.count.height+side-1)/side, 1)
	}, nil
}

// pipeline returns the commands that trace by a ray tracing pipeline.
func (b *rayBench) pipeline() (func(c *vk.CommandBuffer), error) {
	info := vk.RayTracingPipelineInfo{Layout: b.layout, Depth: 1}
	for _, s := range []struct {
		model spirv.ExecutionModel
		name  string
	}{{spirv.ExecutionModelRayGenerationKHR, "generate"}, {spirv.ExecutionModelMissKHR, "miss"}, {spirv.ExecutionModelClosestHitKHR, "hit"}} {
		stage, err := rayStage(s.name)
		if err != nil {
			return nil, err
		}
		info.Stages = append(info.Stages, vk.RayStageInfo{Model: s.model, StageInfo: stage})
	}
	refs := []link.Ref{0, 1, 2}
	info.Groups = []link.Group{
		{Type: enum.GroupTypeGeneral, General: &refs[0]}, {Type: enum.GroupTypeGeneral, General: &refs[1]},
		{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: &refs[2]},
	}
	var err error
	if b.traced, err = b.device.NewRayTracingPipeline(b.ctx, info); err != nil {
		return nil, host.CompileCause(err)
	}
	if err := b.bindTables(); err != nil {
		return nil, err
	}
	return func(c *vk.CommandBuffer) {
		c.BindRayTracingPipeline(b.traced)
		b.bound(c, vk.RayTracing)
		c.TraceRays(b.tables, b.count.width, b.count.height, 1)
	}, nil
}

// bindTables makes the shader binding tables: one record each.
func (b *rayBench) bindTables() error {
	const stride = vk.GroupBaseAlignment
	records, err := b.buffer(4*stride, vk.ShaderBindingTable)
	if err != nil {
		return err
	}
	first := (records.Address() + stride - 1) &^ (stride - 1)
	handles, err := b.traced.GroupHandles(0, 3)
	if err != nil {
		return err
	}
	at := first - records.Address()
	table := func(i uint64) vk.ShaderTable {
		copy(records.memory.Bytes()[at+i*stride:], handles[i*vk.GroupHandleSize:(i+1)*vk.GroupHandleSize])
		return vk.ShaderTable{Address: first + i*stride, Stride: stride, Size: stride}
	}
	b.tables = vk.ShaderTables{RayGen: table(0), Miss: table(1), Hit: table(2)}
	return nil
}

// sizeText writes a number of bytes with a unit of the SI.
func sizeText(n uint64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return quantity(float64(n)) + "B"
}

// print writes the report in a format that exists.
func (r *rayReport) print(c console, format string) error {
	if format == "json" {
		return json.NewEncoder(c.out).Encode(r)
	}
	size := ""
	if r.Bytes > 0 {
		size = fmt.Sprintf(", %s of memory", sizeText(r.Bytes))
	}
	if r.Unit == "Gray" {
		size = fmt.Sprintf(", %.1f %% hit", 100*r.Hit)
	}
	_, err := plain.Fprintf(c.out, "%-24s wall %9s  processor %9s  %s%s a second%s\n", r.Name, duration(r.Med), duration(r.CPUMed), quantity(r.Rate*1e6), r.Unit[1:], size)
	return err
}
