package graph

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Start is payloads of a command for a node.
type Start struct {
	Node     uint32
	Count    uint32
	Payloads []byte // of a node without an input nothing is read
	Stride   uint64
}

// NodeError reports a node that a run cannot dispatch.
type NodeError struct {
	Rule string // the VUID without the command, or ""
	Text string
}

// Error names the node and the reason.
func (e *NodeError) Error() string { return e.Text }

// Dispatch runs workgroups of the program of a node with its parameters.
type Dispatch func(node int, params []byte, groups uint32) error

// Draw draws payloads of a mesh node. It returns after the draw if now is set; else the draw may follow later.
type Draw func(node int, p Payloads, now bool) error

// Payloads is payloads with the same number of workgroups.
type Payloads struct {
	Groups    [3]uint32
	First     uint32 // the first workgroup of the draw
	Total     uint32 // the workgroups of the draw
	Data      []byte // all of the following
	Payloads  uint32 // the offset of the payloads
	Stride    uint32 // bytes from payload to payload
	Targets   uint32 // the offset of the targets
	Areas     uint32 // the offset of the areas: for each view its workgroups' areas
	AreaBytes uint32
	Recursion uint32
	Share     uint32 // the workgroups that have a payload, of all nodes that share it
}

// run is a run of a graph.
type run struct {
	*Graph
	dispatch Dispatch
	draw     Draw
	chunk    uint64 // bytes of the areas of a chunk
	launches uint64 // that are left
	counted  int    // depth from which launches count
	levels   [MaxDepth][]byte
	waiting  [MaxDepth][]batch // by depth and node: payloads that are sent, or memory for them
	waits    uint64            // the bytes of all payloads that are sent, until their nodes have run
}

// batch is payloads for a node.
type batch struct {
	node      int
	depth     int
	recursion uint32 // levels that remain
	count     uint32
	data      []byte // PayloadStride apart
}

// maxSent bounds the workgroups of payloads that nodes send in a run without another bound. A graph in which each payload sends several
// grows exponentially with its depth: it would run for years, and the progress of each workgroup would keep it from being stopped.
const maxSent = 1 << 32

// Run dispatches the nodes of the starts one after the other, each with all that it sends. A run has at most launches workgroups, which
// bounds graphs that grow; with 0 the workgroups of the starts have no bound, and all others the bound maxSent. It returns the error of a
// dispatch, or a *NodeError.
func (g *Graph) Run(dispatch Dispatch, draw Draw, scratch, launches uint64, starts []Start) error {
	_, most, _ := g.ScratchSize() // with more, the payloads that wait at all depths can exceed maxWaiting
	r := &run{Graph: g, dispatch: dispatch, draw: draw, chunk: min(scratch, most) / (levelShare * g.depth), launches: launches}
	if launches == 0 {
		r.launches, r.counted = maxSent, 1
	}
	for _, s := range starts {
		n := g.Node(s.Node)
		if n == nil {
			return &NodeError{"", fmt.Sprintf("node %d is dispatched; the graph has %d", s.Node, len(g.nodes))}
		}
		b := &batch{node: int(s.Node), recursion: n.Recursion, count: s.Count}
		b.data = make([]byte, uint64(s.Count)*uint64(ir.PayloadStride(n.Bytes)))
		for i := range uint64(s.Count) {
			if n.Input {
				copy(b.data[i*uint64(ir.PayloadStride(n.Bytes)):][:n.Bytes], s.Payloads[i*s.Stride:])
			}
		}
		if err := r.batch(b); err != nil {
			return err
		}
	}
	return nil
}

// batch runs the payloads of a node, and then of the nodes that share them.
func (r *run) batch(b *batch) error {
	if b.depth >= MaxDepth {
		return &NodeError{"", fmt.Sprintf("node %q is dispatched at depth %d; must be at most %d", r.nodes[b.node].NodeName.Name, b.depth+1, MaxDepth)}
	}
	all := append([]int{b.node}, r.nodes[b.node].shared...)
	groups := make([][3]uint32, len(all)) // of each node
	for first := uint32(0); first < b.count; {
		share := uint64(0)
		for i, node := range all {
			g, err := r.groups(node, b, first)
			if err != nil {
				return err
			}
			groups[i] = g
			share += uint64(g[0]) * uint64(g[1]) * uint64(g[2])
		}
		n := uint32(1) // payloads with the same numbers of workgroups
		if !r.varies(all) {
			n = b.count - first
		}
		for first+n < b.count && r.alike(all, groups, b, first+n) {
			n++
		}
		n = min(n, uint32(math.MaxUint32/max(share, 1))) // workgroups have numbers of 32 bits
		data := b.data[uint64(first)*r.stride(b):][:uint64(n)*r.stride(b)]
		for i, node := range all {
			part := batch{node: node, depth: b.depth, recursion: b.recursion, count: n, data: data}
			if node != b.node {
				part.recursion = r.nodes[node].Recursion
			}
			run := r.payloads
			if r.nodes[node].Draws {
				run = r.draws
			}
			if err := run(&part, groups[i], uint32(share)); err != nil {
				return err
			}
		}
		first += n
	}
	return nil
}

