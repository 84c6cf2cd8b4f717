package vk

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// deepPixel draws a triangle at clip depth z and returns the depth of pixel (0, 0).
func (s *scene) deepPixel(t *testing.T, z float32, states func(*CommandBuffer)) float32 {
	t.Helper()
	for i := range 3 {
		s.put(1024, 4*i+2, z)
	}
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 0, 0, 1)
		states(c)
		c.Draw(3, 1, 0, 0)
		c.EndRendering()
		c.CopyImageToBuffer(s.depth.image, s.pixels, []BufferImageCopy{{Image: Layers{Aspect: Depth}, Extent: [3]int{8, 8, 1}}})
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(s.memory.Bytes()[2048:]))
}

// TestDepthClampRange clamps depths to the viewport's range and to ranges of the program (Vulkan, Depth Clamping and Range
// Adjustment), which a pipeline has or a command sets.
func TestDepthClampRange(t *testing.T) {
	s := newScene(t, 1)
	r := *s.fixed.Rasterization
	r.DepthClamp = true
	s.fixed.Rasterization = &r
	s.fixed.DepthStencil.Compare = enum.CompareOpAlways
	s.fixed.Viewports[0].MinDepth, s.fixed.Viewports[0].MaxDepth = 0.25, 0.75
	nothing := func(*CommandBuffer) {}
	for _, x := range []struct {
		static  *DepthRange
		dynamic bool
		set     *DepthRange
		z, want float32
	}{
		{nil, false, nil, 2, 0.75}, {nil, false, nil, -1, 0.25}, {&DepthRange{0, 1}, false, nil, 2, 1}, {&DepthRange{0.5, 0.625}, false, nil, 0.25, 0.5},
		{&DepthRange{0.5, 0.625}, true, &DepthRange{0, 0.125}, 0.25, 0.125}, {&DepthRange{0, 0.125}, true, nil, 2, 0.75},
	} {
		s.fixed.ClampRange, s.fixed.Dynamic = x.static, nil
		set := nothing
		if x.dynamic {
			s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateDepthClampRange}
			set = func(c *CommandBuffer) { c.SetDepthClampRange(x.set) }
		}
		s.build(t)
		if z := s.deepPixel(t, x.z, set); z != x.want {
			t.Errorf("%+v: depth %v", x, z)
		}
	}
	nan := float32(math.NaN())
	for rule, bad := range map[string]DepthRange{
		"VUID-VkDepthClampRangeEXT-pDepthClampRange-00999": {0.5, 0.25}, "VUID-VkDepthClampRangeEXT-pDepthClampRange-09648": {-1, 0.25}, "VUID-VkDepthClampRangeEXT-pDepthClampRange-09649": {0, 2},
	} {
		s.refuses(t, rule, func(c *CommandBuffer) { c.SetDepthClampRange(&bad) })
		s.stages.State.ClampRange = &bad
		_, err := s.dev.NewGraphicsPipeline(context.Background(), s.stages)
		wantRule(t, err, rule)
	}
	s.refuses(t, "VUID-VkDepthClampRangeEXT-pDepthClampRange-00999", func(c *CommandBuffer) { c.SetDepthClampRange(&DepthRange{nan, nan}) })
	free := newSceneOn(t, 1, DeviceInfo{DepthRangeUnrestricted: true})
	free.record(t, func(c *CommandBuffer) { c.SetDepthClampRange(&DepthRange{-1, 2}) })
}

