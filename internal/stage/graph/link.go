package graph

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Limits of graphs (VkPhysicalDeviceShaderEnqueuePropertiesAMDX).
const (
	MaxDepth      = 32    // nodes in a chain
	MaxPayloads   = 256   // that a workgroup sends, and of a command for a node
	MaxOutputs    = 256   // allocations of a shader
	MaxBytes      = 32768 // of the payloads that a workgroup sends
	MaxGroupCount = 65535 // of a payload, in a dimension
	MaxGroups     = 1<<24 - 1
	MaxSharing    = 256 // nodes that share an input
)

// Node is a node of a graph.
type Node struct {
	ir.NodeName
	*ir.Node
	Draws bool   // a mesh node
	Views uint32 // of the rendering of a mesh node: each view runs the workgroups; 0 is one

	targets [][]uint32 // by output: the indices of the nodes with its name
	shared  []int      // the nodes that get the same payloads
}

// Graph is a set of nodes.
type Graph struct {
	Limit uint64 // payloads that a workgroup may allocate; 0 is no limit

	nodes []Node
	at    map[ir.NodeName]int
	depth uint64 // of the longest chain of nodes that send payloads, at least 1
}

// LinkError reports nodes that do not go together.
type LinkError struct{ Text string }

// Error names the nodes and the reason.
func (e *LinkError) Error() string { return e.Text }

// New makes a graph. A library may lack nodes whose input others share. The error is a *LinkError. The rules on the types of payloads
// are those of the caller: without them payloads are cut, or end with zeros.
func New(nodes []Node, library bool) (*Graph, error) {
	g := &Graph{nodes: nodes, at: map[ir.NodeName]int{}}
	for i := range nodes {
		n := &nodes[i]
		if j, ok := g.at[n.NodeName]; ok {
			return nil, fail("nodes %d and %d both are %q with the index %d; must differ", j, i, n.NodeName.Name, n.NodeName.Index)
		}
		g.at[n.NodeName] = i
	}
	g.findTargets()
	for i := range nodes {
		if err := g.share(i, library); err != nil {
			return nil, err
		}
	}
	g.depth = max(g.chain(), 1)
	return g, nil
}

func fail(format string, args ...any) error { return &LinkError{fmt.Sprintf(format, args...)} }

// findTargets finds the nodes that each node sends to. Outputs with one name have one list: an array of many nodes may send to itself.
func (g *Graph) findTargets() {
	named := map[string][]uint32{}
	for i := range g.nodes {
		to := g.nodes[i].NodeName
		named[to.Name] = append(named[to.Name], to.Index)
	}
	for _, list := range named {
		slices.Sort(list)
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		n.targets, n.shared = make([][]uint32, len(n.Outputs)), nil
		for k := range n.Outputs {
			n.targets[k] = named[n.Outputs[k].Name]
		}
	}
}

// share finds the node whose input node i shares.
func (g *Graph) share(i int, library bool) error {
	n := &g.nodes[i]
	if n.Shares == nil {
		return nil
	}
	t, ok := g.at[*n.Shares]
	switch {
	case !ok && library:
		return nil
	case !ok:
		return fail("node %q shares the input of node %q with the index %d, which does not exist; must exist", n.NodeName.Name, n.Shares.Name, n.Shares.Index)
	case g.nodes[t].Shares != nil:
		return fail("node %q shares the input of node %q, which shares the input of another node; must not", n.NodeName.Name, n.Shares.Name)
	case len(g.nodes[t].shared)+2 > MaxSharing:
		return fail("%d nodes share the input of node %q; must be at most %d", MaxSharing+1, n.Shares.Name, MaxSharing)
	case n.Input && (!g.nodes[t].Input || g.nodes[t].Bytes != n.Bytes):
		return fail("node %q shares payloads of %d bytes and has payloads of %d; must have one size", n.NodeName.Name, g.nodes[t].Bytes, n.Bytes)
	}
	g.nodes[t].shared = append(g.nodes[t].shared, i)
	return nil
}

// chain returns the number of nodes that send payloads in the longest chain. It is MaxDepth if the graph has a cycle of several nodes.
func (g *Graph) chain() uint64 {
	c := chains{g, make([]int, len(g.nodes)), map[string]int{}}
	longest := 0
	for i := range g.nodes {
		longest = max(longest, c.visit(i))
	}
	return uint64(longest)
}

// chains are the longest chains from each node on.
type chains struct {
	*Graph
	depth []int          // of the payloads of a node, plus one; 0 is unknown, and open while its targets are visited
	named map[string]int // of the payloads of all nodes with a name
}

// open is the depth of a node whose targets are visited.
const open = -1

// visit returns the depth of the payloads of node i.
func (c *chains) visit(i int) int {
	switch d := c.depth[i]; d {
	case 0:
	case open:
		return MaxDepth
	default:
		return d - 1
	}
	c.depth[i] = open
	most := c.below(i)
	for _, k := range c.nodes[i].shared {
		most = max(most, c.below(k))
	}
	most = min(most, MaxDepth)
	c.depth[i] = most + 1
	return most
}

// below returns the depth of node k with all that it sends payloads to. It looks at each node of a name once, but for nodes that send to
// their own name; two of these are a cycle, which ends the search. A name that leads to a cycle has the depth MaxDepth for all nodes.
func (c *chains) below(k int) int {
	n, own := &c.nodes[k], 0
	if n.AreaBytes > 0 {
		own = 1
	}
	below, looked := 0, false // looked: at the nodes of the own name
	for o := range n.Outputs {
		name := n.Outputs[o].Name
		self := name == n.NodeName.Name
		switch d, ok := c.named[name]; {
		case ok && (!self || d == MaxDepth):
			below = max(below, d)
			continue
		case self && looked:
			continue
		}
		looked = looked || self
		all := 0
		for _, x := range n.targets[o] {
			t := c.at[ir.NodeName{Name: name, Index: x}]
			if t != k {
				all = max(all, c.visit(t))
			} else if own > 0 {
				own = 1 + int(min(n.Recursion, MaxDepth))
			}
			if all == MaxDepth {
				c.named[name] = MaxDepth
				return MaxDepth
			}
		}
		if !self {
			c.named[name] = all
		}
		below = max(below, all)
	}
	return own + below
}

// Find returns the number of a node, and whether there is one.
func (g *Graph) Find(name ir.NodeName) (uint32, bool) {
	i, ok := g.at[name]
	return uint32(i), ok
}

// Node returns a node by its number; nil if there is none.
func (g *Graph) Node(i uint32) *Node {
	if uint64(i) >= uint64(len(g.nodes)) {
		return nil
	}
	return &g.nodes[i]
}

// ScratchSize returns the least and the most memory that a run can use, and the steps between them. The chunks of workgroups grow with
// the memory.
func (g *Graph) ScratchSize() (least, most, step uint64) {
	step = 64
	for i := range g.nodes {
		n := &g.nodes[i]
		step = max(step, levelShare*g.depth*(n.area()+uint64(ir.PayloadStride(n.Bytes))))
	}
	step = (step + 63) &^ 63
	return step, max(step, min(step*maxChunk, usefulScratch/step*step)), step
}

// area returns the bytes of the areas of a workgroup.
func (n *Node) area() uint64 { return uint64(n.AreaBytes) * uint64(max(n.Views, 1)) }

// levelShare is the part of the memory of a level that the areas of a chunk have, as a divisor: the payloads that they send are copied
// twice. maxChunk bounds the workgroups of a chunk. More memory than usefulScratch makes chunks that exceed the caches.
const (
	levelShare    = 3
	maxChunk      = 4096
	usefulScratch = 1 << 23
)
