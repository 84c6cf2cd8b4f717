package vk

import (
	"context"
	"os"
	"reflect"
	"runtime"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// churn makes an object of each type of the zoo; Close follows.
func churn(t testing.TB) (s *scene, kinds []func() (Object, error)) {
	s = newScene(t, 1)
	s.build(t)
	d, ctx := s.dev, context.Background()
	pass := must(d.NewRenderPass(s.twoPasses()))(t)
	words, texel := code(t, saxpy), formatOf(t, "R32_SFLOAT")
	module := must(d.NewShaderModule(ctx, words))(t)
	image := ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageSampled}
	ycbcr := YcbcrConversionInfo{Format: formatOf(t, "G8_B8_R8_3PLANE_420_UNORM")}
	compute := ComputePipelineInfo{Stage: StageInfo{Module: module}, Layout: s.rig.pipeline}
	area, maps := s.structure(t).info.Buffer, s.area(t, MicromapStorageArea)
	shader := []ShaderInfo{{Stage: StageCompute, Code: words, Layout: s.rig.pipeline}}
	captured := must(d.NewComputePipeline(ctx, ComputePipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsCaptureData}, Stage: compute.Stage, Layout: compute.Layout,
	}))(t)
	cuda := must(d.NewCudaModule([]byte(scaleAdd)))(t)
	return s, []func() (Object, error){
		func() (Object, error) { return d.NewCudaModule([]byte(scaleAdd)) },
		func() (Object, error) { return d.NewCudaFunction(cuda, "scale_add") },
		func() (Object, error) { return d.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}) },
		func() (Object, error) { return d.NewBuffer(BufferInfo{Size: 64, Usage: StorageBuffer}) },
		func() (Object, error) { return d.NewBufferView(BufferViewInfo{Buffer: s.y, Format: texel}) },
		func() (Object, error) { return d.NewImage(image) },
		func() (Object, error) { return d.NewImageView(ImageViewInfo{Image: s.color, Type: enum.ViewType2d}) },
		func() (Object, error) { return d.NewSampler(SamplerInfo{}) },
		func() (Object, error) { return d.NewYcbcrConversion(ycbcr) },
		func() (Object, error) { return d.NewSetLayout(SetLayoutInfo{}) },
		func() (Object, error) {
			a, err := d.NewAccelerationStructure(AccelerationStructureInfo{Buffer: area, Size: 4096, Level: TopLevel})
			if err != nil {
				return nil, err
			}
			top := BuildInfo{Level: TopLevel, Target: a, Geometries: []Geometry{{Instances: &InstanceGeometry{}}}, Ranges: make([]BuildRange, 1)}
			return a, d.BuildAccelerationStructures(ctx, []BuildInfo{top})
		},
		func() (Object, error) {
			m, err := d.NewMicromap(MicromapInfo{Buffer: maps, Size: 4096})
			if err != nil {
				return nil, err
			}
			return m, d.BuildMicromaps(ctx, []MicromapBuild{{Target: m}})
		},
		func() (Object, error) {
			return d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{s.rig.layout}})
		},
		func() (Object, error) { return d.NewPool(PoolInfo{MaxSets: 1}) },
		func() (Object, error) { s.set.Close(); return s.pool.Allocate(s.rig.layout) },
		func() (Object, error) { return s.template(t), nil },
		func() (Object, error) { return d.NewShaderModule(ctx, words) },
		func() (Object, error) { return d.NewComputePipeline(ctx, compute) },
		func() (Object, error) { return d.NewGraphicsPipeline(ctx, s.stages) },
		func() (Object, error) { return d.NewRayTracingPipeline(ctx, s.emptyTrace(t)) },
		func() (Object, error) { return d.NewGraphPipeline(ctx, s.emptyGraph(t)) },
		func() (Object, error) {
			list, err := d.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: captured})
			if err != nil {
				return nil, err
			}
			return list[0], nil // the only stage
		},
		func() (Object, error) {
			list, err := d.NewShaders(ctx, shader)
			if err != nil {
				return nil, err
			}
			return list[0], nil
		},
		func() (Object, error) { return d.NewCommandBuffer(CommandBufferInfo{}) },
		func() (Object, error) { return d.NewSemaphore(0) },
		func() (Object, error) { return d.NewFence(false) },
		func() (Object, error) { return d.NewEvent() },
		func() (Object, error) { return d.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 4}) },
		func() (Object, error) { return d.NewValidationCache(nil) },
		func() (Object, error) { return d.NewPipelineCache(nil) },
		func() (Object, error) { return d.NewPrivateDataSlot() },
		func() (Object, error) { return d.NewShaderInstrumentation() },
		func() (Object, error) { return d.NewIndirectCommandsLayout(drawSequence()) },
		func() (Object, error) { return d.NewStreamLayout(drawStream()) },
		func() (Object, error) { return d.NewIndirectExecutionSet(2, s.saxpy) },
		func() (Object, error) { return d.NewRenderPass(s.twoPasses()) },
		func() (Object, error) {
			return d.NewFramebuffer(FramebufferInfo{RenderPass: pass, Imageless: true, Width: 8, Height: 8, Layers: 1})
		},
	}
}

