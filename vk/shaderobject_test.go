package vk

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// objects makes the shaders of a scene as shader objects.
func (s *scene) objects(t testing.TB, flags enum.ObjectFlags) []*Shader {
	t.Helper()
	fragment, _ := link.ParseStage("fragment")
	return must(s.dev.NewShaders(context.Background(), []ShaderInfo{
		{Stage: StageVertex, Code: code(t, positions), Layout: s.layout, Flags: flags, Next: fragment},
		{Stage: StageFragment, Code: code(t, pushed), Layout: s.layout, Flags: flags},
	}))(t)
}

// setAll sets the states that the draws of a scene need.
func (s *scene) setAll(c *CommandBuffer) {
	c.SetViewports(s.fixed.Viewports)
	c.SetScissors(s.fixed.Scissors)
	c.SetRasterizerDiscard(false)
	c.SetVertexInput(*s.fixed.Vertex)
	c.SetTopology(enum.TopologyTriangleList)
	c.SetPrimitiveRestart(false)
	c.SetSamples(1)
	c.SetSampleMask([2]uint32{1, 0})
	c.SetAlphaToCoverage(false)
	c.SetPolygonMode(enum.PolygonModeFill)
	c.SetCullMode(enum.CullModeNone)
	c.SetFrontFace(enum.FrontFaceCounterClockwise)
	c.SetDepthTest(true)
	c.SetDepthWrite(true)
	c.SetDepthCompareOp(enum.CompareOpLess)
	c.SetDepthBiasEnable(false)
	c.SetStencilTest(false)
	c.SetBlendEnable(0, false)
	c.SetColorWriteMask(0, 15)
}

// picture draws the two triangles of a scene after bind.
func (s *scene) picture(t testing.TB, bind func(c *CommandBuffer)) [256]byte {
	t.Helper()
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(s.rendering())
		bind(c)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, .5, 0, 1)
		c.Draw(3, 1, 0, 0)
		s.paint(c, 0, .25, 1, 1)
		c.Draw(3, 1, 3, 0)
		c.EndRendering()
		s.copyOut(c, s.color)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	return [256]byte(s.memory.Bytes()[2048:])
}

// TestShaderObjects draws the same picture with a pipeline, with unlinked and linked objects, and with objects made of
// binary code.
func TestShaderObjects(t *testing.T) {
	s := newScene(t, 1)
	s.dev.checking = All
	s.build(t)
	want := s.picture(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(s.pipeline) })
	if want == [256]byte{} {
		t.Fatal("the pipeline draws nothing")
	}
	stages := []ShaderStage{StageVertex, StageFragment}
	for _, flags := range []enum.ObjectFlags{0, enum.ObjectFlagsLinkStage} {
		list := s.objects(t, flags)
		bind := func(objects []*Shader) func(c *CommandBuffer) {
			return func(c *CommandBuffer) {
				c.BindGraphicsPipeline(s.pipeline) // which the objects unbind
				s.setAll(c)
				c.BindShaders(stages, objects)
			}
		}
		if got := s.picture(t, bind(list)); got != want {
			t.Errorf("flags %v: another picture", flags)
		}
		var infos []ShaderInfo
		for _, o := range list {
			data, err := o.BinaryCode()
			if err != nil || len(data)%16 != 0 {
				t.Fatal(len(data), err)
			}
			infos = append(infos, ShaderInfo{Stage: o.info.Stage, Code: data, Binary: true, Layout: s.layout, Flags: flags, Next: o.info.Next})
		}
		again := must(s.dev.NewShaders(context.Background(), infos))(t)
		if got := s.picture(t, bind(again)); got != want {
			t.Errorf("flags %v: another picture from binaries", flags)
		}
		for _, o := range append(list, again...) {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if n := len(s.dev.combinations.list); n != 0 {
		t.Errorf("%d pipelines of closed objects are left", n)
	}
}

// TestComputeObject runs a compute shader object after a pipeline.
func TestComputeObject(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	o := must(r.dev.NewShaders(context.Background(), []ShaderInfo{{Stage: StageCompute, Code: code(t, saxpy), Layout: r.pipeline}}))(t)
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindShaders([]ShaderStage{StageCompute}, o)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(3))
		c.Dispatch(2, 1, 1)
	})
	if err := r.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got := r.get(64, 5); got != 115 {
		t.Errorf("y[5] is %v, want 115", got)
	}
	// Unbound, nothing is there to dispatch.
	err := r.submit(t, r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindShaders([]ShaderStage{StageCompute}, nil)
		c.Dispatch(1, 1, 1)
	}))
	if !errors.Is(err, ErrDeviceLost) {
		t.Errorf("a dispatch of nothing: %v", err)
	}
}

