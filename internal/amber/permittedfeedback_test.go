package amber_test

import (
	"strings"
	"testing"
)

// TestPermittedFeedback: transform feedback has no effect on pictures. A later draw has any values of the captured vertices.
func TestPermittedFeedback(t *testing.T) {
	script := strings.NewReplacer("POSITIONS", strings.Repeat("-0.9 -0.9 0 1 0.9 -0.9 0 1 -0.9 0.9 0 1 0 0 0 1\n", 4), "TOPOLOGY", "TRIANGLE_LIST", "COUNT 14", "COUNT 3").Replace(adjacencyScript)
	script = strings.Replace(script, "OpMemoryModel", "OpCapability TransformFeedback\nOpMemoryModel", 1)
	script = strings.Replace(script, "OpDecorate", "OpExecutionMode %main Xfb\nOpDecorate %o XfbBuffer 0\nOpDecorate %o XfbStride 16\nOpDecorate %o Offset 0\nOpDecorate", 1)
	script = strings.Replace(script, "BUFFER picture", "BUFFER captured DATA_TYPE vec4<float> SIZE 16 FILL 0\nBUFFER picture", 1)
	script = strings.Replace(script, "  FRAMEBUFFER_SIZE", "  TRANSFORM_FEEDBACK BUFFER captured BINDING 0\n  FRAMEBUFFER_SIZE", 1)
	p, r := permit(t, "feedback.amber", script)
	right := r.Contents["picture"]
	if len(p.Pictures) != 1 || len(right) == 0 || p.Pictures[0].Undecided != "" {
		t.Fatalf("%v, undecided %q", r.Message, p.Pictures[0].Undecided)
	}
	if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > 0 || !findsSeeded(p.Pictures[0], right) {
		t.Errorf("%d components with any value, %d are not permitted", any, len(list))
	}
	again := strings.Replace(script, "PIPELINE graphics draw", "PIPELINE graphics second\n  ATTACH v\n  ATTACH f\n  VERTEX_DATA captured LOCATION 0\n  BIND BUFFER picture AS color LOCATION 0\n  FRAMEBUFFER_SIZE 16 16\nEND\nPIPELINE graphics draw", 1) +
		"RUN second DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n"
	if p, r = permit(t, "feedback.amber", again); len(r.Contents["picture"]) == 0 || p.Pictures[0].Undecided == "" {
		t.Errorf("a draw of captured vertices: %v, undecided %q; must have any content", r.Message, p.Pictures[0].Undecided)
	}
}
