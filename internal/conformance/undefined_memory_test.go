package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Values and memory: rows of docs/undefined.md that only a whole shader meets.

func TestUndefIsZero(t *testing.T) {
	s := shader{
		decl: "%gu = OpUndef %uint",
		body: `
			%u = OpUndef %uint
			%v = OpUndef %uvec4
			%f = OpUndef %float
			%b = OpUndef %bool
			%x = OpCompositeExtract %uint %v 2
			%fu = OpBitcast %uint %f
			%bu = OpSelect %uint %b %c1 %c0
			%poison = OpPoisonKHR %uint
			%frozen = OpFreezeKHR %uint %poison
			%kept = OpFreezeKHR %uint %c1
			put 5 %frozen
			put 6 %kept
			put 0 %u
			put 1 %x
			put 2 %fu
			put 3 %bu
			put 4 %gu`,
	}
	s.expect(t, []uint32{0, 0, 0, 0, 0, 0, 1, untouched}, nil)
}

func TestUninitialisedVariableIsZero(t *testing.T) {
	s := shader{
		decl: `
			%ptr_priv = OpTypePointer Private %uint
			%priv = OpVariable %ptr_priv Private
			%fn_uint = OpTypeFunction %uint`,
		body: `
			%local = OpVariable %ptr_fun_uint Function
			%a = OpLoad %uint %local
			%b = OpLoad %uint %priv
			%c = OpFunctionCall %uint %next
			%d = OpFunctionCall %uint %next
			put 0 %a
			put 1 %b
			put 2 %c
			put 3 %d`,
		funcs: `
			%next = OpFunction %uint None %fn_uint
			%next_entry = OpLabel
			%mine = OpVariable %ptr_fun_uint Function
			%old = OpLoad %uint %mine
			%new = OpIAdd %uint %old %c7
			OpStore %mine %new
			OpReturnValue %old
			OpFunctionEnd`,
	}
	s.expect(t, []uint32{0, 0, 0, 0, untouched}, nil)
}

// The second workgroup sees nothing of the first.
func TestWorkgroupMemoryStartsZero(t *testing.T) {
	s := shader{
		groups: 2,
		decl: `
			%ptr_wg = OpTypePointer Workgroup %uint
			%shared = OpVariable %ptr_wg Workgroup`,
		body: `
			%g3 = OpLoad %uvec3 %group
			%g = OpCompositeExtract %uint %g3 0
			%old = OpLoad %uint %shared
			%p = OpAccessChain %ptr_uint %out %c0 %g
			OpStore %p %old
			OpStore %shared %c7`,
	}
	s.expect(t, []uint32{0, 0, untouched}, nil)
}

// pairsAnnot is binding 1 as an array of uvec2, of which the last is cut in two.
const pairsAnnot = `
OpDecorate %pairs ArrayStride 8
OpDecorate %Pairs Block
OpMemberDecorate %Pairs 0 Offset 0
OpDecorate %inPairs DescriptorSet 0
OpDecorate %inPairs Binding 1`

const pairsDecl = `
%pairs = OpTypeRuntimeArray %uvec2
%Pairs = OpTypeStruct %pairs
%ptr_Pairs = OpTypePointer StorageBuffer %Pairs
%ptr_uvec2 = OpTypePointer StorageBuffer %uvec2
%inPairs = OpVariable %ptr_Pairs StorageBuffer
%huge = OpConstant %uint 0x40000000
%huger = OpConstant %uint 0xffffffff`

func TestOutOfBoundsLoadReadsZero(t *testing.T) {
	s := shader{
		annot: pairsAnnot, decl: pairsDecl, in: []uint32{5, 6, 7},
		body: `
			%a = get 2
			%b = get 3
			%ph = OpAccessChain %ptr_uint %in %c0 %huge
			%c = OpLoad %uint %ph
			%pn = OpAccessChain %ptr_uint %in %c0 %huger
			%d = OpLoad %uint %pn
			%pv = OpAccessChain %ptr_uvec2 %inPairs %c0 %c1
			%v = OpLoad %uvec2 %pv
			%e = OpCompositeExtract %uint %v 0
			%f = OpCompositeExtract %uint %v 1
			put 0 %a
			put 1 %b
			put 2 %c
			put 3 %d
			put 4 %e
			put 5 %f`,
	}
	s.expect(t, []uint32{7, 0, 0, 0, 7, 0, untouched}, nil)
}

