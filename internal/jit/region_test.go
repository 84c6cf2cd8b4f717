package jit_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRegions loads words at random device addresses, in regions and beside them: each lane reads its address, and writes the word
// there, and the offset in the region; both are 0 outside of all regions.
func TestRegions(t *testing.T) { eachLevel(t, testRegions) }

func testRegions(t *testing.T, engine jit.Engine) {
	p := regionProgram()
	prog, err := engine.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	oracle, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer oracle.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 17, 100} {
		regions := randomRegions(random, n)
		for range 20 {
			addresses, want := make([]byte, 8*regionLanes), make([]byte, 8*regionLanes)
			for k := range regionLanes {
				address := []uint64{0, random.Uint64(), 1<<64 - 1, 1 << 63}[random.IntN(4)]
				if n > 0 && random.IntN(8) > 0 {
					r := regions[random.IntN(n)]
					address = r.Address + uint64(random.IntN(len(r.Bytes)+20)) - 5
				}
				binary.LittleEndian.PutUint64(addresses[8*k:], address)
				for _, r := range regions {
					if d, size := address-r.Address, uint64(len(r.Bytes)); d <= size && size-d >= regionAccess {
						copy(want[8*k:8*k+4], r.Bytes[d:])
						binary.LittleEndian.PutUint32(want[8*k+4:], uint32(d))
					}
				}
			}
			run := func(p exec.Program) []byte {
				got := make([]byte, 12*regionLanes)
				job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Regions: regions, Resources: [][]exec.Buffer{{{Bytes: addresses}}, {{Bytes: got}}}}
				if err := p.Run(context.Background(), job); err != nil {
					t.Fatal(err)
				}
				return got
			}
			got := run(prog)
			for k := range regionLanes {
				if g, w := got[8*k:8*k+8], want[8*k:8*k+8]; string(g) != string(w) {
					t.Fatalf("%d regions: at %x lane %d has %x; want %x", n, addresses[8*k:8*k+8], k, g, w)
				}
			}
			if string(got) != string(run(oracle)) {
				t.Fatalf("%d regions: an access of no bytes differs from the interpreter's", n)
			}
		}
	}
}

const (
	regionLanes  = 32
	regionAccess = 6 // bytes
)

// regionProgram loads 4 of regionAccess bytes at the address of each lane. Some lanes also look up the region of no bytes.
func regionProgram() *ir.Program {
	b := ir.NewFunc("main", nil, nil)
	in, out := b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.OpAux(ir.Res, ir.H, 1, b.I32(0))
	lane := b.OpAux(ir.In, ir.I32, 0)
	at := b.Op(ir.Shl, ir.I32, lane, b.I32(3))
	from := b.OpAux(ir.Ld, ir.I64, 0, in, at)
	region := b.OpAux(ir.Region, ir.H, regionAccess, from)
	off := b.Op(ir.RegionOff, ir.I32, region, from)
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, b.OpAux(ir.Ld, ir.I32, 0, region, off)}})
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, at, off}, Aux: 4})
	b.If(b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, lane, b.I32(3)), b.I32(3)))
	none := b.OpAux(ir.Region, ir.H, 0, from)
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{out, b.Op(ir.Shl, ir.I32, lane, b.I32(2)), b.Op(ir.RegionOff, ir.I32, none, from)}, Aux: 8 * regionLanes})
	b.End()
	b.Return()
	p := &ir.Program{Name: "regions", Stage: ir.Compute, Funcs: []*ir.Func{b.Finish()}, SubgroupSize: regionLanes, LocalSize: [3]uint32{regionLanes, 1, 1},
		In:  []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}},
		Res: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Binding: 1, Count: 1}}}
	p.StateEffects()
	return p
}

// randomRegions returns n sorted regions with distances, half of them in the upper half of the addresses.
func randomRegions(random *rand.Rand, n int) (list []exec.Region) {
	next := random.Uint64N(1<<62) &^ 15
	for i := range n {
		if i == n/2 {
			next |= 1 << 63 // addresses are unsigned
		}
		bytes := make([]byte, 64)[:1+random.IntN(40)]
		for k := range bytes {
			bytes[k] = byte(random.Uint32())
		}
		list = append(list, exec.Region{Address: next, Bytes: bytes})
		next = (next+uint64(len(bytes)+1+random.IntN(3)*random.IntN(50)))&^15 + 16
	}
	return list
}
