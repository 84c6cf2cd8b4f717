package lower

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// sources returns the text of each module of the golden cases, by file and section.
func sources(t testing.TB) map[string][]byte {
	files, _ := filepath.Glob("testdata/*/*.txtar")
	out := map[string][]byte{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Files {
			if strings.HasSuffix(s.Name, ".spvasm") {
				out[file+" "+s.Name] = s.Data
			}
		}
	}
	return out
}

// TestHostile lowers modules in which words were exchanged, with options at random:
// whatever decodes yields a program or an error.
func TestHostile(t *testing.T) {
	rounds := 200
	if n, err := strconv.Atoi(os.Getenv("CHIARO_ROUNDS")); err == nil {
		rounds = n
	}
	survived := 0
	for file, text := range sources(t) {
		r := rand.New(rand.NewPCG(1, uint64(crc32.ChecksumIEEE([]byte(file))))) // the order of a map is random
		words, err := asm.Assemble(text, asm.AssembleOptions{Version: spirv.Version16})
		if err != nil {
			t.Fatal(file, err)
		}
		for range rounds {
			w := append([]uint32(nil), words...)
			for range 1 + r.IntN(3) {
				mutate(r, w)
			}
			m, err := spirv.FromWords(w)
			if err != nil {
				continue
			}
			survived++
			v := valid.Assume(facts.Gather(m, nil))
			for i := range v.Facts().EntryPoints {
				o := Options{
					MaxValues: 1 << 18, SubgroupSize: LeastSubgroup << r.IntN(8), Contract: r.IntN(2) == 0, KillDemotes: r.IntN(2) == 0,
					CoarseDerivatives: r.IntN(2) == 0, Sanitize: ir.Sanitizers(r.IntN(256)) & ir.SanitizeAll, looped: r.IntN(4) == 0, Profile: r.IntN(2) == 0,
				}
				// a program or an error: which one is not the point
				_, _ = Stage(v, &v.Facts().EntryPoints[i], o)
			}
		}
	}
	t.Logf("%d modules decoded", survived)
}

// mutate changes one word after the header to another one of the module, to
// one that is close, or to a small number.
func mutate(r *rand.Rand, w []uint32) {
	at := spirv.HeaderWords + r.IntN(len(w)-spirv.HeaderWords)
	switch r.IntN(4) {
	case 0:
		w[at] = w[spirv.HeaderWords+r.IntN(len(w)-spirv.HeaderWords)]
	case 1:
		w[at] += uint32(r.IntN(5)) - 2
	case 2:
		w[at] = uint32(r.IntN(64))
	case 3: // another opcode of the same length
		w[at] = w[at]&0xffff0000 | uint32(r.IntN(400))
	}
}

// TestNestedNothing lowers values of structs that have two members each, down to
// one that has none, which is nothing in as many places as no module has words.
func TestNestedNothing(t *testing.T) {
	const depth = 200
	var w strings.Builder
	w.WriteString(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%t0 = OpTypeStruct
%c0 = OpConstantComposite %t0
`)
	for i := range depth {
		fmt.Fprintf(&w, "%%t%d = OpTypeStruct %%t%d %%t%d\n%%c%d = OpConstantComposite %%t%d %%c%d %%c%d\n", i+1, i, i, i+1, i+1, i, i)
	}
	fmt.Fprintf(&w, `%%pf = OpTypePointer Function %%t%[1]d
%%pp = OpTypePointer Private %%t%[1]d
%%null = OpConstantNull %%t%[1]d
%%uint = OpTypeInt 32 0
%%one = OpConstant %%uint 1
%%some = OpTypeStruct %%uint %%t%[1]d
%%csome = OpConstantComposite %%some %%one %%c%[1]d
%%psome = OpTypePointer Private %%some
%%number = OpVariable %%psome Private
%%module = OpVariable %%pp Private %%c%[1]d
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%a = OpVariable %%pf Function %%null
%%b = OpVariable %%pf Function %%c%[1]d
%%x = OpLoad %%t%[1]d %%a
OpStore %%b %%x
OpStore %%a %%c%[1]d
OpStore %%number %%csome
%%y = OpLoad %%t%[1]d %%module
OpCopyMemory %%a %%b
%%z = OpCompositeExtract %%t%[2]d %%y 0 1
OpReturn
OpFunctionEnd
`, depth, depth-2)
	for _, of := range []ir.Sanitizers{0, ir.SanitizeUninit} {
		if _, err := stage(t, []byte(w.String()), nil, Options{Sanitize: of}); err != nil {
			t.Error(err)
		}
	}
}

// TestLimit demands that the error of a shader that exceeds a limit names the limit.
func TestLimit(t *testing.T) {
	text := `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%main = OpFunction %void None %fn
%entry = OpLabel
%x0 = OpIAdd %uint %one %one
%x1 = OpIAdd %uint %x0 %one
OpReturn
OpFunctionEnd
`
	_, err := stage(t, []byte(text), nil, Options{MaxValues: 3})
	var u *Unsupported
	if !errors.As(err, &u) || !u.Limit || err.Error() != "OpIAdd: the shader exceeds a limit of Chiaro: a program of more than 3 values (instruction 11)" {
		t.Errorf("error %v; want the limit of 3 values", err)
	}
}

// TestTensorConstant: a shader cannot read a constant tensor, whose type has a shape (docs/undefined.md).
func TestTensorConstant(t *testing.T) {
	const text = `OpCapability Shader
OpCapability TensorsARM
OpCapability VulkanMemoryModel
OpExtension "SPV_ARM_tensors"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %v
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c7 = OpConstant %uint 7
%a1 = OpTypeArray %uint %c1
%sh = OpConstantComposite %a1 %c2
%t = OpTypeTensorARM %uint %c1 %sh
%k = OpConstantComposite %t %c7 %c2
%at = OpConstantComposite %a1 %c0
%block = OpTypeStruct %uint
%pb = OpTypePointer StorageBuffer %block
%pv = OpTypePointer StorageBuffer %uint
%v = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpTensorReadARM %uint %k %at
%p = OpAccessChain %pv %v %c0
OpStore %p %x
OpReturn
OpFunctionEnd
`
	for _, read := range []string{"OpTensorReadARM %uint %k %at", "OpTensorQuerySizeARM %uint %k %c0"} {
		_, err := stage(t, []byte(strings.Replace(text, "OpTensorReadARM %uint %k %at", read, 1)), nil, Options{})
		if u := (*Unsupported)(nil); !errors.As(err, &u) {
			t.Errorf("%s: error %v; must be unsupported", read, err)
		}
	}
}
