package vk

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// ErrCompileRequired is the error of a pipeline with the flag FailOnPipelineCompileRequired one of whose stages must be
// compiled (VK_PIPELINE_COMPILE_REQUIRED).
var ErrCompileRequired = errors.New("the pipeline must be compiled")

// Creation has the fields that all pipelines have in common.
type Creation struct {
	Flags enum.PipelineFlags

	// Cache provides stages that were compiled before, and receives the others. It may be nil.
	Cache *PipelineCache

	// Base is the pipeline that this one derives from, with the flag Derivative. Instead of it, BaseIndex may be the index
	// of an earlier element of the batch.
	Base      Pipeline
	BaseIndex *int

	// Binaries, if there are any, provide all stages: their modules may be nil.
	Binaries []*PipelineBinary

	// Feedback, if not nil, is written when the pipeline is made.
	Feedback *CreationFeedback

	// Robustness is that of the stages without one of their own.
	Robustness *Robustness
}

// Feedback tells how a pipeline or a stage was made (VkPipelineCreationFeedback). If it is not Valid, the rest is zero.
type Feedback struct {
	Valid            bool
	CacheHit         bool // the application's cache had it
	BaseAcceleration bool // the base pipeline had it
	Duration         time.Duration
}

// CreationFeedback is the feedback of a pipeline and of its stages, in the order of the stages of Vulkan.
type CreationFeedback struct {
	Pipeline Feedback
	Stages   []Feedback
}

// Pipeline is a pipeline of any kind.
type Pipeline interface {
	Object
	made() *built
}

// checkPipeline returns an error unless a pipeline of any kind is alive and of the device.
func (d *Device) checkPipeline(p Pipeline) error {
	if isNil(p) {
		return usage("", "the pipeline is nil; must be an object")
	}
	if o := p.base(); o.dev != d || !o.alive() {
		return usage("", "%v is closed or of another device; must be alive", o)
	}
	return nil
}

// checkLibraries returns an error unless all pipelines are alive, of the device and libraries.
func checkLibraries[P Pipeline](d *Device, list []P) error {
	for _, l := range list {
		if err := d.checkPipeline(l); err != nil {
			return err
		}
		if l.made().flags&enum.PipelineFlagsLibrary == 0 {
			return usage("VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381", "%v is no library; must be one", l.base())
		}
	}
	return nil
}

// built is the part that all pipelines have: how they were made.
type built struct {
	flags    enum.PipelineFlags
	pieces   []*piece
	released bool // the data that was captured for binaries is released
}

func (b *built) made() *built { return b }

// knownFlags are the creation flags that have their meaning, or none on a processor.
const knownFlags = enum.PipelineFlagsEnableLegacyDithering | enum.PipelineFlagsRenderingFragmentShadingRateAttachment |
	enum.PipelineFlagsColorAttachmentFeedbackLoop | enum.PipelineFlagsDepthStencilAttachmentFeedbackLoop |
	enum.PipelineFlagsDisableOptimization | enum.PipelineFlagsAllowDerivatives | enum.PipelineFlagsDerivative |
	enum.PipelineFlagsViewIndexFromDeviceIndex | enum.PipelineFlagsDispatchBase | enum.PipelineFlagsFailOnPipelineCompileRequired | enum.PipelineFlagsEarlyReturnOnFailure |
	enum.PipelineFlagsLinkTimeOptimization | enum.PipelineFlagsLibrary | enum.PipelineFlagsRetainLinkTimeOptimizationInfo |
	enum.PipelineFlagsNoProtectedAccess | enum.PipelineFlagsProtectedAccessOnly | enum.PipelineFlagsCaptureData | enum.PipelineFlagsDescriptorBuffer | enum.PipelineFlagsDescriptorHeap | enum.PipelineFlags64BitIndexing | enum.PipelineFlagsExecutionGraph | InstrumentShaders |
	enum.PipelineFlagsRayTracingSkipTriangles | enum.PipelineFlagsRayTracingSkipAabbs | enum.PipelineFlagsRayTracingNoNullAnyHitShaders |
	enum.PipelineFlagsRayTracingNoNullClosestHitShaders | enum.PipelineFlagsRayTracingNoNullMissShaders | enum.PipelineFlagsRayTracingNoNullIntersectionShaders |
	enum.PipelineFlagsRayTracingShaderGroupHandleCaptureReplay | enum.PipelineFlagsRayTracingAllowSpheresAndLinearSweptSpheres | enum.PipelineFlagsRayTracingAllowMotion | enum.PipelineFlagsRayTracingOpacityMicromap | ExcludeMixedMicromaps |
	enum.PipelineFlagsCaptureStatistics | enum.PipelineFlagsCaptureInternalRepresentations | enum.PipelineFlagsIndirectBindableBitExt | enum.PipelineFlagsIndirectBindable