func TestOutOfBoundsStoreVanishes(t *testing.T) {
	s := shader{
		annot: pairsAnnot, decl: pairsDecl, in: []uint32{5, 6, 7},
		body: `
			%p3 = OpAccessChain %ptr_uint %in %c0 %c3
			OpStore %p3 %c9
			%ph = OpAccessChain %ptr_uint %in %c0 %huge
			OpStore %ph %c9
			%pn = OpAccessChain %ptr_uint %in %c0 %huger
			OpStore %pn %c9
			%pv = OpAccessChain %ptr_uvec2 %inPairs %c0 %c1
			%v = OpCompositeConstruct %uvec2 %c8 %c9
			OpStore %pv %v`,
	}
	s.expect(t, []uint32{untouched}, []uint32{5, 6, 8})
}

func TestOutOfBoundsAtomic(t *testing.T) {
	s := shader{
		in: []uint32{5, 6},
		body: `
			%p = OpAccessChain %ptr_uint %in %c0 %c2
			%old = OpAtomicIAdd %uint %p %c1 %c0 %c9
			%q = OpAccessChain %ptr_uint %in %c0 %c1
			%was = OpAtomicIAdd %uint %q %c1 %c0 %c9
			put 0 %old
			put 1 %was`,
	}
	s.expect(t, []uint32{0, 6}, []uint32{5, 15})
}

func TestArrayIndexOutOfRange(t *testing.T) {
	for _, class := range []string{"Function", "Private", "Workgroup"} {
		variable := fmt.Sprintf("%%var = OpVariable %%ptr_four %s", class)
		s := shader{
			in: []uint32{4, 0xffffffff},
			decl: fmt.Sprintf(`
				%%four = OpTypeArray %%uint %%c4
				%%ptr_four = OpTypePointer %[1]s %%four
				%%ptr_elem = OpTypePointer %[1]s %%uint`, class),
			body: `
				%i = get 0
				%n = get 1
				%p0 = OpAccessChain %ptr_elem %var %c0
				%p3 = OpAccessChain %ptr_elem %var %c3
				%pi = OpAccessChain %ptr_elem %var %i
				%pn = OpAccessChain %ptr_elem %var %n
				OpStore %p0 %c5
				OpStore %p3 %c6
				OpStore %pi %c9
				OpStore %pn %c9
				%a = OpLoad %uint %p0
				%b = OpLoad %uint %p3
				%c = OpLoad %uint %pi
				%d = OpLoad %uint %pn
				put 0 %a
				put 1 %b
				put 2 %c
				put 3 %d`,
		}
		if class == "Function" {
			s.body = variable + "\n" + s.body
		} else {
			s.decl += "\n" + variable
		}
		t.Run(class, func(t *testing.T) { s.expect(t, []uint32{5, 6, 0, 0}, nil) })
	}
}

func TestVectorDynamicIndexOutOfRange(t *testing.T) {
	s := shader{
		in: []uint32{4, 0xffffffff, 1},
		body: `
			%i = get 0
			%n = get 1
			%one = get 2
			%v = OpCompositeConstruct %uvec4 %c5 %c6 %c7 %c8
			%a = OpVectorExtractDynamic %uint %v %one
			%b = OpVectorExtractDynamic %uint %v %i
			%c = OpVectorExtractDynamic %uint %v %n
			%w = OpVectorInsertDynamic %uvec4 %v %c9 %i
			%x = OpVectorInsertDynamic %uvec4 %w %c9 %n
			%y = OpVectorInsertDynamic %uvec4 %x %c10 %one
			%y0 = OpCompositeExtract %uint %y 0
			%y1 = OpCompositeExtract %uint %y 1
			%y3 = OpCompositeExtract %uint %y 3
			put 0 %a
			put 1 %b
			put 2 %c
			put 3 %y0
			put 4 %y1
			put 5 %y3`,
	}
	s.expect(t, []uint32{6, 0, 0, 5, 10, 8}, nil)
}

