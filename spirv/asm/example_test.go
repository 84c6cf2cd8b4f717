package asm_test

import (
	"fmt"
	"os"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

func Example() {
	words, err := asm.Assemble([]byte(`
		%f = OpTypeFloat 32
		%v = OpTypeVector %f 4     ; any name will do
		%p = OpTypePointer Output %v
		     OpDecorate %out BuiltIn Position
		%out = OpVariable %p Output`), asm.AssembleOptions{Version: spirv.Version13})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := asm.Disassemble(nil, m, asm.DisassembleOptions{NoHeader: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("version", m.Version)
	os.Stdout.Write(text)
	// Output:
	// version 1.3
	//       %float = OpTypeFloat 32
	//     %v4float = OpTypeVector %float 4
	// %_ptr_Output_v4float = OpTypePointer Output %v4float
	//                OpDecorate %gl_Position BuiltIn Position
	// %gl_Position = OpVariable %_ptr_Output_v4float Output
}

func ExampleAssemble_finding() {
	_, err := asm.Assemble([]byte("%f = OpTypeFloat 32\n%c = OpConstant %f 1.5.2"), asm.AssembleOptions{})
	fmt.Println(err)
	// Output:
	// 2:20: OpConstant: expected a literal in the range of a 32-bit float, found '1.5.2' [SPV-Text-Literal]
}
