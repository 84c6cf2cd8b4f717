package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestMetrics is row P01: each metric has a name and a description of at most 255 bytes, and one value in a block.
func TestMetrics(t *testing.T) {
	list := Chiaro().ShaderInstrumentationMetrics()
	if len(list) != len(MetricBlock{}.Values) {
		t.Errorf("%d metrics", len(list))
	}
	for _, m := range list {
		if m.Name == "" || m.Description == "" || len(m.Name) > 255 || len(m.Description) > 255 {
			t.Errorf("metric %+v", m)
		}
	}
}

// TestInstrumentedDispatch counts by rows P03, P04 and P05: each recorded command has the next result index of the object, only
// instrumented pipelines count, submissions add up, Clear sets zeros. saxpy has one basic block.
func TestInstrumentedDispatch(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	p := must(r.dev.NewComputePipeline(context.Background(), r.computeInfo(t, Creation{Flags: InstrumentShaders})))(t)
	s := must(r.dev.NewShaderInstrumentation())(t)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(3))
		c.BindPipeline(p)
		c.Dispatch(2, 1, 1) // nothing is active
		c.BeginShaderInstrumentation(s)
		c.Dispatch(2, 1, 1) // 0
		c.BindPipeline(r.saxpy)
		c.Dispatch(2, 1, 1) // 1, not instrumented
		c.BindPipeline(p)
		c.Dispatch(1, 1, 1) // 2
		c.EndShaderInstrumentation()
		c.Dispatch(1, 1, 1)
		c.BeginShaderInstrumentation(s)
		c.Dispatch(0, 1, 1) // 3
		c.EndShaderInstrumentation()
	})
	if b := must(s.Blocks())(t); b != nil {
		t.Errorf("blocks %v before the first submission", b)
	}
	counts := func(n uint64) (out []MetricBlock) {
		for _, x := range []struct {
			index uint32
			n     uint64
		}{{0, 8}, {2, 4}, {3, 0}} {
			out = append(out, MetricBlock{ResultIndex: x.index, Stages: 0x20, Values: [2]uint64{n * x.n, n * x.n * saxpyInstructions}})
		}
		return out
	}
	for n := range 2 {
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if got, want := must(s.Blocks())(t), counts(uint64(n+1)); !reflect.DeepEqual(got, want) {
			t.Errorf("after %d submissions: %v, want %v", n+1, got, want)
		}
	}
	data := must(s.Values())(t)
	if len(data) != 3*(16+2*8) {
		t.Fatalf("%d bytes", len(data))
	}
	for i, want := range counts(2) { // the layout of vkGetShaderInstrumentationValuesARM
		b := data[32*i:]
		head := [4]uint32{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])}
		values := [2]uint64{binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])}
		if head != [4]uint32{want.ResultIndex, 0, 0x20, 0} || values != want.Values {
			t.Errorf("block %d: % x", i, b[:32])
		}
	}
	if err := s.Clear(); err != nil {
		t.Error(err)
	}
	if got := must(s.Blocks())(t); !reflect.DeepEqual(got, counts(0)) {
		t.Errorf("after Clear: %v", got)
	}
}

// saxpyInstructions is the number of operations of saxpy's block as the passes leave them: push constants, two buffers, the
// invocation's number, an offset, three loads, a product, a sum, the canonical form of its NaN, a store.
const saxpyInstructions = 12

// counted runs the draws of a case with its shaders instrumented, and returns the metrics.
func (w *wayScene) counted(t testing.TB, bind func(c *CommandBuffer)) []MetricBlock {
	t.Helper()
	s := must(w.dev.NewShaderInstrumentation())(t)
	w.picture(t, func(c *CommandBuffer) {
		bind(c)
		c.BeginShaderInstrumentation(s)
	})
	return must(s.Blocks())(t)
}