func TestVectorShuffleUndefinedComponent(t *testing.T) {
	s := shader{body: `
		%v = OpCompositeConstruct %uvec2 %c5 %c6
		%w = OpVectorShuffle %uvec3 %v %v 0xffffffff 1 2
		%a = OpCompositeExtract %uint %w 0
		%b = OpCompositeExtract %uint %w 1
		%c = OpCompositeExtract %uint %w 2
		put 0 %a
		put 1 %b
		put 2 %c`}
	s.expect(t, []uint32{0, 6, 5}, nil)
}

func TestUnboundDescriptorReadsZero(t *testing.T) {
	s := shader{
		in: []uint32{2},
		annot: `
			OpDecorate %none DescriptorSet 3
			OpDecorate %none Binding 9
			OpDecorate %many DescriptorSet 0
			OpDecorate %many Binding 5`,
		decl: `
			%two = OpTypeArray %Buf %c2
			%ptr_two = OpTypePointer StorageBuffer %two
			%none = OpVariable %ptr_Buf StorageBuffer
			%many = OpVariable %ptr_two StorageBuffer`,
		body: `
			%i = get 0
			%p = OpAccessChain %ptr_uint %none %c0 %c0
			OpStore %p %c9
			%a = OpLoad %uint %p
			%len = OpArrayLength %uint %none 0
			%q = OpAccessChain %ptr_uint %many %i %c0 %c0
			OpStore %q %c9
			%b = OpLoad %uint %q
			put 0 %a
			put 1 %len
			put 2 %b`,
	}
	s.expect(t, []uint32{0, 0, 0}, nil)
}

// No allocation is at address 0, or where none is.
func TestNullPointer(t *testing.T) {
	p, err := ir.Parse(`
program "null" compute
subgroup 4
local 1 1 1
res storage 0 0 count 1
func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = region 0:i64, #4
	v3 = regionoff v2, 0:i64
	v4 = ld.i32 v2, v3, #0
	st.i32 v1, 0:i32, v4, #0
	st.i32 v2, v3, 9:i32, #0
	v5 = region 81985529216486895:i64, #4
	v6 = regionoff v5, 81985529216486895:i64
	v7 = ld.i32 v5, v6, #0
	st.i32 v1, 4:i32, v7, #0
	st.i32 v5, v6, 9:i32, #0
	v8 = len v5
	st.i32 v1, 8:i32, v8, #0
}`)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, other := []byte("................"), []byte("................")
	err = compute.Dispatch(context.Background(), prog, compute.Args{
		Groups:   [3]uint32{1, 1, 1},
		Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}},
		Regions:  []exec.Region{{Address: 4096, Bytes: other}},
	})
	if err != nil || string(out) != strings.Repeat("\x00", 12)+"...." || string(other) != "................" {
		t.Errorf("%v, %q, %q", err, out, other)
	}
}

// NonWritable promises no writes through the variable; the buffer may
// be written all the same, through another.
func TestStoreThroughNonWritable(t *testing.T) {
	s := shader{
		in:    []uint32{5},
		annot: "OpDecorate %in NonWritable",
		body: `
			%p = OpAccessChain %ptr_uint %in %c0 %c0
			OpStore %p %c9
			%a = OpLoad %uint %p
			put 0 %a`,
	}
	s.expect(t, []uint32{9}, []uint32{9})
}

func TestStoreToUniformBuffer(t *testing.T) {
	s := shader{
		in: []uint32{5},
		annot: `
			OpDecorate %Uni Block
			OpMemberDecorate %Uni 0 Offset 0
			OpDecorate %uni DescriptorSet 0
			OpDecorate %uni Binding 1`,
		decl: `
			%Uni = OpTypeStruct %uint
			%ptr_Uni = OpTypePointer Uniform %Uni
			%ptr_uni_uint = OpTypePointer Uniform %uint
			%uni = OpVariable %ptr_Uni Uniform`,
		body: `
			%p = OpAccessChain %ptr_uni_uint %uni %c0
			OpStore %p %c9
			%a = OpLoad %uint %p
			put 0 %a`,
	}
	s.expect(t, []uint32{5}, []uint32{5})
}

