package vk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// ShaderStage is a stage of shader objects.
type ShaderStage uint8

// The stages.
const (
	StageVertex ShaderStage = iota
	StageTessControl
	StageTessEvaluation
	StageGeometry
	StageTask
	StageMesh
	StageFragment
	StageCompute
	numStages
)

// model returns the execution model of a stage.
func (s ShaderStage) model() spirv.ExecutionModel {
	if s < StageCompute {
		return graphicsStages[s].model
	}
	return spirv.ExecutionModelGLCompute
}

// String returns the name of the stage.
func (s ShaderStage) String() string {
	if s >= numStages {
		return "stage " + uintText(uint64(s))
	}
	return s.model().String()
}

// ShaderInfo describes a shader object (VkShaderCreateInfoEXT).
type ShaderInfo struct {
	Stage          ShaderStage
	Next           link.Stages // that may follow it
	Flags          enum.ObjectFlags
	Code           []byte // SPIR-V, or with Binary the result of BinaryCode
	Binary         bool
	Entry          string // "main" if it is empty
	Layout         *PipelineLayout
	Specialization facts.Spec
	SubgroupSize   uint32
	Mappings       []Mapping // of an object with the flag DescriptorHeap, which has no layout; those in a binary replace them
}

// Shader is a shader object: a stage that is bound by itself.
type Shader struct {
	object
	info   ShaderInfo
	stage  *shader.Stage
	linked []*Shader // the objects that were linked with it; nil if it is not linked
	source *stageCreation
	binary []byte // the binary code that the object is made of; nil if it is made of SPIR-V

	compute  *ComputePipeline  // of a compute shader; it is no object by itself
	mappings []compute.Mapping // with descriptor heaps
}

// ShaderError reports which of the shader objects of a call failed first. The objects before it are made.
type ShaderError struct {
	Index int
	Cause error
}

// Error returns the index and the cause.
func (e *ShaderError) Error() string { return fmt.Sprintf("shader object %d: %v", e.Index, e.Cause) }

// Unwrap returns the cause.
func (e *ShaderError) Unwrap() error { return e.Cause }

// ErrIncompatibleBinary is the error of binary code that this version of Chiaro does not read
// (VK_INCOMPATIBLE_SHADER_BINARY_EXT).
var ErrIncompatibleBinary = errors.New("the shader binary is incompatible")

// NewShaders makes shader objects. Those with the flag LinkStage are linked: they are bound together. If one fails, the
// error is a *ShaderError, the objects before it are made, and it and those after it are nil.
func (d *Device) NewShaders(ctx context.Context, infos []ShaderInfo) ([]*Shader, error) {
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	out := make([]*Shader, len(infos))
	var linked []*Shader
	for i := range infos {
		s, err := d.recoveredShader(ctx, &infos[i])
		if err != nil {
			return out, &ShaderError{i, err}
		}
		out[i] = s
		if infos[i].Flags&enum.ObjectFlagsLinkStage != 0 {
			linked = append(linked, s)
		}
	}
	for _, s := range linked {
		s.linked = linked
	}
	if d.checking > None {
		if i, err := d.checkObjects(out); err != nil {
			for k := i; k < len(out); k++ {
				out[k].Close()
				out[k] = nil
			}
			return out, &ShaderError{i, err}
		}
	}
	return out, nil
}

// recoveredShader is newShader with an error for a panic.
func (d *Device) recoveredShader(ctx context.Context, info *ShaderInfo) (_ *Shader, err error) {
	defer recovered(&err)
	return d.newShader(ctx, info)
}

// checkObjects checks the interfaces of linked shaders, and the rules of each of the others. With an error it returns the
// first object that breaks a rule: the first linked one if they do not fit.
func (d *Device) checkObjects(list []*Shader) (int, error) {
	for i, s := range list {
		set := s.linked
		switch {
		case set == nil:
			set = []*Shader{s}
		case set[0] != s: // checked with the first
			continue
		}
		description := link.Description{Name: "shader objects", Kind: link.ShaderObjects, Env: d.env, Device: d.env.Device}
		if s.info.Flags&enum.ObjectFlagsDescriptorHeap == 0 { // else the resources have mappings
			layout := s.info.Layout.link
			description.Layout = &layout
		}
		for _, s := range set {
			description.Stages = append(description.Stages, s.describe(d))
		}
		if err := linked(&description); err != nil {
			return i, err
		}
	}
	return 0, nil
}

