package conformance

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/valid"
)

// groupType is a type of a value that a group works on.
type groupType struct {
	name  string // of SPIR-V text: i8 … i64, f16 … f64, bool
	width uint8  // 1 of bool
}

var groupTypes = []groupType{{"i8", 8}, {"i16", 16}, {"i32", 32}, {"i64", 64}, {"f16", 16}, {"f32", 32}, {"f64", 64}, {"bool", 1}}

func (t groupType) float() bool { return t.name[0] == 'f' }

// subgroup is what the model sees of one subgroup: per lane whether it is
// active, its value, and a number of its own.
type subgroup struct {
	active []bool
	x      []uint64
	n      []uint32
	delta  uint32    // the same in all lanes
	first  [4]uint32 // a ballot that no lane made
}

// from is what a lane reads of lane i: 0 where that is not active or not there.
func (s *subgroup) from(i uint32) uint64 {
	if uint64(i) < uint64(len(s.x)) && s.active[i] {
		return s.x[i]
	}
	return 0
}

// groupCase is an instruction: its text, whose operands are %x (the value), %n
// (the lane's number), %delta and %words, and what lane i gets by the
// specification and docs/undefined.md.
type groupCase struct {
	text   string
	result string // type; empty is that of the value
	want   func(s *subgroup, i int) uint64
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// votes are the instructions that ask all lanes.
func votes(t groupType, size int) []groupCase {
	odd := func(s *subgroup, i int) bool { return s.n[i]&1 == 1 }
	count := func(s *subgroup, f func(i int) bool) (n int) {
		for i := range s.x {
			if s.active[i] && f(i) {
				n++
			}
		}
		return n
	}
	return []groupCase{
		{"OpGroupNonUniformElect %bool %subgroup", "bool", func(s *subgroup, i int) uint64 {
			return truth(count(s, func(j int) bool { return j < i }) == 0)
		}},
		{"OpGroupNonUniformAny %bool %subgroup %odd", "bool", func(s *subgroup, i int) uint64 {
			return truth(count(s, func(j int) bool { return odd(s, j) }) > 0)
		}},
		{"OpGroupNonUniformAll %bool %subgroup %odd", "bool", func(s *subgroup, i int) uint64 {
			return truth(count(s, func(j int) bool { return !odd(s, j) }) == 0)
		}},
		{"OpGroupNonUniformAllEqual %bool %subgroup %x", "bool", func(s *subgroup, i int) uint64 {
			return truth(count(s, func(j int) bool { return s.x[j] != s.x[i] }) == 0)
		}},
		{"OpGroupNonUniformQuadAllKHR %bool %odd", "bool", func(s *subgroup, i int) uint64 {
			return truth(count(s, func(j int) bool { return j/4 == i/4 && !odd(s, j) }) == 0)
		}},
		{"OpGroupNonUniformQuadAnyKHR %bool %odd", "bool", func(s *subgroup, i int) uint64 {
			return truth(count(s, func(j int) bool { return j/4 == i/4 && odd(s, j) }) > 0)
		}},
		{"OpGroupNonUniformInverseBallot %bool %subgroup %words", "bool", func(s *subgroup, i int) uint64 {
			return uint64(s.first[i/32] >> (i % 32) & 1)
		}},
		{"OpGroupNonUniformBallotBitExtract %bool %subgroup %words %n", "bool", func(s *subgroup, i int) uint64 {
			if s.n[i] >= 128 {
				return 0
			}
			return uint64(s.first[s.n[i]/32] >> (s.n[i] % 32) & 1)
		}},
	}
}

// ballots are the instructions that make and read ballots.
func ballots(t groupType, size int) (list []groupCase) {
	for w := range 4 {
		list = append(list, groupCase{fmt.Sprintf("OpCompositeExtract %%u32 %%ballot %d", w), "u32", func(s *subgroup, i int) (m uint64) {
			for j := range s.x {
				m |= truth(j/32 == w && s.active[j] && s.n[j]&1 == 1) << (j % 32)
			}
			return m
		}})
	}
	below := func(s *subgroup, n int) (c uint64) {
		for j := range n {
			c += uint64(s.first[j/32] >> (j % 32) & 1)
		}
		return c
	}
	words := func(s *subgroup) (list [4]uint32) {
		for j := range size {
			list[j/32] |= s.first[j/32] & (1 << (j % 32))
		}
		return list
	}
	return append(list, []groupCase{
		{"OpGroupNonUniformBallotBitCount %u32 %subgroup Reduce %words", "u32", func(s *subgroup, i int) uint64 { return below(s, size) }},
		{"OpGroupNonUniformBallotBitCount %u32 %subgroup InclusiveScan %words", "u32", func(s *subgroup, i int) uint64 { return below(s, i+1) }},
		{"OpGroupNonUniformBallotBitCount %u32 %subgroup ExclusiveScan %words", "u32", func(s *subgroup, i int) uint64 { return below(s, i) }},
		{"OpGroupNonUniformBallotFindLSB %u32 %subgroup %words", "u32", func(s *subgroup, i int) uint64 {
			for j, w := range words(s) {
				if w != 0 {
					return uint64(32*j + bits.TrailingZeros32(w))
				}
			}
			return 0xffffffff
		}},
		{"OpGroupNonUniformBallotFindMSB %u32 %subgroup %words", "u32", func(s *subgroup, i int) uint64 {
			for w, j := words(s), 3; j >= 0; j-- {
				if w[j] != 0 {
					return uint64(32*j + bits.Len32(w[j]) - 1)
				}
			}
			return 0xffffffff
		}},
	}...)
}

// moves are the instructions that carry a value from lane to lane.
func moves(t groupType, size int) []groupCase {
	list := []groupCase{
		{"OpGroupNonUniformBroadcastFirst %T %subgroup %x", "", func(s *subgroup, i int) uint64 {
			for j := range s.x {
				if s.active[j] {
					return s.x[j]
				}
			}
			return 0
		}},
		{"OpGroupNonUniformShuffle %T %subgroup %x %n", "", func(s *subgroup, i int) uint64 { return s.from(s.n[i]) }},
		{"OpGroupNonUniformShuffleXor %T %subgroup %x %delta", "", func(s *subgroup, i int) uint64 { return s.from(uint32(i) ^ s.delta) }},
		{"OpGroupNonUniformShuffleUp %T %subgroup %x %delta", "", func(s *subgroup, i int) uint64 { return s.from(uint32(i) - s.delta) }},
		{"OpGroupNonUniformShuffleDown %T %subgroup %x %delta", "", func(s *subgroup, i int) uint64 { return s.from(uint32(i) + s.delta) }},
		{"OpGroupNonUniformRotateKHR %T %subgroup %x %delta", "", func(s *subgroup, i int) uint64 {
			return s.from((uint32(i) + s.delta) % uint32(size))
		}},
	}
	for c := 1; c <= size; c *= 2 {
		list = append(list, groupCase{fmt.Sprintf("OpGroupNonUniformRotateKHR %%T %%subgroup %%x %%delta %%k%d", c), "", func(s *subgroup, i int) uint64 {
			return s.from(uint32(i/c*c) + (uint32(i)+s.delta)%uint32(c))
		}})
	}
	for k := range 4 {
		list = append(list, groupCase{fmt.Sprintf("OpGroupNonUniformQuadBroadcast %%T %%subgroup %%x %%k%d", k), "", func(s *subgroup, i int) uint64 {
			return s.from(uint32(i&^3 + k))
		}}, groupCase{fmt.Sprintf("OpGroupNonUniformBroadcast %%T %%subgroup %%x %%k%d", k), "", func(s *subgroup, i int) uint64 { return s.from(uint32(k)) }})
	}
	for d := range 3 {
		list = append(list, groupCase{fmt.Sprintf("OpGroupNonUniformQuadSwap %%T %%subgroup %%x %%k%d", d), "", func(s *subgroup, i int) uint64 {
			if j := i ^ (d + 1); s.active[j] {
				return s.x[j]
			}
			return s.x[i]
		}})
	}
	return list
}

// operator combines two values of a width.
type operator struct {
	name string
	unit func(w uint8) uint64
	f    func(w uint8, x, y uint64) uint64
}

func signed(w uint8, x uint64) int64 { return int64(x<<(64-w)) >> (64 - w) }

func constant(x uint64) func(uint8) uint64 { return func(w uint8) uint64 { return x & scalar.Mask(w) } }

func leastSigned(w uint8) uint64    { return 1 << (w - 1) }
func greatestSigned(w uint8) uint64 { return 1<<(w-1) - 1 }

// operators are those of a type. Floats are powers of two, so that the order
// of sums and products, which is free, does not tell.
func operators(t groupType) []operator {
	number := func(v float64) func(uint8) uint64 {
		return func(w uint8) uint64 { return scalar.FromFloat(w, false, v) }
	}
	combine := func(f func(x, y float64) float64) func(w uint8, x, y uint64) uint64 {
		return func(w uint8, x, y uint64) uint64 {
			return scalar.FromFloat(w, false, f(scalar.Float(w, x), scalar.Float(w, y)))
		}
	}
	and := func(w uint8, x, y uint64) uint64 { return x & y }
	or := func(w uint8, x, y uint64) uint64 { return x | y }
	xor := func(w uint8, x, y uint64) uint64 { return x ^ y }
	switch {
	case t.width == 1:
		return []operator{{"LogicalAnd", constant(1), and}, {"LogicalOr", constant(0), or}, {"LogicalXor", constant(0), xor}}
	case t.float():
		inf := scalar.Float(64, 0x7ff0000000000000)
		return []operator{
			{"FAdd", func(w uint8) uint64 { return scalar.SignBit(w) }, combine(func(x, y float64) float64 { return x + y })},
			{"FMul", number(1), combine(func(x, y float64) float64 { return x * y })},
			{"FMin", number(inf), combine(func(x, y float64) float64 { return min(x, y) })},
			{"FMax", number(-inf), combine(func(x, y float64) float64 { return max(x, y) })},
		}
	}
	pick := func(less func(w uint8, x, y uint64) bool) func(w uint8, x, y uint64) uint64 {
		return func(w uint8, x, y uint64) uint64 {
			if less(w, x, y) {
				return x
			}
			return y
		}
	}
	return []operator{
		{"IAdd", constant(0), func(w uint8, x, y uint64) uint64 { return (x + y) & scalar.Mask(w) }},
		{"IMul", constant(1), func(w uint8, x, y uint64) uint64 { return x * y & scalar.Mask(w) }},
		{"UMin", constant(^uint64(0)), pick(func(w uint8, x, y uint64) bool { return x < y })},
		{"UMax", constant(0), pick(func(w uint8, x, y uint64) bool { return x > y })},
		{"SMin", greatestSigned, pick(func(w uint8, x, y uint64) bool { return signed(w, x) < signed(w, y) })},
		{"SMax", leastSigned, pick(func(w uint8, x, y uint64) bool { return signed(w, x) > signed(w, y) })},
		{"BitwiseAnd", constant(^uint64(0)), and}, {"BitwiseOr", constant(0), or}, {"BitwiseXor", constant(0), xor},
	}
}

// reductions are all operators with reductions, scans and clusters.
func reductions(t groupType, size int) (list []groupCase) {
	for _, o := range operators(t) {
		fold := func(s *subgroup, from, to int) uint64 {
			v := o.unit(t.width)
			for j := from; j < min(to, len(s.x)); j++ {
				if s.active[j] {
					v = o.f(t.width, v, s.x[j])
				}
			}
			return v
		}
		text := "OpGroupNonUniform" + o.name + " %T %subgroup "
		list = append(list,
			groupCase{text + "Reduce %x", "", func(s *subgroup, i int) uint64 { return fold(s, 0, size) }},
			groupCase{text + "InclusiveScan %x", "", func(s *subgroup, i int) uint64 { return fold(s, 0, i+1) }},
			groupCase{text + "ExclusiveScan %x", "", func(s *subgroup, i int) uint64 { return fold(s, 0, i) }})
		for c := 1; c <= size; c *= 2 {
			list = append(list, groupCase{fmt.Sprintf("%sClusteredReduce %%x %%k%d", text, c), "", func(s *subgroup, i int) uint64 {
				return fold(s, i/c*c, i/c*c+c)
			}})
		}
	}
	return list
}

const groupHead = `OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformQuad
OpCapability GroupNonUniformRotateKHR
OpCapability QuadControlKHR
OpExtension "SPV_KHR_subgroup_rotate"
OpExtension "SPV_KHR_quad_control"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%index %%in %%out %%push
OpExecutionMode %%main LocalSize %d 1 1
OpDecorate %%index BuiltIn LocalInvocationIndex
OpDecorate %%array ArrayStride 8
OpDecorate %%Block Block
OpMemberDecorate %%Block 0 Offset 0
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
OpDecorate %%Push Block
OpMemberDecorate %%Push 0 Offset 0
OpMemberDecorate %%Push 1 Offset 16
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%u32 = OpTypeInt 32 0
%%i8 = OpTypeInt 8 0
%%i16 = OpTypeInt 16 0
%%i32 = OpTypeInt 32 1
%%i64 = OpTypeInt 64 0
%%f16 = OpTypeFloat 16
%%f32 = OpTypeFloat 32
%%f64 = OpTypeFloat 64
%%v4 = OpTypeVector %%u32 4
%%array = OpTypeRuntimeArray %%i64
%%Block = OpTypeStruct %%array
%%Push = OpTypeStruct %%v4 %%u32
%%pBlock = OpTypePointer StorageBuffer %%Block
%%p64 = OpTypePointer StorageBuffer %%i64
%%pPush = OpTypePointer PushConstant %%Push
%%pv4 = OpTypePointer PushConstant %%v4
%%pdelta = OpTypePointer PushConstant %%u32
%%pindex = OpTypePointer Input %%u32
%%index = OpVariable %%pindex Input
%%in = OpVariable %%pBlock StorageBuffer
%%out = OpVariable %%pBlock StorageBuffer
%%push = OpVariable %%pPush PushConstant
%%subgroup = OpConstant %%u32 3
%%zero64 = OpConstant %%i64 0
%%one64 = OpConstant %%i64 1
`

// groupModule writes a module that runs all cases where a lane's flag is set.
// Input i has the words x, n and the flag at 3i; case c of lane i is stored at
// c·lanes + i.
func groupModule(t groupType, cases []groupCase, lanes int) string {
	b := strings.Builder{}
	fmt.Fprintf(&b, groupHead, lanes)
	seen := map[string]bool{}
	constant := func(k int) string {
		id := fmt.Sprintf("%%k%d", k)
		if !seen[id] {
			seen[id] = true
			fmt.Fprintf(&b, "%s = OpConstant %%u32 %d\n", id, k)
		}
		return id
	}
	for _, k := range []int{0, 1, 2, 3, 4, 8, 16, 32, 64, 128, lanes} {
		constant(k)
	}
	for c := range cases {
		constant(c * lanes)
	}
	b.WriteString(`%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %u32 %index
%s0 = OpIMul %u32 %i %k3
%s1 = OpIAdd %u32 %s0 %k1
%s2 = OpIAdd %u32 %s0 %k2
%px = OpAccessChain %p64 %in %k0 %s0
%raw = OpLoad %i64 %px
%pn = OpAccessChain %p64 %in %k0 %s1
%n64 = OpLoad %i64 %pn
%n = OpUConvert %u32 %n64
%pf = OpAccessChain %p64 %in %k0 %s2
%flag = OpLoad %i64 %pf
%pd = OpAccessChain %pdelta %push %k1
%delta = OpLoad %u32 %pd
%pw = OpAccessChain %pv4 %push %k0
%words = OpLoad %v4 %pw
%lowest = OpBitwiseAnd %u32 %n %k1
%odd = OpINotEqual %bool %lowest %k0
`)
	T := "%" + t.name
	switch {
	case t.width == 1:
		b.WriteString("%x = OpINotEqual %bool %raw %zero64\n")
	case t.name == "i64":
		b.WriteString("%x = OpCopyObject %i64 %raw\n")
	case t.name == "f64":
		b.WriteString("%x = OpBitcast %f64 %raw\n")
	case t.float():
		narrow := map[uint8]string{16: "%i16", 32: "%u32"}[t.width]
		fmt.Fprintf(&b, "%%cut = OpUConvert %s %%raw\n%%x = OpBitcast %s %%cut\n", narrow, T)
	default:
		fmt.Fprintf(&b, "%%x = OpUConvert %s %%raw\n", T)
	}
	b.WriteString("%go = OpINotEqual %bool %flag %zero64\nOpSelectionMerge %end None\nOpBranchConditional %go %do %end\n%do = OpLabel\n%ballot = OpGroupNonUniformBallot %v4 %subgroup %odd\n")
	for c, x := range cases {
		result := x.result
		if result == "" {
			result = t.name
		}
		fmt.Fprintf(&b, "%%r%d = %s\n", c, strings.ReplaceAll(x.text, "%T", T))
		wide := fmt.Sprintf("%%w%d", c)
		switch {
		case result == "bool":
			fmt.Fprintf(&b, "%s = OpSelect %%i64 %%r%d %%one64 %%zero64\n", wide, c)
		case result == "i64":
			wide = fmt.Sprintf("%%r%d", c)
		case result == "f64":
			fmt.Fprintf(&b, "%s = OpBitcast %%i64 %%r%d\n", wide, c)
		case result[0] == 'f':
			fmt.Fprintf(&b, "%%b%d = OpBitcast %s %%r%d\n%s = OpUConvert %%i64 %%b%d\n", c, map[string]string{"f16": "%i16", "f32": "%u32"}[result], c, wide, c)
		default:
			fmt.Fprintf(&b, "%s = OpUConvert %%i64 %%r%d\n", wide, c)
		}
		fmt.Fprintf(&b, "%%o%d = OpIAdd %%u32 %%i %%k%d\n%%at%d = OpAccessChain %%p64 %%out %%k0 %%o%d\nOpStore %%at%d %s\n", c, c*lanes, c, c, c, wide)
	}
	b.WriteString("OpBranch %end\n%end = OpLabel\nOpReturn\nOpFunctionEnd\n")
	return b.String()
}

// groupData chooses what lanes have: all active, half of them, few, or all but
// one.
func groupData(r *rand.Rand, t groupType, lanes, size int) (in []byte, push []byte, groups []*subgroup) {
	pattern := r.IntN(4)
	same := r.IntN(4) == 0
	delta := uint32(r.IntN(size + 2))
	if r.IntN(8) == 0 {
		delta = r.Uint32()
	}
	var words [4]uint32
	for i := range words {
		words[i] = r.Uint32() & r.Uint32()
		if r.IntN(3) == 0 {
			words[i] = 0
		}
		push = binary.LittleEndian.AppendUint32(push, words[i])
	}
	push = binary.LittleEndian.AppendUint32(push, delta)
	off := r.IntN(lanes)
	for i := range lanes {
		if i%size == 0 {
			// Lanes beyond the workgroup are there, and never active.
			groups = append(groups, &subgroup{make([]bool, size), make([]uint64, size), make([]uint32, size), delta, words})
		}
		x := r.Uint64() & scalar.Mask(t.width)
		switch {
		case t.float():
			v := [3]float64{0.5, 1, 2}[r.IntN(3)]
			if r.IntN(8) > 0 && t.width == 16 {
				v = 1
			}
			x = scalar.FromFloat(t.width, false, v)
		case same:
			x = 1
		case r.IntN(3) == 0:
			x &= 3
		}
		active := [4]bool{true, r.IntN(2) == 0, r.IntN(8) == 0, i != off}[pattern]
		s := groups[len(groups)-1]
		s.active[i%size], s.x[i%size], s.n[i%size] = active, x, uint32(r.IntN(size+2))
		in = binary.LittleEndian.AppendUint64(in, x)
		in = binary.LittleEndian.AppendUint64(in, uint64(s.n[i%size]))
		in = binary.LittleEndian.AppendUint64(in, truth(active))
	}
	return in, push, groups
}

// TestGroupOperationsAgainstModel runs all group instructions of all types in
// subgroups of all sizes, where some lanes are active and the last subgroup is
// not full, on both engines, and compares with a plain model of each lane.
func TestGroupOperationsAgainstModel(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	for size := 4; size <= 128; size *= 2 {
		for k, typ := range groupTypes {
			t.Run(fmt.Sprintf("%s of %d", typ.name, size), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(uint64(size), uint64(k)))
				lanes := size + 1 + r.IntN(size)
				cases := append(append(append(votes(typ, size), ballots(typ, size)...), moves(typ, size)...), reductions(typ, size)...)
				for _, e := range engines {
					groupRun(t, e, typ, cases, lanes, size, rounds)
				}
			})
		}
	}
}

