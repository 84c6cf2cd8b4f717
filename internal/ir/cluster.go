package ir

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Cluster is a draw that a cluster culling shader emits (SPV_HUAWEI_cluster_culling_shader): of indices if Indexed, else of vertices.
type Cluster struct {
	Indexed       bool
	Count         uint32
	Instances     uint32
	First         uint32
	VertexOffset  int32
	FirstInstance uint32
	ID            uint32 // ClusterIDHUAWEI, which is the DrawIndex of the vertex stage
	Rate          uint32 // ClusterShadingRateHUAWEI with ClusterRated; 0 if the shader does not declare it
}

// ClusterRated is the bit of Cluster.Rate that tells that there is a rate.
const ClusterRated = 1 << 31

// MaxClusters bounds the clusters of a workgroup: further ones are not drawn (maxOutputClusterCount).
const MaxClusters = 1024

// A workgroup has an area of its clusters: their number, and from ClusterRecords on records of ClusterBytes each. The words of a record
// are the number of the invocation, whether the draw is indexed, and the members of Cluster in order.
const (
	ClusterRecords   = 8
	ClusterBytes     = 36
	ClusterAreaBytes = ClusterRecords + MaxClusters*ClusterBytes
)

// AppendClusters appends the clusters in the area of a workgroup, by the invocation that emits them and then in its order.
func AppendClusters(list []Cluster, area []byte) []Cluster {
	word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(area[at:]) }
	var order [MaxClusters]uint32
	records := order[:min(word(0), MaxClusters)]
	for i := range records {
		records[i] = ClusterRecords + uint32(i)*ClusterBytes
	}
	slices.SortStableFunc(records, func(a, b uint32) int { return cmp.Compare(word(a), word(b)) })
	for _, at := range records {
		list = append(list, Cluster{word(at+4) != 0, word(at + 8), word(at + 12), word(at + 16), int32(word(at + 20)), word(at + 24), word(at + 28), word(at + 32)})
	}
	return list
}
