package vk

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
)

// zoo has one object of each type.
type zoo map[reflect.Type]reflect.Value

// newZoo makes one object of each type, on one device.
func newZoo(t testing.TB) zoo {
	t.Helper()
	s := newScene(t, 1)
	s.build(t)
	d := s.dev
	pass := must(d.NewRenderPass(s.twoPasses()))(t)
	cuda := must(d.NewCudaModule([]byte(scaleAdd)))(t)

	z := zoo{}
	for _, x := range []any{
		d, d.Queue(), d.Physical(), s.memory, s.x, s.color, s.view, s.layout, s.pool, s.set, s.rig.layout, s.saxpy, s.pipeline,
		must(d.NewBufferView(BufferViewInfo{Buffer: s.y, Format: formatOf(t, "R32_SFLOAT")}))(t),
		must(d.NewSampler(SamplerInfo{}))(t), must(d.NewYcbcrConversion(YcbcrConversionInfo{Format: formatOf(t, "G8_B8_R8_3PLANE_420_UNORM")}))(t), s.stages.Vertex.Module, s.objects(t, 0)[0],
		must(d.NewCommandBuffer(CommandBufferInfo{}))(t), must(d.NewSemaphore(0))(t), must(d.NewFence(false))(t),
		pass, must(d.NewFramebuffer(FramebufferInfo{RenderPass: pass, Imageless: true, Width: 8, Height: 8, Layers: 1}))(t),
		must(d.NewEvent())(t), must(d.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 4}))(t), must(d.NewValidationCache(nil))(t),
		s.template(t),
		must(d.NewPrivateDataSlot())(t), must(d.NewPipelineCache(nil))(t), s.captured(t), s.structure(t), s.micromap(t), must(d.NewShaderInstrumentation())(t),
		must(d.NewRayTracingPipeline(context.Background(), s.emptyTrace(t)))(t), must(d.NewGraphPipeline(context.Background(), s.emptyGraph(t)))(t),
		must(d.NewIndirectExecutionSet(2, s.pipeline))(t), must(d.NewIndirectCommandsLayout(drawSequence()))(t), must(d.NewStreamLayout(drawStream()))(t),
		cuda, must(d.NewCudaFunction(cuda, "scale_add"))(t),
	} {
		z[reflect.TypeOf(x)] = reflect.ValueOf(x)
	}

	return z
}

// area returns a buffer with a device address and a further usage.
func (s *scene) area(t testing.TB, usage BufferUsage) *Buffer {
	t.Helper()
	m := must(s.dev.Allocate(MemoryInfo{Size: 1 << 16, DeviceAddress: true}))(t)
	b := must(s.dev.NewBuffer(BufferInfo{Size: 1 << 16, Usage: DeviceAddress | usage}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// structure returns an acceleration structure with a device address.
func (s *scene) structure(t testing.TB) *AccelerationStructure {
	t.Helper()
	return must(s.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: s.area(t, AccelerationStructureStorageArea), Size: 1 << 16, Level: AnyLevel}))(t)
}

// micromap returns a micromap.
func (s *scene) micromap(t testing.TB) *Micromap {
	t.Helper()
	return must(s.dev.NewMicromap(MicromapInfo{Buffer: s.area(t, MicromapStorageArea), Size: 1 << 16}))(t)
}

// captured returns a binary of the compute pipeline of a scene.
func (s *scene) captured(t testing.TB) *PipelineBinary {
	t.Helper()
	module := must(s.dev.NewShaderModule(context.Background(), code(t, saxpy)))(t)
	p := must(s.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsCaptureData}, Stage: StageInfo{Module: module}, Layout: s.rig.pipeline,
	}))(t)
	return must(s.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p}))(t)[0]
}

// arguments makes argument values of any type: numbers are all number, lists have n elements, and the pointers to objects
// are the ones that object returns.
type arguments struct {
	number int64
	n      int
	object func(reflect.Type) reflect.Value
}

// ended is a context that is done: no call waits.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// fill sets v, at a depth of nested types.
func (a *arguments) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(a.number != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(a.number)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(a.number))
	case reflect.Float32, reflect.Float64:
		if v.SetFloat(float64(a.number)); a.number < 0 {
			v.SetFloat(math.NaN())
		}
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice && a.n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), a.n, a.n))
		}
		for i := range v.Len() {
			a.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String && a.n > 0 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			a.fill(key, depth+1)
			a.fill(value, depth+1)
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		own := v.Type().Elem().PkgPath() == reflect.TypeFor[Device]().PkgPath() // not an *os.File
		if _, object := v.Type().MethodByName("Close"); object && own || v.Type().Elem().Name() == "Queue" {
			v.Set(a.object(v.Type()))
		} else if a.n > 0 && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			a.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				a.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Interface:
		if v.Type() == reflect.TypeFor[context.Context]() && a.n > 0 {
			v.Set(reflect.ValueOf(ended))
		}
	}
}