// oddAnnot is binding 1 as a struct whose one member stands at offset 2.
const oddAnnot = `
OpDecorate %Odd Block
OpMemberDecorate %Odd 0 Offset 2
OpDecorate %odd DescriptorSet 0
OpDecorate %odd Binding 1`

const oddDecl = `
%Odd = OpTypeStruct %uint
%ptr_Odd = OpTypePointer StorageBuffer %Odd
%odd = OpVariable %ptr_Odd StorageBuffer`

func TestMisalignedAccess(t *testing.T) {
	s := shader{
		annot: oddAnnot, decl: oddDecl, in: []uint32{0x44332211, 0x88776655},
		body: `
			%p = OpAccessChain %ptr_uint %odd %c0
			%a = OpLoad %uint %p
			OpStore %p %c9
			put 0 %a`,
	}
	s.expect(t, []uint32{0x66554433}, []uint32{0x00092211, 0x88770000})
}

func TestMisalignedAtomic(t *testing.T) {
	s := shader{
		annot: oddAnnot, decl: oddDecl, in: []uint32{0x44332211, 0x88776655},
		body: `
			%p = OpAccessChain %ptr_uint %odd %c0
			%a = OpAtomicIAdd %uint %p %c1 %c0 %c9
			put 0 %a`,
	}
	s.expect(t, []uint32{0}, nil)
}

// A store beyond the end is not seen by a load behind it, an atomic gives 0, and
// of a vector that lies across the end only the components beyond it are not
// there: what robustBufferAccess2 asks for, and so the weaker ones allow.
func TestRobustnessIsTheStrictest(t *testing.T) {
	s := shader{
		annot: pairsAnnot, decl: pairsDecl, in: []uint32{5, 6, 7},
		body: `
			%p3 = OpAccessChain %ptr_uint %in %c0 %c3
			OpStore %p3 %c9
			%a = OpLoad %uint %p3
			%b = OpAtomicExchange %uint %p3 %c1 %c0 %c8
			%c = OpAtomicIAdd %uint %p3 %c1 %c0 %c8
			%d = OpLoad %uint %p3
			%pv = OpAccessChain %ptr_uvec2 %inPairs %c0 %c1
			%v = OpCompositeConstruct %uvec2 %c8 %c9
			OpStore %pv %v
			%w = OpLoad %uvec2 %pv
			%e = OpCompositeExtract %uint %w 0
			%f = OpCompositeExtract %uint %w 1
			put 0 %a
			put 1 %b
			put 2 %c
			put 3 %d
			put 4 %e
			put 5 %f`,
	}
	s.expect(t, []uint32{0, 0, 0, 0, 8, 0, untouched}, []uint32{5, 6, 8})
}

// Workgroup memory takes no more room than the variables would in a block with
// the offsets of std430, a Boolean counting 32 bits: the bytes are held against
// the limit maxComputeSharedMemorySize.
func TestWorkgroupMemoryIsAccounted(t *testing.T) {
	s := shader{
		decl: `
			%wfloat3 = OpTypeVector %float 3
			%five = OpTypeArray %uint %c5
			%pw_uint = OpTypePointer Workgroup %uint
			%pw_bool = OpTypePointer Workgroup %bool
			%pw_v3 = OpTypePointer Workgroup %wfloat3
			%pw_five = OpTypePointer Workgroup %five
			%s0 = OpVariable %pw_uint Workgroup
			%s1 = OpVariable %pw_v3 Workgroup
			%s2 = OpVariable %pw_bool Workgroup
			%s3 = OpVariable %pw_five Workgroup
			%s4 = OpVariable %pw_uint Workgroup`,
		body: `
			OpStore %s0 %c1
			OpStore %s4 %c2
			%x = OpLoad %wfloat3 %s1
			%b = OpLoad %bool %s2
			%p = OpAccessChain %pw_uint %s3 %c4
			OpStore %p %c3`,
	}
	p, err := s.lowered(t)
	if err != nil {
		t.Fatal(err)
	}
	// In order: 0, 16, 28, 32, 52, so 56 bytes at most.
	if p.SharedBytes > 56 {
		t.Errorf("%d bytes; want at most 56", p.SharedBytes)
	}
	for _, e := range engines {
		for most, ok := range map[uint32]bool{p.SharedBytes: true, p.SharedBytes - 1: false} {
			prog, err := e.Compile(p, exec.Options{Limits: exec.Limits{SharedBytes: most}})
			var limit *exec.LimitError
			switch {
			case err == nil:
				prog.Close()
				if !ok {
					t.Errorf("%s: compiled with %d bytes", e.Name(), most)
				}
			case ok, !errors.As(err, &limit):
				t.Errorf("%s, %d bytes: %v", e.Name(), most, err)
			}
		}
	}
}