// TestInstrumentedDraws counts the draws of each case on both engines: the metrics are equal, in the order of results,
// stages and blocks, equal by pipelines, by libraries and by shader objects, and the picture is that of plain shaders.
func TestInstrumentedDraws(t *testing.T) {
	var truth map[string][]MetricBlock
	for _, info := range []DeviceInfo{{Engine: interp.Engine{}}, {}, {Workers: 1}} {
		s := newScene(t, 1)
		if info.Engine != nil {
			s.dev.engine = info.Engine
		}
		if info.Workers != 0 {
			s.dev.workers = info.Workers
		}
		all := map[string][]MetricBlock{}
		for _, c := range wayCases(false) {
			w := s.way(t, c)
			plain := must(s.dev.NewGraphicsPipeline(context.Background(), w.info(s.fixed)))(t)
			want := s.picture(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(plain) })
			described := w.info(s.fixed)
			described.Flags = InstrumentShaders
			p := must(s.dev.NewGraphicsPipeline(context.Background(), described))(t)
			got := w.counted(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(p) })
			if [256]byte(s.memory.Bytes()[2048:]) != want {
				t.Errorf("%s: another picture", c.name)
			}
			w.checkOrder(t, got)
			all[c.name] = got
			library := w.libraries(t, InstrumentShaders, 0)
			if again := w.counted(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(library) }); !reflect.DeepEqual(again, got) {
				t.Errorf("%s: other metrics by libraries", c.name)
			}
			stages, objects := w.shaders(t, InstrumentShader, false)
			if again := w.counted(t, func(c *CommandBuffer) { w.setFixed(c); c.BindShaders(stages, objects) }); !reflect.DeepEqual(again, got) {
				t.Errorf("%s: other metrics by shader objects", c.name)
			}
		}
		if truth == nil {
			truth = all
		}
		for name, want := range truth {
			if got := all[name]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s on %s: %v, want %v", name, s.dev.engine.Name(), got, want)
			}
		}
	}
}

// checkOrder checks the order of blocks, that each stage of the case is there for both draws, and that its first block has
// the invocations that the draw needs.
func (w *wayScene) checkOrder(t testing.TB, list []MetricBlock) {
	t.Helper()
	seen := map[[2]uint32]uint64{}
	for i, b := range list {
		if i > 0 {
			a := list[i-1]
			if a.ResultIndex > b.ResultIndex || a.ResultIndex == b.ResultIndex && (a.Stages > b.Stages || a.Stages == b.Stages && a.BasicBlock+1 != b.BasicBlock) {
				t.Errorf("%s: %+v before %+v", w.name, a, b)
			}
		}
		if b.BasicBlock == 0 {
			seen[[2]uint32{b.ResultIndex, b.Stages}] = b.Values[0]
		}
	}
	for i, text := range w.code {
		for draw := range uint32(2) {
			n, ok := seen[[2]uint32{draw, 1 << stageNumbers[graphicsStages[i].stage]}]
			if ok != (text != "") {
				t.Errorf("%s: draw %d: %v is counted: %v", w.name, draw, ShaderStage(i), ok)
			}
			if ShaderStage(i) == StageVertex && n < 3 || text != "" && ShaderStage(i) != StageFragment && n == 0 {
				t.Errorf("%s: draw %d: %v has %d invocations", w.name, draw, ShaderStage(i), n)
			}
		}
	}
	const fragment = 0x10
	if n := seen[[2]uint32{0, fragment}]; w.name == "flat" && n != 64 {
		t.Errorf("a triangle over all 64 pixels has %d fragments", n)
	}
}

// instrumented returns the metrics of draws with the pipeline of the scene in a rendering.
func (s *scene) instrumented(t testing.TB, info RenderingInfo, draws func(c *CommandBuffer)) []MetricBlock {
	t.Helper()
	object := must(s.dev.NewShaderInstrumentation())(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(info)
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, .5, 0, 1)
		c.BeginShaderInstrumentation(object)
		draws(c)
		c.EndShaderInstrumentation()
		c.EndRendering()
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	return must(object.Blocks())(t)
}

