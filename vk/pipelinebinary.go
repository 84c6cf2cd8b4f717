package vk

import (
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// ErrIncompatiblePipelineBinary is the error of data that this build of Chiaro did not make, or that is damaged.
var ErrIncompatiblePipelineBinary = errors.New("the pipeline binary is incompatible")

// ErrPipelineBinaryMissing is the error of a pipeline whose stages the device does not have
// (VK_PIPELINE_BINARY_MISSING_KHR).
var ErrPipelineBinaryMissing = errors.New("the pipeline binary is missing")

// PipelineBinaryKey identifies a pipeline binary, or a pipeline (VkPipelineBinaryKeyKHR).
type PipelineBinaryKey [32]byte

// PipelineBinary is a compiled stage of a pipeline that the application keeps itself (VK_KHR_pipeline_binary).
type PipelineBinary struct {
	object
	piece *piece
}

// PipelineBinaryData is a binary as the application stores it.
type PipelineBinaryData struct {
	Key  PipelineBinaryKey
	Data []byte
}

// PipelineBinaryInfo is the source of binaries: one of its fields is given.
type PipelineBinaryInfo struct {
	Data []PipelineBinaryData

	// Pipeline was made with the flag CaptureData.
	Pipeline Pipeline

	// Compute, Graphics and RayTracing describe pipelines whose stages the device may have.
	Compute    *ComputePipelineInfo
	Graphics   *GraphicsPipelineInfo
	RayTracing *RayTracingPipelineInfo
}

// NewPipelineBinaries makes the binaries of a pipeline, one for each stage, in order; or one for each element of Data. If
// elements of Data fail, they are nil and the error is a *PipelineError with ErrIncompatiblePipelineBinary.
func (d *Device) NewPipelineBinaries(info PipelineBinaryInfo) ([]*PipelineBinary, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	given := 0
	for _, is := range []bool{info.Data != nil, !isNil(info.Pipeline), info.Compute != nil, info.Graphics != nil, info.RayTracing != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, usage("VUID-VkPipelineBinaryCreateInfoKHR-pKeysAndDataInfo-09619", "%d sources of binaries are given; must be one", given)
	}
	switch {
	case info.Data != nil:
		return d.binariesOfData(info.Data)
	case !isNil(info.Pipeline):
		if err := d.checkCaptured(info.Pipeline, "VUID-VkPipelineBinaryCreateInfoKHR-pipeline-09607"); err != nil {
			return nil, err
		}
		return d.binaries(info.Pipeline.made().pieces), nil
	}
	keys, err := d.keysOf(&info)
	if err != nil {
		return nil, err
	}
	var pieces []*piece
	for _, k := range keys {
		p := d.recent.get(k)
		if p == nil {
			return nil, ErrPipelineBinaryMissing
		}
		pieces = append(pieces, p)
	}
	return d.binaries(pieces), nil
}

// checkCaptured returns an error if a pipeline has no captured data.
func (d *Device) checkCaptured(p Pipeline, rule string) error {
	if err := d.checkPipeline(p); err != nil {
		return err
	}
	switch o, b := p.base(), p.made(); {
	case b.flags&enum.PipelineFlagsCaptureData == 0:
		return usage(rule, "%v lacks the flag %v; must have it", o, enum.PipelineFlagsCaptureData)
	case b.released:
		return usage("VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09618", "the captured data of %v is released; must not be", o)
	}
	return nil
}

// ReleaseCapturedPipelineData ends the use of a pipeline as a source of binaries.
func (d *Device) ReleaseCapturedPipelineData(p Pipeline) error {
	if err := d.Err(); err != nil {
		return err
	}
	if err := d.checkCaptured(p, "VUID-VkReleaseCapturedPipelineDataInfoKHR-pipeline-09613"); err != nil {
		return err
	}
	p.made().released = true
	return nil
}

// binaries returns an object for each piece.
func (d *Device) binaries(pieces []*piece) (out []*PipelineBinary) {
	for _, p := range pieces {
		b := &PipelineBinary{piece: p}
		d.adopt(&b.object, "pipeline binary", nil)
		out = append(out, b)
	}
	return out
}

func (d *Device) binariesOfData(list []PipelineBinaryData) ([]*PipelineBinary, error) {
	out := make([]*PipelineBinary, len(list))
	var failed PipelineError
	for i := range list {
		p, ok := unpackPiece(slices.Clone(list[i].Data))
		if !ok || p.key != store.Key(list[i].Key) {
			failed.Failures = append(failed.Failures, PipelineFailure{i, ErrIncompatiblePipelineBinary})
			continue
		}
		out[i] = d.binaries([]*piece{p})[0]
	}
	if failed.Failures != nil {
		return out, &failed
	}
	return out, nil
}

// Key returns the key of the binary; zeros if it is nil.
func (b *PipelineBinary) Key() PipelineBinaryKey {
	if b == nil || b.piece == nil {
		return PipelineBinaryKey{}
	}
	return PipelineBinaryKey(b.piece.key)
}

// Data returns the data of the binary (vkGetPipelineBinaryDataKHR).
func (b *PipelineBinary) Data() (PipelineBinaryData, error) {
	if err := check(nil, "the pipeline binary", b); err != nil {
		return PipelineBinaryData{}, err
	}
	return PipelineBinaryData{b.Key(), b.piece.pack()}, nil
}

// GlobalPipelineKey returns the key of all pipelines: data of a device with another key is incompatible.
func (d *Device) GlobalPipelineKey() (PipelineBinaryKey, error) {
	return PipelineBinaryKey(build()), d.Err()
}

// ComputePipelineKey returns the key of a pipeline: descriptions with equal keys have equal binaries.
func (d *Device) ComputePipelineKey(info *ComputePipelineInfo) (PipelineBinaryKey, error) {
	if info == nil {
		return PipelineBinaryKey{}, usage("", "the description is nil; must be one")
	}
	return d.pipelineKey(&PipelineBinaryInfo{Compute: info})
}

// GraphicsPipelineKey returns the key of a pipeline: descriptions with equal keys have equal binaries.
func (d *Device) GraphicsPipelineKey(info *GraphicsPipelineInfo) (PipelineBinaryKey, error) {
	if info == nil {
		return PipelineBinaryKey{}, usage("", "the description is nil; must be one")
	}
	return d.pipelineKey(&PipelineBinaryInfo{Graphics: info})
}

// RayTracingPipelineKey returns the key of a pipeline without its libraries: descriptions with equal keys have equal binaries.
func (d *Device) RayTracingPipelineKey(info *RayTracingPipelineInfo) (PipelineBinaryKey, error) {
	if info == nil {
		return PipelineBinaryKey{}, usage("", "the description is nil; must be one")
	}
	return d.pipelineKey(&PipelineBinaryInfo{RayTracing: info})
}

func (d *Device) pipelineKey(info *PipelineBinaryInfo) (PipelineBinaryKey, error) {
	if err := d.Err(); err != nil {
		return PipelineBinaryKey{}, err
	}
	keys, err := d.keysOf(info)
	if err != nil {
		return PipelineBinaryKey{}, err
	}
	all := []byte("pipeline")
	for _, k := range keys {
		all = append(all, k[:]...)
	}
	return sha256.Sum256(all), nil
}

// keysOf returns the keys of the stages of a description.
func (d *Device) keysOf(info *PipelineBinaryInfo) (keys []store.Key, err error) {
	add := func(c *creation, s *StageInfo, model spirv.ExecutionModel) {
		x := &stageCreation{info: s, model: model, options: c.stageOptions(s)}
		if e := c.identify(x); err == nil {
			err = e
		}
		keys = append(keys, pieceKey(x.identifier, entryName(s), model, s.Specialization, &x.options, c.instrumented()))
	}
	if compute := info.Compute; compute != nil {
		add(&creation{Creation: &compute.Creation, dev: d}, &compute.Stage, spirv.ExecutionModelGLCompute)
		return keys, err
	}
	if rays := info.RayTracing; rays != nil {
		for i := range rays.Stages {
			add(&creation{Creation: &rays.Creation, dev: d}, &rays.Stages[i].StageInfo, rays.Stages[i].Model)
		}
		return keys, err
	}
	for i, g := range graphicsStages {
		graphics := info.Graphics
		if s := g.info(graphics); s != nil && graphics.own()&partOf(ShaderStage(i)) != 0 {
			add(&creation{Creation: &graphics.Creation, dev: d}, s, g.model)
		}
	}
	if s := info.Graphics.ClusterCulling; s != nil && info.Graphics.own()&rasterPart != 0 {
		add(&creation{Creation: &info.Graphics.Creation, dev: d}, s, spirv.ExecutionModelClusterCullingHUAWEI)
	}
	return keys, err
}

// firstRayStage is the place of the first ray tracing stage in the order of package link.
var firstRayStage = link.StageOf(spirv.ExecutionModelRayGenerationKHR)

// fromBinaries finds the piece of a stage in the binaries of the pipeline. Ray tracing pipelines have several stages of a kind: their
// binaries are in the order of the stages.
func (c *creation) fromBinaries(s *stageCreation) error {
	if n := len(c.stages) - 1; link.StageOf(s.model) >= firstRayStage {
		if n < len(c.Binaries) && c.Binaries[n].piece.of(s.model) {
			s.piece = c.Binaries[n].piece
			return nil
		}
		return usage("VUID-VkPipelineBinaryInfoKHR-binaryCount-09603", "binary %d is not of the %v stage; must be", n, s.model)
	}
	for _, b := range c.Binaries {
		if b.piece.of(s.model) {
			s.piece = b.piece
			return nil
		}
	}
	return usage("VUID-VkPipelineBinaryInfoKHR-binaryCount-09603", "the binaries have no %v stage; must have all of the pipeline", s.model)
}
