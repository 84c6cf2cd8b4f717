//go:build unix

package conformance

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// shapes are modules that are no chain of equal units: build returns the text of a
// module with about n instructions after longHead.
var shapes = []family{
	{name: "callchain", build: func(n int) string { return callShape(n/5, 1) }},
	{name: "calltree", build: func(n int) string { return callShape(n/6, 2) }},
	{name: "switch", build: switchShape},
	{name: "phis", build: phiShape},
	{name: "loopnest", build: loopNest},
	{name: "structs", build: structShape},
	{name: "accesschains", build: accessShape},
	{name: "breaks", build: breakShape},
}

const (
	mainHead = "%main = OpFunction %void None %main_t\n%entry = OpLabel\n"
	mainBody = "%gid3 = OpLoad %uint3 %gid\n%x0 = OpCompositeExtract %uint %gid3 0\n"
	mainTail = "%last = OpAccessChain %toUint %buf %zero %x0\nOpStore %last %result\nOpReturn\nOpFunctionEnd\n"
)

// callShape is a chain of n functions, each of which calls the next one several times.
func callShape(n, calls int) string {
	var b strings.Builder
	b.WriteString(mainHead + mainBody + "%result = OpFunctionCall %uint %f1 %x0\n" + mainTail)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%%f%d = OpFunction %%uint None %%callee_t\n%%a%d_0 = OpFunctionParameter %%uint\n%%fl%d = OpLabel\n", i, i, i)
		last := 0
		for range calls {
			if i < n {
				fmt.Fprintf(&b, "%%a%d_%d = OpFunctionCall %%uint %%f%d %%a%d_%d\n", i, last+1, i+1, i, last)
				last++
			}
		}
		fmt.Fprintf(&b, "OpReturnValue %%a%d_%d\nOpFunctionEnd\n", i, last)
	}
	return b.String()
}

// switchShape is a switch of n/4 cases that store.
func switchShape(n int) string {
	var b, cases strings.Builder
	for i := range min(n/4, 16383) {
		fmt.Fprintf(&b, " %d %%c%d", i, i)
		fmt.Fprintf(&cases, "%%c%d = OpLabel\n%%v%d = OpIMul %%uint %%x0 %%big\nOpStore %%last %%v%d\nOpBranch %%merge\n", i, i, i)
	}
	return mainHead + mainBody + "%last = OpAccessChain %toUint %buf %zero %x0\nOpSelectionMerge %merge None\nOpSwitch %x0 %merge" + b.String() + "\n" +
		cases.String() + "%merge = OpLabel\nOpReturn\nOpFunctionEnd\n"
}

// phiShape is a merge of √n branches with √n phis.
func phiShape(n int) string {
	m := int(math.Sqrt(float64(n)))
	var b, heads strings.Builder
	for i := range m {
		fmt.Fprintf(&heads, " %d %%c%d", i, i)
		fmt.Fprintf(&b, "%%c%d = OpLabel\n%%v%d = OpIMul %%uint %%x0 %%big\nOpBranch %%merge\n", i, i)
	}
	b.WriteString("%merge = OpLabel\n")
	for k := range m {
		fmt.Fprintf(&b, "%%p%d = OpPhi %%uint %%x0 %%entry", k)
		for i := range m {
			value := fmt.Sprintf("%%v%d", i)
			if j := (i * (k + 1)) % 5; j > 0 {
				value = []string{"%zero", "%one", "%seven", "%big"}[j-1]
			}
			fmt.Fprintf(&b, " %s %%c%d", value, i)
		}
		b.WriteByte('\n')
	}
	b.WriteString("%s0 = OpIAdd %uint %x0 %zero\n")
	for k := range m {
		fmt.Fprintf(&b, "%%s%d = OpIAdd %%uint %%s%d %%p%d\n", k+1, k, k)
	}
	fmt.Fprintf(&b, "%%result = OpIAdd %%uint %%s%d %%zero\n", m)
	return mainHead + mainBody + "OpSelectionMerge %merge None\nOpSwitch %x0 %merge" + heads.String() + "\n" + b.String() + mainTail
}

