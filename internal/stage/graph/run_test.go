package graph

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestSharedGroups: b shares the input of a; a has static workgroups, b takes them from each payload.
func TestSharedGroups(t *testing.T) {
	a := &ir.Node{Static: [3]uint32{1, 1, 1}, Input: true, Bytes: 8}
	b := &ir.Node{Input: true, Bytes: 8, Groups: 1, GroupBytes: 4, Shares: &ir.NodeName{Name: "a"}}
	g, err := New([]Node{{NodeName: ir.NodeName{Name: "a"}, Node: a}, {NodeName: ir.NodeName{Name: "b"}, Node: b}}, false)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 16)
	binary.LittleEndian.PutUint32(data, 1)
	binary.LittleEndian.PutUint32(data[8:], 3)
	total := [2]uint32{}
	err = g.Run(func(node int, params []byte, groups uint32) error { total[node] += groups; return nil }, nil, 1<<20, 0, []Start{{Node: 0, Count: 2, Payloads: data, Stride: 8}})
	if err != nil || total != [2]uint32{2, 4} {
		t.Errorf("workgroups %v, %v; must be [2 4]", total, err)
	}
}

// TestWaitingPayloads sends many small payloads to nodes that have large ones, all to one node or some to each of 64: the run ends with an
// error, and does not allocate them.
func TestWaitingPayloads(t *testing.T) {
	const most = 1 << 16
	o := ir.NodeOutput{Name: "large", Max: most, Bytes: 4, Stride: ir.PayloadStride(4), Rows: 4, Data: 16 + ir.NodeRowBytes*(most+1)}
	o.Data = (o.Data + 7) &^ 7
	for _, nodes := range []uint32{1, 64} {
		list := []Node{{NodeName: ir.NodeName{Name: "small"}, Node: &ir.Node{Outputs: []ir.NodeOutput{o}, AreaBytes: o.Data + most*o.Stride}}}
		for i := range nodes {
			list = append(list, Node{NodeName: ir.NodeName{Name: "large", Index: i}, Node: &ir.Node{Input: true, Bytes: MaxBytes}})
		}
		g, err := New(list, false)
		if err != nil {
			t.Fatal(err)
		}
		dispatched := 0
		err = g.Run(func(node int, params []byte, groups uint32) error {
			if dispatched++; node != 0 {
				t.Fatal("a node of large payloads runs")
			}
			area := params[len(params)-int(g.nodes[0].AreaBytes):]
			put := func(at, word uint32) { binary.LittleEndian.PutUint32(area[at:], word) }
			put(o.Count, most)
			each := most / nodes
			for i := range nodes {
				row := o.Rows + ir.NodeRowBytes*each*i
				put(row, each)
				put(row+4, i)
				put(row+8, 1)
			}
			return nil
		}, nil, 1<<30, 0, []Start{{Node: 0, Count: 1}})
		var bad *NodeError
		if !errors.As(err, &bad) || dispatched != 1 {
			t.Errorf("%d nodes: %d dispatches, %v; want one and a NodeError", nodes, dispatched, err)
		}
	}
}

