package fossil

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
)

// Pipeline is a pipeline out of an archive, but for the modules of its stages,
// which Stages names in order.
type Pipeline struct {
	Description *link.Description
	Stages      []Stage

	// Skipped are the structs of pNext chains that are not known, by their
	// names; Libraries the pipelines that this one is made of.
	Skipped   []string
	Libraries []Hash

	// Uses are the objects that the pipeline was put together of, the modules
	// of its stages among them.
	Uses []Ref
}

// Stage describes one stage of a pipeline.
type Stage struct {
	Module Hash // 0 if it is given in another way
	Stage  link.Stages
	Entry  string
	Spec   facts.Spec

	// Identifier is the size in bytes of the identifier of the module, or 0 if there is
	// none. Fossilize itself records the module instead.
	Identifier uint32

	Flags        enum.StageFlags
	SubgroupSize uint32
	Robustness   *link.Robustness
	Entries      []link.SpecEntry
}

// Pipeline puts a pipeline together.
func (s *Set) Pipeline(ref Ref) (*Pipeline, error) {
	d, err := s.document(ref)
	if err != nil {
		return nil, err
	}
	p := &builder{set: s, out: &Pipeline{Description: &link.Description{Name: ref.String()}}}
	switch ref.Tag {
	case GraphicsPipeline:
		err = build(d.GraphicsPipelines, ref, p.graphics)
	case ComputePipeline:
		err = build(d.ComputePipelines, ref, p.compute)
	case RayTracingPipeline:
		err = build(d.RayTracing, ref, p.rays)
	default:
		err = fmt.Errorf("%s: must be a pipeline", ref)
	}
	if err == nil {
		err = p.err
	}
	if err != nil {
		var missing *MissingError
		if errors.As(err, &missing) && missing.Ref == ref {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	p.out.Skipped = p.skipped
	return p.out, nil
}

func build[T any](m map[string]*T, ref Ref, f func(*T)) error {
	o, err := object(m, ref)
	if err == nil && o == nil {
		err = &MissingError{ref}
	}
	if err != nil {
		return err
	}
	f(o)
	return nil
}

// builder puts one pipeline together.
type builder struct {
	reader
	set *Set
	out *Pipeline
}

// hash reads a handle: 0 means none.
func (b *builder) hash(text string) Hash {
	if text == "" {
		return 0
	}
	h, err := ParseHash(text)
	if err != nil {
		b.fail(err)
	}
	return h
}

func (b *builder) compute(p *computePipeline) {
	d := b.out.Description
	d.Kind, d.Flags = link.Compute, enum.PipelineFlags(p.Flags)
	b.common(p.Next, nil)
	base(b, Ref{ComputePipeline, b.hash(p.Base)}, func(d *document) map[string]*computePipeline { return d.ComputePipelines },
		func(p *computePipeline) (uint64, chain) { return p.Flags, p.Next })
	b.layout(p.Layout)
	b.stages([]stage{p.Stage})
}

// base reads the flags of the base pipeline of a derivative; they stay unknown if the
// archive lacks it.
func base[T any](b *builder, r Ref, of func(*document) map[string]*T, parts func(*T) (uint64, chain)) {
	if r.Hash == 0 {
		return
	}
	d, err := b.set.document(r)
	if err != nil {
		return
	}
	o, err := object(of(d), r)
	if err != nil || o == nil {
		return
	}
	b.out.Uses = append(b.out.Uses, r)
	n, next := parts(o)
	v := enum.PipelineFlags(n)
	var f flags
	var own reader // unknown structs in the chain of the base do not concern this pipeline
	if own.read(next, map[structureType]any{stFlags2: &f})[stFlags2] {
		v = enum.PipelineFlags(f.Flags)
	}
	b.out.Description.Base = &v
}

func (b *builder) rays(p *rayTracingPipeline) {
	d := b.out.Description
	d.Kind, d.Flags = link.RayTracing, enum.PipelineFlags(p.Flags)
	b.common(p.Next, nil)
	base(b, Ref{RayTracingPipeline, b.hash(p.Base)}, func(d *document) map[string]*rayTracingPipeline { return d.RayTracing },
		func(p *rayTracingPipeline) (uint64, chain) { return p.Flags, p.Next })
	b.layout(p.Layout)
	b.stages(p.Stages)
	d.Rays = &link.Rays{Depth: p.Depth}
	for _, g := range p.Groups {
		ref := func(n uint32) *link.Ref { r := link.Ref(n); return &r }
		d.Rays.Groups = append(d.Rays.Groups, link.Group{
			Type: enum.GroupType(g.Type), General: ref(g.General), ClosestHit: ref(g.ClosestHit), AnyHit: ref(g.AnyHit), Intersection: ref(g.Intersection),
		})
	}
	if p.Interface != nil {
		d.Rays.Interface = &link.RayInterface{Payload: p.Interface.Payload, HitAttribute: p.Interface.HitAttribute}
	}
	if p.Libraries != nil {
		b.libraries(p.Libraries)
	}
	b.dynamic(p.Dynamic)
}

// common reads the chain of a pipeline; more are the structs that its kind alone
// may have.
func (b *builder) common(c chain, more map[structureType]any) map[structureType]bool {
	var f flags
	var l libraries
	var r robustness
	var feedback struct{}
	places := map[structureType]any{stFlags2: &f, stLibraries: &l, stRobustness: &r, stFeedback: &feedback}
	for t, to := range more {
		places[t] = to
	}
	found := b.read(c, places)
	d := b.out.Description
	if found[stFlags2] {
		d.Flags = enum.PipelineFlags(f.Flags)
	}
	if found[stRobustness] {
		d.Robustness = r.state()
	}
	if found[stLibraries] {
		b.libraries(&l)
	}
	d.Library = d.Flags&enum.PipelineFlagsLibrary != 0
	return found
}

func (r *robustness) state() *link.Robustness {
	return &link.Robustness{
		StorageBuffers: enum.BufferRobustness(r.Storage), UniformBuffers: enum.BufferRobustness(r.Uniform),
		VertexInputs: enum.BufferRobustness(r.Vertex), Images: enum.ImageRobustness(r.Images),
	}
}

func (b *builder) libraries(l *libraries) {
	for _, text := range l.List {
		b.out.Libraries = append(b.out.Libraries, b.hash(text))
	}
}

// maxStages bounds the stages of one pipeline; ray tracing pipelines have many.
const maxStages = 1 << 16

// stages reads the stages of a pipeline.
func (b *builder) stages(list []stage) {
	if len(list) > maxStages {
		b.fail(fmt.Errorf("there are %d stages; must be at most %d", len(list), maxStages))
		return
	}
	for i := range list {
		s := &list[i]
		out := Stage{Module: b.hash(s.Module), Stage: link.StagesOf(s.Stage), Entry: s.Name, Flags: enum.StageFlags(s.Flags)}
		if bits.OnesCount32(uint32(out.Stage)) != 1 {
			b.fail(fmt.Errorf("stages[%d]: stage is %#x; must be a defined stage", i, s.Stage))
		}
		var size subgroupSize
		var r robustness
		var m shaderModule
		var id moduleIdentifier
		found := b.read(s.Next, map[structureType]any{stSubgroupSize: &size, stRobustness: &r, stModule: &m, stIdentifier: &id})
		out.Identifier = id.Size
		if found[stSubgroupSize] {
			out.SubgroupSize = size.Size
		}
		if found[stRobustness] {
			out.Robustness = r.state()
		}
		if s.Spec != nil {
			var err error
			if out.Spec, out.Entries, err = s.Spec.values(); err != nil {
				b.fail(fmt.Errorf("stages[%d]: specializationInfo: %w", i, err))
			}
		}
		if out.Module != 0 {
			b.out.Uses = append(b.out.Uses, Ref{ShaderModule, out.Module})
		}
		b.out.Stages = append(b.out.Stages, out)
	}
}

// values returns the values of specialization constants. An entry that reaches
// out of the data has no value; a rule checks it.
func (s *specialization) values() (facts.Spec, []link.SpecEntry, error) {
	data, err := base64.StdEncoding.DecodeString(s.Data)
	if err != nil {
		return nil, nil, err
	}
	spec := facts.Spec{}
	var entries []link.SpecEntry
	for _, e := range s.Entries {
		entries = append(entries, link.SpecEntry{ID: e.ID, Offset: e.Offset, Size: e.Size, Data: s.Size})
		end := uint64(e.Offset) + e.Size
		if end > uint64(len(data)) || e.Size > 8 {
			continue
		}
		var v uint64
		for i, c := range data[e.Offset:end] {
			v |= uint64(c) << (8 * i)
		}
		spec[e.ID] = v
	}
	return spec, entries, nil
}
