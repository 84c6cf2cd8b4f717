package trace

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Table is a shader binding table: a range of memory with a device address. The record of ray generation is a table of one
// record.
type Table struct {
	Address, Size, Stride uint64 // in bytes
}

// Launch has the numbers of a launch.
type Launch struct {
	Size                        [3]uint32
	RayGen, Miss, Hit, Callable Table
	Serials                     []uint32 // of the parts of the pipeline, none of them 0
}

// params returns the parameters of a launch: the bytes of the buffers at compose.ParamsBinding and faultBinding.
func (l *Launch) params(parts int) []byte {
	b := make([]byte, 4*(paramWords+parts))
	for i, n := range l.Serials[:min(parts, len(l.Serials))] {
		binary.LittleEndian.PutUint32(b[4*(paramSerials+i):], n)
	}
	for i, n := range l.Size {
		binary.LittleEndian.PutUint32(b[4*(paramSize+i):], n)
	}
	put := func(word int, x uint64) { binary.LittleEndian.PutUint64(b[4*word:], x) }
	put(paramRayGen, l.RayGen.Address)
	for _, x := range [...]struct {
		word int
		t    Table
	}{{paramMiss, l.Miss}, {paramHit, l.Hit}, {paramCallable, l.Callable}} {
		put(x.word+tableAddress, x.t.Address)
		put(x.word+tableSize, x.t.Size)
		put(x.word+tableStride, x.t.Stride)
	}
	return b
}

// Run runs a launch of a pipeline: p is the pipeline of its composed program, after the passes. The arguments are the arguments of a
// dispatch; Run sets the workgroups and the parameters. Regions must have the tables. It returns the errors of
// [compute.Pipeline.Dispatch], a [DepthError] if a shader exceeded the depth of the pipeline, and a [RecordError] if a
// record broke a rule of Checks.
//
// A launch with more rows of workgroups than a dispatch may have is a dispatch for each band of rows.
func (p *Pipeline) Run(ctx context.Context, program *compute.Pipeline, a compute.Args, l *Launch) error {
	wide, high, tiled := l.shape(program.IR().SubgroupSize)
	most := compute.MaxGroups()
	a.Base, a.Params = [3]uint32{}, l.params(len(p.Parts))
	word := func(n int) []byte { return a.Params[4*n:] }
	if tiled {
		binary.LittleEndian.PutUint32(word(paramTiled), 1)
	}
	rows := uint32((uint64(l.Size[1]) + uint64(high) - 1) / uint64(high))
	a.Groups[0] = uint32((uint64(l.Size[0]) + uint64(wide) - 1) / uint64(wide))
	for z := uint32(0); z < l.Size[2]; z += min(most[2], l.Size[2]-z) {
		for y := uint32(0); y < rows; y += min(most[1], rows-y) {
			a.Groups[1], a.Groups[2] = min(most[1], rows-y), min(most[2], l.Size[2]-z)
			binary.LittleEndian.PutUint32(word(paramOrigin+1), y*high)
			binary.LittleEndian.PutUint32(word(paramOrigin+2), z)
			if err := program.Dispatch(ctx, a); err != nil {
				return err
			}
			if err := p.faultError(binary.LittleEndian.Uint32(word(paramFault))); err != nil {
				return err
			}
		}
	}
	return nil
}

// shape returns the size of the part of a launch that a subgroup runs: a tile, or a part of a row if tiles would need more subgroups,
// as for a launch of one row.
func (l *Launch) shape(subgroup uint32) (wide, high uint32, tiled bool) {
	groups := func(wide, high uint32) uint64 {
		x, y := uint64(wide), uint64(high)
		return (uint64(l.Size[0]) + x - 1) / x * ((uint64(l.Size[1]) + y - 1) / y)
	}
	wide, high = tileSize(subgroup)
	if high > 1 && max(l.Size[0], l.Size[1]) <= mostTiled && groups(wide, high) <= groups(subgroup, 1) {
		return wide, high, true
	}
	return subgroup, 1, false
}

// DepthError reports a ray, or a callable shader, beyond the depth of the pipeline.
type DepthError struct {
	Rays  bool   // not a callable shader
	Depth uint32 // of the pipeline
}

// Error names the depth.
func (e *DepthError) Error() string {
	if e.Rays {
		return fmt.Sprintf("a shader traces a ray at recursion depth %d; the pipeline has depth %d", e.Depth+1, e.Depth)
	}
	return fmt.Sprintf("a shader executes a callable shader at depth %d; the pipeline has depth %d for them", e.Depth+1, e.Depth)
}

// IsParams reports whether a resource of a composed program is the parameters of the launch.
func IsParams(r *ir.Resource) bool {
	return r.Set == compute.OwnSet && r.Binding == compose.ParamsBinding
}

// LaunchSize returns the size of the launch with some parameters; zeros if they are too short.
func LaunchSize(params []byte) (size [3]uint32) {
	for i := range size {
		size[i] = wordOf(params, paramSize+i)
	}
	return size
}

// LaunchID returns the id in a launch with some parameters of the invocation in a lane of a workgroup, which is one subgroup. It may be
// outside of the launch. The code of launchID does the same.
func LaunchID(params []byte, subgroup uint32, group [3]uint32, lane uint32) [3]uint32 {
	id := [3]uint32{group[0]*subgroup + lane, group[1], group[2]}
	if wordOf(params, paramTiled) == 1 {
		wide, high := tileSize(subgroup)
		id[0], id[1] = group[0]*wide, group[1]*high
		for bit := range uint32(bits.Len32(wide - 1)) {
			id[0] += lane >> (2 * bit) & 1 << bit
		}
		for bit := range uint32(bits.Len32(high - 1)) {
			id[1] += lane >> (2*bit + 1) & 1 << bit
		}
	}
	for i := range id {
		id[i] += wordOf(params, paramOrigin+i)
	}
	return id
}

// wordOf returns a word of the parameters; 0 if they are too short.
func wordOf(params []byte, n int) uint32 {
	if len(params) < 4*(n+1) {
		return 0
	}
	return binary.LittleEndian.Uint32(params[4*n:])
}
