package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/host"
)

// The limits of numbers in pipelines, far above the limits of any device.
const (
	maxSide   = 1 << 16 // pixels of a framebuffer in one direction
	maxNumber = 1 << 20 // locations, mip levels and the like
)

func (p *parser) pipeline(at diag.Pos) {
	kind := PipelineKind(p.oneOf("a kind of pipeline", pipelineKinds[:]...))
	q := &Pipeline{Kind: kind, At: at, Graphics: Graphics{Width: 250, Height: 250, PatchControlPoints: 3}}
	q.Name = p.declare("pipeline").text
	p.endLine()
	p.pipelineBody(q)
}

func (p *parser) derivePipeline(at diag.Pos) {
	name := p.declare("pipeline")
	p.keyword("FROM")
	parent := known(p, "pipeline", p.pipelines)
	p.endLine()
	if p.err != nil {
		return
	}
	q := parent.clone()
	q.Name, q.At = name.text, at
	p.pipelineBody(q)
}

func (p *parser) pipelineBody(q *Pipeline) {
	for {
		w, ok := p.blockWord("a PIPELINE")
		if !ok {
			break
		}
		p.pipelineItem(q, w)
	}
	p.endLine()
	q.attachGroups()
	if (q.Kind == ComputePipeline || q.Kind == SubpassShadingPipeline) && len(q.Stages) != 1 && p.err == nil {
		p.fail(CodeShader, q.At, "%s pipeline %s has %d shaders; it must have one", q.Kind, q.Name, len(q.Stages))
	}
	p.pipelines[q.Name] = q
	p.script.Pipelines = append(p.script.Pipelines, q)
}

// pipelineItem reads one statement within a pipeline.
func (p *parser) pipelineItem(q *Pipeline, w word) {
	switch w.text {
	case "ATTACH":
		p.attach(q, w.pos)
	case "SHADER_OPTIMIZATION":
		p.stageOptions(q, "SHADER_OPTIMIZATION", func(a *Attachment, o []string) { a.Optimize = o })
	case "COMPILE_OPTIONS":
		p.stageOptions(q, "COMPILE_OPTIONS", func(a *Attachment, o []string) { a.CompileOptions = o })
	case "SUBGROUP":
		p.subgroup(q)
	case "ROBUSTNESS":
		p.robustness(q)
	case "MAP":
		p.mapping(q)
	case "BIND":
		p.bind(q, w.pos)
	case "SET":
		p.kernelValue(q)
	case "FRAMEBUFFER_SIZE", "VIEWPORT", "VERTEX_DATA", "INDEX_DATA", "POLYGON_MODE", "PATCH_CONTROL_POINTS",
		"DEPTH", "STENCIL", "BLEND", "STATE", "TRANSFORM_FEEDBACK", "SHADING_RATE_ATTACHMENT":
		p.graphicsItem(q, w)
	case "SHADER_GROUP", "SHADER_BINDING_TABLE", "USE_LIBRARY", "FLAGS", "MAX_RAY_PAYLOAD_SIZE",
		"MAX_RAY_HIT_ATTRIBUTE_SIZE", "MAX_RAY_RECURSION_DEPTH":
		p.rayItem(q, w)
	case "MESH_NODE":
		p.meshNode(q, w.pos)
	default:
		p.fail(CodeWord, w.pos, "%s is nothing that a pipeline has", w)
	}
}

// fits reports whether a kind of pipeline may have a stage.
func (k PipelineKind) fits(s Stage) bool {
	switch k {
	case ComputePipeline, SubpassShadingPipeline, ExecutionGraphPipeline:
		return s == Compute
	case GraphicsPipeline:
		return s < numGraphicsStages
	}
	return s >= RayGeneration && s <= Callable
}

func (p *parser) attach(q *Pipeline, at diag.Pos) {
	s := known(p, "shader", p.shaders)
	if p.err != nil {
		return
	}
	a := Attachment{Shader: s, Stage: s.Stage, EntryPoint: "main"}
	if s.Stage == Multi {
		p.keyword("TYPE")
		w := p.word("a stage")
		var ok bool
		if a.Stage, ok = parseStage(w.text); !ok || a.Stage == Multi {
			p.fail(CodeWord, w.pos, "%s is no stage", w)
		}
	}
	for !p.lex.peek().eol {
		switch p.oneOf("a parameter of an attached shader", "ENTRY_POINT", "SPECIALIZE", "NODE") {
		case 0:
			a.EntryPoint = p.word("the name of an entry point").text
		case 1:
			a.Specialize = append(a.Specialize, p.specialization())
		case 2:
			a.Node = p.node()
		}
	}
	if !q.Kind.fits(a.Stage) {
		p.fail(CodeShader, at, "%s shader %s in a %s pipeline; must be of one of its stages", a.Stage, s.Name, q.Kind)
	}
	if a.Node != nil && q.Kind != ExecutionGraphPipeline {
		p.fail(CodeShader, at, "NODE in a %s pipeline; must be in an execution graph", q.Kind)
	}
	for i, o := range q.Stages {
		if o.Stage == a.Stage && q.Kind != RayTracingPipeline && q.Kind != ExecutionGraphPipeline {
			q.Stages = slices.Delete(q.Stages, i, i+1) // a derived pipeline puts another in its place
			break
		}
	}
	q.Stages = append(q.Stages, a)
	p.endLine()
}

