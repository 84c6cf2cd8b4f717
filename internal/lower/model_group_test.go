package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// lanes is a subgroup that meets a group instruction: which of its lanes are
// active, and two operands of each.
type lanes struct {
	active []bool
	x, y   []uint32
}

// of returns the value of a lane, 0 of one that is not active or not there
// (docs/undefined.md).
func (g *lanes) of(lane uint32) uint32 {
	if lane >= uint32(len(g.x)) || !g.active[lane] {
		return 0
	}
	return g.x[lane]
}

// fold combines the active lanes from first to end, one after the other.
func (g *lanes) fold(f func(a, b uint32) uint32, identity uint32, first, end int) uint32 {
	r := identity
	for i := first; i < end; i++ {
		if g.active[i] {
			r = f(r, g.x[i])
		}
	}
	return r
}

// count counts the active lanes from first to end for which f holds.
func (g *lanes) count(first, end int, f func(lane int) bool) (n uint32) {
	for i := first; i < end; i++ {
		if g.active[i] && f(i) {
			n++
		}
	}
	return n
}

// groupModel is a group instruction: the code that makes %r, of type uint, of
// %x and %y, and what lane i must get.
type groupModel struct {
	name  string
	code  string
	value func(g *lanes, i int) uint32
}

// reductions are the operators on integers of 32 bits, each in all forms.
func reductions() (list []groupModel) {
	type operator struct {
		name     string
		identity uint32
		f        func(a, b uint32) uint32
	}
	pick := func(first bool, a, b uint32) uint32 {
		if first {
			return a
		}
		return b
	}
	for _, o := range []operator{
		{"IAdd", 0, func(a, b uint32) uint32 { return a + b }},
		{"IMul", 1, func(a, b uint32) uint32 { return a * b }},
		{"UMin", ^uint32(0), func(a, b uint32) uint32 { return min(a, b) }},
		{"UMax", 0, func(a, b uint32) uint32 { return max(a, b) }},
		{"SMin", 1<<31 - 1, func(a, b uint32) uint32 { return pick(int32(a) <= int32(b), a, b) }},
		{"SMax", 1 << 31, func(a, b uint32) uint32 { return pick(int32(a) >= int32(b), a, b) }},
		{"BitwiseAnd", ^uint32(0), func(a, b uint32) uint32 { return a & b }},
		{"BitwiseOr", 0, func(a, b uint32) uint32 { return a | b }},
		{"BitwiseXor", 0, func(a, b uint32) uint32 { return a ^ b }},
	} {
		op := "%r = OpGroupNonUniform" + o.name + " %uint %c3 "
		list = append(list,
			groupModel{o.name + " Reduce", op + "Reduce %x", func(g *lanes, _ int) uint32 { return g.fold(o.f, o.identity, 0, len(g.x)) }},
			groupModel{o.name + " InclusiveScan", op + "InclusiveScan %x", func(g *lanes, i int) uint32 { return g.fold(o.f, o.identity, 0, i+1) }},
			groupModel{o.name + " ExclusiveScan", op + "ExclusiveScan %x", func(g *lanes, i int) uint32 { return g.fold(o.f, o.identity, 0, i) }},
		)
		for _, n := range []int{1, 2, 4} {
			list = append(list, groupModel{fmt.Sprintf("%s ClusteredReduce %d", o.name, n), fmt.Sprintf("%sClusteredReduce %%x %%c%d", op, n),
				func(g *lanes, i int) uint32 { return g.fold(o.f, o.identity, i/n*n, i/n*n+n) }})
		}
	}
	return list
}

