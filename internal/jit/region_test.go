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
	return ofLanes("regions", b.Finish())
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

// TestRegionCopies copies words and pairs of words between device addresses: of consecutive elements, of elements at a distance, of the
// ends of regions, and of different regions; by all lanes and by some. The memory afterwards is that of the interpreter.
func TestRegionCopies(t *testing.T) { eachLevel(t, testRegionCopies) }

func testRegionCopies(t *testing.T, engine jit.Engine) {
	p := copyProgram()
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		data := make([][]byte, 3)
		for i := range data {
			data[i] = make([]byte, 100+random.IntN(300))
			for k := range data[i] {
				data[i][k] = byte(random.Uint32())
			}
		}
		table := make([]byte, 32*regionLanes)
		for i := range 4 { // from and to of the words, from and to of the pairs
			first, step := copyAddress(random, data), []int{4, 8, 0, 12}[random.IntN(4)]
			for k := range regionLanes {
				address := first + uint64(step*k)
				if random.IntN(200) == 0 {
					address = copyAddress(random, data)
				}
				binary.LittleEndian.PutUint64(table[32*k+8*i:], address)
			}
		}
		active := make([]byte, 4)
		binary.LittleEndian.PutUint32(active, []uint32{1<<32 - 1, random.Uint32(), random.Uint32() << 1}[random.IntN(3)])
		run := func(e exec.Engine) (out [][]byte) {
			prog, err := e.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer prog.Close()
			job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: table}}, {{Bytes: active}}}}
			for i, b := range data {
				out = append(out, append(make([]byte, 0, len(b)+8), b...))
				job.Regions = append(job.Regions, exec.Region{Address: uint64(i+1) << 32, Bytes: out[i]})
			}
			if err := prog.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			return out
		}
		for i, want := range run(interp.Engine{}) {
			if got := run(engine)[i]; string(got) != string(want) {
				t.Fatalf("region %d of %d bytes is %x; want %x; addresses %x", i, len(want), got, want, table)
			}
		}
	}
}

// copyAddress returns an address in a region, or near its end.
func copyAddress(random *rand.Rand, data [][]byte) uint64 {
	i := random.IntN(len(data))
	return uint64(i+1)<<32 + uint64(random.IntN(len(data[i])+8))
}

// ofLanes returns a program of one subgroup with two buffers; its input is the index of the lane.
func ofLanes(name string, main *ir.Func) *ir.Program {
	p := &ir.Program{Name: name, Stage: ir.Compute, Funcs: []*ir.Func{main}, SubgroupSize: regionLanes, LocalSize: [3]uint32{regionLanes, 1, 1},
		In:  []ir.Input{{Semantic: ir.LocalInvocationIndex, Type: ir.I32}},
		Res: []ir.Resource{{Kind: ir.StorageBuffer, Count: 1}, {Kind: ir.StorageBuffer, Binding: 1, Count: 1}}}
	p.StateEffects()
	return p
}

// copyProgram copies a word, and a pair of words, between the four addresses of each lane whose bit is set.
func copyProgram() *ir.Program {
	b := ir.NewFunc("main", nil, nil)
	table := b.OpAux(ir.Res, ir.H, 0, b.I32(0))
	lane := b.OpAux(ir.In, ir.I32, 0)
	active := b.OpAux(ir.Ld, ir.I32, 0, b.OpAux(ir.Res, ir.H, 1, b.I32(0)), b.I32(0))
	at := b.Op(ir.Shl, ir.I32, lane, b.I32(5))
	b.If(b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, active, lane), b.I32(1)), b.I32(1)))
	for i, typ := range []ir.Type{ir.I32, ir.I64} {
		place := func(k uint64) [2]ir.V {
			address := b.OpAux(ir.Ld, ir.I64, uint64(16*i)+8*k, table, at)
			h := b.OpAux(ir.Region, ir.H, uint64(typ.Size()), address)
			return [2]ir.V{h, b.Op(ir.RegionOff, ir.I32, h, address)}
		}
		from, to := place(0), place(1)
		v := b.Op(ir.Ld, typ, from[0], from[1])
		b.Emit(ir.Val{Op: ir.St, Type: typ, Args: [4]ir.V{to[0], to[1], v}})
	}
	b.End()
	b.Return()
	return ofLanes("copies", b.Finish())
}