// call calls a method and reports a panic.
func (a *arguments) call(t *testing.T, what string, receiver reflect.Value, m reflect.Method) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s receiver, arguments of %d, %d elements: %v.%s: %v", what, a.number, a.n, receiver.Type(), m.Name, p)
		}
	}()
	in := []reflect.Value{receiver}
	for i := 1; i < m.Type.NumIn(); i++ {
		v := reflect.New(m.Type.In(i)).Elem()
		a.fill(v, 0)
		in = append(in, v)
	}
	done := make(chan struct{})
	defer close(done)
	timer := time.AfterFunc(20*time.Second, func() {
		select {
		case <-done:
		default:
			panic(fmt.Sprintf("%v.%s does not end", receiver.Type(), m.Name))
		}
	})
	defer timer.Stop()
	if m.Type.IsVariadic() {
		m.Func.CallSlice(in)
	} else {
		m.Func.Call(in)
	}
}

// TestHostile calls every exported method of every object with receivers that are nil, zero, closed and alive, and with
// arguments that are nil, zero, closed, alive, of another device, small, negative and huge: no panic, no hang.
func TestHostile(t *testing.T) {
	dead := newZoo(t)
	for _, x := range dead {
		if x.Type() != reflect.TypeFor[*Device]() && x.MethodByName("Close").IsValid() {
			x.MethodByName("Close").Call(nil)
		}
	}
	live, foreign := newZoo(t), newZoo(t)
	objects := map[string]func(reflect.Type) reflect.Value{
		"nil":    reflect.Zero,
		"zero":   func(x reflect.Type) reflect.Value { return reflect.New(x.Elem()) },
		"closed": func(x reflect.Type) reflect.Value { return dead[x] },
		"living": func(x reflect.Type) reflect.Value { return live[x] },
	}
	given := maps.Clone(objects)
	given["foreign"] = func(x reflect.Type) reflect.Value { return foreign[x] } // as a receiver it is as the living one
	for receivers, receiver := range objects {
		for _, object := range given {
			for _, a := range []arguments{{0, 0, object}, {0, 1, object}, {1, 1, object}, {-1, 2, object}, {math.MaxInt64, 1, object}, {1 << 20, 3, object}} {
				for kind := range live {
					for i := range kind.NumMethod() {
						m := kind.Method(i)
						if m.Name == "Close" && receivers == "living" {
							continue // it is the last
						}
						if c, ok := receiver(kind).Interface().(*CommandBuffer); ok && receivers == "living" {
							c.Reset()
							c.Begin(BeginInfo{})
						}
						a.call(t, receivers, receiver(kind), m)
					}
				}
			}
		}
	}
	for name, z := range map[string]zoo{"device": live, "foreign device": foreign} {
		if err := z[reflect.TypeFor[*Device]()].Interface().(*Device).Err(); err != nil {
			t.Errorf("the %s is lost: %v", name, err)
		}
	}
	nothing := arguments{0, 0, objects["nil"]}
	for kind, x := range live {
		if m, ok := kind.MethodByName("Close"); ok && kind != reflect.TypeFor[*Device]() {
			nothing.call(t, "living", x, m)
		}
	}
}

