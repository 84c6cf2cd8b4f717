package vk

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// ruled is a scene whose commands full checking judges. A command stream runs in an executor of its own, so that a finding does not
// lose the device and all rows of a table share the scene.
type ruled struct {
	*scene
	list []Message
}

func newRuled(t testing.TB) *ruled {
	t.Helper()
	r := &ruled{}
	r.scene = newSceneOn(t, 1, DeviceInfo{Messages: func(m Message) { r.list = append(r.list, m) }})
	r.dev.checking = None // objects may break rules of their creation
	return r
}

// findings returns the rules that a command stream breaks, and its error if that is no finding.
func (r *ruled) findings(t testing.TB, record func(c *CommandBuffer)) (rules []string, err error) {
	t.Helper()
	r.list = nil
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	defer c.Close()
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	r.dev.checking = All
	defer func() { r.dev.checking = None }()
	record(c)
	if err = c.End(); err == nil {
		q := r.dev.Queue()
		s := newSubmission()
		if err = s.add(q, c); err == nil {
			err = newExecutor(q).run(s, c)
		}
		s.release()
	}
	for _, m := range r.list {
		rules = append(rules, m.Finding.Rule)
	}
	return rules, err
}

// on replaces the device of the profile, which has only these features, extensions and limits.
func (r *ruled) on(d *valid.Device) {
	e := *r.dev.env
	e.Device = d
	r.dev.setEnv(&e)
}

// pipe makes a pipeline of the scene with changes, and dynamic states.
func (r *ruled) pipe(t testing.TB, change func(*GraphicsPipelineInfo), dynamic ...enum.DynamicState) *GraphicsPipeline {
	t.Helper()
	info := r.stages
	info.State = r.fixed
	info.State.Dynamic = dynamic
	if change != nil {
		change(&info)
	}
	return must(r.dev.NewGraphicsPipeline(context.Background(), info))(t)
}

// paints draws a triangle with a pipeline in a rendering after prepare.
func (r *ruled) paints(c *CommandBuffer, info RenderingInfo, p *GraphicsPipeline, prepare func()) {
	c.BeginRendering(info)
	if p != nil {
		c.BindGraphicsPipeline(p)
	}
	c.BindVertexBuffers(0, []VertexBuffer{{Buffer: r.vertices}})
	r.paint(c, 1, 1, 1, 1)
	if prepare != nil {
		prepare()
	}
	c.Draw(3, 1, 0, 0)
	c.EndRendering()
}

// ruleRow is a command stream that breaks rules if bad is set, and none if it is not.
type ruleRow struct {
	rules  []string // without VUID-
	device *valid.Device
	record func(c *CommandBuffer, bad bool)
}

// check runs the rows.
func (r *ruled) check(t *testing.T, rows []ruleRow) {
	t.Helper()
	for _, row := range rows {
		r.on(row.device)
		got, _ := r.findings(t, func(c *CommandBuffer) { row.record(c, true) })
		for _, rule := range row.rules {
			if !slices.Contains(got, "VUID-"+rule) {
				t.Errorf("%s: the findings are %q", rule, got)
			}
		}
		if got, err := r.findings(t, func(c *CommandBuffer) { row.record(c, false) }); len(got) > 0 || err != nil {
			t.Errorf("%s: valid commands have the findings %q, and the error %v", row.rules, got, err)
		}
	}
	r.on(nil)
}

// color makes a view of an image of a format with 8×8 pixels.
func (r *ruled) colorView(t testing.TB, name string, samples int, usage ImageUsage) *ImageView {
	t.Helper()
	m := r.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, name), Extent: [3]int{8, 8, 1}, Samples: samples, Usage: usage})
	return must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
}

// limits returns a device with one limit.
func limits(name string, value uint64) *valid.Device {
	return &valid.Device{Limits: map[string]uint64{name: value}}
}

// features returns a device with features that are on or off.
func features(on bool, names ...string) *valid.Device {
	d := &valid.Device{Features: map[string]bool{}}
	for _, n := range names {
		d.Features[n] = on
	}
	return d
}

