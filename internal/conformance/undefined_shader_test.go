package conformance

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/valid"
)

// These tests hold rows of docs/undefined.md that only a whole shader can meet:
// from assembly through all layers to the bytes of a buffer.

// shader is a compute shader in pieces.
type shader struct {
	lanes   int    // of the workgroup; 0 is 1
	decl    string // declarations behind the common ones
	body    string // of main
	funcs   string // behind main
	caps    string // further capabilities and extensions
	annot   string // further decorations
	groups  uint32 // 0 is 1
	options lower.Options
	in      []uint32 // binding 1
	budget  uint64
	log     *exec.Log // nil is none
	vulkan  bool      // with the Vulkan memory model
	zeroed  bool      // binding 0 has zeros

	schedule func(n int) int // chooses the order; nil for the usual one
}

const frame = `
OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformQuad
%[1]s
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%index %%group
OpExecutionMode %%main LocalSize %[2]d 1 1
OpDecorate %%index BuiltIn LocalInvocationIndex
OpDecorate %%group BuiltIn WorkgroupId
OpDecorate %%words ArrayStride 4
OpDecorate %%Buf Block
OpMemberDecorate %%Buf 0 Offset 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 0
OpDecorate %%in DescriptorSet 0
OpDecorate %%in Binding 1
%[3]s
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%int = OpTypeInt 32 1
%%float = OpTypeFloat 32
%%uvec2 = OpTypeVector %%uint 2
%%uvec3 = OpTypeVector %%uint 3
%%uvec4 = OpTypeVector %%uint 4
%[4]s
%%words = OpTypeRuntimeArray %%uint
%%Buf = OpTypeStruct %%words
%%ptr_Buf = OpTypePointer StorageBuffer %%Buf
%%ptr_uint = OpTypePointer StorageBuffer %%uint
%%ptr_in_uint = OpTypePointer Input %%uint
%%ptr_in_uvec3 = OpTypePointer Input %%uvec3
%%ptr_fun_uint = OpTypePointer Function %%uint
%%index = OpVariable %%ptr_in_uint Input
%%group = OpVariable %%ptr_in_uvec3 Input
%%out = OpVariable %%ptr_Buf StorageBuffer
%%in = OpVariable %%ptr_Buf StorageBuffer
%[5]s
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%[6]s
OpReturn
OpFunctionEnd
%[7]s
`

var macro = regexp.MustCompile(`(?m)^\s*(?:(%\w+) = )?(get|put|lane|putlane)(?: (\d+))?(?: (%\w+))?$`)

// expand replaces what stands on a line for itself:
//
//	%x = get N     %x = word N of binding 1
//	%x = lane      %x = the LocalInvocationIndex
//	put N %x       word N of binding 0 = %x
//	putlane %x     the word of binding 0 with the LocalInvocationIndex = %x
func expand(body string) string {
	n := 0
	return macro.ReplaceAllStringFunc(body, func(line string) string {
		m := macro.FindStringSubmatch(line)
		n++
		switch m[2] {
		case "get":
			return fmt.Sprintf("%%at%[1]d = OpAccessChain %%ptr_uint %%in %%c0 %%c%[2]s\n%[3]s = OpLoad %%uint %%at%[1]d", n, m[3], m[1])
		case "put":
			return fmt.Sprintf("%%at%[1]d = OpAccessChain %%ptr_uint %%out %%c0 %%c%[2]s\nOpStore %%at%[1]d %[3]s", n, m[3], m[4])
		case "lane":
			return m[1] + " = OpLoad %uint %index"
		}
		return fmt.Sprintf("%%i%[1]d = OpLoad %%uint %%index\n%%at%[1]d = OpAccessChain %%ptr_uint %%out %%c0 %%i%[1]d\nOpStore %%at%[1]d %[2]s", n, m[4])
	})
}

// text returns the assembly.
func (s *shader) text() string {
	var consts strings.Builder
	for i := range 17 {
		fmt.Fprintf(&consts, "%%c%d = OpConstant %%uint %d\n", i, i)
	}
	text := fmt.Sprintf(frame, s.caps, max(s.lanes, 1), s.annot, consts.String(), s.decl, expand(s.body), expand(s.funcs))
	if s.vulkan {
		text = strings.Replace(text, "OpMemoryModel Logical GLSL450", "OpCapability VulkanMemoryModel\nOpMemoryModel Logical Vulkan", 1)
	}
	return text
}

// lowered returns the program, or lower's error.
func (s *shader) lowered(t *testing.T) (*ir.Program, error) {
	t.Helper()
	m := asmtest.Module(t, s.text(), 0x10300)
	f := facts.Gather(m, nil)
	if len(f.EntryPoints) != 1 {
		t.Fatalf("%d entry points", len(f.EntryPoints))
	}
	return lower.Stage(valid.Assume(f), &f.EntryPoints[0], s.options)
}

// run returns the words of binding 0, which hold 0xeeeeeeee at first, the words
// of binding 1 afterwards, and what Dispatch says. An engine that does not take
// the shader gives an *exec.UnsupportedError.
func (s *shader) run(t *testing.T, e exec.Engine) (out, in []uint32, err error) {
	t.Helper()
	p, err := s.lowered(t)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer prog.Close()
	outBytes, inBytes := make([]byte, 4*64), make([]byte, 4*len(s.in))
	for i := range outBytes {
		if !s.zeroed {
			outBytes[i] = 0xee
		}
	}
	for i, w := range s.in {
		binary.LittleEndian.PutUint32(inBytes[4*i:], w)
	}
	err = compute.Dispatch(context.Background(), prog, compute.Args{
		Groups:   [3]uint32{max(s.groups, 1), 1, 1},
		Bindings: map[compute.Binding][]exec.Buffer{{Binding: 0}: {{Bytes: outBytes}}, {Binding: 1}: {{Bytes: inBytes}}},
		Workers:  1,
		Budget:   s.budget,
		Log:      s.log,
		Schedule: s.schedule,
	})
	words := func(b []byte) (w []uint32) {
		for i := 0; i < len(b); i += 4 {
			w = append(w, binary.LittleEndian.Uint32(b[i:]))
		}
		return w
	}
	return words(outBytes), words(inBytes), err
}

const untouched = 0xeeeeeeee

// expect runs the shader by each engine and compares the first words of binding 0; nil for in
// says that binding 1 is as it was.
func (s *shader) expect(t *testing.T, want, in []uint32) {
	t.Helper()
	if in == nil {
		in = s.in
	}
	for _, e := range engines {
		got, after, err := s.run(t, e)
		var unsupported *exec.UnsupportedError
		if e.Name() != "interp" && errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		if fmt.Sprintf("%#x", got[:len(want)]) != fmt.Sprintf("%#x", want) {
			t.Errorf("%s:\ngot  %#x\nwant %#x", e.Name(), got[:len(want)], want)
		}
		if fmt.Sprintf("%#x", after) != fmt.Sprintf("%#x", in) {
			t.Errorf("%s: binding 1 is %#x, want %#x", e.Name(), after, in)
		}
	}
}

// engines are the interpreter, and the jit at every level that this machine has.
var engines = everyEngine()

func everyEngine() []exec.Engine {
	list := []exec.Engine{interp.Engine{}}
	for _, l := range jit.Levels() {
		list = append(list, jit.Engine{Level: l})
	}
	return list
}
