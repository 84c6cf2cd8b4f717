package trace

import (
	"context"
	"encoding/binary"

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
}

// Params returns the parameters of a launch: the bytes of the uniform buffer at compose.ParamsBinding.
func (l *Launch) Params() []byte {
	b := make([]byte, 4*paramWords)
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

// Groups returns the number of workgroups of the launch: each row has workgroups of subgroup invocations.
func (l *Launch) Groups(subgroup uint32) [3]uint32 {
	return [3]uint32{uint32((uint64(l.Size[0]) + uint64(subgroup) - 1) / uint64(subgroup)), l.Size[1], l.Size[2]}
}

// Run runs a launch: p is the pipeline of a composed program, after the passes. The arguments are the arguments of a dispatch;
// Run sets the workgroups and the parameters. Regions must have the tables. It returns the errors of
// [compute.Pipeline.Dispatch].
func Run(ctx context.Context, p *compute.Pipeline, a compute.Args, l *Launch) error {
	a.Base, a.Groups, a.Params = [3]uint32{}, l.Groups(p.IR().SubgroupSize), l.Params()
	return p.Dispatch(ctx, a)
}
