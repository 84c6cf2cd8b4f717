package amber

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestBlendOperations finds each of Vulkan's blend operations by its name, and each word of AmberScript has one.
func TestBlendOperations(t *testing.T) {
	for op := enum.BlendOpZero; op <= enum.BlendOpBlue; op++ {
		word := strings.TrimSuffix(op.String(), "_ext") + "_ext"
		if got, ok := blendOperation(word); got != op || !ok {
			t.Errorf("%s: %v, %v", word, got, ok)
		}
	}
	seen := map[enum.BlendOp]bool{}
	for _, word := range blendOps {
		op, ok := blendOperation(word)
		if !ok {
			t.Errorf("%s has no operation", word)
		}
		seen[op] = true
	}
	if len(seen) != 5+46 {
		t.Errorf("%d operations, want 51", len(seen))
	}
	if _, ok := blendOperation("nothing"); ok {
		t.Error("nothing is an operation")
	}
}
