package facts

import (
	"fmt"
	"strings"
	"testing"
)

// show formats a constant: its bits, its parts in brackets, or its state.
func show(c *Const) string {
	switch {
	case c == nil:
		return "nil"
	case !c.Known:
		return "unknown"
	case c.Null:
		return "null"
	case c.Undef:
		return "undef"
	case c.Type.IsComposite():
		var parts []string
		for i := range c.Type.Parts() {
			parts = append(parts, show(c.Elem(int(i))))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprintf("%#x", c.Bits)
}

const scalars = `
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%char = OpTypeInt 8 1
%long = OpTypeInt 64 1
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%v2 = OpTypeVector %int 2
%v3 = OpTypeVector %int 3
%b2 = OpTypeVector %bool 2
%f2 = OpTypeVector %float 2
`

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		text string // declares %x and its operands
		spec Spec
		want string
	}{
		{"%x = OpConstantTrue %bool", nil, "0x1"},
		{"%x = OpConstantFalse %bool", nil, "0x0"},
		{"%x = OpConstantTrue %int", nil, "unknown"},
		{"%x = OpConstant %int -2", nil, "0xfffffffe"},
		{"%x = OpConstant %char -2", nil, "0xfe"}, // narrow literals are sign-extended in the stream
		{"%x = OpConstant %long -2", nil, "0xfffffffffffffffe"},
		{"%x = OpConstant %half 1.5", nil, "0x3e00"},
		{"%x = OpConstant %float 1.5", nil, "0x3fc00000"},
		{"%x = OpConstant %double 1.5", nil, "0x3ff8000000000000"},
		{"%x = OpConstantNull %v2", nil, "null"},
		{"%x = OpUndef %v2", nil, "undef"},
		{"%x = OpPoisonKHR %v2", nil, "undef"},
		{"%a = OpConstant %int 1\n%x = OpConstantComposite %v2 %a %a", nil, "[0x1 0x1]"},
		{"%a = OpConstant %int 1\n%x = OpConstantComposite %v2 %a", nil, "unknown"},
		{"%a = OpConstant %uint 1\n%x = OpConstantComposite %v2 %a %a", nil, "unknown"},
		{"%a = OpConstant %int 1\n%x = OpConstantComposite %v2 %a %x", nil, "unknown"},
		{"%a = OpConstant %int 1\n%n = OpConstantNull %int\n%x = OpConstantComposite %v2 %a %n", nil, "[0x1 null]"},
		{"%a = OpConstant %int 1\n%x = OpConstantCompositeReplicateEXT %v3 %a", nil, "[0x1 0x1 0x1]"},
		{"%a = OpConstant %int 1\n%s = OpTypeStruct %int %int\n%x = OpConstantCompositeReplicateEXT %s %a", nil, "[0x1 0x1]"},
		{"%a = OpConstant %int 1\n%s = OpTypeStruct %int %uint\n%x = OpConstantCompositeReplicateEXT %s %a", nil, "unknown"},

		// Specialization.
		{"OpDecorate %x SpecId 3\n%x = OpSpecConstant %int 7", nil, "0x7"},
		{"OpDecorate %x SpecId 3\n%x = OpSpecConstant %int 7", Spec{3: 9, 4: 1}, "0x9"},
		{"OpDecorate %x SpecId 3\n%x = OpSpecConstant %char 7", Spec{3: 0x1ff}, "0xff"},
		{"OpDecorate %x SpecId 3\n%x = OpSpecConstant %double 7", Spec{3: 1 << 63}, "0x8000000000000000"},
		{"OpDecorate %x SpecId 3\n%x = OpSpecConstantTrue %bool", Spec{3: 0}, "0x0"},
		{"OpDecorate %x SpecId 3\n%x = OpSpecConstantFalse %bool", Spec{3: 2}, "0x1"},
		{"%x = OpSpecConstantFalse %bool", Spec{0: 1}, "0x0"},
		{"OpDecorate %a SpecId 0\n%a = OpSpecConstant %int 1\n%x = OpSpecConstantComposite %v2 %a %a", Spec{0: 5}, "[0x5 0x5]"},
		{"OpDecorate %g SpecId 0\n%g = OpDecorationGroup\nOpGroupDecorate %g %x\n%x = OpSpecConstant %int 1", Spec{0: 5}, "0x5"},
	} {
		m := gather(t, scalars+c.text, c.spec)
		if got := show(m.konst("x")); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.text, c.spec, got, c.want)
		}
	}
}