// loopNest is a nest of loops, as deep as lowering permits, with uses of outer values
// in the innermost one.
func loopNest(n int) string {
	depth := min(n/20, 2000)
	var b, tail strings.Builder
	for i := 1; i <= depth; i++ {
		fmt.Fprintf(&b, "OpBranch %%h%d\n%%h%d = OpLabel\n%%i%d = OpPhi %%uint %%zero %s %%n%d %%o%d\nOpLoopMerge %%m%d %%o%d None\nOpBranch %%s%d\n%%s%d = OpLabel\n%%t%d = OpULessThan %%bool %%i%d %%x0\nOpBranchConditional %%t%d %%y%d %%m%d\n%%y%d = OpLabel\n",
			i, i, i, before(i), i, i, i, i, i, i, i, i, i, i, i, i)
	}
	fmt.Fprintf(&b, "%%r0 = OpIAdd %%uint %%x0 %%i%d\n", depth)
	uses := n / 2
	for i := 1; i <= uses; i++ {
		fmt.Fprintf(&b, "%%r%d = OpIMul %%uint %%r%d %%i%d\n", i, i-1, 1+i%depth)
	}
	fmt.Fprintf(&b, "%%deep = OpAccessChain %%toUint %%buf %%zero %%i%d\nOpStore %%deep %%r%d\n", depth, uses)
	for i := depth; i >= 1; i-- {
		fmt.Fprintf(&tail, "OpBranch %%o%d\n%%o%d = OpLabel\n%%n%d = OpIAdd %%uint %%i%d %%one\nOpBranch %%h%d\n%%m%d = OpLabel\n", i, i, i, i, i, i)
	}
	return mainHead + mainBody + b.String() + tail.String() + "%result = OpIAdd %uint %x0 %one\n" + mainTail
}

// before returns the block before loop i of a nest.
func before(i int) string {
	if i == 1 {
		return "%entry"
	}
	return fmt.Sprintf("%%y%d", i-1)
}

// structShape has n/4 structures, in nests of 100, and a variable of each nest.
func structShape(n int) string {
	const depth = 100
	var types, vars strings.Builder
	for i := range n / 4 {
		inner := fmt.Sprintf("%%t%d", i-1)
		if i%depth == 0 {
			inner = "%uint"
		}
		fmt.Fprintf(&types, "%%t%d = OpTypeStruct %s %%uint\n", i, inner)
		if i%depth == depth-1 {
			fmt.Fprintf(&types, "%%pt%d = OpTypePointer Function %%t%d\n", i, i)
			fmt.Fprintf(&vars, "%%v%d = OpVariable %%pt%d Function\n", i, i)
		}
	}
	var body strings.Builder
	for i := depth - 1; i < n/4; i += depth {
		fmt.Fprintf(&body, "%%q%d = OpAccessChain %%toLocal %%v%d %%one\nOpStore %%q%d %%x0\n%%l%d = OpLoad %%t%d %%v%d\n%%e%d = OpCompositeExtract %%uint %%l%d 1\n", i, i, i, i, i, i, i, i)
	}
	return types.String() + mainHead + vars.String() + mainBody + body.String() + "%result = OpIAdd %uint %x0 %one\n" + mainTail
}

