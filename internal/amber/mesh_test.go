package amber

import (
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// TestMeshFaults runs testdata/mesh.amber with a fault each.
func TestMeshFaults(t *testing.T) {
	faults(t, "mesh.amber", []scriptFault{
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks DRAW_MESH 65536 1 1", "must be at most 65535"},
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks DRAW_MESH 4 1", "a number of groups"},
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks DRAW_ARRAY AS TRIANGLE_LIST COUNT 3", "stage-06481"},
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks 4 1 1", "cannot run so"},
		{"  ATTACH tiles\n", "", "07087"},
		{"PIPELINE graphics tasks", "PIPELINE compute tasks", "shader rows in a compute pipeline"},
		{"OFFSET 36", "OFFSET 3", "must be a multiple of 4"},
		{"OFFSET 36", "OFFSET 64", "buffer"},
		{"7 2 1 1", "7 65536 1 1", "65536"},
		{"7 2 1 1", "7 65535 65535 1", "4194304"},
	})
}

// TestStageFaults runs the scripts of the stages that AmberScript does not have with a fault each.
func TestStageFaults(t *testing.T) {
	faults(t, "cluster.amber", []scriptFault{
		{"DRAW_CLUSTER AS POINT_LIST 2 1 1", "DRAW_CLUSTER AS POINT_LIST 65537 1 1", "groupCountX-07820"},
		{"DRAW_CLUSTER AS POINT_LIST 2 1 1", "DRAW_CLUSTER AS POINT_LIST 2 1", "a number of groups"},
		{"DRAW_CLUSTER AS POINT_LIST 2 1 1", "DRAW_CLUSTER AS POINT_LIST INDEXED 2 1 1", "needs INDEX_DATA"},
		{"DRAW_CLUSTER AS POINT_LIST 2 1 1", "DRAW_ARRAY AS POINT_LIST COUNT 3", "has a cluster culling stage"},
		{"  ATTACH even\n", "", "ClusterCullingHUAWEI-07823"},
		{"OFFSET 8", "OFFSET 12", "8 bytes of arguments"},
		{"OFFSET 8", "OFFSET 3", "must be a multiple of 4"},
		{"PIPELINE graphics clusters", "PIPELINE compute clusters", "cluster_culling shader even in a compute pipeline"},
	})
	faults(t, "subpassshading.amber", []scriptFault{
		{"RUN shade SUBPASS_SHADING", "RUN gray SUBPASS_SHADING", "cannot run so"},
		{"RUN shade SUBPASS_SHADING", "RUN shade 1 1 1", "cannot run so"},
		{"  ATTACH pixels\n", "", "has 0 shaders"},
		{"LocalSize 8 8 1", "LocalSize 4 8 1", "must be 8 to 32"},
		{"  BIND BUFFER words AS storage", "  BIND BUFFER picture AS depth_stencil\n  BIND BUFFER words AS storage", "depth and stencil attachments of subpass shading"},
	})
	faults(t, "graph.amber", []scriptFault{
		{"NODE root COUNT 3", "NODE roots COUNT 3", "has no node roots with the index 0"},
		{"NODE first INDEX 5 BUFFER", "NODE first INDEX 4 BUFFER", "has no node first with the index 4"},
		{"COUNT 3 BUFFER payloads OFFSET 4 STRIDE 8", "COUNT 4 BUFFER payloads OFFSET 4 STRIDE 8", "in 20 bytes"},
		{"COUNT 3 BUFFER payloads OFFSET 4 STRIDE 8", "COUNT 1000 BUFFER payloads OFFSET 4 STRIDE 8", "payloadCount-09171"},
		{"NODE leaf BUFFER payloads", "leaf BUFFER payloads", "leaf"},
		{"PIPELINE execution_graph named", "PIPELINE compute named", "must be in an execution graph"},
	})
}

// TestMeshNodes breaks the script of mesh nodes.
func TestMeshNodes(t *testing.T) {
	faults(t, "meshnode.amber", []scriptFault{
		{"  MESH_NODE leaves\n", "", "has no node leaf with the index 0"},
		{"  MESH_NODE leaves\n", "  MESH_NODE none\n", "none"},
		{"  ATTACH leaf ENTRY_POINT leaf\n", "", "pipeline leaves without a mesh shader"},
		{"PIPELINE execution_graph tree\n  ATTACH root ENTRY_POINT root\n", "PIPELINE compute tree\n  ATTACH root ENTRY_POINT root\n", "MESH_NODE in a compute pipeline"},
		{"  ATTACH sender ENTRY_POINT leaf\n", "  ATTACH sender ENTRY_POINT leaf\n  FRAMEBUFFER_SIZE 4 8\n", "differ from those of leaves"},
		{"NODE sender INDEX 2 COUNT", "NODE sender COUNT", "has no node sender with the index 0"},
	})
}

// scriptFault is a change of a script and the message that it has.
type scriptFault struct{ from, to, message string }

// faults runs a script of testdata with a fault each.
func faults(t *testing.T, script string, list []scriptFault) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + script)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		text := strings.Replace(string(b), c.from, c.to, 1)
		if text == string(b) {
			t.Fatalf("%q is not in the script", c.from)
		}
		message := ""
		if s, err := Parse("test.amber", []byte(text), nil); err != nil {
			message = err.Error()
		} else if r := Run(t.Context(), s, Options{Engine: interp.Engine{}}); r.Status != Pass {
			message = r.Message
		}
		if !strings.Contains(message, c.message) || message == "" {
			t.Errorf("%q: %q; must have %q", c.to, message, c.message)
		}
	}
}