// TestStageOfObject: an object describes its stage, whether it was compiled or found among those of the device.
func TestStageOfObject(t *testing.T) {
	s := newScene(t, 1)
	for _, list := range [][]*Shader{s.objects(t, 0), s.objects(t, enum.ObjectFlagsLinkStage)} {
		x := list[1].Stage()
		if x.Entry.Name != "main" || x.Entry.Model != StageFragment.model() || x.Module.Facts().EntryPoint("main", x.Entry.Model) == nil || !x.HasNext || x.InChain {
			t.Errorf("the stage is %+v", x)
		}
	}
	for _, x := range []*Shader{nil, {}} {
		if got := x.Stage(); got.Module != nil || got.Entry != nil {
			t.Errorf("no object has the stage %+v", got)
		}
	}
}

// TestDispatchBase dispatches with a base, by pipelines and by shader objects with and without the flag for it: without, full
// checking loses the device. A base of 0 needs no flag.
func TestDispatchBase(t *testing.T) {
	const rule = "VUID-vkCmdDispatchBase-baseGroupX-00427"
	for _, c := range []struct {
		level      Checking
		base       uint32
		flag, lost bool
	}{{All, 1, true, false}, {All, 1, false, true}, {All, 0, false, false}, {Pipelines, 1, false, false}, {None, 1, false, false}} {
		for _, object := range []bool{false, true} {
			r := newRig(t, DeviceInfo{}, storage)
			r.dev.checking = c.level
			var creation Creation
			info := ShaderInfo{Stage: StageCompute, Code: code(t, saxpy), Layout: r.pipeline}
			if c.flag {
				creation.Flags, info.Flags = enum.PipelineFlagsDispatchBase, enum.ObjectFlagsDispatchBase
			}
			p := must(r.dev.NewComputePipeline(t.Context(), r.computeInfo(t, creation)))(t)
			list := must(r.dev.NewShaders(t.Context(), []ShaderInfo{info}))(t)
			err := r.submit(t, r.record(t, func(b *CommandBuffer) {
				if b.BindPipeline(p); object {
					b.BindShaders([]ShaderStage{StageCompute}, list)
				}
				b.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
				b.PushConstants(r.pipeline, 0, push(3))
				b.DispatchBase([3]uint32{c.base}, [3]uint32{1, 1, 1})
			}))
			if c.lost != isRule(err, rule) || !c.lost && err != nil {
				t.Errorf("checking %v, base %d, flag %v, object %v: %v", c.level, c.base, c.flag, object, err)
			}
		}
	}
}

