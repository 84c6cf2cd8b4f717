package chiaro_test

import (
	"context"
	"fmt"
	"log"

	"github.com/chiaro-gpu/chiaro"
)

// A shader runs on slices. The README shows the body of this function.
func ExampleCompileFile() {
	ctx := context.Background()
	shader, err := chiaro.CompileFile(ctx, "docs/tour/saxpy.spvasm") // or .spv, .comp, .hlsl, .wgsl, .slang
	if err != nil {
		log.Fatal(err)
	}
	defer shader.Close()
	x, y := []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40}
	groups := [3]uint32{1, 1, 1}
	if err := shader.Run(ctx, groups, chiaro.Buffer(0, x), chiaro.Buffer(1, y), chiaro.Push[float32](2)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [12 24 36 48]
}