// accessShape is a variable of structures nested 200 deep, and access chains of as
// many links, each of the one before.
func accessShape(n int) string {
	const depth = 200
	var b strings.Builder
	b.WriteString("%t0 = OpTypeStruct %uint %uint\n%pt0 = OpTypePointer Function %t0\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&b, "%%t%d = OpTypeStruct %%uint %%t%d\n%%pt%d = OpTypePointer Function %%t%d\n", i, i-1, i, i)
	}
	b.WriteString(mainHead + fmt.Sprintf("%%v = OpVariable %%pt%d Function\n", depth-1) + mainBody)
	for k := range max(1, n/(depth+2)) {
		last := "%v"
		for i := depth - 2; i >= 0; i-- {
			fmt.Fprintf(&b, "%%c%d_%d = OpAccessChain %%pt%d %s %%one\n", k, i, i, last)
			last = fmt.Sprintf("%%c%d_%d", k, i)
		}
		fmt.Fprintf(&b, "%%d%d = OpAccessChain %%toLocal %s %%one\nOpStore %%d%d %%x0\n%%l%d = OpLoad %%uint %%d%d\n", k, last, k, k, k)
	}
	return b.String() + "%result = OpIAdd %uint %l0 %one\n" + mainTail
}

// breakShape is a loop with n/12 variables that is left from n/12 places.
func breakShape(n int) string {
	m := n / 12
	var vars, body, tail strings.Builder
	for i := range m {
		fmt.Fprintf(&vars, "%%v%d = OpVariable %%toLocal Function\n", i)
		fmt.Fprintf(&body, "%%a%d = OpIMul %%uint %%x0 %%big\nOpStore %%v%d %%a%d\n%%t%d = OpIEqual %%bool %%a%d %%seven\nOpSelectionMerge %%k%d None\nOpBranchConditional %%t%d %%m %%k%d\n%%k%d = OpLabel\n", i, i, i, i, i, i, i, i, i)
		fmt.Fprintf(&tail, "%%l%d = OpLoad %%uint %%v%d\n%%z%d = OpIAdd %%uint %%z%d %%l%d\n", i, i, i+1, i, i)
	}
	return mainHead + vars.String() + mainBody + "OpBranch %h\n%h = OpLabel\nOpLoopMerge %m %o None\nOpBranch %s\n%s = OpLabel\n" + body.String() +
		"OpBranch %m\n%o = OpLabel\nOpBranch %h\n%m = OpLabel\n%z0 = OpIAdd %uint %x0 %one\n" + tail.String() + fmt.Sprintf("%%result = OpIAdd %%uint %%z%d %%zero\n", m) + mainTail
}

// TestDeepNesting compiles 16,383 cases of a switch, the most that SPIR-V §2.17 permits, and 5,000 nested loops, which
// is five times as deep as it permits. The loops have constant bounds. Walks that go through all loops once
// for each level would take more than a minute.
func TestDeepNesting(t *testing.T) {
	if !hasJIT() {
		t.Skip("needs linux on amd64 with AVX-512 or AVX2")
	}
	const depth = 5000
	var b, tail strings.Builder
	b.WriteString(mainHead + mainBody)
	for i := 1; i <= depth; i++ {
		fmt.Fprintf(&b, "OpBranch %%h%[1]d\n%%h%[1]d = OpLabel\n%%i%[1]d = OpPhi %%uint %%zero %[2]s %%n%[1]d %%o%[1]d\n%%t%[1]d = OpULessThan %%bool %%i%[1]d %%seven\nOpLoopMerge %%m%[1]d %%o%[1]d None\nOpBranchConditional %%t%[1]d %%y%[1]d %%m%[1]d\n%%y%[1]d = OpLabel\n",
			i, before(i))
	}
	fmt.Fprintf(&b, "%%deep = OpAccessChain %%toUint %%buf %%zero %%i%d\nOpStore %%deep %%x0\n", depth)
	for i := depth; i >= 1; i-- {
		fmt.Fprintf(&tail, "OpBranch %%o%[1]d\n%%o%[1]d = OpLabel\n%%n%[1]d = OpIAdd %%uint %%i%[1]d %%one\nOpBranch %%h%[1]d\n%%m%[1]d = OpLabel\n", i)
	}
	nest := b.String() + tail.String() + "%result = OpIAdd %uint %x0 %one\n" + mainTail
	for _, f := range []family{{name: "switch", build: switchShape}, {name: "loops", build: func(int) string { return nest }}} {
		prog := compileModule(t, jit.Engine{}, f.module(t, 4*16383))
		prog.Close()
	}
}