// TestWideIndexing stores at the index 2³⁰ of an array of words, by pipelines and by shader objects: the offset needs 33 bits, which only
// the flag for 64-bit indexing permits (VUID-RuntimeSpirv-None-10834). The store is out of the bounds of the buffer with both.
func TestWideIndexing(t *testing.T) {
	const rule = "VUID-RuntimeSpirv-None-10834"
	for _, flag := range []bool{false, true} {
		for _, object := range []bool{false, true} {
			var found []string
			r := newRig(t, DeviceInfo{Sanitize: SanitizeBounds, Reports: func(x Report) { found = append(found, x.Rule) }}, storage)
			r.dev.checking = None
			creation := Creation{Flags: enum.PipelineFlagsDispatchBase}
			info := ShaderInfo{Stage: StageCompute, Code: code(t, saxpy), Layout: r.pipeline, Flags: enum.ObjectFlagsDispatchBase}
			if flag {
				creation.Flags |= enum.PipelineFlags64BitIndexing
				info.Flags |= enum.ObjectFlags64BitIndexing
			}
			p := must(r.dev.NewComputePipeline(t.Context(), r.computeInfo(t, creation)))(t)
			list := must(r.dev.NewShaders(t.Context(), []ShaderInfo{info}))(t)
			err := r.submit(t, r.record(t, func(b *CommandBuffer) {
				if b.BindPipeline(p); object {
					b.BindShaders([]ShaderStage{StageCompute}, list)
				}
				b.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
				b.PushConstants(r.pipeline, 0, push(3))
				b.DispatchBase([3]uint32{1 << 30 / 4}, [3]uint32{1, 1, 1})
			}))
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(found, rule) == flag || len(found) == 0 {
				t.Errorf("flag %v, object %v: the reports %q", flag, object, found)
			}
		}
	}
}

// TestPartialFailure fails at the second of three objects (row E01): the first is there, the others are nil.
func TestPartialFailure(t *testing.T) {
	s := newScene(t, 1)
	good := ShaderInfo{Stage: StageVertex, Code: code(t, positions), Layout: s.layout}
	bad := good
	bad.Code = []byte{1, 2, 3}
	list, err := s.dev.NewShaders(context.Background(), []ShaderInfo{good, bad, good})
	var failed *ShaderError
	if !errors.As(err, &failed) || failed.Index != 1 {
		t.Fatalf("%v; want the failure of object 1", err)
	}
	if list[0] == nil || list[1] != nil || list[2] != nil {
		t.Errorf("objects %v; want the first alone", list)
	}
}

// TestPartialCheck breaks a rule of package link by the second of three objects, which are compiled: the first stays.
func TestPartialCheck(t *testing.T) {
	s := newScene(t, 1)
	good := ShaderInfo{Stage: StageVertex, Code: code(t, positions), Layout: s.layout}
	bad := ShaderInfo{Stage: StageFragment, Code: code(t, stored), Layout: s.layout} // the layout has no set
	before := s.dev.Objects()
	list, err := s.dev.NewShaders(context.Background(), []ShaderInfo{good, bad, good})
	var failed *ShaderError
	var rules *LinkError
	if !errors.As(err, &failed) || failed.Index != 1 || !errors.As(err, &rules) {
		t.Fatalf("%v; want a rule that object 1 breaks", err)
	}
	if list[0] == nil || list[1] != nil || list[2] != nil || s.dev.Objects() != before+1 {
		t.Errorf("objects %v, %d more; want the first alone", list, s.dev.Objects()-before)
	}
}

