package amber

import (
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/vk"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// topologies are the kinds of primitives, in AmberScript in capitals.
var topologies = []string{"POINT_LIST", "LINE_LIST", "LINE_LIST_WITH_ADJACENCY", "LINE_STRIP", "LINE_STRIP_WITH_ADJACENCY",
	"TRIANGLE_LIST", "TRIANGLE_LIST_WITH_ADJACENCY", "TRIANGLE_STRIP", "TRIANGLE_STRIP_WITH_ADJACENCY", "TRIANGLE_FAN", "PATCH_LIST"}

// maxRepeats bounds how deep REPEAT blocks nest.
const maxRepeats = 16

// command reads a command with the first word w. It returns nil if there is none.
func (p *parser) command(w word) Command {
	step := Step{w.pos}
	switch w.text {
	case "RUN":
		return p.run(step)
	case "CLEAR":
		q := p.pipelineOf(GraphicsPipeline)
		p.endLine()
		return &Clear{step, q}
	case "CLEAR_COLOR":
		return p.setClear(step, ClearColor)
	case "CLEAR_DEPTH":
		return p.setClear(step, ClearDepth)
	case "CLEAR_STENCIL":
		return p.setClear(step, ClearStencil)
	case "COPY":
		return p.copyCommand(step)
	case "EXPECT":
		return p.expect(step)
	case "REPEAT":
		return p.repeat(step)
	case "WRITE":
		return p.write(step)
	case "RENDER_PASS":
		return p.renderPass(step)
	case "DEBUG":
		return p.debugger(step)
	}
	p.fail(CodeWord, w.pos, "%s is no command and no declaration", w)
	return nil
}

// pipelineOf reads the name of a pipeline of a kind.
func (p *parser) pipelineOf(kind PipelineKind) *Pipeline {
	w := p.lex.peek()
	q := known(p, "pipeline", p.pipelines)
	if q != nil && q.Kind != kind {
		p.fail(CodeRun, w.pos, "%s is a %s pipeline; it must be one for %s", w, q.Kind, kind)
	}
	return q
}

func (p *parser) setClear(step Step, what ClearKind) Command {
	c := &SetClear{Step: step, Pipeline: p.pipelineOf(GraphicsPipeline), What: what}
	if what == ClearColor {
		for i := range c.Value {
			c.Value[i] = float64(p.integer("a channel", 255)) / 255
		}
	} else {
		c.Value[0] = p.float("a value")
	}
	p.endLine()
	return c
}

func (p *parser) copyCommand(step Step) Command {
	c := &Copy{Step: step, From: known(p, "buffer", p.buffers)}
	p.keyword("TO")
	c.To = known(p, "buffer", p.buffers)
	p.endLine()
	switch {
	case p.err != nil:
	case c.From == c.To:
		p.fail(CodeRun, step.At, "buffer %s cannot be copied to itself", c.From.Name)
	case c.From.Type.String() != c.To.Type.String():
		p.fail(CodeType, step.At, "buffer %s has type %s, buffer %s has %s; they must be alike", c.From.Name, c.From.Type, c.To.Name, c.To.Type)
	}
	return c
}

func (p *parser) repeat(step Step) Command {
	if p.repeats++; p.repeats > maxRepeats {
		p.fail(CodeRun, step.At, "REPEAT blocks nest deeper than %d", maxRepeats)
	}
	r := &Repeat{Step: step, Count: uint32(p.integer("a count", math.MaxUint32))}
	p.endLine()
	for {
		w, ok := p.blockWord("REPEAT")
		if !ok {
			break
		}
		switch w.text {
		case "CLEAR", "CLEAR_COLOR", "CLEAR_DEPTH", "CLEAR_STENCIL", "COPY", "EXPECT", "RUN", "REPEAT", "RENDER_PASS", "WRITE":
			r.Commands = append(r.Commands, p.command(w))
		default:
			p.fail(CodeWord, w.pos, "%s in REPEAT; must be outside", w)
		}
	}
	p.endLine()
	p.repeats--
	return r
}

// run reads RUN in all its forms.
func (p *parser) run(step Step) Command {
	p.optional("TIMED_EXECUTION")
	name := p.lex.peek()
	q := known(p, "pipeline", p.pipelines)
	if p.err != nil {
		return nil
	}
	w := p.lex.peek()
	kind := ComputePipeline
	switch w.text {
	case "DRAW_RECT", "DRAW_GRID", "DRAW_ARRAY", "DRAW_INDIRECT", "DRAW_BYTE_COUNT", "DRAW_MESH", "DRAW_MESH_INDIRECT", "DRAW_MESH_NV", "DRAW_MESH_NV_INDIRECT", "DRAW_CLUSTER", "DRAW_CLUSTER_INDIRECT":
		kind = GraphicsPipeline
	case "RAYGEN":
		kind = RayTracingPipeline
	case "SUBPASS_SHADING":
		kind = SubpassShadingPipeline
	case "DISPATCH_GRAPH":
		kind = ExecutionGraphPipeline
	}
	if q.Kind != kind {
		p.fail(CodeRun, name.pos, "%s is a %s pipeline and cannot run so", name, q.Kind)
		return nil
	}
	var c Command
	switch kind {
	case ComputePipeline:
		c = p.dispatch(&Dispatch{Step: step, Pipeline: q})
	case GraphicsPipeline:
		p.lex.next()
		c = p.draw(&Draw{Step: step, Pipeline: q}, w)
	case RayTracingPipeline:
		c = p.trace(&Trace{Step: step, Pipeline: q})
	case SubpassShadingPipeline:
		p.lex.next()
		c = &Shade{step, q}
	case ExecutionGraphPipeline:
		p.lex.next()
		c = p.dispatchGraph(&DispatchGraph{Step: step, Pipeline: q})
	}
	p.endLine()
	return c
}

func (p *parser) groups() [3]uint32 {
	return [3]uint32{p.uint32("a number of groups"), p.uint32("a number of groups"), p.uint32("a number of groups")}
}

func (p *parser) trace(t *Trace) Command {
	for {
		w := p.lex.peek()
		into := map[string]*string{"RAYGEN": &t.Raygen, "MISS": &t.Miss, "HIT": &t.Hit, "CALL": &t.Call}[w.text]
		if into == nil {
			break
		}
		p.lex.next()
		name := p.word("the name of a binding table")
		if !name.eol && !slices.ContainsFunc(t.Pipeline.RayTracing.Tables, func(b BindingTable) bool { return b.Name == name.text }) {
			p.fail(CodeName, name.pos, "%s is no binding table of pipeline %s", name, t.Pipeline.Name)
		}
		*into = name.text
	}
	t.Size = p.groups()
	return t
}

func (p *parser) draw(d *Draw, w word) Command {
	p.drawsItsStages(d, w)
	switch w.text {
	case "DRAW_MESH":
		d.Kind, d.Workgroups = DrawMesh, p.groups()
		return d
	case "DRAW_MESH_INDIRECT":
		d.Kind = DrawMesh
		return p.indirectParameters(d, vk.DrawMeshTasksIndirectBytes)
	case "DRAW_MESH_NV":
		d.Kind, d.Ranged = DrawMesh, true
		d.Workgroups = [3]uint32{p.uint32("a number of tasks"), 1, 1}
		d.Start = p.uint32("the first task")
		return d
	case "DRAW_MESH_NV_INDIRECT":
		d.Kind, d.Ranged = DrawMesh, true
		return p.indirectParameters(d, vk.DrawMeshTasksIndirectBytesNV)
	case "DRAW_CLUSTER":
		p.drawCluster(d)
		d.Workgroups = p.groups()
		return d
	case "DRAW_CLUSTER_INDIRECT":
		return p.drawClusterIndirect(d)
	case "DRAW_ARRAY":
		return p.drawArray(d)
	case "DRAW_INDIRECT":
		return p.drawIndirect(d)
	case "DRAW_BYTE_COUNT":
		return p.drawByteCount(d)
	}
	p.keyword("POS")
	d.X, d.Y = p.float("a place in pixels"), p.float("a place in pixels")
	p.keyword("SIZE")
	d.Width, d.Height = p.float("a width in pixels"), p.float("a height in pixels")
	inputs := 1 // a rectangle may take one attribute's place, a grid none
	if w.text == "DRAW_GRID" {
		d.Kind, inputs = DrawGrid, 0
		p.keyword("CELLS")
		d.CellsX, d.CellsY = p.count("a number of columns"), p.count("a number of rows")
	}
	if n := len(d.Pipeline.Graphics.Vertices); n > inputs {
		p.fail(CodeRun, d.At, "%s with %d sets of vertex data; there may be at most %d", w.text, n, inputs)
	}
	return d
}

// drawsItsStages fails if a draw of mesh workgroups or clusters lacks their stage, or another draw has it.
func (p *parser) drawsItsStages(d *Draw, w word) {
	culls := d.Pipeline.stageOf(ClusterCulling) != nil
	switch cluster := strings.HasPrefix(w.text, "DRAW_CLUSTER"); {
	case cluster && !culls:
		p.fail("VUID-vkCmdDrawClusterHUAWEI-ClusterCullingHUAWEI-07823", w.pos, "%s of pipeline %s, which has no cluster culling stage; must have one", w, d.Pipeline.Name)
	case !cluster && culls:
		p.fail(CodeRun, w.pos, "%s of pipeline %s, which has a cluster culling stage; must have none", w, d.Pipeline.Name)
	}
	has := d.Pipeline.stageOf(Mesh) != nil
	switch mesh := strings.HasPrefix(w.text, "DRAW_MESH"); {
	case mesh && !has:
		p.fail(vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, w.pos, "%s of pipeline %s, which has no mesh stage; must have one", w, d.Pipeline.Name)
	case !mesh && has:
		p.fail(vuid.VkCmdDraw_stage_06481, w.pos, "%s of pipeline %s, which has a mesh stage; must have none", w, d.Pipeline.Name)
	}
}

func (p *parser) drawArray(d *Draw) Command {
	d.Kind, d.NumInstance = DrawArray, 1
	p.keyword("AS")
	d.Topology = topologies[p.oneOf("a topology", topologies...)]
	for {
		w := p.lex.peek()
		if w.eol {
			break
		}
		p.lex.next()
		switch w.text {
		case "INDEXED":
			d.Indexed = true
		case "START_IDX":
			d.Start = p.uint32("a start")
		case "COUNT":
			d.Count = uint32(p.count("a count"))
		case "START_INSTANCE":
			d.StartInstance = p.uint32("a start")
		case "INSTANCE_COUNT":
			d.NumInstance = uint32(p.count("a count"))
		case "BASE_VERTEX":
			at := p.lex.peek()
			n := p.number("a base vertex", Scalar{Int, 32})
			if n.Float > math.MaxInt32 {
				p.fail(CodeNumber, at.pos, "a base vertex is %s; it must be at most %d", at, math.MaxInt32)
			}
			d.BaseVertex = int32(n.Bits)
		case "DRAW_INDEX":
			d.DrawIndex = p.uint32("a draw index")
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that DRAW_ARRAY has", w)
		}
	}
	switch {
	case d.Indexed && d.Pipeline.Graphics.Indices == nil:
		p.fail(CodeRun, d.At, "an indexed draw needs INDEX_DATA in pipeline %s", d.Pipeline.Name)
	case d.BaseVertex != 0 && !d.Indexed:
		p.fail(CodeRun, d.At, "BASE_VERTEX of a draw without INDEXED, which has no indices to add it to")
	}
	return d
}

// debugger passes a DEBUG block with the THREAD blocks in it.
func (p *parser) debugger(step Step) Command {
	d := &Debugger{step, known(p, "pipeline", p.pipelines)}
	for depth := 1; depth > 0; {
		w, ok := p.blockWord("DEBUG")
		switch {
		case !ok:
			depth--
		case w.text == "THREAD":
			depth++
		}
		if p.err != nil {
			break
		}
	}
	p.endLine()
	return d
}