// heapObjects returns the number of objects on the heap that are reachable.
func heapObjects() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what the first one finalized
	runtime.ReadMemStats(&m)
	return m.HeapObjects
}

// TestChurn makes and closes many objects of each type: memory does not grow. CHIARO_LONG makes 100,000 of each.
func TestChurn(t *testing.T) {
	n, compiled := 400, 20
	if os.Getenv("CHIARO_LONG") != "" {
		n, compiled = 100_000, 100_000
	}
	s, kinds := churn(t)
	s.set.Close()
	compiles := map[reflect.Type]bool{reflect.TypeFor[*ComputePipeline](): true, reflect.TypeFor[*GraphicsPipeline](): true, reflect.TypeFor[*RayTracingPipeline](): true, reflect.TypeFor[*GraphPipeline](): true, reflect.TypeFor[*Shader](): true, reflect.TypeFor[*ShaderModule](): true}
	seen := map[reflect.Type]bool{reflect.TypeFor[*Device](): true} // TestChurnDevices
	run := func(create func() (Object, error), n int) (kind reflect.Type) {
		for range n {
			x, err := create()
			if err != nil {
				t.Fatal(err)
			}
			if kind = reflect.TypeOf(x); x.Close() != nil {
				t.Fatalf("%v is in use", kind)
			}
		}
		return kind
	}
	groups := [2][]func() (Object, error){}
	for _, create := range kinds {
		kind := run(create, 3)
		seen[kind] = true
		i := 0
		if compiles[kind] {
			i = 1
		}
		groups[i] = append(groups[i], create)
	}
	grown := func(n int, list ...func() (Object, error)) bool {
		used, _ := s.dev.Used()
		objects, before := s.dev.Objects(), heapObjects()
		for _, create := range list {
			run(create, n)
		}
		more := int64(heapObjects()) - int64(before)
		now, _ := s.dev.Used()
		return more > int64(n)/2 || now != used || s.dev.Objects() != objects
	}
	for i, n := range [2]int{n, compiled} {
		if !grown(n, groups[i]...) {
			continue
		}
		for _, create := range groups[i] {
			if grown(n, create) {
				t.Errorf("%v: memory grows with %d creations", run(create, 1), n)
			}
		}
		t.Errorf("memory grows with %d creations of each type", n)
	}
	for kind := range newZoo(t) {
		if _, object := kind.MethodByName("Close"); object && !seen[kind] {
			t.Errorf("no churn of %v: add its creation", kind)
		}
	}
}

// TestChurnDevices makes and closes devices with all queues: no goroutine and no memory stays.
func TestChurnDevices(t *testing.T) {
	n := 400
	if os.Getenv("CHIARO_LONG") != "" {
		n = 100_000
	}
	run := func(n int) {
		for range n {
			d := must(Chiaro().NewDevice(DeviceInfo{Queues: allQueues}))(t)
			if err := d.FamilyQueue(1, 0).Submit(SubmitInfo{}); err != nil {
				t.Fatal(err)
			}
			d.Close()
		}
	}
	run(3)
	goroutines, before := runtime.NumGoroutine(), heapObjects()
	run(n)
	if grown := int64(heapObjects()) - int64(before); grown > int64(n)/2 {
		t.Errorf("%d objects are on the heap after %d devices; must be none", grown, n)
	}
	if now := runtime.NumGoroutine(); now > goroutines+5 {
		t.Errorf("%d goroutines; must be %d", now, goroutines)
	}
}