// TestMissingState draws with each state left out (row E07, with TestEachNeed): the error names its command, and only commands whose state matters.
func TestMissingState(t *testing.T) {
	for n, drop := range []string{"", "vkCmdSetViewportWithCount", "vkCmdSetVertexInputEXT", "vkCmdSetDepthCompareOp", "vkCmdSetColorWriteMaskEXT"} {
		s := newScene(t, 1)
		s.dev.checking = [...]Checking{All, Pipelines}[n%2]
		list := s.objects(t, 0)
		c := s.record(t, func(c *CommandBuffer) {
			s.setAll(c)
			c.BindShaders([]ShaderStage{StageVertex, StageFragment}, list)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BeginRendering(s.rendering())
			s.paint(c, 1, 1, 1, 1)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		})
		for i := range needs {
			if needs[i].command != drop {
				continue
			}
			for n := range c.commands { // as if the command were not there
				k := &c.commands[n]
				if k.kind == setState && k.x[0] == uint64(needs[i].set) || k.kind == setViewports && needs[i].set == haveViewports || k.kind == setVertexInput && needs[i].set == haveVertexInput {
					k.kind = writeTimestamp
					k.a = must(s.dev.NewQueryPool(QueryPoolInfo{Count: 64}))(t)
					k.x = [4]uint64{}
				}
			}
		}
		err := s.submit(t, c)
		if drop == "" {
			if err != nil {
				t.Errorf("all states set: %v", err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "must be set by "+drop) || strings.Contains(err.Error(), ", vk") {
			t.Errorf("without %s: %v", drop, err)
		}
	}
}

// TestIncompleteDraw leaves out the viewport without checking: the draw is no error and draws nothing.
func TestIncompleteDraw(t *testing.T) {
	s := newScene(t, 1)
	s.dev.checking = None
	list := s.objects(t, 0)
	blank := s.picture(t, func(*CommandBuffer) {})
	got := s.picture(t, func(c *CommandBuffer) {
		c.SetTopology(enum.TopologyTriangleList)
		c.BindShaders([]ShaderStage{StageVertex, StageFragment}, list)
	})
	if got != blank {
		t.Error("a draw without most states draws something")
	}
	got = s.picture(t, func(c *CommandBuffer) { // the states without which no pixel is drawn; the others are 0
		c.BindShaders([]ShaderStage{StageVertex, StageFragment}, list)
		c.SetViewports(s.fixed.Viewports)
		c.SetScissors(s.fixed.Scissors)
		c.SetVertexInput(*s.fixed.Vertex)
		c.SetTopology(enum.TopologyTriangleList)
		c.SetSampleMask([2]uint32{1, 0})
		c.SetColorWriteMask(0, 15)
	})
	if got == blank {
		t.Error("a draw without the front face and others draws nothing")
	}
}

// TestMissingOfPipeline draws with a pipeline of three dynamic states and sets some of them. With any checking a draw that
// needs an unset one loses the device; a line width is of no use to triangles, and static states need no command.
func TestMissingOfPipeline(t *testing.T) {
	for _, test := range []struct {
		level   Checking
		cull    bool
		bind    bool // a pipeline with static states after the commands: it makes them undefined
		missing string
	}{{None, false, false, ""}, {Pipelines, true, false, ""}, {Pipelines, false, false, "vkCmdSetCullMode"}, {All, true, false, ""}, {All, false, false, "vkCmdSetCullMode"}, {Pipelines, true, true, "vkCmdSetCullMode"}} {
		s := newScene(t, 1)
		s.dev.checking = test.level
		s.build(t)
		static := s.pipeline
		s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateCullMode, enum.DynamicStateLineWidth, enum.DynamicStateDepthBias}
		s.build(t)
		err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			if test.cull {
				c.SetCullMode(enum.CullModeNone)
			}
			if test.bind {
				c.BindGraphicsPipeline(static)
			}
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BeginRendering(s.rendering())
			s.paint(c, 1, 1, 1, 1)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		}))
		if want := test.missing; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "must be set by "+want) || strings.Contains(err.Error(), ", vk")) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// TestMissingByFeature has more needs on a device with more features.
func TestMissingByFeature(t *testing.T) {
	max, _ := device.Builtin("max", valid.Vulkan14)
	s := newScene(t, 1)
	x := &executor{dev: s.dev}
	x.graphics.current = &rendering{}
	few := len(x.missing(nil, &x.graphics.bound.dynamic, len(needs)))
	e := *s.dev.env
	e.Device = max.Device
	s.dev.setEnv(&e)
	if many := len(x.missing(nil, &x.graphics.bound.dynamic, len(needs))); many <= few {
		t.Errorf("%d states are missing with all features, %d without; must be more", many, few)
	}
}