// creation is a pipeline that is being made.
type creation struct {
	*Creation
	dev    *Device
	begin  time.Time
	stages []*stageCreation

	debugged    bool                  // the stages have symbols
	descriptors lower.DescriptorPlace // of a shader object; a pipeline has flags
}

// stageCreation is a stage of a pipeline that is being made.
type stageCreation struct {
	info       *StageInfo
	model      spirv.ExecutionModel
	options    lower.Options
	identifier []byte
	key        store.Key    // of the piece; zero with binaries
	piece      *piece       // nil if it must be compiled
	shader     *link.Shader // nil if neither the checks nor the compiler need it
	feedback   Feedback
}

// newCreation checks the fields that all pipelines have in common.
func (d *Device) newCreation(info *Creation) (*creation, error) {
	c := &creation{Creation: info, dev: d, begin: time.Now()}
	if info.Feedback != nil {
		*info.Feedback = CreationFeedback{}
	}
	if unknown := info.Flags &^ knownFlags; unknown != 0 {
		return nil, &UnsupportedError{Feature: "the pipeline creation flags " + unknown.String()}
	}
	if info.Cache != nil {
		if err := check(d, "the pipeline cache", info.Cache); err != nil {
			return nil, err
		}
	}
	if err := c.checkBase(); err != nil {
		return nil, err
	}
	for _, b := range info.Binaries {
		if err := check(d, "a pipeline binary", b); err != nil {
			return nil, err
		}
	}
	if len(info.Binaries) > 0 {
		switch {
		case info.Cache != nil:
			return nil, usage("VUID-vkCreateGraphicsPipelines-pNext-09616", "the pipeline has binaries and a cache; must have one of them")
		case info.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0:
			return nil, usage("VUID-vkCreateGraphicsPipelines-binaryCount-09622", "the pipeline has binaries and the flag %v; must not have both", enum.PipelineFlagsFailOnPipelineCompileRequired)
		}
	}
	return c, nil
}

// checkBase checks the pipeline that this one derives from.
func (c *creation) checkBase() error {
	if c.Flags&enum.PipelineFlagsDerivative == 0 {
		return nil
	}
	if c.BaseIndex != nil && !isNil(c.Base) {
		return usage("VUID-VkGraphicsPipelineCreateInfo-flags-07986", "the pipeline derives from a pipeline and from an element of the batch; must derive from one")
	}
	if isNil(c.Base) {
		return usage("VUID-VkGraphicsPipelineCreateInfo-flags-07984", "the pipeline has the flag %v and no base; must have one", enum.PipelineFlagsDerivative)
	}
	b := c.Base.base()
	if b.dev != c.dev || !b.alive() {
		return usage("VUID-VkGraphicsPipelineCreateInfo-commonparent", "the base is %v, of another device or closed; must be alive", b)
	}
	if c.Base.made().flags&enum.PipelineFlagsAllowDerivatives == 0 {
		return usage("VUID-vkCreateGraphicsPipelines-flags-00721", "the base %v lacks the flag %v; must have it", b, enum.PipelineFlagsAllowDerivatives)
	}
	return nil
}