// moves are the instructions that read another lane. Those of a quad are of four
// lanes in order.
func moves() []groupModel {
	shuffle := func(name string, from func(i int, y uint32) uint32) groupModel {
		return groupModel{name, "%r = OpGroupNonUniform" + name + " %uint %c3 %x %y", func(g *lanes, i int) uint32 { return g.of(from(i, g.y[i])) }}
	}
	list := []groupModel{
		shuffle("Shuffle", func(_ int, y uint32) uint32 { return y }),
		shuffle("ShuffleXor", func(i int, y uint32) uint32 { return uint32(i) ^ y }),
		shuffle("ShuffleUp", func(i int, y uint32) uint32 { return uint32(i) - y }),
		shuffle("ShuffleDown", func(i int, y uint32) uint32 { return uint32(i) + y }),
		{"Broadcast", "%r = OpGroupNonUniformBroadcast %uint %c3 %x %c2", func(g *lanes, _ int) uint32 { return g.of(2) }},
		{"BroadcastFirst", "%r = OpGroupNonUniformBroadcastFirst %uint %c3 %x", func(g *lanes, _ int) uint32 {
			for i, a := range g.active {
				if a {
					return g.x[i]
				}
			}
			return 0
		}},
		{"QuadBroadcast", "%r = OpGroupNonUniformQuadBroadcast %uint %c3 %x %c1", func(g *lanes, i int) uint32 { return g.of(uint32(i&^3 + 1)) }},
		{"Rotate", "%r = OpGroupNonUniformRotateKHR %uint %c3 %x %c3", func(g *lanes, i int) uint32 { return g.of(uint32((i + 3) % len(g.x))) }},
		{"Rotate 4", "%r = OpGroupNonUniformRotateKHR %uint %c3 %x %c3 %c4", func(g *lanes, i int) uint32 { return g.of(uint32(i&^3 | (i+3)&3)) }},
	}
	for d, mask := range []int{1, 2, 3} { // horizontally, vertically, diagonally
		list = append(list, groupModel{fmt.Sprintf("QuadSwap %d", d), fmt.Sprintf("%%r = OpGroupNonUniformQuadSwap %%uint %%c3 %%x %%c%d", d),
			func(g *lanes, i int) uint32 {
				if !g.active[i^mask] {
					return g.x[i] // its own
				}
				return g.x[i^mask]
			}})
	}
	return list
}

// votes are the instructions on a condition, which is whether x is odd, and on
// ballots of it.
func votes() []groupModel {
	odd := func(g *lanes) func(int) bool { return func(i int) bool { return g.x[i]%2 == 1 } }
	yes := func(code string) string { return code + "\n%r = OpSelect %uint %b %c1 %c0" }
	ballot := "%bal = OpGroupNonUniformBallot %v4 %c3 %odd\n"
	list := []groupModel{
		{"Elect", yes("%b = OpGroupNonUniformElect %bool %c3"), func(g *lanes, i int) uint32 {
			return uint32(truth(g.count(0, i, func(int) bool { return true }) == 0))
		}},
		{"All", yes("%b = OpGroupNonUniformAll %bool %c3 %odd"), func(g *lanes, _ int) uint32 {
			return uint32(truth(g.count(0, len(g.x), func(i int) bool { return g.x[i]%2 == 0 }) == 0))
		}},
		{"Any", yes("%b = OpGroupNonUniformAny %bool %c3 %odd"), func(g *lanes, _ int) uint32 {
			return uint32(truth(g.count(0, len(g.x), odd(g)) > 0))
		}},
		{"AllEqual", yes("%b = OpGroupNonUniformAllEqual %bool %c3 %y"), func(g *lanes, i int) uint32 {
			return uint32(truth(g.count(0, len(g.x), func(k int) bool { return g.y[k] != g.y[i] }) == 0))
		}},
		{"QuadAll", yes("%b = OpGroupNonUniformQuadAllKHR %bool %odd"), func(g *lanes, i int) uint32 {
			return uint32(truth(g.count(i&^3, i&^3+4, func(k int) bool { return g.x[k]%2 == 0 }) == 0))
		}},
		{"QuadAny", yes("%b = OpGroupNonUniformQuadAnyKHR %bool %odd"), func(g *lanes, i int) uint32 {
			return uint32(truth(g.count(i&^3, i&^3+4, odd(g)) > 0))
		}},
		{"LogicalXor", yes("%b = OpGroupNonUniformLogicalXor %bool %c3 InclusiveScan %odd"), func(g *lanes, i int) uint32 {
			return g.count(0, i+1, odd(g)) % 2
		}},
		{"InverseBallot", ballot + yes("%b = OpGroupNonUniformInverseBallot %bool %c3 %bal"), func(g *lanes, i int) uint32 { return g.x[i] % 2 }},
		{"BallotBitExtract", ballot + yes("%b = OpGroupNonUniformBallotBitExtract %bool %c3 %bal %y"), func(g *lanes, i int) uint32 {
			return g.of(g.y[i]) % 2
		}},
		{"BallotBitCount Reduce", ballot + "%r = OpGroupNonUniformBallotBitCount %uint %c3 Reduce %bal", func(g *lanes, _ int) uint32 { return g.count(0, len(g.x), odd(g)) }},
		{"BallotBitCount InclusiveScan", ballot + "%r = OpGroupNonUniformBallotBitCount %uint %c3 InclusiveScan %bal", func(g *lanes, i int) uint32 { return g.count(0, i+1, odd(g)) }},
		{"BallotBitCount ExclusiveScan", ballot + "%r = OpGroupNonUniformBallotBitCount %uint %c3 ExclusiveScan %bal", func(g *lanes, i int) uint32 { return g.count(0, i, odd(g)) }},
		{"BallotFindLSB", "%bal = OpGroupNonUniformBallot %v4 %c3 %true\n%r = OpGroupNonUniformBallotFindLSB %uint %c3 %bal", func(g *lanes, _ int) uint32 {
			for i, a := range g.active {
				if a {
					return uint32(i)
				}
			}
			return 0
		}},
		{"BallotFindMSB", "%bal = OpGroupNonUniformBallot %v4 %c3 %true\n%r = OpGroupNonUniformBallotFindMSB %uint %c3 %bal", func(g *lanes, _ int) (last uint32) {
			for i, a := range g.active {
				if a {
					last = uint32(i)
				}
			}
			return last
		}},
	}
	for w := range 4 {
		list = append(list, groupModel{fmt.Sprintf("Ballot %d", w), fmt.Sprintf("%s%%r = OpCompositeExtract %%uint %%bal %d", ballot, w),
			func(g *lanes, _ int) (word uint32) {
				for i := 32 * w; i < min(32*w+32, len(g.x)); i++ {
					word |= g.of(uint32(i)) % 2 << (i % 32)
				}
				return word
			}})
	}
	return list
}

