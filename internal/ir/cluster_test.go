package ir

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestAppendClusters has three clusters of two invocations in an area, the last invocation first, and an area whose count is beyond its
// records.
func TestAppendClusters(t *testing.T) {
	area := make([]byte, ClusterAreaBytes)
	put := func(at int, words ...uint32) {
		for i, w := range words {
			binary.LittleEndian.PutUint32(area[at+4*i:], w)
		}
	}
	put(0, 3)
	put(ClusterRecords, 5, 1, 6, 2, 12, ^uint32(0), 7, 8)
	put(ClusterRecords+ClusterBytes, 1, 1, 3)
	put(ClusterRecords+2*ClusterBytes, 5, 0, 9)
	got := AppendClusters(nil, area)
	want := []Cluster{{Indexed: true, Count: 3}, {Indexed: true, Count: 6, Instances: 2, First: 12, VertexOffset: -1, FirstInstance: 7, ID: 8}, {Count: 9}}
	if !slices.Equal(got, want) {
		t.Errorf("%v; must be %v", got, want)
	}
	put(0, ^uint32(0))
	if n := len(AppendClusters(nil, area)); n != MaxClusters {
		t.Errorf("%d clusters; must be %d", n, MaxClusters)
	}
}