// varies reports whether the numbers of workgroups of some nodes are in their payloads.
func (r *run) varies(nodes []int) bool {
	return slices.ContainsFunc(nodes, func(i int) bool {
		n := &r.nodes[i]
		return !n.Coalescing && n.Static[0] == 0 && n.Input && n.Groups > 0
	})
}

// alike reports whether payload i has these numbers of workgroups for the nodes that take it.
func (r *run) alike(nodes []int, groups [][3]uint32, b *batch, i uint32) bool {
	for k, n := range nodes {
		if g, err := r.groups(n, b, i); err != nil || g != groups[k] {
			return false
		}
	}
	return true
}

// stride returns the bytes from payload to payload.
func (r *run) stride(b *batch) uint64 { return uint64(ir.PayloadStride(r.nodes[b.node].Bytes)) }

// groups returns the workgroups of payload i for a node.
func (r *run) groups(node int, b *batch, i uint32) ([3]uint32, error) {
	n := &r.nodes[node]
	g := [3]uint32{1, 1, 1}
	switch {
	case n.Coalescing:
	case n.Static[0] != 0:
		g = n.Static
	case n.Input && n.Groups > 0:
		at := b.data[uint64(i)*r.stride(b)+uint64(n.GroupsAt):]
		for k := range n.Groups {
			var word [4]byte
			copy(word[:n.GroupBytes], at[k*n.GroupBytes:])
			g[k] = binary.LittleEndian.Uint32(word[:])
		}
	}
	for k, x := range g {
		if x > MaxGroupCount || n.MaxGroups != nil && x > n.MaxGroups[k] {
			most := uint32(MaxGroupCount)
			if n.MaxGroups != nil {
				most = min(most, n.MaxGroups[k])
			}
			return g, &NodeError{"maxComputeWorkGroupCount-09186", fmt.Sprintf("node %q is dispatched with %d workgroups in %c; must be at most %d", n.NodeName.Name, x, "xyz"[k], most)}
		}
	}
	if all := uint64(g[0]) * uint64(g[1]) * uint64(g[2]); all > MaxGroups {
		return g, &NodeError{"maxComputeWorkGroupCount-09186", fmt.Sprintf("node %q is dispatched with %d workgroups; must be at most %d", n.NodeName.Name, all, MaxGroups)}
	}
	return g, nil
}

// draws draws payloads of a mesh node that have the same number of workgroups, in draws of bounded size.
func (r *run) draws(b *batch, groups [3]uint32, share uint32) error {
	n := &r.nodes[b.node]
	each := uint64(groups[0]) * uint64(groups[1]) * uint64(groups[2])
	if each == 0 {
		return nil
	}
	total := each * uint64(b.count)
	if err := r.launch(b, total); err != nil {
		return err
	}
	if len(n.targets) > 0 {
		return r.drawAndDeliver(b, groups, share)
	}
	stride := r.stride(b)
	most := uint32(max(maxDrawn/each, 1))
	for first := uint32(0); first < b.count; first += most {
		part := b.data[uint64(first)*stride:][:uint64(min(most, b.count-first))*stride]
		p := Payloads{
			Groups: groups, Total: uint32(uint64(len(part)) / stride * each), Data: slices.Clone(part), Stride: uint32(stride), Recursion: b.recursion, Share: share,
		}
		// Other nodes that share the payloads read the counts of workgroups that have finished them.
		if err := r.draw(b.node, p, share > uint32(each) || len(part) >= maxKept); err != nil {
			return err
		}
		copy(part, p.Data) // for the nodes that share them
	}
	return nil
}