// newShader makes one object.
func (d *Device) newShader(ctx context.Context, info *ShaderInfo) (*Shader, error) {
	if info.Stage >= numStages {
		return nil, &UnsupportedError{Feature: "shader objects of the stage " + uintText(uint64(info.Stage))}
	}
	heaps := info.Flags&enum.ObjectFlagsDescriptorHeap != 0
	layout, err := layoutOf(d, info.Layout, heaps, "VUID-VkShaderCreateInfoEXT-flags-11291")
	if err != nil {
		return nil, err
	}
	s := &Shader{info: *info}
	s.info.Layout = layout
	s.info.Specialization, s.info.Mappings = maps.Clone(info.Specialization), slices.Clone(info.Mappings)
	if !info.Binary && len(info.Code)%4 != 0 {
		return nil, usage("VUID-VkShaderCreateInfoEXT-codeSize-08735", "the code has %d bytes; must be a multiple of 4", len(info.Code))
	}
	if info.Binary {
		code, list, err := readBinary(info)
		if err != nil {
			return nil, err
		}
		s.binary = slices.Clone(info.Code)
		s.info.Code, s.info.Binary = code, false
		if list != nil {
			s.info.Mappings = list
			defer d.adoptConversions(list)()
		}
	} else {
		s.info.Code = slices.Clone(info.Code)
	}
	stage := &StageInfo{Code: s.info.Code, Entry: info.Entry, Specialization: s.info.Specialization, SubgroupSize: info.SubgroupSize, Mappings: s.info.Mappings}
	if info.Flags&enum.ObjectFlagsAllowVaryingSubgroupSize != 0 {
		stage.Flags |= enum.StageFlagsAllowVaryingSubgroupSize
	}
	if info.Flags&enum.ObjectFlagsRequireFullSubgroups != 0 {
		stage.Flags |= enum.StageFlagsRequireFullSubgroups
	}
	var creation Creation
	if info.Flags&InstrumentShader != 0 {
		creation.Flags = InstrumentShaders
	}
	if info.Flags&enum.ObjectFlags64BitIndexing != 0 {
		creation.Flags |= enum.PipelineFlags64BitIndexing
	}
	c, err := d.newCreation(&creation)
	if err != nil {
		return nil, err
	}
	c.debugged = d.debugger != nil
	switch {
	case heaps:
		c.descriptors = lower.InHeaps
	case layout.inBuffers():
		c.descriptors = lower.InObjectBuffers
	}
	if err := c.add(ctx, stage, info.Stage.model()); err != nil {
		return nil, err
	}
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	s.source, s.stage = c.stages[0], c.stages[0].stage()
	if heaps {
		if s.mappings, err = d.mappings(s.info.Mappings, s.stage.Program); err != nil {
			return nil, err
		}
	}
	if info.Stage == StageCompute {
		p, err := compute.NewPipeline(s.stage.Program, d.engine, exec.Options{Stop: ctx.Err})
		if err != nil {
			return nil, compileError(err)
		}
		s.compute = &ComputePipeline{layout: layout, stage: s.stage, pipeline: p, mappings: s.mappings}
	}
	d.adopt(&s.object, "shader object", func() {
		if s.compute != nil {
			s.compute.pipeline.Close()
		}
		d.combinations.drop(s)
	})
	return s, nil
}

// describe returns the module and the interface of the object for the rules of package link.
func (s *Shader) describe(d *Device) link.Shader {
	x := d.describe(s.source)
	x.InChain, x.Flags, x.Object, x.Next, x.HasNext = false, 0, s.info.Flags&^InstrumentShader, s.info.Next, true
	return x
}

// Stage returns the specialized module and the interface of the object; zero values if it is nil or was not made.
func (s *Shader) Stage() link.Shader {
	if s == nil || s.source == nil {
		return link.Shader{}
	}
	return s.describe(s.dev)
}

// BindShaders binds shader objects to stages, or with nil unbinds a stage. objects may be nil: all stages are unbound. It
// unbinds the pipeline of the kind of the stages.
func (c *CommandBuffer) BindShaders(stages []ShaderStage, objects []*Shader) {
	if !c.starts("vkCmdBindShadersEXT") {
		return
	}
	if objects != nil && len(objects) != len(stages) {
		c.fail(usage("", "%d shader objects are bound to %d stages; must be as many", len(objects), len(stages)))
		return
	}
	if c.dev.checking > None && c.dev.without("shaderObject") {
		c.fail(usage(vuid.VkCmdBindShadersEXT_None_08462, "shader objects are bound without the feature shaderObject; must have it"))
		return
	}
	for i, stage := range stages {
		k := command{kind: bindShader, x: [4]uint64{uint64(stage)}}
		if stage >= numStages || slices.Contains(stages[:i], stage) {
			c.fail(usage("VUID-vkCmdBindShadersEXT-pStages-08463", "%v is bound twice, or is none of the stages; must be one, once", stage))
			return
		}
		if objects != nil && objects[i] != nil {
			if err := check(c.dev, "a shader object", objects[i]); err != nil {
				c.fail(err)
				return
			}
			if objects[i].info.Stage != stage {
				c.fail(usage("VUID-vkCmdBindShadersEXT-pShaders-08469", "%v is bound to the stage %v; must be of the stage", &objects[i].object, stage))
				return
			}
			c.refer(&objects[i].object)
			k.a = objects[i]
		}
		c.commands = append(c.commands, k)
	}
}

// combination is the stages that a draw uses together.
type combination [StageCompute]*Shader

// drawable is what a draw uses: the programs of a graphics pipeline, or of bound shader objects.
type drawable struct {
	pipeline   *draw.Pipeline
	layout     *PipelineLayout
	stages     []*shader.Stage
	robustness map[ir.Stage]*compute.Robustness
	mappings   map[ir.Stage][]compute.Mapping // with descriptor heaps
	inputs     inputs                         // of the fragment stage
	uses       uses
}

// combine returns the pipeline of bound shader objects; it is kept until one of them is closed.
func (d *Device) combine(c combination) (*drawable, error) {
	if c[StageVertex] == nil && c[StageMesh] == nil {
		return nil, usage("VUID-vkCmdDraw-None-08684", "no shader object is bound to the vertex or mesh stage, and no pipeline; must be")
	}
	return d.combinations.get(c, func() (*drawable, error) {
		if err := c.checkLinked(); err != nil {
			return nil, err
		}
		var programs draw.Stages
		first := c[StageVertex]
		if first == nil {
			first = c[StageMesh]
		}
		x := &drawable{layout: first.info.Layout}
		for i, s := range c {
			if s != nil {
				graphicsStages[i].put(&programs, s.stage.Program)
				x.stages = append(x.stages, s.stage)
				if s.mappings != nil {
					if x.mappings == nil {
						x.mappings = map[ir.Stage][]compute.Mapping{}
					}
					x.mappings[s.stage.Program.Stage] = s.mappings
				}
			}
		}
		var err error
		x.pipeline, err = draw.New(programs, state.State{}, d.engine, exec.Options{})
		return x, compileError(err)
	})
}