// partitions are the partitioned instructions: an instruction combines the active lanes with the same low bits of y.
func partitions() (list []groupModel) {
	same := func(g *lanes, i int) func(int) bool { return func(k int) bool { return g.y[k]&3 == g.y[i]&3 } }
	const ballot = "%low2 = OpBitwiseAnd %uint %y %c3\n%bal = OpGroupNonUniformPartitionEXT %v4 %low2\n"
	for w := range 4 {
		list = append(list, groupModel{fmt.Sprintf("Partition %d", w), fmt.Sprintf("%s%%r = OpCompositeExtract %%uint %%bal %d", ballot, w),
			func(g *lanes, i int) (word uint32) {
				for k := 32 * w; k < min(32*w+32, len(g.x)); k++ {
					word |= uint32(truth(g.active[k] && same(g, i)(k))) << (k % 32)
				}
				return word
			}})
	}
	for _, form := range []string{"Reduce", "InclusiveScan", "ExclusiveScan"} {
		list = append(list, groupModel{"Partitioned" + form, ballot + "%r = OpGroupNonUniformIAdd %uint %c3 Partitioned" + form + "EXT %x %bal",
			func(g *lanes, i int) (sum uint32) {
				end := map[string]int{"Reduce": len(g.x), "InclusiveScan": i + 1, "ExclusiveScan": i}[form]
				for k := range end {
					if g.active[k] && same(g, i)(k) {
						sum += g.x[k]
					}
				}
				return sum
			}})
	}
	return list
}

// TestPartitionSize: the code of partitioned instructions is in proportion to the words of a ballot, not to the lanes: the operation of
// a vector in a subgroup of 128 lanes has at most 2,000 values.
func TestPartitionSize(t *testing.T) {
	code := "%v = OpCompositeConstruct %v4 %x %y %x %y\n%bal = OpGroupNonUniformPartitionEXT %v4 %v\n" +
		"%sum = OpGroupNonUniformIAdd %v4 %c3 PartitionedInclusiveScanEXT %v %bal\n%r = OpCompositeExtract %uint %sum 3"
	n := 0
	for _, f := range lowered(t, []byte(groupModule(128, code)), nil, Options{SubgroupSize: 128}).Funcs {
		n += len(f.Code)
	}
	if n > 2000 {
		t.Errorf("%d values; must be at most 2,000", n)
	}
}

// TestGroupModels runs each group instruction in subgroups of all sizes, the
// last of which is not whole, with random lanes active.
func TestGroupModels(t *testing.T) {
	for _, m := range slices.Concat(reductions(), moves(), votes(), partitions()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(m.name)), uint64(m.name[0])))
			for size := 4; size <= 128; size *= 2 {
				m.check(t, r, size)
			}
		})
	}
}