// TestDepthBias2 biases a constant depth by each representation: o = r · constant, with r of a D32_SFLOAT image 2^(e−23) for a
// greatest depth of exponent e, or 2^−24, or 1 (Vulkan, Depth Bias Computation).
func TestDepthBias2(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.Rasterization.DepthBias = true
	for _, dynamic := range []bool{false, true} {
		for _, x := range []struct {
			bias DepthBias
			want float32
		}{
			{DepthBias{Constant: 1 << 20}, 0.25 + 1.0/(1<<5)}, // e is −2
			{DepthBias{Constant: 1 << 20, Representation: BiasLeastRepresentableForceUnorm}, 0.25 + 1.0/(1<<4)},
			{DepthBias{Constant: 0.125, Representation: BiasFloat}, 0.375},
			{DepthBias{Constant: 0.125, Clamp: 0.0625, Representation: BiasFloat}, 0.3125},
		} {
			set := func(*CommandBuffer) {}
			b := x.bias
			if s.fixed.Dynamic = nil; dynamic {
				s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateDepthBias}
				set = func(c *CommandBuffer) { c.SetDepthBias2(x.bias) }
				b = DepthBias{Constant: 99, Representation: BiasFloat}
			}
			s.fixed.BiasConstant, s.fixed.BiasClamp, s.fixed.BiasSlope, s.fixed.BiasUnit = b.Constant, b.Clamp, b.Slope, b.Representation
			s.build(t)
			if z := s.deepPixel(t, 0.25, set); z != x.want {
				t.Errorf("%+v, dynamic %v: depth %v; want %v", x.bias, dynamic, z, x.want)
			}
		}
	}
	// SetDepthBias is SetDepthBias2 without a representation.
	z := s.deepPixel(t, 0.25, func(c *CommandBuffer) {
		c.SetDepthBias2(DepthBias{Constant: 0.125, Representation: BiasFloat})
		c.SetDepthBias(1<<20, 0, 0)
	})
	if z != 0.25+1.0/(1<<5) {
		t.Errorf("after SetDepthBias: depth %v", z)
	}
	const rule = "VUID-VkDepthBiasRepresentationInfoEXT-depthBiasRepresentation-parameter"
	s.refuses(t, rule, func(c *CommandBuffer) { c.SetDepthBias2(DepthBias{Representation: 3}) })
	s.stages.State.BiasUnit = 3
	_, err := s.dev.NewGraphicsPipeline(context.Background(), s.stages)
	wantRule(t, err, rule)
}

