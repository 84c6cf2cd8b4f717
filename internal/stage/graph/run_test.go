package graph

import (
	"encoding/binary"
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
	err = g.Run(func(node int, params []byte, groups uint32) error { total[node] += groups; return nil }, 1<<20, 0, []Start{{Node: 0, Count: 2, Payloads: data, Stride: 8}})
	if err != nil || total != [2]uint32{2, 4} {
		t.Errorf("workgroups %v, %v; must be [2 4]", total, err)
	}
}