// TestHostileCommands records each command with hostile arguments and living objects, of its device and of another one, in a
// rendering with all bound, and runs it: an error or a lost device, no panic. CHIARO_LONG adds numbers.
func TestHostileCommands(t *testing.T) {
	s := (*scene)(nil)
	other := newScene(t, 1)
	other.build(t)
	foreign := other.zoo(t)
	kind := reflect.TypeFor[*CommandBuffer]()
	numbers, most := []int64{0, 4, -1, math.MaxInt32}, 2
	if os.Getenv("CHIARO_LONG") != "" {
		numbers, most = []int64{0, 1, 2, 4, 16, 255, 1 << 16, -1, math.MaxInt32, math.MaxInt64}, 3
	}
	for i := range kind.NumMethod() {
		m := kind.Method(i)
		switch m.Name {
		case "Begin", "End", "Reset", "Close", "SetName", "String", "WaitEvent", "WaitEvents":
			continue
		}
		for j := range 2 * most {
			n, strange := j/2, j%2 != 0
			if strange && !(&arguments{n: n}).objects(m) {
				continue
			}
			for _, number := range numbers {
				if s == nil || s.dev.Err() != nil {
					// 2³¹ vertices are valid, and a draw of them takes hours.
					s = newSceneOn(t, 1, DeviceInfo{Timeout: 20 * time.Millisecond})
					s.build(t)
				}
				z := foreign
				if !strange {
					z = s.zoo(t)
				}
				a := &arguments{number, n, func(x reflect.Type) reflect.Value { return z[x] }}
				c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
				if err := c.Begin(BeginInfo{}); err != nil {
					t.Fatal(err)
				}
				rendering := m.Name != "BeginRendering"
				if rendering {
					c.BeginRendering(s.rendering())
				}
				c.BindGraphicsPipeline(s.pipeline)
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
				c.BindIndexBuffer(s.vertices, 0, 2)
				s.paint(c, 1, .5, 0, 1)
				a.call(t, "recording", reflect.ValueOf(c), m)
				c.Draw(3, 1, 0, 0)
				c.DrawIndexed(3, 1, 0, 0, 0)
				if m.Name != "EndRendering" {
					c.EndRendering()
				}
				switch err := c.End(); {
				case err == nil && strange && hasObject(m):
					t.Errorf("%s records an object of another device", m.Name)
				case err == nil:
					s.submit(t, c)
				}
			}
		}
	}
	if err := other.dev.Err(); err != nil {
		t.Errorf("the foreign device is lost: %v", err)
	}
}

// hasObject reports whether an argument of a method is an object itself, not a part of a structure or of a list.
func hasObject(m reflect.Method) bool {
	for i := 1; i < m.Type.NumIn(); i++ {
		if _, ok := m.Type.In(i).MethodByName("Close"); ok && m.Type.In(i).Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// objects reports whether the arguments of a method have an object.
func (a *arguments) objects(m reflect.Method) (has bool) {
	a.object = func(x reflect.Type) reflect.Value { has = true; return reflect.Zero(x) }
	for i := 1; i < m.Type.NumIn(); i++ {
		a.fill(reflect.New(m.Type.In(i)).Elem(), 0)
	}
	return has
}

// template returns a template for the set of saxpy.
func (r *rig) template(t testing.TB) *UpdateTemplate {
	return must(r.dev.NewUpdateTemplate(UpdateTemplateInfo{SetLayout: r.layout, Entries: []TemplateEntry{{Count: 2, Type: storage}}}))(t)
}

// zoo returns living objects that commands use.
func (s *scene) zoo(t testing.TB) zoo {
	z := zoo{}
	secondary := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
	secondary.Begin(BeginInfo{})
	secondary.Draw(1, 1, 0, 0)
	secondary.End()
	pass := must(s.dev.NewRenderPass(s.twoPasses()))(t)
	cuda := must(s.dev.NewCudaModule([]byte(scaleAdd)))(t)
	for _, x := range []any{cuda, must(s.dev.NewCudaFunction(cuda, "scale_add"))(t), s.structure(t), s.micromap(t), s.memory, s.vertices, s.color, s.view, s.layout, s.set, s.rig.layout, s.saxpy, s.pipeline, s.objects(t, 0)[0], secondary,
		pass, must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Imageless: true, Width: 8, Height: 8, Layers: 1}))(t),
		must(s.dev.NewEvent())(t), must(s.dev.NewShaderInstrumentation())(t), must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 4}))(t), must(s.dev.NewSampler(SamplerInfo{}))(t), s.template(t), must(s.dev.NewRayTracingPipeline(context.Background(), s.emptyTrace(t)))(t),
		must(s.dev.NewBufferView(BufferViewInfo{Buffer: s.y, Format: formatOf(t, "R32_SFLOAT")}))(t),
		must(s.dev.NewGraphPipeline(context.Background(), s.emptyGraph(t)))(t),
		must(s.dev.NewIndirectExecutionSet(2, s.pipeline))(t), must(s.dev.NewIndirectCommandsLayout(drawSequence()))(t), must(s.dev.NewStreamLayout(drawStream()))(t)} {
		z[reflect.TypeOf(x)] = reflect.ValueOf(x)
	}
	return z
}
