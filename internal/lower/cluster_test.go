package lower

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/graph"
)

// runClusters runs two workgroups of a cluster culling shader on every engine, with subgroups of several sizes, before and after the
// passes. The text has a line for each cluster: whether it has indices, then its count, instances, first one, offset and first instance.
func runClusters(t *testing.T, source []byte, want string) {
	t.Helper()
	for _, size := range []uint32{1, 4, 64} {
		for _, engine := range engines() {
			for _, optimized := range []bool{false, true} {
				p, err := graph.Compose(lowered(t, source, nil, Options{SubgroupSize: size}))
				if err != nil {
					t.Fatal(err)
				}
				program := pipelineOf(t, p, engine, optimized)
				var list []ir.Cluster
				err = graph.RunAreas([3]uint32{2, 1, 1}, ir.ClusterAreaBytes, func(params []byte, n uint32) error {
					return program.Dispatch(context.Background(), compute.Args{Groups: [3]uint32{n, 1, 1}, Params: params})
				}, func(area []byte) error {
					list = ir.AppendClusters(list, area)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				var b strings.Builder
				for _, c := range list {
					fmt.Fprintln(&b, c.Indexed, c.Count, c.Instances, c.First, c.VertexOffset, c.FirstInstance)
				}
				if got := b.String(); got != want {
					t.Fatalf("%s, subgroups of %d:\n%smust be\n%s", engine.Name(), size, got, want)
				}
			}
		}
	}
}