// TestSampleLocations covers one of four samples by a triangle of a quarter of a pixel that is at the sample's place: by the
// locations of the pipeline, of commands, and by the standard ones if they are not enabled.
func TestSampleLocations(t *testing.T) {
	s := newScene(t, 4)
	s.fixed.DepthStencil = nil
	s.fixed.Rendering.Depth = 0
	// The triangle has x ≥ 2.75, y ≥ 3.75 and x + y < 7.25. None of the standard locations, (6, 2), (14, 6), (2, 10) and
	// (10, 14) sixteenths, of any pixel is in it.
	for i, v := range [][2]float32{{2.75, 3.75}, {3.5, 3.75}, {2.75, 4.5}} {
		s.put(1024, 4*i, v[0]/4-1)
		s.put(1024, 4*i+1, v[1]/4-1)
	}
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 1}))(t)
	corner := func(n int) *SampleLocations { // n samples of pixels in odd rows are in the triangle
		l := &SampleLocations{Samples: 4, Width: 1, Height: 2, Points: make([][2]float32, 8)}
		for i := range l.Points {
			l.Points[i] = [2]float32{0.5, 0.5}
		}
		for i := range n {
			l.Points[4+i] = [2]float32{0.875, 0.8125}
		}
		return l
	}
	both := []enum.DynamicState{enum.DynamicStateSampleLocations, enum.DynamicStateSampleLocationsEnable}
	for _, x := range []struct {
		enable  bool
		static  *SampleLocations
		dynamic []enum.DynamicState
		set     func(c *CommandBuffer)
		want    uint64
	}{
		{false, nil, nil, nil, 0},
		{false, corner(3), nil, nil, 0},
		{true, nil, both[:1], nil, 0},
		{true, corner(3), nil, nil, 3},
		{true, corner(3), both[:1], func(c *CommandBuffer) { c.SetSampleLocations(*corner(2)) }, 2},
		{false, corner(4), both[1:], func(c *CommandBuffer) { c.SetSampleLocationsEnable(true) }, 4},
		{false, nil, both, func(c *CommandBuffer) { c.SetSampleLocationsEnable(true); c.SetSampleLocations(*corner(0)) }, 0},
		{true, nil, both, func(c *CommandBuffer) { c.SetSampleLocations(*corner(2)); c.SetSampleLocationsEnable(false) }, 0},
	} {
		s.fixed.Multisample.Locations, s.fixed.SampleLocations, s.fixed.Dynamic = x.enable, x.static, x.dynamic
		s.build(t)
		c := s.record(t, func(c *CommandBuffer) {
			r := s.rendering()
			r.Depth = nil
			c.BeginRendering(r)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			if x.set != nil {
				x.set(c)
			}
			c.BeginQuery(q, 0, QueryPrecise)
			c.Draw(3, 1, 0, 0)
			c.EndQuery(q, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if n, ok := q.Result(0); n != x.want || !ok {
			t.Errorf("%v, %v, %v: %d samples; want %d", x.enable, x.static, x.dynamic, n, x.want)
		}
	}
}

// TestSampleLocationErrors has locations that Vulkan forbids.
func TestSampleLocationErrors(t *testing.T) {
	s := newScene(t, 4)
	s.build(t)
	points := make([][2]float32, 64)
	for _, x := range []struct {
		rule string
		l    SampleLocations
	}{
		{"VUID-VkSampleLocationsInfoEXT-sampleLocationsPerPixel-01526", SampleLocations{Width: 1, Height: 1}},
		{"VUID-VkSampleLocationsInfoEXT-sampleLocationsPerPixel-01526", SampleLocations{Samples: 3, Width: 1, Height: 1, Points: points[:3]}},
		{"VUID-VkSampleLocationsInfoEXT-sampleLocationsPerPixel-01526", SampleLocations{Samples: 128, Width: 1, Height: 1}},
		{"VUID-VkSampleLocationsInfoEXT-sampleLocationsCount-01527", SampleLocations{Samples: 4, Width: 2, Height: 1, Points: points[:4]}},
		{"VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07610", SampleLocations{Samples: 4, Width: 3, Height: 1, Points: points[:12]}},
		{"VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07610", SampleLocations{Samples: 4, Width: 0, Height: 1}},
		{"VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07611", SampleLocations{Samples: 4, Width: 1, Height: 1 << 31, Points: points[:4]}},
	} {
		command := strings.NewReplacer("VkGraphicsPipelineCreateInfo-pDynamicStates-07610", "vkCmdDraw-sampleLocationsEnable-07485",
			"VkGraphicsPipelineCreateInfo-pDynamicStates-07611", "vkCmdDraw-sampleLocationsEnable-07486").Replace(x.rule)
		s.refuses(t, command, func(c *CommandBuffer) { c.SetSampleLocations(x.l) })
		s.stages.State.Multisample.Locations, s.stages.State.SampleLocations = true, &x.l
		_, err := s.dev.NewGraphicsPipeline(context.Background(), s.stages)
		wantRule(t, err, x.rule)
	}
	s.stages.State.SampleLocations = &SampleLocations{Samples: 2, Width: 1, Height: 1, Points: points[:2]}
	_, err := s.dev.NewGraphicsPipeline(context.Background(), s.stages)
	wantRule(t, err, "VUID-VkGraphicsPipelineCreateInfo-pDynamicStates-07612")
	s.stages.State.SampleLocations = nil
	_, err = s.dev.NewGraphicsPipeline(context.Background(), s.stages)
	wantRule(t, err, "VUID-VkPipelineSampleLocationsStateCreateInfoEXT-sampleLocationsInfo-parameter")
	p := Chiaro()
	if x := p.SampleLocationsProperties(); x.Samples != 127 || x.Grid != [2]uint32{2, 2} || x.CoordinateRange[1] < 0.9375 || x.SubPixelBits < 4 {
		t.Errorf("properties %+v", x)
	}
	if p.MaxSampleLocationGrid(3) != [2]uint32{} || p.MaxSampleLocationGrid(64) != [2]uint32{2, 2} {
		t.Error("a wrong grid")
	}
}

// refuses demands that a recording ends with an error of a rule.
func (s *scene) refuses(t *testing.T, rule string, commands func(*CommandBuffer)) {
	t.Helper()
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	commands(c)
	wantRule(t, c.End(), rule)
}