// isNil reports whether p is nil, or a nil pointer.
func isNil(p Pipeline) bool {
	switch p := p.(type) {
	case nil:
		return true
	case *ComputePipeline:
		return p == nil
	case *GraphicsPipeline:
		return p == nil
	case *RayTracingPipeline:
		return p == nil
	case *GraphPipeline:
		return p == nil
	}
	return false
}

// instrumented reports whether the shaders of the pipeline count.
func (c *creation) instrumented() bool { return c.Flags&InstrumentShaders != 0 }

// add adds a stage: it finds its piece, or prepares its compilation.
func (c *creation) add(ctx context.Context, info *StageInfo, model spirv.ExecutionModel) error {
	begin := time.Now()
	s := &stageCreation{info: info, model: model, options: c.stageOptions(info)}
	if c.debugged {
		s.options.Symbols = &lower.Symbols{}
	}
	c.stages = append(c.stages, s)
	if len(c.Binaries) > 0 {
		if err := c.fromBinaries(s); err != nil {
			return err
		}
	} else if err := c.identify(s); err != nil {
		return err
	} else {
		s.key = pieceKey(s.identifier, entryName(info), model, info.Specialization, &s.options, c.instrumented())
		c.find(s, s.key)
	}
	if s.piece == nil && c.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0 {
		return ErrCompileRequired
	}
	var err error
	if s.piece == nil || c.dev.checking > None {
		if s.shader, err = c.dev.stageOf(ctx, s); err != nil {
			err = &StageError{model, err}
		}
	}
	s.feedback.Valid, s.feedback.Duration = true, time.Since(begin)
	return err
}

// stageOptions returns the options of the compilation of a stage of the pipeline.
func (c *creation) stageOptions(info *StageInfo) lower.Options {
	o := c.dev.stageOptions(info)
	o.Index64 = c.Flags&enum.PipelineFlags64BitIndexing != 0
	o.ViewIndexFromDevice = c.Flags&enum.PipelineFlagsViewIndexFromDeviceIndex != 0
	switch o.Descriptors = c.descriptors; {
	case c.heaps():
		o.Descriptors, o.Records = lower.InHeaps, recordMappings(info.Mappings)
	case c.Flags&enum.PipelineFlagsDescriptorBuffer != 0:
		o.Descriptors = lower.InBuffers
	}
	return o
}

// stageOptions returns the options of the compilation of a stage.
func (d *Device) stageOptions(info *StageInfo) lower.Options {
	o := d.lowering
	if info.SubgroupSize != 0 {
		o.SubgroupSize = info.SubgroupSize
	}
	// A workgroup whose width is no multiple of the size has a subgroup that is not full. A tolerant device permits that.
	o.FullSubgroups = !d.tolerant && (o.FullSubgroups || info.Flags&enum.StageFlagsRequireFullSubgroups != 0)
	o.VaryingSubgroups = o.VaryingSubgroups || info.Flags&enum.StageFlagsAllowVaryingSubgroupSize != 0
	return o
}

// entryName returns the name of the entry point.
func entryName(info *StageInfo) string {
	if info.Entry == "" {
		return "main"
	}
	return info.Entry
}

// maxIdentifier is VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT.
const maxIdentifier = 32

// identify sets the identifier of the code of a stage. The stage has one of a module, code and an identifier.
func (c *creation) identify(s *stageCreation) error {
	info := s.info
	if n := len(info.Identifier); n > 0 {
		switch {
		case n > maxIdentifier:
			return usage("VUID-VkPipelineShaderStageModuleIdentifierCreateInfoEXT-identifierSize-06852", "the identifier of the module has %d bytes; must have at most %d", n, maxIdentifier)
		case info.Code != nil:
			return usage("VUID-VkPipelineShaderStageCreateInfo-stage-06844", "the %v stage has an identifier and code; must have one of them", s.model)
		case info.Module != nil:
			return usage("VUID-VkPipelineShaderStageCreateInfo-stage-06848", "the %v stage has an identifier and a module; must have one of them", s.model)
		case c.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired == 0:
			return usage("VUID-VkPipelineShaderStageModuleIdentifierCreateInfoEXT-pNext-06851", "the %v stage has an identifier; the pipeline must have the flag %v", s.model, enum.PipelineFlagsFailOnPipelineCompileRequired)
		}
		s.identifier = info.Identifier
		return nil
	}
	if info.Module != nil {
		s.identifier = info.Module.identifier[:]
		return check(c.dev, "the module", info.Module)
	}
	if info.Code == nil {
		return usage("VUID-VkPipelineShaderStageCreateInfo-stage-06845", "the %v stage has no module, no code and no identifier; must have one of them", s.model)
	}
	id := sha256.Sum256(info.Code)
	s.identifier = id[:]
	return nil
}