// TestInstrumentedSums: the metrics of a command are the sums over its draws, and over the views of its rendering.
func TestInstrumentedSums(t *testing.T) {
	const vertex, fragment = 0x1, 0x10
	for _, engine := range []DeviceInfo{{}, {Engine: interp.Engine{}}} {
		s := newScene(t, 1)
		if engine.Engine != nil {
			s.dev.engine = engine.Engine
		}
		s.stages.Flags = InstrumentShaders
		s.build(t)
		type place struct{ stages, block uint32 }
		sums := map[place][2]uint64{}
		for _, b := range s.instrumented(t, s.rendering(), func(c *CommandBuffer) { c.Draw(3, 1, 0, 0); c.Draw(3, 1, 3, 0) }) {
			x := sums[place{b.Stages, b.BasicBlock}]
			sums[place{b.Stages, b.BasicBlock}] = [2]uint64{x[0] + b.Values[0], x[1] + b.Values[1]}
		}
		if sums[place{vertex, 0}][0] < 6 || sums[place{fragment, 0}][0] < 64 {
			t.Errorf("%s: two triangles, of which one covers 64 pixels, have the metrics %v", s.dev.engine.Name(), sums)
		}
		several := s.instrumented(t, s.rendering(), func(c *CommandBuffer) { c.DrawMulti([]MultiDraw{{0, 3, 0}, {3, 3, 0}}, 1, 0) })
		if len(several) != len(sums) {
			t.Errorf("%s: a command with two draws has the metrics %v, want the sums %v", s.dev.engine.Name(), several, sums)
		}
		for _, b := range several {
			if want := sums[place{b.Stages, b.BasicBlock}]; b.ResultIndex != 0 || b.ResultSubIndex != 0 || b.Values != want {
				t.Errorf("%s: a command with two draws has %+v, want the values %v", s.dev.engine.Name(), b, want)
			}
		}

		_, view := s.target(t, 1, 3)
		s.fixed.DepthStencil = &link.DepthStencil{}
		s.stages.Fragment = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, viewColor)))(t)}
		views := func(mask uint32) []MetricBlock {
			s.fixed.Rendering = link.Rendering{Color: s.fixed.Rendering.Color, ViewMask: mask}
			s.build(t)
			info := RenderingInfo{Area: Rect{Width: 8, Height: 8}, ViewMask: mask, Colors: []AttachmentInfo{{View: view, Load: ClearOnLoad}}}
			return s.instrumented(t, info, func(c *CommandBuffer) { c.Draw(3, 1, 0, 0) })
		}
		one, two := views(2), views(6)
		if len(one) != len(two) || len(one) == 0 {
			t.Fatalf("%s: one view has the metrics %v, two have %v", s.dev.engine.Name(), one, two)
		}
		for i, b := range two {
			a := one[i]
			twice := [2]uint64{2 * a.Values[0], 2 * a.Values[1]}
			same := b.Values == a.Values && b.Stages == vertex // vertices may be processed once for all views
			if b.ResultIndex != 0 || b.ResultSubIndex != 0 || a.Stages != b.Stages || a.BasicBlock != b.BasicBlock || b.Values != twice && !same {
				t.Errorf("%s: two views have %+v, one has %+v", s.dev.engine.Name(), b, a)
			}
		}
	}
}

// TestInstrumentationRules has the rules of commands, and of objects in use.
func TestInstrumentationRules(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	s := must(r.dev.NewShaderInstrumentation())(t)
	for rule, record := range map[string]func(c *CommandBuffer){
		"VUID-vkCmdBeginShaderInstrumentationARM-commandBuffer-12375": func(c *CommandBuffer) { c.BeginShaderInstrumentation(s); c.BeginShaderInstrumentation(s) },
		"VUID-vkCmdEndShaderInstrumentationARM-commandBuffer-12377":   func(c *CommandBuffer) { c.EndShaderInstrumentation() },
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		record(c)
		if err := c.End(); ruleOf(err) != rule {
			t.Errorf("%v, want %s", err, rule)
		}
	}
	event := must(r.dev.NewEvent())(t)
	object := must(r.dev.NewShaders(context.Background(), []ShaderInfo{{Stage: StageCompute, Code: code(t, saxpy), Layout: r.pipeline}}))(t)
	c := r.record(t, func(c *CommandBuffer) {
		c.BeginShaderInstrumentation(s)
		c.BindShaders([]ShaderStage{StageCompute}, object)
		c.WaitEvents(event)
	})
	if err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil {
		t.Fatal(err)
	}
	var busy *InUseError
	if _, err := s.Blocks(); !errors.As(err, &busy) {
		t.Errorf("values of a submission that runs: %v", err)
	}
	if err := s.Close(); !errors.As(err, &busy) || busy.Rule != "VUID-vkDestroyShaderInstrumentationARM-instrumentation-12374" {
		t.Errorf("closed while a submission runs: %v", err)
	}
	if err := object[0].Close(); !errors.As(err, &busy) || busy.Rule != "VUID-vkDestroyShaderEXT-shader-08482" {
		t.Errorf("closed while a submission runs: %v", err)
	}
	event.Set()
	if err := r.dev.WaitIdle(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