// drawAndDeliver draws payloads of a mesh node that has targets, in chunks: payloads that a chunk has sent are delivered before the next
// one.
func (r *run) drawAndDeliver(b *batch, groups [3]uint32, share uint32) error {
	n := &r.nodes[b.node]
	total := uint64(groups[0]) * uint64(groups[1]) * uint64(groups[2]) * uint64(b.count)
	chunk := uint64(maxDrawn)
	if n.AreaBytes > 0 {
		chunk = max(min(r.chunk/n.area(), maxChunk), 1)
	}
	chunk = min(chunk, total)
	l, err := r.lay(b, chunk*n.area())
	if err != nil {
		return err
	}
	for first := uint64(0); first < total; first += chunk {
		count := min(chunk, total-first)
		used := l.m[:l.areas+count*n.area()]
		clear(used[l.areas:])
		p := Payloads{
			Groups: groups, First: uint32(first), Total: uint32(count), Data: used, Payloads: uint32(l.payloads), Stride: uint32(r.stride(b)),
			Recursion: b.recursion, Share: share, Targets: uint32(l.targets), Areas: uint32(l.areas), AreaBytes: n.AreaBytes,
		}
		if err := r.draw(b.node, p, true); err != nil {
			return err
		}
		if err := r.deliver(b, used[l.areas:]); err != nil {
			return err
		}
	}
	copy(b.data, l.m[l.payloads:])
	return nil
}

// maxDrawn bounds the workgroups of a draw, if a payload has no more.
const maxDrawn = 1 << 20

// maxKept bounds the bytes of payloads of a draw that follows later: a pass keeps those of many draws.
const maxKept = 1 << 20

// launch counts some workgroups of a node. It returns an error that names the node if the run may not have so many.
func (r *run) launch(b *batch, count uint64) error {
	switch {
	case b.depth < r.counted:
	case count > r.launches:
		return &NodeError{"", fmt.Sprintf("the graph exceeds its budget of workgroups in node %q", r.nodes[b.node].NodeName.Name)}
	default:
		r.launches -= count
	}
	return nil
}

// payloads runs payloads of a node that have the same number of workgroups, in chunks.
func (r *run) payloads(b *batch, groups [3]uint32, share uint32) error {
	n := &r.nodes[b.node]
	each, most := uint64(groups[0])*uint64(groups[1])*uint64(groups[2]), uint32(1)
	total := each * uint64(b.count)
	if n.Coalescing {
		most = max(n.MaxPayloads, 1)
		total = (uint64(b.count) + uint64(most) - 1) / uint64(most)
		share = 0 // such nodes do not finish payloads
	}
	if total == 0 {
		return nil
	}
	area := uint64(n.AreaBytes)
	chunk := min(r.chunk/max(area, 1), maxChunk)
	if area == 0 {
		chunk = 1 << 20
	}
	chunk = max(min(chunk, total), 1)
	l, err := r.lay(b, chunk*area)
	if err != nil {
		return err
	}
	m, areas := l.m, l.areas
	for word, x := range [paramWords]uint32{
		paramGroups: groups[0], groups[1], groups[2],
		paramEach: uint32(each), paramPayloads: uint32(l.payloads), paramStride: uint32(r.stride(b)), paramTotal: b.count, paramMost: most, paramAreas: uint32(areas),
		paramAreaBytes: uint32(area), paramShare: share, paramIndex: n.NodeName.Index, paramRecursion: b.recursion, paramTargets: uint32(l.targets),
	} {
		binary.LittleEndian.PutUint32(m[4*word:], x)
	}
	for first := uint64(0); first < total; first += chunk {
		count := min(chunk, total-first)
		if err := r.launch(b, count); err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(m[4*paramFirst:], uint32(first))
		clear(m[areas : areas+count*area])
		if err := r.dispatch(b.node, m, uint32(count)); err != nil {
			return err
		}
		if area == 0 {
			continue
		}
		if err := r.deliver(b, m[areas:areas+count*area]); err != nil {
			return err
		}
	}
	copy(b.data, m[l.payloads:areas]) // for the nodes that share them
	return nil
}

// laid is the memory of a chunk of workgroups and the offsets of its parts. The parameters are at 0.
type laid struct {
	m                        []byte
	targets, payloads, areas uint64
}

// lay lays out the memory of a depth for payloads of a node and some bytes of areas.
func (r *run) lay(b *batch, bytes uint64) (laid, error) {
	n := &r.nodes[b.node]
	l := laid{targets: 4 * paramWords}
	l.payloads = (l.targets + n.targetBytes() + 7) &^ 7
	l.areas = l.payloads + uint64(len(b.data))
	size := l.areas + bytes
	if size > 1<<31-1 {
		return l, &NodeError{"", fmt.Sprintf("the payloads of node %q have %d bytes; must be less than 2 GiB", n.NodeName.Name, size)}
	}
	switch kept := r.levels[b.depth]; {
	case uint64(cap(kept)) >= size:
		l.m = kept[:size]
	case size > maxReused:
		l.m = make([]byte, size)
	default:
		l.m = make([]byte, size, size+size/2)
		r.levels[b.depth] = l.m
	}
	n.putTargets(l.m, uint32(l.targets))
	copy(l.m[l.payloads:], b.data)
	return l, nil
}

