package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
)

// TestModules makes modules of code that is none and of invalid code, and runs a pipeline whose module is closed (row F01,
// VUID-VkShaderModuleCreateInfo-codeSize-08735, pCode-08737, pCode-08738).
func TestModules(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage) // closes its module before the pipeline runs
	good := code(t, saxpy)
	for name, text := range map[string][]byte{
		"no code": nil, "5 bytes": good[:5], "6 bytes too many": append(bytes.Clone(good), 0, 0, 0, 0, 0, 0), "another magic number": append([]byte{1, 2, 3, 4}, good[4:]...),
	} {
		if m, err := r.dev.NewShaderModule(context.Background(), text); err == nil || m != nil {
			t.Errorf("%s: a module, %v; want an error", name, err)
		}
	}
	invalid := bytes.Clone(good)
	binary.LittleEndian.PutUint32(invalid[12:], 1) // a bound below the ids
	var rules *InvalidModuleError
	if _, err := r.dev.NewShaderModule(context.Background(), invalid); err == nil {
		t.Error("a module with ids above its bound is made")
	} else if errors.As(err, &rules) && len(rules.Findings) == 0 {
		t.Error("an invalid module has no findings")
	}
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(2))
		c.Dispatch(2, 1, 1)
	})
	if err := r.submit(t, c); err != nil {
		t.Error(err)
	}
	if got := r.get(64, 3); got != 106 {
		t.Errorf("y[3] is %v; want 106", got)
	}
}

// TestIdentifiers compares identifiers (row F04): the same code has the same one, as a module or not, on each device and in
// any order; other code has another.
func TestIdentifiers(t *testing.T) {
	first, other := newRig(t, DeviceInfo{}, storage), newRig(t, DeviceInfo{}, storage)
	one, two := code(t, saxpy), code(t, positions)
	a := must(first.dev.NewShaderModule(context.Background(), one))(t)
	_ = must(other.dev.NewShaderModule(context.Background(), two))(t)
	b := must(other.dev.NewShaderModule(context.Background(), one))(t)
	c := must(first.dev.NewShaderModule(context.Background(), two))(t)
	id, second, ofCode := must(a.Identifier())(t), must(b.Identifier())(t), must(a.dev.ModuleIdentifier(one))(t)
	if len(id) == 0 || len(id) > 32 || !bytes.Equal(id, second) || !bytes.Equal(id, ofCode) {
		t.Errorf("identifiers %x, %x and %x; want equal ones of at most 32 bytes", id, second, ofCode)
	}
	if bytes.Equal(id, must(c.Identifier())(t)) {
		t.Error("other code has the same identifier")
	}
	first.dev.physical = &PhysicalDevice{Name: "without", Limits: features(false, "shaderModuleIdentifier")}
	_, err := a.Identifier()
	wantRule(t, err, "VUID-vkGetShaderModuleIdentifierEXT-shaderModuleIdentifier-06884")
	_, err = first.dev.ModuleIdentifier(one)
	wantRule(t, err, "VUID-vkGetShaderModuleCreateInfoIdentifierEXT-shaderModuleIdentifier-06885")
}

// TestBinaryCompatibility changes the version of binary code (row E05): versions up to ours are read, later ones are
// incompatible, as are foreign identities.
func TestBinaryCompatibility(t *testing.T) {
	s := newScene(t, 1)
	data := must(s.objects(t, 0)[0].BinaryCode())(t)
	if len(data)%16 != 0 || !bytes.HasPrefix(data, ShaderBinaryUUID[:]) {
		t.Fatalf("%d bytes beginning with %x; want a multiple of 16 and the identity", len(data), data[:16])
	}
	for v := range uint32(ShaderBinaryVersion + 3) {
		b := bytes.Clone(data)
		binary.LittleEndian.PutUint32(b[16:], v)
		want := v >= 1 && v <= ShaderBinaryVersion
		info := ShaderInfo{Stage: StageVertex, Code: b, Binary: true, Layout: s.layout, Next: s.objects(t, 0)[0].info.Next}
		_, err := s.dev.NewShaders(context.Background(), []ShaderInfo{info})
		if (err == nil) != want || err != nil && !errors.Is(err, ErrIncompatibleBinary) {
			t.Errorf("version %d: %v", v, err)
		}
	}
}

// TestBindShaders binds and unbinds stages alone (row E06): a stage that is not named keeps its object, nil unbinds, and
// an array of nothing unbinds all that it names.
func TestBindShaders(t *testing.T) {
	var o []*Shader
	vertex, fragment := []ShaderStage{StageVertex}, []ShaderStage{StageFragment}
	for name, x := range map[string]struct {
		bind  func(c *CommandBuffer)
		draws bool
	}{
		"one after the other":    {func(c *CommandBuffer) { c.BindShaders(vertex, o[:1]); c.BindShaders(fragment, o[1:2]) }, true},
		"the other order":        {func(c *CommandBuffer) { c.BindShaders(fragment, o[1:2]); c.BindShaders(vertex, o[:1]) }, true},
		"a stage unbound by nil": {func(c *CommandBuffer) { c.BindShaders(vertex, o[:1]); c.BindShaders(vertex, []*Shader{nil}) }, false},
		"a stage unbound by no array": {func(c *CommandBuffer) {
			c.BindShaders([]ShaderStage{StageVertex, StageFragment}, o[:2])
			c.BindShaders(vertex, nil)
		}, false},
		"bound again": {func(c *CommandBuffer) {
			c.BindShaders(vertex, nil)
			c.BindShaders([]ShaderStage{StageVertex, StageFragment}, o[:2])
		}, true},
	} {
		s := newScene(t, 1)
		o = s.objects(t, 0)
		err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			s.setAll(c)
			x.bind(c)
			c.BeginRendering(s.rendering())
			s.paint(c, 1, 1, 1, 1)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		}))
		if (err == nil) != x.draws {
			t.Errorf("%s: %v; draws: %t", name, err, x.draws)
		}
	}
}

// TestPushConstants sets push constants (row F09) outside of the ranges of the layout, and keeps them across the binding of
// another pipeline whose layout has the same ranges (Vulkan, Pipeline Layout Compatibility).
func TestPushConstants(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	for rule, set := range map[string]func(c *CommandBuffer){
		"offset-00368":     func(c *CommandBuffer) { c.PushConstants(r.pipeline, 2, make([]byte, 4)) },
		"size-arraylength": func(c *CommandBuffer) { c.PushConstants(r.pipeline, 0, nil) },
		"size-00369":       func(c *CommandBuffer) { c.PushConstants(r.pipeline, 0, make([]byte, 3)) },
		"offset-01795":     func(c *CommandBuffer) { c.PushConstants(r.pipeline, 4, make([]byte, 4)) },
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		set(c)
		var wrong *UsageError
		if err := c.End(); !errors.As(err, &wrong) || wrong.Rule != "VUID-vkCmdPushConstants-"+rule {
			t.Errorf("%s: %v", rule, err)
		}
	}
	same := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{r.layout}, Push: []link.Range{{Size: 4, Stages: link.AllStages}}}))(t)
	other := must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, saxpy)}, Layout: same}))(t)
	err := r.submit(t, r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(7))
		c.BindPipeline(other)
		c.Dispatch(2, 1, 1)
	}))
	if got := r.get(64, 2); err != nil || got != 114 {
		t.Errorf("y[2] is %v: %v; want 114", got, err)
	}
}