func (p *parser) specialization() Specialization {
	s := Specialization{ID: p.uint32("the id of a specialization constant")}
	p.keyword("AS")
	w := p.word("a type")
	t, ok := scalars[w.text]
	if !ok && !w.eol {
		p.fail(CodeType, w.pos, "%s is no scalar type", w)
		return s
	}
	s.Type = t
	if n := p.number("a value", t); p.err == nil {
		s.Bits = t.bits(n)
	}
	return s
}

// stageOptions reads a block of words for one shader of the pipeline.
func (p *parser) stageOptions(q *Pipeline, block string, set func(*Attachment, []string)) {
	a := p.attached(q)
	var options []string
	for {
		w, ok := p.blockWord(block)
		if !ok {
			break
		}
		options = append(options, w.text)
	}
	if a != nil {
		set(a, options)
	}
	p.endLine()
}

// attached reads the name of a shader of the pipeline.
func (p *parser) attached(q *Pipeline) *Attachment {
	w := p.word("the name of a shader")
	a := q.stage(w.text)
	if a == nil && !w.eol {
		p.fail(CodeName, w.pos, "%s is no shader attached to pipeline %s", w, q.Name)
	}
	return a
}

func (p *parser) subgroup(q *Pipeline) {
	a := p.attached(q)
	if a == nil {
		return
	}
	for {
		w, ok := p.blockWord("SUBGROUP")
		if !ok {
			break
		}
		switch w.text {
		case "FULLY_POPULATED":
			a.Subgroup.FullyPopulated = p.onOff("on or off")
		case "VARYING_SIZE":
			a.Subgroup.VaryingSize = p.onOff("on or off")
		case "REQUIRED_SIZE":
			p.requiredSize(a)
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that SUBGROUP has", w)
		}
	}
	p.endLine()
}

func (p *parser) requiredSize(a *Attachment) {
	w := p.word("a size of subgroups")
	n, ok := parseNumber(w.text)
	switch {
	case w.is("MIN"):
		a.Subgroup.RequiredSize = host.MinSubgroup
	case w.is("MAX"):
		a.Subgroup.RequiredSize = host.MaxSubgroup
	case !ok || !n.Integer || n.Bits == 0 || n.Bits > 128 || n.Bits&(n.Bits-1) != 0:
		p.fail(CodeNumber, w.pos, "%s; must be MIN, MAX or a power of two up to 128", w)
	default:
		a.Subgroup.RequiredSize = int(n.Bits)
	}
}

// bind reads a BIND.
func (p *parser) bind(q *Pipeline, at diag.Pos) {
	b := binder{parser: p, pipeline: q, Binding: Binding{Kind: Untyped, At: at}, location: -1}
	switch p.oneOf("a kind of resource", "BUFFER", "BUFFER_ARRAY", "SAMPLER", "SAMPLER_ARRAY", "ACCELERATION_STRUCTURE") {
	case 0:
		b.Buffers = []*Buffer{p.bufferOrNull()}
		b.as()
	case 1:
		for next := true; next; next = p.err == nil && p.namesBuffer(p.lex.peek()) {
			b.Buffers = append(b.Buffers, p.bufferOrNull())
		}
		b.as()
	case 2:
		b.Kind, b.Samplers = SamplerOnly, []*Sampler{known(p, "sampler", p.samplers)}
	case 3:
		b.Kind, b.Samplers = SamplerOnly, several(p, "sampler", p.samplers)
	case 4:
		b.Kind, b.Structure = AccelerationStructure, known(p, "acceleration structure", p.structures)
	}
	b.details()
	p.endLine()
	if p.err == nil {
		b.commit()
	}
}

// several reads names up to a keyword or the end of the line.
func several[T any](p *parser, kind string, from map[string]T) []T {
	vs := []T{known(p, kind, from)}
	for {
		w := p.lex.peek()
		if _, ok := from[w.text]; w.eol || !ok {
			return vs
		}
		vs = append(vs, known(p, kind, from))
	}
}

// binder reads one BIND.
type binder struct {
	*parser
	Binding
	pipeline *Pipeline
	role     string // color, resolve, depth_stencil, push_constant, resource_heap, sampler_heap, or "" for a descriptor
	bank     uint32 // of push constants
	located  bool   // DESCRIPTOR_SET was read
	location int
	kernel   *KernelArg
}