// targetBytes returns the size of the targets.
func (n *Node) targetBytes() uint64 {
	words := 2 * len(n.targets)
	for _, t := range n.targets {
		words += len(t)
	}
	return 4 * uint64(words)
}

// putTargets writes the targets.
func (n *Node) putTargets(m []byte, at uint32) {
	list := at + 8*uint32(len(n.targets))
	for k, t := range n.targets {
		binary.LittleEndian.PutUint32(m[at+8*uint32(k):], uint32(len(t)))
		binary.LittleEndian.PutUint32(m[at+8*uint32(k)+4:], list)
		for _, x := range t {
			binary.LittleEndian.PutUint32(m[list:], x)
			list += 4
		}
	}
}

// maxWaiting bounds the bytes of payloads that wait for all nodes together. The memory for areas bounds those that are sent, but a node may have
// larger payloads than those that others send it, which then end with zeros. Memory of more than maxReused bytes is not kept for the payloads that
// follow: there is one for each depth and node.
const (
	maxWaiting = 1 << 28
	maxReused  = 1 << 24
)

// deliver runs the nodes that workgroups have sent payloads to.
func (r *run) deliver(b *batch, areas []byte) error {
	n := &r.nodes[b.node]
	if r.waiting[b.depth] == nil {
		r.waiting[b.depth] = make([]batch, len(r.nodes))
	}
	waiting := r.waiting[b.depth]
	var failed error
	for at := uint64(0); at < uint64(len(areas)); at += uint64(n.AreaBytes) {
		area := areas[at:][:n.AreaBytes]
		if all := n.Allocated(area); r.Limit != 0 && all > r.Limit {
			return &NodeError{"maxExecutionGraphShaderPayloadCount-09187", fmt.Sprintf("a workgroup of node %q allocates %d payloads; must be at most %d", n.NodeName.Name, all, r.Limit)}
		}
		n.Sent(area, func(s ir.Send) {
			o := &n.Outputs[s.Output]
			to := ir.NodeName{Name: o.Name, Index: s.Index}
			t, ok := r.at[to]
			if !ok {
				failed = &NodeError{"", fmt.Sprintf("node %q sends payloads to node %q with the index %d, which does not exist; must exist", n.NodeName.Name, to.Name, to.Index)}
				return
			}
			w := &waiting[t]
			if w.count == 0 {
				*w = batch{node: t, depth: b.depth + 1, recursion: r.nodes[t].Recursion, data: w.data[:0]}
			}
			if r.waits += uint64(s.Count) * r.stride(w); r.waits > maxWaiting {
				failed = &NodeError{"", fmt.Sprintf("%d bytes of payloads wait for node %q and others; must be at most %d", r.waits, to.Name, maxWaiting)}
				return
			}
			w.add(area[s.First:], s.Count, o, r.stride(w))
		})
	}
	if failed != nil {
		return failed
	}
	for t := range waiting {
		w := &waiting[t]
		if w.count == 0 {
			continue
		}
		if t == b.node {
			if b.recursion == 0 {
				return &NodeError{"", fmt.Sprintf("node %q sends payloads to itself more than %d times in a chain; must declare more by MaxNodeRecursionAMDX", n.NodeName.Name, n.Recursion)}
			}
			w.recursion = b.recursion - 1
		}
		if err := r.batch(w); err != nil {
			return err
		}
		r.waits -= uint64(len(w.data))
		if w.count = 0; cap(w.data) > maxReused {
			w.data = nil
		}
	}
	return nil
}

// add appends payloads.
func (b *batch) add(from []byte, count uint32, o *ir.NodeOutput, stride uint64) {
	b.count += count
	at := uint64(len(b.data))
	b.data = slices.Grow(b.data, int(uint64(count)*stride))[:at+uint64(count)*stride]
	if uint64(o.Stride) == stride {
		copy(b.data[at:], from[:uint64(count)*stride])
		return
	}
	clear(b.data[at:])
	bytes := min(uint64(o.Bytes), stride-8)
	if bytes == 0 { // the node does not read its payload
		return
	}
	for i := range uint64(count) {
		copy(b.data[at+i*stride:], from[i*uint64(o.Stride):][:bytes])
	}
}
