package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
)

// Pipeline is a ray tracing pipeline before its composition.
type Pipeline struct {
	// Shaders are the programs of ray tracing stages, before any pass. They have one subgroup size.
	Shaders []*ir.Program
	Groups  []Group

	Depth         uint32 // of recursion: 1 if the shaders that rays run trace no rays
	CallableDepth uint32 // 1 if callable shaders execute no callable shaders

	// Parts are the numbers of the first groups of the libraries that the pipeline consists of, apart from its own groups, in
	// ascending order. The handles of their groups have the serials of Launch.Serials.
	Parts []uint32

	// Skips are ray flags that all rays have, unseen by the shaders: SkipTriangles and SkipBoxes.
	Skips uint32

	// Checks are the rules on records that launches check.
	Checks Checks

	// Apart is the distance of the descriptor sets of one shader from those of the next in the composed program: set s of shader i
	// is set i·Apart + s. It is 0 if all shaders have the same sets.
	Apart uint32
}

// Origins returns for each shader the number that the composed program adds to the origins of its operations. They ascend, so that an
// origin belongs to the last shader whose number is smaller.
func (p *Pipeline) Origins() []int32 {
	list, next := make([]int32, len(p.Shaders)), int32(0)
	for i, s := range p.Shaders {
		list[i] = next
		last := int32(0)
		for _, f := range s.Funcs {
			for k := range f.Vals {
				last = max(last, f.Vals[k].Origin)
			}
		}
		if next > math.MaxInt32-last { // the origins of the rest are ambiguous
			return list
		}
		next += last
	}
	return list
}

// Group is a shader group: its shaders are numbers in Pipeline.Shaders, or Unused.
type Group struct {
	General      int // of ray generation, miss or callable
	ClosestHit   int
	AnyHit       int
	Intersection int
}

// MaxDepth is the largest depth of a pipeline, of rays and of callable shaders: each level has copies of shaders.
const MaxDepth = 31

// The flags of Pipeline.Skips.
const (
	SkipTriangles = uint32(ray.RaySkipTriangles)
	SkipBoxes     = uint32(ray.RaySkipBoxes)
)

// Unused is the number of a shader that a group does not have.
const Unused = -1

// HandleSize is the size in bytes of the handle of a shader group: two words of 32 bits, and zeros. The first one is the number of
// the group in its library plus 1, the second one the serial of the library; 0 is the pipeline itself. A
// handle of zeros has no shaders. Each record of a shader binding table begins with a handle; the data of the record follows.
const HandleSize = 32

// The words of the parameters of a launch, a uniform buffer at compose.ParamsBinding. A table has three numbers of 64
// bits: its address, its size and the distance of its records, in bytes.
const (
	paramSize     = 0 // three words: the size of the launch
	paramFault    = 3 // the program sets it to a fault: a ray or a callable shader beyond the depth, or a wrong record
	paramRayGen   = 4 // 64 bits: the address of the record
	paramMiss     = 6
	paramHit      = paramMiss + tableWords
	paramCallable = paramHit + tableWords
	paramOrigin   = paramCallable + tableWords // three words: the id of the first invocation
	paramTiled    = paramOrigin + 3            // 1 if subgroups are tiles, 0 if they are parts of rows
	paramWords    = paramTiled + 1
	paramSerials  = paramWords // of the parts

	tableWords = 6
)

// The values of paramFault; the greatest one remains.
const (
	faultCallables = 1 + iota
	faultRays
)

// faultBinding is the binding of the parameters as a program writes them.
const faultBinding = compose.ParamsBinding + 1

// The words of a table, relative to its first.
const (
	tableAddress = 0
	tableSize    = 2
	tableStride  = 4
)

// unsupported returns the error for a feature that the composition lacks.
func unsupported(format string, args ...any) error {
	return &exec.UnsupportedError{Engine: "ray tracing pipeline", Feature: fmt.Sprintf(format, args...)}
}

// check checks the numbers of the pipeline.
func (p *Pipeline) check() error {
	if n := max(p.Depth, p.CallableDepth); n > MaxDepth {
		return &exec.LimitError{Quantity: "levels of recursion", Value: uint64(n), Max: MaxDepth}
	}
	for i, s := range p.Shaders {
		if s.SubgroupSize != p.Shaders[0].SubgroupSize || s.QuadRow != 0 {
			return unsupported("shader %d with another subgroup than shader 0", i)
		}
	}
	for i, g := range p.Groups {
		for _, x := range [...]struct {
			number int
			stages []ir.Stage
		}{
			{g.General, []ir.Stage{ir.RayGen, ir.Miss, ir.Callable}},
			{g.ClosestHit, []ir.Stage{ir.ClosestHit}},
			{g.AnyHit, []ir.Stage{ir.AnyHit}},
			{g.Intersection, []ir.Stage{ir.Intersection}},
		} {
			if x.number == Unused {
				continue
			}
			if x.number < 0 || x.number >= len(p.Shaders) {
				return unsupported("shader %d of group %d, which does not exist", x.number, i)
			}
			if s := p.Shaders[x.number].Stage; !slices.Contains(x.stages, s) {
				return unsupported("a %s shader at this place of group %d", s, i)
			}
		}
	}
	return nil
}