// TestBinaries flips bits of a binary: readBinary must not panic, and must return the original code or an error.
func TestBinaries(t *testing.T) {
	s := newScene(t, 1)
	o := s.objects(t, 0)[0]
	data, err := o.BinaryCode()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 20_000 {
		b := bytes.Clone(data)
		if n%3 == 0 {
			b = b[:random.IntN(len(b)+1)]
		}
		for range 1 + random.IntN(3) {
			if len(b) > 0 {
				b[random.IntN(min(len(b), 400))] ^= byte(1 << random.IntN(8))
			}
		}
		info := ShaderInfo{Stage: StageVertex, Code: b, Binary: true, Next: o.info.Next}
		if code, _, err := readBinary(&info); err == nil && !bytes.Equal(code, o.info.Code) {
			t.Fatal("a changed binary is read as other code")
		}
	}
	foreign := bytes.Clone(data)
	foreign[0]++
	if _, err := s.dev.NewShaders(context.Background(), []ShaderInfo{{Code: foreign, Binary: true, Layout: s.layout}}); !errors.Is(err, ErrIncompatibleBinary) {
		t.Errorf("a foreign binary: %v", err)
	}
	if _, err := s.dev.NewShaders(context.Background(), []ShaderInfo{{Stage: StageFragment, Code: data, Binary: true, Layout: s.layout}}); err == nil || errors.Is(err, ErrIncompatibleBinary) {
		t.Errorf("a binary of another stage: %v", err)
	}
}

// TestBinaryFlags makes objects of the binaries of linked objects, but without linking and with fewer next stages: no rule asks for the
// flags and the next stages of the first objects. The picture and the binary code stay the same.
func TestBinaryFlags(t *testing.T) {
	s, stages := newScene(t, 1), []ShaderStage{StageVertex, StageFragment}
	bind := func(objects []*Shader) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			s.setAll(c)
			c.BindShaders(stages, objects)
		}
	}
	linked := s.objects(t, enum.ObjectFlagsLinkStage)
	var loose []*Shader
	for _, o := range linked {
		info := ShaderInfo{Stage: o.info.Stage, Code: must(o.BinaryCode())(t), Binary: true, Layout: s.layout}
		for _, info.Next = range []link.Stages{0, o.info.Next} {
			list := must(s.dev.NewShaders(context.Background(), []ShaderInfo{info}))(t)
			if !bytes.Equal(must(list[0].BinaryCode())(t), info.Code) {
				t.Errorf("stage %v: the binary code of an object that was made of binary code differs from it", o.info.Stage)
			}
			if info.Next == o.info.Next {
				loose = append(loose[:len(loose):len(loose)], list[0])
			}
		}
	}
	loose = []*Shader{loose[0], loose[len(loose)-1]}
	if s.picture(t, bind(loose)) != s.picture(t, bind(linked)) {
		t.Error("objects of the binaries of linked objects draw another picture")
	}
}

// TestLinkedTogether draws with one of two linked objects.
func TestLinkedTogether(t *testing.T) {
	s := newScene(t, 1)
	linked, loose := s.objects(t, enum.ObjectFlagsLinkStage), s.objects(t, 0)
	err := s.submit(t, s.record(t, func(c *CommandBuffer) {
		s.setAll(c)
		c.BindShaders([]ShaderStage{StageVertex, StageFragment}, []*Shader{linked[0], loose[1]})
		c.BeginRendering(s.rendering())
		s.paint(c, 1, 1, 1, 1)
		c.Draw(3, 1, 0, 0)
		c.EndRendering()
	}))
	if err == nil || !strings.Contains(err.Error(), "08698") {
		t.Errorf("%v; want the rule of linked shaders", err)
	}
}