func TestConstInt(t *testing.T) {
	m := gather(t, scalars+`
%a = OpConstant %char -2
%b = OpConstant %uint 4294967295
%c = OpConstant %float 1
`, nil)
	for name, want := range map[string]int64{"a": -2, "b": 4294967295} {
		if got, ok := m.konst(name).Int(); !ok || got != want {
			t.Errorf("%s: %d, %v; want %d", name, got, ok, want)
		}
	}
	if _, ok := m.konst("c").Int(); ok {
		t.Error("a float is no integer")
	}
	if _, ok := m.konst("nothing").Int(); ok {
		t.Error("what is missing is no integer")
	}
}

// TestMatrixExtract extracts a component of a cooperative matrix, all of whose components are equal (SPIR-V OpConstantComposite).
func TestMatrixExtract(t *testing.T) {
	const head = scalars + `
%one = OpConstant %int 1
%five = OpSpecConstant %int 5
%three = OpConstant %int 3
%tile = OpTypeCooperativeMatrixKHR %int %three %one %one %three
%m = OpSpecConstantComposite %tile %five
%r = OpSpecConstantCompositeReplicateEXT %tile %five
`
	for op, want := range map[string]string{
		"%int CompositeExtract %m 0": "0x5", "%int CompositeExtract %r 7": "0x5", "%int CompositeExtract %r 0 0": "unknown", "%float CompositeExtract %r 0": "unknown",
	} {
		if got := show(gather(t, head+"%x = OpSpecConstantOp "+op+"\n", nil).konst("x")); got != want {
			t.Errorf("%s: %s; want %s", op, got, want)
		}
	}
}

// TestRoundedConstants converts numbers under the execution mode RoundingModeRTZ, which rounds conversions to IEEE 754 floats of its width
// toward zero.
func TestRoundedConstants(t *testing.T) {
	const (
		nearest = "[0x3556 0x3eaaaaab 0x3eab]" // 0x1.558p-2, 0x1.555556p-2 and 0x1.56p-2
		first   = "OpEntryPoint GLCompute %f \"a\"\n"
		second  = "OpEntryPoint GLCompute %g \"b\"\n"
		half    = "OpExecutionMode %f RoundingModeRTZ 16\n"
		single  = "OpExecutionMode %f RoundingModeRTZ 32\n"
	)
	for _, test := range []struct{ name, modes, want string }{
		{"no mode", first, nearest},
		{"16 bits", first + half, "[0x3555 0x3eaaaaab 0x3eab]"},
		{"32 bits", first + single, "[0x3556 0x3eaaaaaa 0x3eab]"},
		{"no entry point", half, nearest},
		{"two entry points, one with the mode", first + second + single, "unknown"},
		{"two entry points with the mode", first + second + single + strings.Replace(single, "%f", "%g", 1), "[0x3556 0x3eaaaaaa 0x3eab]"},
	} {
		const constants = scalars + `
%b16 = OpTypeFloat 16 BFloat16KHR
%all = OpTypeStruct %half %float %b16
%up = OpConstant %double 0x1.557p-2
%third = OpConstant %double 0x1.5555555555555p-2
%exact = OpConstant %double 0.5
%x = OpSpecConstantOp %half FConvert %up
%y = OpSpecConstantOp %float FConvert %third
%z = OpSpecConstantOp %b16 FConvert %third
%e = OpSpecConstantOp %float FConvert %exact
%list = OpSpecConstantComposite %all %x %y %z
`
		m := gather(t, test.modes+constants, nil)
		if got := show(m.konst("list")); got != test.want {
			t.Errorf("%s: %s; must be %s", test.name, got, test.want)
		}
		if got := show(m.konst("e")); got != "0x3f000000" {
			t.Errorf("%s: a number that needs no rounding is %s; must be 0x3f000000", test.name, got)
		}
	}
}

