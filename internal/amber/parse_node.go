package amber

import "github.com/chiaro-gpu/chiaro/link"

// node reads the name of a node and perhaps its index.
func (p *parser) node() *link.Node {
	n := &link.Node{Name: p.word("the name of a node").text}
	if p.optional("INDEX") {
		n.Index = p.uint32("the index of a node")
	}
	return n
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
