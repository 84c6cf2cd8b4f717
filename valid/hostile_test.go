package valid

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
)

// hostileHead begins every hostile module.
const hostileHead = `OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%true = OpConstantTrue %bool
%one = OpConstant %uint 1
`

// matrixTypes are a matrix, a struct with it, and numbers that make a pointer.
const matrixTypes = `%zero = OpConstant %uint 0
%uint2 = OpTypeVector %uint 2
%pair = OpConstantComposite %uint2 %zero %zero
%float = OpTypeFloat 32
%v = OpTypeVector %float 2
%m = OpTypeMatrix %v 2
%s = OpTypeStruct %m
`

// hostile are modules that are large in one way, of about n lines. Each of them
// makes a rule slow that is not linear.
var hostile = map[string]func(s *strings.Builder, n int){
	"ids": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "%%c%d = OpConstant %%uint %d\n", i, i)
		}
	},
	"equal types": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "%%s%d = OpTypeStruct %%uint %%bool\n", i)
		}
	},
	"nested types": func(s *strings.Builder, n int) {
		s.WriteString("%t0 = OpTypeStruct %uint\n")
		for i := range n {
			fmt.Fprintf(s, "%%t%d = OpTypeStruct %%t%d %%t%d\n", i+1, i, i)
		}
	},
	"nested arrays": func(s *strings.Builder, n int) {
		s.WriteString("%t0 = OpTypeArray %uint %one\n")
		for i := range n {
			fmt.Fprintf(s, "%%t%d = OpTypeArray %%t%d %%one\n", i+1, i)
		}
	},
	"cyclic types": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "OpTypeForwardPointer %%p%d Function\n", i)
		}
		for i := range n {
			fmt.Fprintf(s, "%%s%[1]d = OpTypeStruct %%p%[1]d %%p%[2]d\n%%p%[1]d = OpTypePointer Function %%s%[1]d\n", i, (i+1)%n)
		}
	},
	"decorations": func(s *strings.Builder, n int) {
		head := s.String()
		s.Reset()
		for i := range n {
			fmt.Fprintf(s, "OpDecorate %%one SpecId %d\nOpDecorate %%d%d RelaxedPrecision\n", i, i)
		}
		tail := s.String()
		s.Reset()
		s.WriteString(strings.Replace(head, "%void =", tail+"%void =", 1))
	},
	"calls": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "%%f%[1]d = OpFunction %%void None %%fn\n%%l%[1]d = OpLabel\n%%r%[1]d = OpFunctionCall %%void %%f%[2]d\n%%q%[1]d = OpFunctionCall %%void %%f%[3]d\nOpReturn\nOpFunctionEnd\n", i, min(i+1, n-1), i/2)
		}
	},
	"entry points": func(s *strings.Builder, n int) {
		head := s.String()
		s.Reset()
		for i := range n {
			fmt.Fprintf(s, "OpEntryPoint GLCompute %%f%[1]d \"e%[1]d\"\nOpExecutionMode %%f%[1]d LocalSize 1 1 1\n", i)
		}
		tail := s.String()
		s.Reset()
		s.WriteString(strings.Replace(head, "%void =", tail+"%void =", 1))
		for i := range n {
			fmt.Fprintf(s, "%%f%[1]d = OpFunction %%void None %%fn\n%%l%[1]d = OpLabel\n%%r%[1]d = OpFunctionCall %%void %%f%[2]d\nOpReturn\nOpFunctionEnd\n", i, min(i+1, n-1))
		}
	},
	"nested selections": func(s *strings.Builder, n int) {
		s.WriteString("%f = OpFunction %void None %fn\n%b0 = OpLabel\n")
		for i := range n {
			fmt.Fprintf(s, "OpSelectionMerge %%m%[1]d None\nOpBranchConditional %%true %%b%[2]d %%m%[1]d\n%%b%[2]d = OpLabel\n", i, i+1)
		}
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(s, "OpBranch %%m%[1]d\n%%m%[1]d = OpLabel\n", i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"nested loops": func(s *strings.Builder, n int) {
		s.WriteString("%f = OpFunction %void None %fn\n%start = OpLabel\nOpBranch %h0\n")
		for i := range n {
			fmt.Fprintf(s, "%%h%[1]d = OpLabel\nOpLoopMerge %%m%[1]d %%c%[1]d None\nOpBranchConditional %%true %%h%[2]d %%m%[1]d\n", i, i+1)
		}
		fmt.Fprintf(s, "%%h%d = OpLabel\n", n)
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(s, "OpBranch %%c%[1]d\n%%c%[1]d = OpLabel\nOpBranch %%h%[1]d\n%%m%[1]d = OpLabel\n", i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"huge switch": func(s *strings.Builder, n int) {
		n = min(n, 30_000) // as many as one instruction may have
		s.WriteString("%f = OpFunction %void None %fn\n%b = OpLabel\nOpSelectionMerge %m None\nOpSwitch %one %m")
		for i := range n {
			fmt.Fprintf(s, " %d %%c%d", i, i)
		}
		for i := range n {
			fmt.Fprintf(s, "\n%%c%d = OpLabel\nOpBranch %%m", i)
		}
		s.WriteString("\n%m = OpLabel\nOpReturn\nOpFunctionEnd\n")
	},
	"wide phi": func(s *strings.Builder, n int) {
		n = min(n, 30_000)
		s.WriteString("%f = OpFunction %void None %fn\n%b = OpLabel\nOpSelectionMerge %m None\nOpSwitch %one %d")
		for i := range n {
			fmt.Fprintf(s, " %d %%c%d", i, i)
		}
		s.WriteString("\n%d = OpLabel\nOpBranch %m")
		for i := range n {
			fmt.Fprintf(s, "\n%%c%d = OpLabel\nOpBranch %%m", i)
		}
		s.WriteString("\n%m = OpLabel\n%x = OpPhi %uint %one %d")
		for i := range n {
			fmt.Fprintf(s, " %%one %%c%d", i)
		}
		s.WriteString("\nOpReturn\nOpFunctionEnd\n")
	},
	"phi chain": func(s *strings.Builder, n int) {
		s.WriteString("%f = OpFunction %void None %fn\n%b0 = OpLabel\n%x0 = OpIAdd %uint %one %one\n")
		for i := range n {
			fmt.Fprintf(s, "OpBranch %%b%[2]d\n%%b%[2]d = OpLabel\n%%x%[2]d = OpPhi %%uint %%x%[1]d %%b%[1]d\n", i, i+1)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"a group of n decorations on n targets": func(s *strings.Builder, n int) {
		s.WriteString(strings.Repeat("OpDecorate %g Restrict\n", n) + "%g = OpDecorationGroup\nOpGroupDecorate %g" + strings.Repeat(" %one", n) + "\n")
	},
	"outputs of structs that contain two of each other": func(s *strings.Builder, n int) {
		s.WriteString("OpEntryPoint Vertex %f \"f\" %v\nOpDecorate %v Location 0\n%s0 = OpTypeStruct %uint\n")
		for i := range n {
			fmt.Fprintf(s, "%%s%[2]d = OpTypeStruct %%s%[1]d %%s%[1]d\n", i, i+1)
		}
		fmt.Fprintf(s, "%%p = OpTypePointer Output %%s%d\n%%v = OpVariable %%p Output\n%%f = OpFunction %%void None %%fn\n%%b = OpLabel\nOpReturn\nOpFunctionEnd\n", n)
	},
	"entry points, and loads of the invocation's number": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "OpEntryPoint GLCompute %%f \"%d\" %%i\n", i)
		}
		s.WriteString("OpExecutionMode %f LocalSize 1 1 1\nOpDecorate %i BuiltIn LocalInvocationIndex\n%b = OpTypeStruct %uint\n%bs = OpTypeArray %b %one\n" +
			"%pb = OpTypePointer Uniform %bs\n%pm = OpTypePointer Uniform %b\n%pi = OpTypePointer Input %uint\n%a = OpVariable %pb Uniform\n%i = OpVariable %pi Input\n" +
			"%f = OpFunction %void None %fn\n%l = OpLabel\n")
		for i := range n {
			fmt.Fprintf(s, "%%x%[1]d = OpLoad %%uint %%i\n%%c%[1]d = OpAccessChain %%pm %%a %%x%[1]d\n", i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"entry points, and coherent tile images": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "OpEntryPoint Fragment %%f \"%[1]d\"\nOpDecorate %%v%[1]d Coherent\n", i)
		}
		s.WriteString("%p = OpTypePointer TileImageEXT %uint\n")
		for i := range n {
			fmt.Fprintf(s, "%%v%d = OpVariable %%p TileImageEXT\n", i)
		}
		s.WriteString("%f = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n")
	},
	"entry points, and matrices of their workgroups": func(s *strings.Builder, n int) {
		for i := range n {
			fmt.Fprintf(s, "OpEntryPoint GLCompute %%f \"%d\"\n", i)
		}
		s.WriteString("OpExecutionMode %f LocalSize 1 1 1\n%zero = OpConstant %uint 0\n%workgroup = OpConstant %uint 2\n")
		for i := range n {
			fmt.Fprintf(s, "%%r%[1]d = OpConstant %%uint %[1]d\n%%m%[1]d = OpTypeCooperativeMatrixKHR %%uint %%workgroup %%r%[1]d %%one %%zero\n", i)
		}
		s.WriteString("%f = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n")
	},
	"a chain of indices into arrays of buffers, and its loads": func(s *strings.Builder, n int) {
		s.WriteString("OpEntryPoint GLCompute %f \"f\" %i\nOpExecutionMode %f LocalSize 2 1 1\nOpDecorate %i BuiltIn LocalInvocationIndex\n%b = OpTypeStruct %uint\n%t0 = OpTypeArray %b %one\n")
		for i := range n {
			fmt.Fprintf(s, "%%t%d = OpTypeArray %%t%d %%one\n", i+1, i)
		}
		fmt.Fprintf(s, "%%pa = OpTypePointer Uniform %%t%d\n%%pb = OpTypePointer Uniform %%b\n%%pi = OpTypePointer Input %%uint\n%%a = OpVariable %%pa Uniform\n%%i = OpVariable %%pi Input\n"+
			"%%f = OpFunction %%void None %%fn\n%%l = OpLabel\n%%x = OpLoad %%uint %%i\n%%c = OpAccessChain %%pb %%a%s\n", n, strings.Repeat(" %x", n+1))
		for i := range n {
			fmt.Fprintf(s, "%%y%d = OpLoad %%b %%c\n", i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"a chain of physical pointers to matrices": func(s *strings.Builder, n int) {
		s.WriteString(matrixTypes + "%ps = OpTypePointer PhysicalStorageBuffer %s\n%pm = OpTypePointer PhysicalStorageBuffer %m\n" +
			"%f = OpFunction %void None %fn\n%l = OpLabel\n%p = OpBitcast %ps %pair\n%p0 = OpAccessChain %pm %p %zero\n")
		for i := range 4 * n {
			fmt.Fprintf(s, "%%p%d = OpPtrAccessChain %%pm %%p%d %%zero\n", i+1, i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"a chain of untyped pointers, and loads of matrices": func(s *strings.Builder, n int) {
		s.WriteString(matrixTypes + "%p = OpTypeUntypedPointerKHR StorageBuffer\n%p0 = OpUntypedVariableKHR %p StorageBuffer %s\n%f = OpFunction %void None %fn\n%l = OpLabel\n")
		for i := range 4 * n {
			fmt.Fprintf(s, "%%p%d = OpUntypedAccessChainKHR %%p %%m %%p%d\n%%x%[1]d = OpLoad %%m %%p%[1]d\n", i+1, i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
	"everything wrong": func(s *strings.Builder, n int) {
		s.WriteString("%f = OpFunction %void None %fn\n%b = OpLabel\n")
		for i := range n {
			fmt.Fprintf(s, "%%x%d = OpFAdd %%uint %%true %%y%d\n", i, i)
		}
		s.WriteString("OpReturn\nOpFunctionEnd\n")
	},
}

// TestHostile checks that the time of a check is proportional to the
// module: at most 40 times as much for a module 16 times as large, if it is
// long enough to be measured; and that the list of findings is bounded.
func TestHostile(t *testing.T) {
	const small, times = 1_000, 16
	for name, build := range hostile {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) time.Duration {
				var s strings.Builder
				s.WriteString(hostileHead)
				build(&s, n)
				m := moduleOf(t, s.String(), 0)
				start := cputime.Now()
				if r := judgeModule(t, m); len(r.Findings) > defaultFindings {
					t.Errorf("%d findings; must be %d at most", len(r.Findings), defaultFindings)
				}
				return cputime.Now() - start
			}
			a, b := cost(small), cost(small*times)
			t.Logf("%v, and %v of a module %d times as large", a, b, times)
			if b > time.Second && b > 40*a {
				t.Errorf("%v, and %v of a module %d times as large; must grow with it", a, b, times)
			}
		})
	}
}

// TestLongNames checks that long names of ids, entry points and
// source files do not inflate the findings.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	var s strings.Builder
	fmt.Fprintf(&s, "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %%f %q\n%%file = OpString %q\nOpName %%float %q\n", long, long, long)
	s.WriteString("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n%f = OpFunction %void None %fn\n%b = OpLabel\nOpLine %file 1 1\n")
	for i := range 100 {
		fmt.Fprintf(&s, "%%x%d = OpIAdd %%uint %%float %%float\n", i)
	}
	s.WriteString("OpReturn\nOpFunctionEnd\n")
	m := moduleOf(t, s.String(), 0)
	r := judgeModule(t, m)
	if len(r.Findings) < 100 {
		t.Errorf("%d findings; must be 100 at least", len(r.Findings))
	}
	for _, f := range r.Findings {
		if n := len(f.Message); n > 3000 || !utf8.ValidString(f.Message) {
			t.Fatalf("a message of %d bytes; must be short", n)
		}
		if n := len(f.Source.File); n > 5000 || !utf8.ValidString(f.Source.File) {
			t.Fatalf("a file name of %d bytes; must be short", n)
		}
	}
}

// TestCancelled demands that Check ends when its context does.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env, _ := ParseEnv("spv1.6")
	if _, err := Check(ctx, facts.Gather(grown(t, 1<<14), nil), env, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
}