// TestSpecConstantOp: the values follow from the descriptions of the
// instructions in SPIR-V §3.3.
func TestSpecConstantOp(t *testing.T) {
	const head = scalars + `
OpDecorate %three SpecId 3
%three = OpSpecConstant %int 3
%five = OpSpecConstant %int 5
%minus = OpSpecConstant %int -7
%zero = OpConstant %int 0
%yes = OpSpecConstantTrue %bool
%no = OpSpecConstantFalse %bool
%wide = OpConstant %long 4294967298
%tiny = OpConstant %float 0x1p-15
%third = OpConstant %float 0x1.555556p-2
%a2 = OpSpecConstantComposite %v2 %three %five
%b2c = OpSpecConstantComposite %b2 %yes %no
%c2 = OpConstantComposite %v2 %zero %zero
%null3 = OpConstantNull %v3
%pair = OpTypeStruct %int %v2
%p = OpSpecConstantComposite %pair %three %a2
%nullpair = OpConstantNull %pair
%b16 = OpTypeFloat 16 BFloat16KHR
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%e2m1 = OpTypeFloat 4 Float4E2M1EXT
%e8m0 = OpTypeFloat 8 Float8UnsignedE8M0EXT
%mx = OpTypeFloat 8 MXInt8EXT
%b16x2 = OpTypeVector %b16 2
%brain = OpSpecConstant %b16 4.5
%brains = OpSpecConstantComposite %b16x2 %brain %brain
%eight = OpSpecConstant %e4m3 -448
%nullmx = OpConstantNull %mx
%nulle8 = OpConstantNull %e8m0
%nulle2 = OpConstantNull %e2m1
%large = OpConstant %float 0x1.ffp127
%tie = OpConstant %double 0x1.0100000000001p0
`
	for _, c := range []struct{ op, want string }{
		{"%int IAdd %three %five", "0x8"},
		{"%int ISub %three %five", "0xfffffffe"},
		{"%int IMul %minus %three", "0xffffffeb"},
		{"%int SDiv %minus %three", "0xfffffffe"}, // −7/3 = −2, toward zero
		{"%uint UDiv %minus %three", "0x55555553"},
		{"%int SRem %minus %three", "0xffffffff"}, // the sign of the first operand
		{"%int SMod %minus %three", "0x2"},        // the sign of the second
		{"%int UMod %five %three", "0x2"},
		{"%int SNegate %three", "0xfffffffd"},
		{"%int Not %zero", "0xffffffff"},
		{"%int ShiftLeftLogical %three %five", "0x60"},
		{"%int ShiftRightLogical %minus %three", "0x1fffffff"},
		{"%int ShiftRightArithmetic %minus %three", "0xffffffff"},
		{"%int BitwiseXor %three %five", "0x6"},
		{"%bool LogicalAnd %yes %no", "0x0"},
		{"%bool LogicalOr %yes %no", "0x1"},
		{"%bool LogicalNot %no", "0x1"},
		{"%bool LogicalEqual %yes %no", "0x0"},
		{"%bool LogicalNotEqual %yes %no", "0x1"},
		{"%bool IEqual %three %three", "0x1"},
		{"%bool INotEqual %three %five", "0x1"},
		{"%bool SLessThan %minus %three", "0x1"},
		{"%bool ULessThan %minus %three", "0x0"},
		{"%bool SGreaterThan %minus %three", "0x0"},
		{"%bool UGreaterThan %minus %three", "0x1"},
		{"%bool SGreaterThanEqual %three %three", "0x1"},
		{"%bool ULessThanEqual %five %three", "0x0"},
		{"%long SConvert %minus", "0xfffffffffffffff9"},
		{"%long UConvert %minus", "0xfffffff9"},
		{"%int SConvert %wide", "0x2"},
		{"%half FConvert %third", "0x3555"},
		{"%float FConvert %brain", "0x40900000"},
		{"%half FConvert %brain", "0x4480"},
		{"%double FConvert %brain", "0x4012000000000000"},
		{"%e5m2 FConvert %brain", "0x44"}, // 4.5 is between 4 and 5, and the fraction of 4 is even
		{"%b16 FConvert %eight", "0xc3e0"},
		{"%f2 FConvert %brains", "[0x40900000 0x40900000]"},
		{"%b16 FConvert %third", "0x3eab"},
		{"%b16 FConvert %large", "0x7f80"},
		{"%b16 FConvert %tie", "0x3f81"}, // rounded once
		{"%float FConvert %nullmx", "0x0"},
		{"%float FConvert %nulle8", "0x400000"},
		{"%float FConvert %nulle2", "0x0"},
		{"%e2m1 FConvert %third", "unknown"},
		{"%b16 FConvert %three", "unknown"},
		{"%float QuantizeToF16 %third", "0x3eaaa000"},
		{"%float QuantizeToF16 %tiny", "0x0"},
		{"%v2 IAdd %a2 %a2", "[0x6 0xa]"},
		{"%b2 SLessThan %a2 %c2", "[0x0 0x0]"},
		{"%int Select %yes %three %five", "0x3"},
		{"%v2 Select %no %a2 %c2", "[0x0 0x0]"},
		{"%v2 Select %b2c %a2 %c2", "[0x3 0x0]"},
		{"%int CompositeExtract %a2 1", "0x5"},
		{"%int CompositeExtract %p 1 0", "0x3"},
		{"%v2 CompositeExtract %p 1", "[0x3 0x5]"},
		{"%int CompositeExtract %p 2", "unknown"},
		{"%int CompositeExtract %null3 2", "null"},
		{"%v2 CompositeInsert %zero %a2 1", "[0x3 0x0]"},
		{"%pair CompositeInsert %five %p 1 0", "[0x3 [0x5 0x5]]"},
		{"%pair CompositeInsert %five %nullpair 1 0", "[null [0x5 null]]"},
		{"%v2 CompositeInsert %zero %a2 2", "unknown"},
		{"%v2 CompositeInsert %yes %a2 1", "unknown"},
		{"%v3 VectorShuffle %a2 %c2 1 2 0", "[0x5 0x0 0x3]"},
		{"%v2 VectorShuffle %a2 %c2 1 0xffffffff", "[0x5 undef]"},
		{"%int IAdd %three", "unknown"},
		{"%int IAdd %three %yes", "unknown"},
		{"%int IAdd %three %nothing", "unknown"},
		{"%v2 IAdd %a2 %null3", "unknown"},
		{"%float IAdd %third %third", "unknown"},
	} {
		m, err := tryGather(head+"%x = OpSpecConstantOp "+c.op+"\n", nil)
		if err != nil {
			if c.want != "unknown" {
				t.Errorf("%s does not decode", c.op)
			}
			continue
		}
		if got := show(m.konst("x")); got != c.want {
			t.Errorf("%s: %s, want %s", c.op, got, c.want)
		}
	}
	if m := gather(t, head, Spec{3: 4}); show(m.konst("p")) != "[0x4 [0x4 0x5]]" || !m.konst("p").Spec || m.konst("c2").Spec {
		t.Errorf("specialized: %s", show(m.konst("p")))
	}
}