// TestObjectsOfStream draws with shader objects without a geometry shader, whose primitives are in stream 0: nothing is rasterized
// if a command has selected another stream, unless a pipeline is bound after it, which makes the state undefined.
func TestObjectsOfStream(t *testing.T) {
	s := newScene(t, 1)
	s.dev.checking = All
	s.build(t)
	list, stages := s.objects(t, 0), []ShaderStage{StageVertex, StageFragment}
	picture := func(set func(c *CommandBuffer)) [256]byte {
		return s.picture(t, func(c *CommandBuffer) {
			set(c)
			c.BindShaders(stages, list)
		})
	}
	all := picture(s.setAll)
	none := picture(func(c *CommandBuffer) {
		s.setAll(c)
		c.SetRasterizerDiscard(true)
	})
	if all == none {
		t.Fatal("nothing is drawn")
	}
	for stream, want := range [...][256]byte{all, none, none, none} {
		got := picture(func(c *CommandBuffer) {
			s.setAll(c)
			c.SetRasterizationStream(uint32(stream))
		})
		if got != want {
			t.Errorf("stream %d: another picture", stream)
		}
		got = picture(func(c *CommandBuffer) {
			c.SetRasterizationStream(uint32(stream))
			c.BindGraphicsPipeline(s.pipeline)
			s.setAll(c)
		})
		if got != all {
			t.Errorf("stream %d before a pipeline: another picture", stream)
		}
	}
}

// TestInteraction is row E08: binding a pipeline or shader objects unbinds the other, per bind point, and the states that
// the pipeline had static are undefined after it.
func TestInteraction(t *testing.T) {
	stages := []ShaderStage{StageVertex, StageFragment}
	for _, c := range []struct {
		name    string
		record  func(s *scene, c *CommandBuffer, o []*Shader)
		missing string // a part of the error; "" for none
	}{
		{"objects after a pipeline", func(s *scene, c *CommandBuffer, o []*Shader) {
			c.BindGraphicsPipeline(s.pipeline)
			s.setAll(c)
			c.BindShaders(stages, o)
		}, ""},
		{"states before a pipeline", func(s *scene, c *CommandBuffer, o []*Shader) {
			s.setAll(c)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindShaders(stages, o)
		}, "must be set by vkCmdSetViewportWithCount, vkCmdSetScissorWithCount"},
		{"states after the objects", func(s *scene, c *CommandBuffer, o []*Shader) {
			c.BindShaders(stages, o)
			s.setAll(c)
		}, ""},
		{"a pipeline after objects", func(s *scene, c *CommandBuffer, o []*Shader) {
			c.BindShaders(stages, o)
			c.BindGraphicsPipeline(s.pipeline)
		}, ""},
		{"one stage after a pipeline", func(s *scene, c *CommandBuffer, o []*Shader) {
			c.BindShaders(stages, o)
			c.BindGraphicsPipeline(s.pipeline)
			s.setAll(c)
			c.BindShaders(stages[1:], o[1:]) // the vertex stage was unbound by the pipeline
		}, "VUID-vkCmdDraw-None-08684"},
		{"stages that are unbound", func(s *scene, c *CommandBuffer, o []*Shader) {
			s.setAll(c)
			c.BindShaders(stages, o)
			c.BindShaders(stages, nil)
		}, "VUID-vkCmdDraw-None-08684"},
		{"a compute pipeline", func(s *scene, c *CommandBuffer, o []*Shader) { // of another bind point
			s.setAll(c)
			c.BindShaders(stages, o)
			c.BindPipeline(s.saxpy)
		}, ""},
	} {
		s := newScene(t, 1)
		s.dev.checking = All
		s.build(t)
		list := s.objects(t, 0)
		err := s.submit(t, s.record(t, func(b *CommandBuffer) {
			b.BeginRendering(s.rendering())
			c.record(s, b, list)
			b.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(b, 1, 1, 1, 1)
			b.Draw(3, 1, 0, 0)
			b.EndRendering()
		}))
		if (err == nil) != (c.missing == "") || err != nil && !strings.Contains(err.Error(), c.missing) {
			t.Errorf("%s: %v, want %q", c.name, err, c.missing)
		}
	}
}
