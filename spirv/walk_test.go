package spirv

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// walked tells a walk in a line: kind and words of each operand.
func walked(m *Module, i int) string {
	var out []string
	for w := m.Walk(i); w.Next(); {
		s := fmt.Sprintf("%v%v", w.Kind, w.Words)
		if w.Parameter {
			s = "+" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// TestWalk pins how operands are told apart (SPIR-V §2.2, §3.3).
func TestWalk(t *testing.T) {
	float64Type := op(OpTypeFloat, 2, 64)
	cases := []struct {
		name  string
		words []uint32
		want  string // of the last instruction
	}{
		{"ids", module(9, op(OpAccessChain, 1, 2, 3, 4, 5)), "IdResultType[1] IdResult[2] IdRef[3] IdRef[4] IdRef[5]"},
		{"string between", module(9, op(OpEntryPoint, append([]uint32{5, 1}, append(words("main"), 7, 8)...)...)),
			"ExecutionModel[5] IdRef[1] LiteralString[1852399981 0] IdRef[7] IdRef[8]"},
		{"constant of 64 bits", module(9, float64Type, op(OpConstant, 2, 3, 7, 8)), "IdResultType[2] IdResult[3] LiteralContextDependentNumber[7 8]"},
		{"switch of 64 bits", module(9, int64Type, op(OpConstant, 1, 3, 7, 8), op(OpSwitch, 3, 4, 1, 0, 5, 2, 0, 6)),
			"IdRef[3] IdRef[4] LiteralContextDependentNumber[1 0] IdRef[5] LiteralContextDependentNumber[2 0] IdRef[6]"},
		{"switch of 16 bits", module(9, op(OpTypeInt, 1, 16, 1), op(OpConstant, 1, 3, 7), op(OpSwitch, 3, 4, 0xffff8000, 5)),
			"IdRef[3] IdRef[4] LiteralContextDependentNumber[4294934528] IdRef[5]"},
		{"parameters", module(9, op(OpDecorate, append([]uint32{1, uint32(DecorationLinkageAttributes)}, append(words("f"), 1)...)...)),
			"IdRef[1] Decoration[41] +LiteralString[102] +LinkageType[1]"},
		{"enumerants as parameters", module(9, op(OpDecorate, 1, uint32(DecorationHostAccessINTEL), 1, 0x61)),
			"IdRef[1] Decoration[6188] +HostAccessQualifier[1] +LiteralString[97]"},
		{"repeated parameters", module(9, op(OpDecorate, 1, uint32(DecorationBankBitsALTERA), 1, 2, 3)),
			"IdRef[1] Decoration[5835] +LiteralInteger[1] +LiteralInteger[2] +LiteralInteger[3]"},
		{"bits in order", module(9, op(OpImageSampleExplicitLod, 1, 2, 3, 4, uint32(ImageOperandsGradMask|ImageOperandsConstOffsetMask), 5, 6, 7)),
			"IdResultType[1] IdResult[2] IdRef[3] IdRef[4] ImageOperands[12] +IdRef[5] +IdRef[6] +IdRef[7]"},
		{"two masks", module(9, op(OpCopyMemory, 1, 2, 2, 4, 3, 8)),
			"IdRef[1] IdRef[2] MemoryAccess[2] +LiteralInteger[4] MemoryAccess[3] +LiteralInteger[8]"},
		{"pairs", module(9, op(OpPhi, 1, 2, 3, 4, 5, 6)), "IdResultType[1] IdResult[2] IdRef[3] IdRef[4] IdRef[5] IdRef[6]"},
		{"member pairs", module(9, op(OpGroupMemberDecorate, 1, 2, 0, 3, 1)), "IdRef[1] IdRef[2] LiteralInteger[0] IdRef[3] LiteralInteger[1]"},
		{"extended", module(9, glsl, op(OpExtInst, 2, 3, 1, uint32(GLSLFMin), 4, 5)),
			"IdResultType[2] IdResult[3] IdRef[1] LiteralExtInstInteger[37] IdRef[4] IdRef[5]"},
		{"extended with enumerants", module(9, op(OpExtInstImport, append([]uint32{1}, words("OpenCL.std")...)...), op(OpExtInst, 2, 3, 1, uint32(OpenCLVstoreHalfR), 4, 5, 6, 1)),
			"IdResultType[2] IdResult[3] IdRef[1] LiteralExtInstInteger[176] IdRef[4] IdRef[5] IdRef[6] FPRoundingMode[1]"},
		{"extended, unknown", module(9, op(OpExtInstImport, append([]uint32{1}, words("NonSemantic.X")...)...), op(OpExtInst, 2, 3, 1, 5, 4)),
			"IdResultType[2] IdResult[3] IdRef[1] LiteralExtInstInteger[5] IdRef[4]"},
		{"specialization", module(9, op(OpSpecConstantOp, 1, 2, uint32(OpCompositeExtract), 3, 4, 5)),
			"IdResultType[1] IdResult[2] LiteralSpecConstantOpInteger[81] IdRef[3] LiteralInteger[4] LiteralInteger[5]"},
		{"optional left out", module(9, op(OpVariable, 1, 2, 7)), "IdResultType[1] IdResult[2] StorageClass[7]"},
		{"optional after optional", module(9, op(OpSource, append([]uint32{2, 450, 1}, words("x")...)...)),
			"SourceLanguage[2] LiteralInteger[450] IdRef[1] LiteralString[120]"},
	}
	for _, c := range cases {
		m, err := FromWords(c.words)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := walked(m, m.Len()-1); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestWalkRows checks the rows, the set and the number types of a walk.
func TestWalkRows(t *testing.T) {
	m, err := FromWords(module(9, glsl,
		op(OpExtInst, 2, 3, 1, uint32(GLSLFMin), 4, 5),
		op(OpSpecConstantOp, 2, 4, uint32(OpIAdd), 3, 3),
		op(OpTypeFloat, 5, 16, uint32(FPEncodingBFloat16KHR)),
		op(OpConstant, 5, 6, 0x3f80)))
	if err != nil {
		t.Fatal(err)
	}
	w := m.Walk(1)
	for w.Next() && w.Kind != KindLiteralExtInstInteger {
	}
	if w.Set != ExtSetGLSL || w.Row() == nil || w.Row().Name() != "FMin" {
		t.Errorf("the extended instruction is %v of %v", w.Row(), w.Set)
	}
	w.Next()
	if w.Operand.Name() != "X" || w.Row() != nil {
		t.Errorf("its first operand is %s", w.Operand.Name())
	}
	w = m.Walk(2)
	for w.Next() && w.Kind != KindLiteralSpecConstantOpInteger {
	}
	if w.Row() != OpIAdd.Row() {
		t.Errorf("the opcode is %v", w.Row())
	}
	w = m.Walk(4)
	for w.Next() {
	}
	want := Number{Bits: 16, Float: true, Encoded: true, Encoding: FPEncodingBFloat16KHR}
	if w.Number != want || want.Words() != 1 {
		t.Errorf("the literal is %+v; want %+v", w.Number, want)
	}
}

// TestWalkAllocates demands that reading allocates nothing.
func TestWalkAllocates(t *testing.T) {
	m, err := FromWords(module(9, glsl, op(OpExtInst, 2, 3, 1, uint32(GLSLFMin), 4, 5), op(OpCopyMemory, 1, 2, 2, 4, 3, 8)))
	if err != nil {
		t.Fatal(err)
	}
	var sum uint32
	n := testing.AllocsPerRun(10, func() {
		for i, in := range m.All() {
			sum += uint32(in.Type()) + uint32(in.Result())
			for w := m.Walk(i); w.Next(); {
				sum += w.Words[0]
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestInst(t *testing.T) {
	in := Inst(op(OpLoad, 1, 2, 3))
	if in.Op() != OpLoad || in.Type() != 1 || in.Result() != 2 {
		t.Errorf("%v, type %d, result %d", in.Op(), in.Type(), in.Result())
	}
	in = op(OpStore, 1, 2)
	if in.Type() != 0 || in.Result() != 0 {
		t.Errorf("OpStore has type %d and result %d", in.Type(), in.Result())
	}
	if ids := IDs(in[1:]); !slices.Equal(ids, []ID{1, 2}) || IDs(nil) != nil {
		t.Errorf("ids %v", ids)
	}
}