// groupRun runs the module of the cases with several data.
func groupRun(t *testing.T, e exec.Engine, typ groupType, cases []groupCase, lanes, size, rounds int) {
	m := asmtest.Module(t, groupModule(typ, cases, lanes), 1<<16|5<<8)
	f := facts.Gather(m, nil)
	p, err := lower.Stage(valid.Assume(f), &f.EntryPoints[0], lower.Options{SubgroupSize: uint32(size)})
	if err != nil {
		t.Fatal(err)
	}
	pass.Run(p)
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatalf("%s: %v", e.Name(), err)
	}
	defer prog.Close()
	r := rand.New(rand.NewPCG(uint64(lanes), uint64(size)))
	for range rounds {
		in, push, groups := groupData(r, typ, lanes, size)
		out := make([]byte, 8*lanes*len(cases))
		err := compute.Dispatch(context.Background(), prog, compute.Args{
			Groups: [3]uint32{1, 1, 1}, Push: push,
			Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: in}}, {Binding: 1}: {{Bytes: out}}},
		})
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		for c, x := range cases {
			for i := range lanes {
				s := groups[i/size]
				want := uint64(0)
				if s.active[i%size] {
					want = x.want(s, i%size)
				}
				if got := binary.LittleEndian.Uint64(out[8*(c*lanes+i):]); got != want {
					t.Fatalf("%s: %s: lane %d of %d gives %#x; must be %#x\nactive %v\nvalues %x\nnumbers %d, delta %d, words %x",
						e.Name(), x.text, i, lanes, got, want, s.active, s.x, s.n, s.delta, s.first)
				}
			}
		}
	}
}