// TestAttachmentRules breaks the rules of draws on attachments.
func TestAttachmentRules(t *testing.T) {
	r := newRuled(t)
	plain := r.pipe(t, nil)
	four := r.pipe(t, func(i *GraphicsPipelineInfo) { i.State.Multisample = &link.Multisample{Samples: 4} })
	none := r.pipe(t, func(i *GraphicsPipelineInfo) { i.State.Rendering.Color = []link.Format{0} })
	other := r.pipe(t, func(i *GraphicsPipelineInfo) {
		i.State.Rendering.Color = []link.Format{formatOf(t, "R16G16B16A16_SFLOAT")}
	})
	views := r.pipe(t, func(i *GraphicsPipelineInfo) { i.State.Rendering.ViewMask = 1 })
	stencil := r.colorView(t, "S8_UINT", 1, ImageDepthStencilAttachment)
	deep := r.pipe(t, func(i *GraphicsPipelineInfo) { i.State.Rendering.Stencil = formatOf(t, "S8_UINT") })
	deepFour := r.pipe(t, func(i *GraphicsPipelineInfo) {
		i.State.Rendering.Stencil, i.State.Multisample = formatOf(t, "S8_UINT"), &link.Multisample{Samples: 4}
	})
	resolved := r.colorView(t, "R8G8B8A8_UNORM", 1, ImageColorAttachment)
	resolver := func(f link.Format) *GraphicsPipeline {
		return r.pipe(t, func(i *GraphicsPipelineInfo) {
			i.State.CustomResolve = &CustomResolve{Resolve: true, Colors: []link.Format{f}}
			i.State.Rendering.Depth, i.State.DepthStencil = 0, &link.DepthStencil{}
		})
	}
	undefined, defined := resolver(0), resolver(r.fixed.Rendering.Color[0])
	either := func(bad bool, x, y *GraphicsPipeline) *GraphicsPipeline {
		if bad {
			return x
		}
		return y
	}
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-multisampledRenderToSingleSampled-07285", "vkCmdDraw-multisampledRenderToSingleSampled-07286", "vkCmdDraw-None-08644"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), either(bad, four, plain), nil)
		}},
		{[]string{"vkCmdDraw-multisampledRenderToSingleSampled-07287"}, nil, func(c *CommandBuffer, bad bool) {
			info := r.rendering()
			info.Stencil = &AttachmentInfo{View: stencil}
			r.paints(c, info, either(bad, deepFour, deep), nil)
		}},
		{[]string{"vkCmdDraw-pColorAttachments-08963"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), either(bad, none, plain), nil)
		}},
		{[]string{"vkCmdDraw-dynamicRenderingUnusedAttachments-08910"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, r.rendering(), either(bad, other, plain), nil)
		}},
		{[]string{"vkCmdDraw-pColorAttachments-11539"}, nil, func(c *CommandBuffer, bad bool) {
			info := r.rendering()
			info.Flags, info.Depth = CustomResolving, nil
			info.Colors[0].Resolve, info.Colors[0].ResolveMode = resolved, ResolveCustom
			r.paints(c, info, either(bad, undefined, defined), func() { c.BeginCustomResolve() })
		}},
		{[]string{"vkCmdDrawIndexed-maxMultiviewInstanceIndex-02688"}, limits("maxMultiviewInstanceIndex", 5), func(c *CommandBuffer, bad bool) {
			info := r.rendering()
			info.ViewMask = 1
			r.paints(c, info, views, func() {
				c.BindIndexBuffer(r.vertices, 0, 4)
				c.DrawIndexed(3, 2, 0, 0, 4+uint32(flag(bad)))
			})
		}},
	})
}