// find looks for the piece of a stage: in the cache of the application, in the base pipeline, in the cache of the device.
func (c *creation) find(s *stageCreation, k [sha256.Size]byte) {
	if c.Cache != nil {
		if s.piece = c.Cache.get(k); s.piece != nil {
			s.feedback.CacheHit = true
			return
		}
	}
	if c.Flags&enum.PipelineFlagsDerivative != 0 {
		for _, p := range c.Base.made().pieces {
			if p.key == k {
				s.piece, s.feedback.BaseAcceleration = p, true
				return
			}
		}
	}
	// A compilation that the device alone can avoid counts as one: the application cannot rely on the cache of the device.
	if c.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired == 0 {
		s.piece = c.dev.recent.get(k)
	}
}

// description completes the description of the pipeline for the rules of package link.
func (c *creation) description(d *link.Description, kind link.Kind, layout *PipelineLayout) *link.Description {
	d.Name, d.Kind, d.Flags = "pipeline", kind, c.Flags&^InstrumentShaders
	d.Env, d.Device = c.dev.env, c.dev.env.Device
	if layout != nil {
		l := layout.link
		d.Layout = &l
	}
	for _, s := range c.stages {
		d.Stages = append(d.Stages, *s.shader)
	}
	if !isNil(c.Base) {
		d.Base = &c.Base.made().flags
	}
	return d
}

// compile compiles the stages that have no piece.
func (c *creation) compile(ctx context.Context) error {
	for _, s := range c.stages {
		begin := time.Now()
		if s.piece == nil {
			var err error
			if s.piece, err = c.compileStage(ctx, s); err != nil {
				return &StageError{s.model, err}
			}
			c.dev.recent.put(s.piece)
		}
		if c.Cache != nil {
			c.Cache.put(s.piece)
		}
		s.feedback.Duration += time.Since(begin)
	}
	return nil
}

func (c *creation) compileStage(ctx context.Context, s *stageCreation) (*piece, error) {
	from := s.shader
	if c.dev.tolerant && from.Flags&enum.StageFlagsRequireFullSubgroups != 0 {
		x := *from
		x.Flags &^= enum.StageFlagsRequireFullSubgroups
		from = &x
	}
	compiled, err := shader.Compile(ctx, from, s.options)
	if err != nil {
		return nil, compileError(err)
	}
	if c.instrumented() {
		instrument(compiled.Program)
	}
	return &piece{s.key, compiled}, nil
}

// finish returns how the pipeline was made, and writes the feedback.
func (c *creation) finish() built {
	b := built{flags: c.Flags}
	for _, s := range c.stages {
		b.pieces = append(b.pieces, s.piece)
	}
	if f := c.Feedback; f != nil {
		f.Pipeline = Feedback{Valid: true, CacheHit: len(c.stages) > 0, BaseAcceleration: len(c.stages) > 0, Duration: time.Since(c.begin)}
		for _, s := range c.stages {
			f.Stages = append(f.Stages, s.feedback)
			f.Pipeline.CacheHit = f.Pipeline.CacheHit && s.feedback.CacheHit
			f.Pipeline.BaseAcceleration = f.Pipeline.BaseAcceleration && s.feedback.BaseAcceleration
		}
	}
	return b
}