// Blocks with explicit layout that are Aliased all begin at the same byte: they take as much as
// the largest of them, without the padding at its end, and say so to the limit. Without Aliased they do not overlap, which
// SPV_KHR_untyped_pointers permits.
func TestExplicitWorkgroupMemoryIsAccounted(t *testing.T) {
	s := shader{
		caps: `
			OpCapability WorkgroupMemoryExplicitLayoutKHR
			OpCapability UntypedPointersKHR
			OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
			OpExtension "SPV_KHR_untyped_pointers"`,
		annot: `
			OpDecorate %A Block
			OpMemberDecorate %A 0 Offset 0
			OpMemberDecorate %A 1 Offset 16
			OpDecorate %B Block
			OpMemberDecorate %B 0 Offset 8
			OpDecorate %ten ArrayStride 4
			OpDecorate %a Aliased
			OpDecorate %b Aliased`,
		decl: `
			%ten = OpTypeArray %uint %c10
			%A = OpTypeStruct %uvec4 %uvec3
			%B = OpTypeStruct %ten
			%pw_A = OpTypePointer Workgroup %A
			%pw_B = OpTypePointer Workgroup %B
			%pw_uint = OpTypePointer Workgroup %uint
			%a = OpVariable %pw_A Workgroup
			%b = OpVariable %pw_B Workgroup`,
		body: `
			%pa = OpAccessChain %pw_uint %a %c1 %c2
			%pb = OpAccessChain %pw_uint %b %c0 %c4
			%last = OpAccessChain %pw_uint %b %c0 %c9
			OpStore %pa %c5
			%x = OpLoad %uint %pb
			OpStore %last %c6
			%y = OpLoad %uint %last
			put 0 %x
			put 1 %y`,
	}
	// a's member at 16 ends at byte 28; b's array at 8 ends at byte 48. The third
	// component of a[1] is at 24, and so is b's element 4.
	s.expect(t, []uint32{5, 6, untouched}, nil)
	p, err := s.lowered(t)
	if err != nil {
		t.Fatal(err)
	}
	if p.SharedBytes != 48 {
		t.Errorf("%d bytes; want 48", p.SharedBytes)
	}
	for _, e := range engines {
		_, err := e.Compile(p, exec.Options{Limits: exec.Limits{SharedBytes: 47}})
		var limit *exec.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("%s: %v; want a *exec.LimitError", e.Name(), err)
		}
	}
	for name, x := range map[string]struct {
		annot string
		bytes uint32
	}{
		"no block is Aliased":  {strings.NewReplacer("OpDecorate %a Aliased", "", "OpDecorate %b Aliased", "").Replace(s.annot), 80},
		"one block is Aliased": {strings.Replace(s.annot, "OpDecorate %a Aliased", "", 1), 92},
	} {
		s := s
		s.annot = x.annot
		s.expect(t, []uint32{0, 6, untouched}, nil)
		if p, err := s.lowered(t); err != nil || p.SharedBytes != x.bytes {
			t.Errorf("%s: %d bytes, %v; want %d", name, p.SharedBytes, err, x.bytes)
		}
	}
}