// TestRecordingRules records commands at wrong times, and on queues that do not run them.
func TestRecordingRules(t *testing.T) {
	r := newRuled(t)
	r.dev.checking = All
	object := must(r.dev.NewShaders(context.Background(), []ShaderInfo{{Stage: StageCompute, Code: code(t, saxpy), Layout: r.rig.pipeline}}))(t)
	instrumentation := must(r.dev.NewShaderInstrumentation())(t)
	matrix := []CooperativeVectorMatrix{{Rows: 4, Columns: 4, SourceType: f32, TargetType: f16, SourceStride: 16, TargetStride: 8, Source: 1 << 32, Target: 1<<32 + 1024, SourceLength: 64, TargetLength: 32}}
	commands := map[string]func(c *CommandBuffer){
		"vkCmdDispatch":                           func(c *CommandBuffer) { c.Dispatch(1, 1, 1) },
		"vkCmdBindShadersEXT":                     func(c *CommandBuffer) { c.BindShaders([]ShaderStage{StageVertex}, nil) },
		"vkCmdPushConstants":                      func(c *CommandBuffer) { c.PushConstants(r.rig.pipeline, 0, push(1)) },
		"vkCmdPushDataEXT":                        func(c *CommandBuffer) { c.PushData(0, push(1)) },
		"vkCmdSetPatchControlPointsEXT":           func(c *CommandBuffer) { c.SetPatchControlPoints(3) },
		"vkCmdSetTessellationDomainOriginEXT":     func(c *CommandBuffer) { c.SetDomainOrigin(0) },
		"vkCmdSetVertexInputEXT":                  func(c *CommandBuffer) { c.SetVertexInput(link.VertexInput{}) },
		"vkCmdSetRenderingAttachmentLocations":    func(c *CommandBuffer) { c.SetRenderingAttachmentLocations(nil) },
		"vkCmdSetRenderingInputAttachmentIndices": func(c *CommandBuffer) { c.SetRenderingInputAttachmentIndices(InputIndices{}) },
		"vkCmdBeginShaderInstrumentationARM":      func(c *CommandBuffer) { c.BeginShaderInstrumentation(instrumentation) },
		"vkCmdEndShaderInstrumentationARM":        func(c *CommandBuffer) { c.EndShaderInstrumentation() },
		"vkCmdConvertCooperativeVectorMatrixNV":   func(c *CommandBuffer) { c.ConvertCooperativeVectorMatrices(matrix) },
	}
	buffer := func(family int) *CommandBuffer {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Family: family}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, record := range commands {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		record(c)
		wantRule(t, c.Err(), "VUID-"+name+"-commandBuffer-recording")
		c = buffer(2) // of transfers
		if strings.HasPrefix(name, "vkCmdSetRendering") {
			c.BeginRendering(r.rendering())
			record(c)
			c.EndRendering()
			c.commands = c.commands[1:2] // the rendering has the same rule
		} else {
			record(c)
		}
		wantRule(t, c.End(), "VUID-"+name+"-commandBuffer-cmdpool")
	}
	for rule, record := range map[string]func(c *CommandBuffer){
		"vkCmdBindShadersEXT-pShaders-08478":                 func(c *CommandBuffer) { c.BindShaders([]ShaderStage{StageMesh}, nil) },
		"vkCmdBindShadersEXT-pShaders-08477":                 func(c *CommandBuffer) { c.BindShaders([]ShaderStage{StageVertex}, nil) },
		"vkCmdSetRenderingAttachmentLocations-renderpass":    commands["vkCmdSetRenderingAttachmentLocations"],
		"vkCmdSetRenderingInputAttachmentIndices-renderpass": commands["vkCmdSetRenderingInputAttachmentIndices"],
		"vkCmdConvertCooperativeVectorMatrixNV-renderpass": func(c *CommandBuffer) {
			c.BeginRendering(r.rendering())
			commands["vkCmdConvertCooperativeVectorMatrixNV"](c)
		},
		"VkPushConstantsInfo-None-09495": func(c *CommandBuffer) { c.PushConstants(nil, 0, push(1)) },
	} {
		c := buffer(1) // of computations
		record(c)
		wantRule(t, c.End(), "VUID-"+rule)
	}
	transfers := buffer(2)
	transfers.BindShaders([]ShaderStage{StageCompute}, object)
	wantRule(t, transfers.End(), "VUID-vkCmdBindShadersEXT-pShaders-08476")
	for _, name := range []string{"vkCmdBeginShaderInstrumentationARM", "vkCmdEndShaderInstrumentationARM", "vkCmdConvertCooperativeVectorMatrixNV"} {
		c, info := buffer(0), r.rendering()
		info.Flags = Suspending
		c.BeginRendering(info)
		c.EndRendering()
		commands[name](c)
		wantRule(t, c.Err(), "VUID-"+name+"-suspended")
	}
	r.on(features(false, "shaderObject"))
	c := buffer(0)
	c.BindShaders([]ShaderStage{StageCompute}, object)
	wantRule(t, c.End(), "VUID-vkCmdBindShadersEXT-None-08462")
	_, err := object[0].BinaryCode()
	wantRule(t, err, "VUID-vkGetShaderBinaryDataEXT-None-08461")
}

// TestValidationCacheRules makes caches of data that is none.
func TestValidationCacheRules(t *testing.T) {
	r := newRuled(t)
	r.dev.checking = All
	data, err := must(r.dev.NewValidationCache(nil))(t).Data()
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(data)
	changed[len(changed)-1]++
	for _, x := range []struct {
		rule string
		data []byte
	}{
		{"initialDataSize-01534", data[:len(data)-1]}, {"initialDataSize-01534", data[:10]}, {"initialDataSize-01535", changed}, {"initialDataSize-01535", make([]byte, len(data))},
	} {
		_, err := r.dev.NewValidationCache(x.data)
		wantRule(t, err, "VUID-VkValidationCacheCreateInfoEXT-"+x.rule)
	}
	must(r.dev.NewValidationCache(data))(t)
}

// TestFillRules breaks each rule of vkCmdFillBuffer on the range: the message has its name.
func TestFillRules(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	for _, k := range []struct {
		what      string
		offset, n uint64
		rule      string
	}{
		{"an offset that is the size", 32, WholeSize, "VUID-vkCmdFillBuffer-dstOffset-00024"},
		{"an offset beyond the size", 36, 4, "VUID-vkCmdFillBuffer-dstOffset-00024"},
		{"an offset of 2", 2, 4, "VUID-vkCmdFillBuffer-dstOffset-00025"},
		{"more than is after the offset", 16, 20, "VUID-vkCmdFillBuffer-size-00027"},
		{"0 bytes", 0, 0, "VUID-vkCmdFillBuffer-size-00026"},
		{"6 bytes", 0, 6, "VUID-vkCmdFillBuffer-size-00028"},
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.FillBuffer(r.x, k.offset, k.n, 0)
		broke(t, k.what, c.End(), k.rule)
	}
}