// stage returns the compiled stage, which finds source lines if its module is known.
func (s *stageCreation) stage() *shader.Stage {
	if s.piece.stage.Facts != nil || s.info.Module == nil {
		return s.piece.stage
	}
	code, spec := s.info.Module.module, maps.Clone(s.info.Specialization)
	return &shader.Stage{Program: s.piece.stage.Program, Source: func() *facts.Module { return facts.Gather(code, spec) }}
}

// kept returns the stage with a copy of its description, for the lifetime of the pipeline.
func (s *stageCreation) kept() *stageCreation {
	info := *s.info
	info.Code, info.Specialization = slices.Clone(info.Code), maps.Clone(info.Specialization)
	out := *s
	out.info = &info
	return &out
}

// robustnessOf returns the robustness of a stage; nil for the default.
func (c *creation) robustnessOf(s *StageInfo) *Robustness {
	if s.Robustness != nil {
		return s.Robustness
	}
	return c.Creation.Robustness
}

// stageOf returns the specialized entry point of a stage: without its module if that is not known.
func (d *Device) stageOf(ctx context.Context, s *stageCreation) (*link.Shader, error) {
	info := s.info
	m := info.Module
	if m == nil && info.Code != nil {
		code, err := spirv.Decode(info.Code)
		if err != nil {
			return nil, err
		}
		m = &ShaderModule{module: code}
	}
	if m == nil {
		return &link.Shader{
			Stage: 1 << link.StageOf(s.model), Identifier: uint32(len(info.Identifier)), Flags: info.Flags, SubgroupSize: info.SubgroupSize,
		}, nil
	}
	found, err := d.entry(ctx, m, info, s.model)
	if err != nil {
		return nil, err
	}
	found.InChain = info.Module == nil
	return found, nil
}

// PipelineError reports the pipelines of a batch that were not made, in order.
type PipelineError struct {
	Failures []PipelineFailure
}

// PipelineFailure is the failure of one pipeline of a batch.
type PipelineFailure struct {
	Index int
	Cause error
}

// Error returns the first failure.
func (e *PipelineError) Error() string {
	if len(e.Failures) == 0 {
		return "no pipeline failed"
	}
	f := e.Failures[0]
	text := fmt.Sprintf("pipeline %d: %v", f.Index, f.Cause)
	if n := len(e.Failures); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}

// Unwrap returns the cause that decides the result of the batch: an error before ErrCompileRequired.
func (e *PipelineError) Unwrap() error {
	for _, f := range e.Failures {
		if !errors.Is(f.Cause, ErrCompileRequired) {
			return f.Cause
		}
	}
	return ErrCompileRequired
}

// batch makes pipelines one by one. It attempts all, and leaves nil those that fail; after the failure of one with the flag
// EarlyReturnOnFailure it leaves the rest.
func batch[I any, P Pipeline](infos []I, common func(*I) *Creation, create func(*I) (P, error)) ([]P, error) {
	out := make([]P, len(infos))
	var failed PipelineError
	for i := range infos {
		info := infos[i]
		c := common(&info)
		err := error(nil)
		if at := c.BaseIndex; at != nil && c.Flags&enum.PipelineFlagsDerivative != 0 && isNil(c.Base) {
			switch {
			case *at < 0 || *at >= i:
				err = usage("VUID-vkCreateGraphicsPipelines-flags-00720", "pipeline %d derives from element %d of the batch; must derive from an earlier one", i, *at)
			case isNil(out[*at]):
				err = usage("VUID-VkGraphicsPipelineCreateInfo-flags-07985", "pipeline %d derives from element %d of the batch, which failed; must derive from a pipeline", i, *at)
			default:
				c.Base, c.BaseIndex = out[*at], nil
			}
		}
		if err == nil {
			out[i], err = create(&info)
		}
		if err == nil {
			continue
		}
		failed.Failures = append(failed.Failures, PipelineFailure{i, err})
		if c.Flags&enum.PipelineFlagsEarlyReturnOnFailure != 0 {
			break
		}
	}
	if failed.Failures != nil {
		return out, &failed
	}
	return out, nil
}