// TestManyWorkgroups runs more than 2³² workgroups for the payloads of a command: each workgroup has its payload.
func TestManyWorkgroups(t *testing.T) {
	const each, count = 255 * 255 * 255, 300
	g, err := New([]Node{{NodeName: ir.NodeName{Name: "a"}, Node: &ir.Node{Static: [3]uint32{255, 255, 255}, Input: true, Bytes: 4}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 4*count)
	for i := range uint32(count) {
		binary.LittleEndian.PutUint32(data[4*i:], i)
	}
	total := uint64(0)
	err = g.Run(func(_ int, params []byte, groups uint32) error {
		word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(params[at:]) }
		payload := word(word(4*paramPayloads) + word(4*paramFirst)/each*word(4*paramStride))
		if uint64(payload) != total/each {
			t.Fatalf("workgroup %d has payload %d; must have %d", total, payload, total/each)
		}
		total += uint64(groups)
		return nil
	}, nil, 1<<20, 0, []Start{{Node: 0, Count: count, Payloads: data, Stride: 4}})
	if err != nil || total != each*count {
		t.Errorf("%d workgroups, %v; must be %d", total, err, uint64(each*count))
	}
}

// TestLaunches sends 300 payloads of 255³ workgroups each to a node: more than a run without a declared bound may have of them. The
// error names the node, and a run with a greater bound ends.
func TestLaunches(t *testing.T) {
	const sent, each = 300, 255 * 255 * 255
	o := ir.NodeOutput{Name: "b", Max: 1, Bytes: 4, Stride: ir.PayloadStride(4), Rows: 4, Data: 4 + 2*ir.NodeRowBytes + 4}
	g, err := New([]Node{
		{NodeName: ir.NodeName{Name: "a"}, Node: &ir.Node{Static: [3]uint32{sent, 1, 1}, Outputs: []ir.NodeOutput{o}, AreaBytes: o.Data + o.Stride}},
		{NodeName: ir.NodeName{Name: "b"}, Node: &ir.Node{Static: [3]uint32{255, 255, 255}, Input: true, Bytes: 4}},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	_, most, _ := g.ScratchSize()
	for _, c := range []struct {
		bound, want uint64 // workgroups of b
		fails       string
	}{
		{0, maxSent, `the graph exceeds its budget of workgroups in node "b"`},
		{sent + sent*each, sent * each, ""},
		{sent - 1, 0, `the graph exceeds its budget of workgroups in node "a"`},
	} {
		total := uint64(0)
		err := g.Run(func(node int, params []byte, groups uint32) error {
			if node == 1 {
				total += uint64(groups)
				return nil
			}
			for i := range groups {
				area := params[binary.LittleEndian.Uint32(params[4*paramAreas:])+i*g.nodes[0].AreaBytes:]
				for at, word := range map[uint32]uint32{o.Count: 1, o.Rows: 1, o.Rows + 8: 1} {
					binary.LittleEndian.PutUint32(area[at:], word)
				}
			}
			return nil
		}, nil, most, c.bound, []Start{{Node: 0, Count: 1}})
		var bad *NodeError
		if failed := errors.As(err, &bad); failed != (c.fails != "") || failed && bad.Text != c.fails {
			t.Errorf("a bound of %d: %v; must be %q", c.bound, err, c.fails)
		}
		if total > c.want || total+each < c.want {
			t.Errorf("a bound of %d: %d workgroups of b; must be %d but for those of a payload", c.bound, total, c.want)
		}
	}
}

// TestChains links chains of nodes: the scratch memory is for the depth of the longest one. The name of many nodes is one target of each
// node that sends to it.
func TestChains(t *testing.T) {
	sends := func(names ...string) *ir.Node {
		n := &ir.Node{AreaBytes: 64}
		for _, x := range names {
			n.Outputs = append(n.Outputs, ir.NodeOutput{Name: x})
		}
		return n
	}
	many := func(name string, n *ir.Node) (list []Node) {
		for i := range uint32(1 << 14) {
			list = append(list, Node{NodeName: ir.NodeName{Name: name, Index: i}, Node: n})
		}
		return list
	}
	one := func(name string, n *ir.Node) Node { return Node{NodeName: ir.NodeName{Name: name}, Node: n} }
	// leaves are many nodes of a name, and some that send payloads follow them.
	leaves := func(name string, nodes ...*ir.Node) []Node {
		list := many(name, &ir.Node{})
		for _, n := range nodes {
			list = append(list, Node{NodeName: ir.NodeName{Name: name, Index: uint32(len(list))}, Node: n})
		}
		return list
	}
	again := sends("a", "b")
	again.Recursion = 3
	for name, x := range map[string]struct {
		nodes []Node
		depth uint64
	}{
		"one":                {[]Node{one("a", &ir.Node{})}, 1},
		"chain":              {[]Node{one("a", sends("b", "c")), one("c", sends("b")), one("b", sends("d")), one("d", &ir.Node{})}, 3},
		"recursion":          {[]Node{one("a", again), one("b", sends("c")), one("c", &ir.Node{})}, 5},
		"cycle":              {[]Node{one("a", sends("b")), one("b", sends("c")), one("c", sends("b"))}, MaxDepth},
		"no target":          {[]Node{one("a", sends("z"))}, 1},
		"many to many":       {slices.Concat(many("a", sends("b", "b", "c")), many("b", sends("c")), many("c", &ir.Node{})), 2},
		"many to themselves": {many("a", sends("a")), MaxDepth},
		"many to a cycle":    {slices.Concat(many("a", sends("b")), leaves("b", sends("c")), []Node{one("c", sends("b"))}), MaxDepth},
		"cycles behind many": {leaves("a", slices.Repeat([]*ir.Node{sends("a")}, 1<<14)...), MaxDepth},
		"one to itself":      {leaves("a", sends(slices.Repeat([]string{"a"}, 1<<14)...)), 1},
		"one of many":        {append(many("b", &ir.Node{}), Node{NodeName: ir.NodeName{Name: "b", Index: 1 << 20}, Node: sends("b")}), 1},
	} {
		g, err := New(x.nodes, false)
		if err != nil || g.depth != x.depth {
			t.Errorf("%s: depth %d, %v; must be %d", name, g.depth, err, x.depth)
		}
	}
}

// TestLargeScratch runs a chain of nodes that send many payloads with more scratch memory than the graph can use: the payloads that wait
// at all depths have the bound of the memory that it can use.
func TestLargeScratch(t *testing.T) {
	const most, groups = 256, maxChunk
	var list []Node
	for _, name := range []string{"a", "b", "c", "d"} {
		o := ir.NodeOutput{Name: string(name[0] + 1), Max: most, Bytes: 120, Stride: ir.PayloadStride(120), Rows: 4, Data: 16 + ir.NodeRowBytes*(most+1)}
		o.Data = (o.Data + 7) &^ 7
		n := &ir.Node{Input: true, Bytes: 120}
		if name != "d" {
			n.Outputs, n.AreaBytes = []ir.NodeOutput{o}, o.Data+most*o.Stride
		}
		list = append(list, Node{NodeName: ir.NodeName{Name: name}, Node: n})
	}
	g, err := New(list, false)
	if err != nil {
		t.Fatal(err)
	}
	ran := map[int]uint32{}
	err = g.Run(func(node int, params []byte, count uint32) error {
		sends := ran[node] < groups
		ran[node] += count
		n := &g.nodes[node]
		if n.AreaBytes == 0 || !sends {
			return nil
		}
		first := binary.LittleEndian.Uint32(params[4*paramAreas:])
		for i := range count {
			o, area := &n.Outputs[0], params[first+i*n.AreaBytes:]
			binary.LittleEndian.PutUint32(area[o.Count:], most)
			binary.LittleEndian.PutUint32(area[o.Rows:], most)
			binary.LittleEndian.PutUint32(area[o.Rows+8:], 1)
		}
		return nil
	}, nil, 1<<33, 0, []Start{{Node: 0, Count: groups, Payloads: make([]byte, 120)}})
	if err != nil || ran[1] != most*groups || ran[2] < most*groups || ran[3] < most*groups {
		t.Errorf("%v workgroups, %v; must be %d of b and no fewer of c and d", ran, err, most*groups)
	}
}

// TestShortPayloads sends payloads to a node with smaller ones, and to one that reads none: each has the first bytes.
func TestShortPayloads(t *testing.T) {
	o := ir.NodeOutput{Max: 2, Bytes: 16, Stride: ir.PayloadStride(16)}
	from := make([]byte, 2*o.Stride)
	for i := range from {
		from[i] = byte(i + 1)
	}
	for bytes, want := range map[uint32]int{0: 0, 4: 4, 16: 16, 24: 16} {
		stride := uint64(ir.PayloadStride(bytes))
		b := batch{data: slices.Repeat([]byte{0xff}, 100)[:0]}
		b.add(from, 2, &o, stride)
		list := make([]byte, 2*stride)
		for i := range uint64(2) {
			copy(list[i*stride:], from[i*uint64(o.Stride):][:min(uint64(want+7)&^7, 16)])
		}
		if bytes == 16 {
			list = from // with the counts of finished workgroups
		}
		if b.count != 2 || !slices.Equal(b.data, list) {
			t.Errorf("payloads of %d bytes: %d of % x; must be % x", bytes, b.count, b.data, list)
		}
	}
}

// TestKeptPayloads draws payloads of a mesh node: those with many bytes are not kept for a later draw.
func TestKeptPayloads(t *testing.T) {
	const bytes = 4096
	g, err := New([]Node{{NodeName: ir.NodeName{Name: "a"}, Node: &ir.Node{Input: true, Bytes: bytes}, Draws: true}}, false)
	if err != nil {
		t.Fatal(err)
	}
	for count, want := range map[uint32]bool{1: false, maxKept / bytes: true} {
		got := !want
		err := g.Run(nil, func(_ int, _ Payloads, now bool) error { got = now; return nil }, 1<<20, 0, []Start{{Count: count, Payloads: make([]byte, bytes)}})
		if err != nil || got != want {
			t.Errorf("%d payloads of %d bytes are drawn at once: %v, %v; must be %v", count, bytes, got, err, want)
		}
	}
}

// TestMeshNodeViews draws a mesh node for two views: each view runs all workgroups, and what a workgroup sends in each of them is
// delivered, view by view.
func TestMeshNodeViews(t *testing.T) {
	o := ir.NodeOutput{Name: "b", Max: 1, Bytes: 4, Stride: ir.PayloadStride(4), Rows: 4, Data: 4 + 2*ir.NodeRowBytes + 4}
	g, err := New([]Node{
		{NodeName: ir.NodeName{Name: "a"}, Node: &ir.Node{Static: [3]uint32{2, 1, 1}, Outputs: []ir.NodeOutput{o}, AreaBytes: o.Data + o.Stride}, Draws: true, Views: 2},
		{NodeName: ir.NodeName{Name: "b"}, Node: &ir.Node{Input: true, Bytes: 4}},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	_, most, _ := g.ScratchSize()
	var got []uint32
	err = g.Run(func(_ int, params []byte, groups uint32) error {
		for i := range groups {
			got = append(got, binary.LittleEndian.Uint32(params[binary.LittleEndian.Uint32(params[4*paramPayloads:])+i*ir.PayloadStride(4):]))
		}
		return nil
	}, func(_ int, p Payloads, now bool) error {
		if !now {
			t.Error("the draw may follow later; must be done")
		}
		for view := range uint32(2) {
			for i := range p.Total {
				area := p.Data[p.Areas+(view*p.Total+i)*p.AreaBytes:]
				for at, word := range map[uint32]uint32{o.Count: 1, o.Rows: 1, o.Rows + 8: 1, o.Data: 10*view + p.First + i} {
					binary.LittleEndian.PutUint32(area[at:], word)
				}
			}
		}
		return nil
	}, most, 0, []Start{{Node: 0, Count: 2}})
	if want := []uint32{0, 1, 2, 3, 10, 11, 12, 13}; err != nil || !slices.Equal(got, want) {
		t.Errorf("payloads %v, %v; must be %v", got, err, want)
	}
}