func (m *groupModel) check(t *testing.T, r *rand.Rand, size int) {
	const rounds = 6 // workgroups, each with its own lanes
	n := 2*size - 3
	var in [3][]byte
	var want []byte
	for round := range rounds {
		g := lanes{make([]bool, 2*size), make([]uint32, 2*size), make([]uint32, 2*size)}
		for i := range n {
			g.active[i] = r.IntN(rounds) >= round
			g.x[i], g.y[i] = r.Uint32()>>r.IntN(32), uint32(r.IntN(size+2))
			if round == 1 {
				g.y[i], g.x[i] = 1, g.x[i]|1
			}
			in[0] = binary.LittleEndian.AppendUint32(in[0], uint32(truth(g.active[i])))
			in[1] = binary.LittleEndian.AppendUint32(in[1], g.x[i])
			in[2] = binary.LittleEndian.AppendUint32(in[2], g.y[i])
		}
		for i := range n {
			s := i / size * size
			sub := lanes{g.active[s : s+size], g.x[s : s+size], g.y[s : s+size]}
			v := uint32(0xeeeeeeee)
			if g.active[i] {
				v = m.value(&sub, i-s)
			}
			want = binary.LittleEndian.AppendUint32(want, v)
		}
	}
	bind := map[compute.Binding][]exec.Buffer{}
	for i := range in {
		bind[compute.Binding{Binding: uint32(i)}] = []exec.Buffer{{Bytes: aligned(in[i])}}
	}
	out := aligned(want)
	bind[compute.Binding{Binding: 3}] = []exec.Buffer{{Bytes: out}}
	p := lowered(t, []byte(groupModule(n, m.code)), nil, Options{SubgroupSize: uint32(size)})
	for _, engine := range engines() {
		for i := range out {
			out[i] = 0xee
		}
		prog, err := engine.Compile(p, exec.Options{})
		if err == nil {
			err = compute.Dispatch(context.Background(), prog, compute.Args{Groups: [3]uint32{rounds, 1, 1}, Bindings: bind})
			prog.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(out); i += 4 {
			got, w := binary.LittleEndian.Uint32(out[i:]), binary.LittleEndian.Uint32(want[i:])
			if got != w {
				t.Errorf("%s: %s, subgroups of %d, workgroup %d, invocation %d: %#x; want %#x (%d bits differ)",
					engine.Name(), m.name, size, i/4/n, i/4%n, got, w, bits.OnesCount32(got^w))
				return
			}
		}
	}
}

// groupModule is a shader of n invocations a workgroup that runs code where
// buffer 0 says so, with %x and %y of buffers 1 and 2, and stores %r to buffer 3.
func groupModule(n int, code string) string {
	var s strings.Builder
	s.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id\n")
	fmt.Fprintf(&s, "OpExecutionMode %%main LocalSize %d 1 1\nOpDecorate %%id BuiltIn GlobalInvocationId\n", n)
	s.WriteString("OpDecorate %ra ArrayStride 4\nOpDecorate %S Block\nOpMemberDecorate %S 0 Offset 0\n")
	for b := range 4 {
		fmt.Fprintf(&s, "OpDecorate %%b%d DescriptorSet 0\nOpDecorate %%b%d Binding %d\n", b, b, b)
	}
	s.WriteString("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%v3 = OpTypeVector %uint 3\n" +
		"%v4 = OpTypeVector %uint 4\n%ra = OpTypeRuntimeArray %uint\n%S = OpTypeStruct %ra\n%pS = OpTypePointer StorageBuffer %S\n" +
		"%pu = OpTypePointer StorageBuffer %uint\n%pin = OpTypePointer Input %v3\n%id = OpVariable %pin Input\n%true = OpConstantTrue %bool\n")
	for c := range 5 {
		fmt.Fprintf(&s, "%%c%d = OpConstant %%uint %d\n", c, c)
	}
	for b := range 4 {
		fmt.Fprintf(&s, "%%b%d = OpVariable %%pS StorageBuffer\n", b)
	}
	s.WriteString("%main = OpFunction %void None %fn\n%entry = OpLabel\n%i3 = OpLoad %v3 %id\n%i = OpCompositeExtract %uint %i3 0\n")
	for b, name := range []string{"on", "x", "y"} {
		fmt.Fprintf(&s, "%%p%s = OpAccessChain %%pu %%b%d %%c0 %%i\n%%%s = OpLoad %%uint %%p%s\n", name, b, name, name)
	}
	s.WriteString("%low = OpBitwiseAnd %uint %x %c1\n%odd = OpIEqual %bool %low %c1\n%is = OpIEqual %bool %on %c1\n" +
		"OpSelectionMerge %end None\nOpBranchConditional %is %do %end\n%do = OpLabel\n" + code +
		"\n%to = OpAccessChain %pu %b3 %c0 %i\nOpStore %to %r\nOpBranch %end\n%end = OpLabel\nOpReturn\nOpFunctionEnd\n")
	return s.String()
}