// as reads the descriptor type of a buffer, if the script has one.
func (b *binder) as() {
	if !b.optional("AS") {
		return
	}
	w := b.word("a kind of binding")
	switch w.text {
	case "color", "resolve", "depth_stencil", "push_constant", "resource_heap", "sampler_heap":
		if b.role = w.text; slices.Contains(b.Buffers, nil) {
			b.fail(CodeName, w.pos, "NULL as %s; only a descriptor can be null", w)
		}
		return
	}
	i := slices.Index(bindingKinds[:SamplerOnly], w.text)
	if i < 0 {
		b.fail(CodeWord, w.pos, "%s is nothing that a buffer can be bound as", w)
		return
	}
	b.Kind = BindingKind(i)
	if b.Kind == CombinedImageSampler {
		b.keyword("SAMPLER")
		b.Samplers = several(b.parser, "sampler", b.samplers)
	}
}

// details reads the number of the binding and the bound part of the buffer.
func (b *binder) details() {
	for b.err == nil {
		w := b.lex.peek()
		if w.eol {
			return
		}
		b.lex.next()
		switch w.text {
		case "DESCRIPTOR_SET":
			b.Set, b.located = b.uint32("a descriptor set"), true
			b.keyword("BINDING")
			b.Binding.Binding = b.uint32("a binding")
		case "LOCATION":
			b.location = int(b.integer("a location", maxNumber))
		case "BASE_MIP_LEVEL":
			b.BaseMip = int(b.integer("a mip level", maxNumber))
		case "OFFSET":
			b.DynamicOffsets = b.offsets()
		case "DESCRIPTOR_OFFSET":
			b.Offsets = b.offsets()
		case "DESCRIPTOR_RANGE":
			b.Ranges = b.offsets()
		case "ELEMENT":
			b.element()
		case "MUTABLE":
			b.mutable(w.pos)
		case "BANK":
			b.bankOf(w.pos)
		case "KERNEL":
			b.kernel = &KernelArg{Kind: b.Kind}
			b.kernelName(b.kernel)
		default:
			b.fail(CodeWord, w.pos, "%s is nothing that a binding has", w)
		}
	}
}

// offsets reads one number for each descriptor; -1 is the whole buffer.
func (b *binder) offsets() []int64 {
	pos := b.lex.peek().pos
	var vs []int64
	for _, n := range b.numbers("a size in bytes", func(int) Scalar { return Scalar{Int, 64} }) {
		v := int64(n.Bits)
		if v < WholeBuffer || v > MaxBytes {
			b.fail(CodeNumber, pos, "%s bytes are outside of every buffer", n)
		}
		vs = append(vs, v)
	}
	return vs
}

// commit adds the binding to the pipeline.
func (b *binder) commit() {
	g := &b.pipeline.Graphics
	switch {
	case b.role == "push_constant" && b.bank != 0:
		b.pipeline.setBank(Bank{b.bank, b.Buffers[0]})
	case b.role == "resource_heap" || b.role == "sampler_heap":
		b.heap()
	case b.role == "push_constant":
		b.pipeline.Push = b.Buffers[0]
	case b.role == "depth_stencil":
		g.DepthStencil = b.Buffers[0]
	case b.role != "":
		list := &g.Colors
		if b.role == "resolve" {
			list = &g.Resolves
		}
		a := ColorAttachment{max(b.location, 0), b.Buffers[0], b.BaseMip}
		if i := slices.IndexFunc(*list, func(o ColorAttachment) bool { return o.Location == a.Location }); i >= 0 {
			(*list)[i] = a
		} else {
			*list = append(*list, a)
		}
	case b.kernel != nil:
		if b.Buffers != nil {
			b.kernel.Buffer = b.Buffers[0]
		} else if b.Samplers != nil {
			b.kernel.Sampler = b.Samplers[0]
		}
		b.pipeline.setKernelArg(*b.kernel)
	case !b.located:
		b.fail(CodeEnd, b.At, "a binding must have a DESCRIPTOR_SET and a BINDING")
	default:
		b.checkDescriptors()
		b.pipeline.bind(b.Binding)
	}
}

// kernelName reads how a kernel's argument is named.
func (p *parser) kernelName(k *KernelArg) {
	if p.oneOf("an argument", "ARG_NAME", "ARG_NUMBER") == 0 {
		k.Name = p.word("the name of an argument").text
	} else {
		k.Number = int(p.integer("the number of an argument", maxNumber))
	}
}

// kernelValue reads SET KERNEL.
func (p *parser) kernelValue(q *Pipeline) {
	var k KernelArg
	p.keyword("KERNEL")
	p.kernelName(&k)
	p.keyword("AS")
	k.Type = p.typeOf(p.word("a type"))
	s := k.Type.Scalar
	if s.Bits == 0 {
		s = Scalar{Float, 64}
	}
	k.Value = p.number("a value", s)
	p.endLine()
	q.setKernelArg(k)
}

// setKernelArg adds k in place of one of the same name or number.
func (p *Pipeline) setKernelArg(k KernelArg) {
	same := func(o KernelArg) bool { return o.Name == k.Name && o.Number == k.Number }
	if i := slices.IndexFunc(p.KernelArgs, same); i >= 0 {
		p.KernelArgs[i] = k
		return
	}
	p.KernelArgs = append(p.KernelArgs, k)
}
