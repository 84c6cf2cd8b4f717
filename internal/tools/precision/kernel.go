package main

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// kernel runs one instruction at one width for many operands at once.
type kernel struct {
	prog    exec.Program
	width   int // of the operands
	to      int // of the result
	in, out int // components
}

// lanes are the invocations of a workgroup.
const lanes = 128

const shell = `OpCapability Shader
%sOpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%gid %%source %%sink
OpExecutionMode %%main LocalSize %d 1 1
OpDecorate %%gid BuiltIn GlobalInvocationId
OpDecorate %%array ArrayStride %d
OpDecorate %%results ArrayStride %d
OpDecorate %%Results Block
OpMemberDecorate %%Results 0 Offset 0
OpDecorate %%Block Block
OpMemberDecorate %%Block 0 Offset 0
OpDecorate %%source DescriptorSet 0
OpDecorate %%source Binding 0
OpDecorate %%sink DescriptorSet 0
OpDecorate %%sink Binding 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%u32 = OpTypeInt 32 0
%%i32 = OpTypeInt 32 1
%%u3 = OpTypeVector %%u32 3
%%T = OpTypeFloat %d
%s%%T3 = OpTypeVector %%T 3
%%M3 = OpTypeMatrix %%T3 3
%%S = OpTypeStruct %%T %%T
%%F = OpTypeStruct %%T %%i32
%%array = OpTypeRuntimeArray %%T
%%Block = OpTypeStruct %%array
%%pBlock = OpTypePointer StorageBuffer %%Block
%%pT = OpTypePointer StorageBuffer %%T
%%results = OpTypeRuntimeArray %s
%%Results = OpTypeStruct %%results
%%pResults = OpTypePointer StorageBuffer %%Results
%s%%pu3 = OpTypePointer Input %%u3
%%gid = OpVariable %%pu3 Input
%%source = OpVariable %%pBlock StorageBuffer
%%sink = OpVariable %%pResults StorageBuffer
%s%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%id = OpLoad %%u3 %%gid
%%i = OpCompositeExtract %%u32 %%id 0
`

// module writes the module: the source has operand after operand component by component,
// invocation after invocation.
func module(x *instruction, width int) string {
	capability, to, r, declared, pointer := "", width, "%T", "", ""
	if x.To != 0 {
		to, r, declared, pointer = x.To, "%R", fmt.Sprintf("%%R = OpTypeFloat %d\n", x.To), "%pR = OpTypePointer StorageBuffer %R\n"
	}
	if width == 16 || to == 16 {
		capability = "OpCapability Float16\nOpCapability StorageBuffer16BitAccess\n"
	}
	if width == 64 || to == 64 {
		capability += "OpCapability Float64\n"
	}
	total := 0
	for _, n := range x.In {
		total += n
	}
	constants, body := strings.Builder{}, strings.Builder{}
	for k := range max(total, x.Out) + 1 {
		fmt.Fprintf(&constants, "%%k%d = OpConstant %%u32 %d\n", k, k)
	}
	address := func(prefix, buffer, pointer string, n, of int) {
		fmt.Fprintf(&body, "%%%sm%d = OpIMul %%u32 %%i %%k%d\n%%%so%d = OpIAdd %%u32 %%%sm%d %%k%d\n%%%sp%d = OpAccessChain %s %s %%k0 %%%so%d\n",
			prefix, n, of, prefix, n, prefix, n, n, prefix, n, pointer, buffer, prefix, n)
	}
	c := 0
	for i, n := range x.In {
		name := string(rune('a' + i))
		parts := ""
		for range n {
			address("s", "%source", "%pT", c, total)
			id := fmt.Sprintf("%%x%d", c)
			if n == 1 {
				id = "%" + name
			}
			fmt.Fprintf(&body, "%s = OpLoad %%T %%sp%d\n", id, c)
			parts += " " + id
			c++
		}
		if n > 1 {
			fmt.Fprintf(&body, "%%%s = OpCompositeConstruct %%T3%s\n", name, parts)
		}
	}
	v := "%T"
	if x.Out > 1 {
		v = "%T3"
	}
	body.WriteString(strings.NewReplacer("%V", v).Replace(x.form) + "\n")
	for n := range x.Out {
		address("d", "%sink", "%p"+r[1:], n, x.Out)
		id := "%r"
		if x.Out > 1 {
			id = fmt.Sprintf("%%r%d", n)
			fmt.Fprintf(&body, "%s = OpCompositeExtract %%T %%r %d\n", id, n)
		}
		fmt.Fprintf(&body, "OpStore %%dp%d %s\n", n, id)
	}
	head := fmt.Sprintf(shell, capability, lanes, width/8, to/8, width, declared, r, pointer, constants.String())
	head = strings.Replace(head, "OpMemoryModel", "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel", 1)
	return head + body.String() + "OpReturn\nOpFunctionEnd\n"
}

// compile makes the kernel of an instruction.
func compile(e exec.Engine, x *instruction, width int) (*kernel, error) {
	words, err := asm.Assemble([]byte(module(x, width)), asm.AssembleOptions{Version: 1<<16 | 5<<8})
	if err != nil {
		return nil, err
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		return nil, err
	}
	f := facts.Gather(m, nil)
	s, err := shader.Lower(context.Background(), valid.Assume(f), &f.EntryPoints[0], lower.Options{})
	if err != nil {
		return nil, err
	}
	k := &kernel{width: width, to: width, out: x.Out}
	if x.To != 0 {
		k.to = x.To
	}
	for _, n := range x.In {
		k.in += n
	}
	k.prog, err = e.Compile(s.Program, exec.Options{})
	return k, err
}

// run computes the instruction for as many operands as source holds, a multiple
// of lanes, into sink.
func (k *kernel) run(source, sink []uint64) error {
	step := k.width / 8
	n := len(source) / k.in
	in, out := aligned(len(source)*step), aligned(n*k.out*k.to/8)
	for i, x := range source {
		put(k.width, in, i, x)
	}
	err := compute.Dispatch(context.Background(), k.prog, compute.Args{
		Groups:   [3]uint32{uint32(n / lanes), 1, 1},
		Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: in}}, {Binding: 1}: {{Bytes: out}}},
	})
	for i := range sink {
		sink[i] = at(k.to, out, i)
	}
	return err
}

// runRange computes a function of one number of 32 bits for all from first on,
// as many as out holds.
func (k *kernel) runRange(first uint32, in, out []uint32) error {
	for i := range in {
		in[i] = first + uint32(i)
	}
	bytes := func(x []uint32) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x)) }
	return compute.Dispatch(context.Background(), k.prog, compute.Args{
		Groups:   [3]uint32{uint32(len(in) / lanes), 1, 1},
		Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: bytes(in)}}, {Binding: 1}: {{Bytes: bytes(out)}}},
	})
}

// aligned returns n bytes that begin at a multiple of 8.
func aligned(n int) []byte {
	words := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

// put and at are the i-th float of a buffer, as bits.
func put(width int, b []byte, i int, x uint64) {
	for k := range width / 8 {
		b[i*width/8+k] = byte(x >> (8 * k))
	}
}

func at(width int, b []byte, i int) (x uint64) {
	for k := range width / 8 {
		x |= uint64(b[i*width/8+k]) << (8 * k)
	}
	return x
}

// float is the value of bits.
func float(width int, x uint64) float64 { return scalar.Float(uint8(width), x) }
