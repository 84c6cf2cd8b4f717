package amber

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/link"
)

// node reads the name of a node and perhaps its index.
func (p *parser) node() *link.Node {
	n := &link.Node{Name: p.word("the name of a node").text}
	if p.optional("INDEX") {
		n.Index = p.uint32("the index of a node")
	}
	return n
}

// meshNode reads a graphics pipeline that is a node of an execution graph.
func (p *parser) meshNode(q *Pipeline, at diag.Pos) {
	n := MeshNode{Pipeline: known(p, "pipeline", p.pipelines)}
	if p.optional("NODE") {
		n.Node = p.node()
	}
	p.endLine()
	if p.err != nil {
		return
	}
	switch {
	case q.Kind != ExecutionGraphPipeline:
		p.fail(CodeShader, at, "MESH_NODE in a %s pipeline; must be in an execution graph", q.Kind)
	case n.Pipeline.stageOf(Mesh) == nil:
		p.fail(CodeShader, at, "pipeline %s without a mesh shader as a node; must have one", n.Pipeline.Name)
	case len(q.MeshNodes) > 0 && !n.Pipeline.Graphics.attached(&q.MeshNodes[0].Pipeline.Graphics):
		p.fail(CodeShader, at, "the attachments of pipeline %s differ from those of %s; must be the same", n.Pipeline.Name, q.MeshNodes[0].Pipeline.Name)
	}
	q.MeshNodes = append(q.MeshNodes, n)
}

// attached reports whether two pipelines have the same attachments.
func (g *Graphics) attached(o *Graphics) bool {
	return slices.Equal(g.Colors, o.Colors) && slices.Equal(g.Resolves, o.Resolves) && g.DepthStencil == o.DepthStencil && g.Width == o.Width && g.Height == o.Height
}

// dispatchGraph reads the nodes of DISPATCH_GRAPH, each with its payloads.
func (p *parser) dispatchGraph(c *DispatchGraph) Command {
	for {
		p.keyword("NODE")
		s := GraphStart{Node: *p.node(), Count: 1}
		for !p.lex.peek().eol && !p.lex.peek().is("NODE") {
			switch p.oneOf("a parameter of a node", "COUNT", "BUFFER", "OFFSET", "STRIDE") {
			case 0:
				s.Count = p.uint32("a number of payloads")
			case 1:
				s.Buffer = known(p, "buffer", p.buffers)
			case 2:
				s.Offset = p.words("an offset")
			case 3:
				s.Stride = p.words("a stride")
			}
		}
		c.Starts = append(c.Starts, s)
		if p.err != nil || p.lex.peek().eol {
			return c
		}
	}
}
