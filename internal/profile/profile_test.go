package profile

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/pprof/profile"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// module has an entry point that calls a function at one place in a branch; line n of a.comp has instruction n of the text.
const module = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 1 1
%file = OpString "a,b.comp"
OpName %main "main"
OpName %callee "callee
two"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%c0 = OpConstant %uint 0
%bool = OpTypeBool
%block = OpTypeStruct %v3
%pb = OpTypePointer StorageBuffer %block
%p3 = OpTypePointer StorageBuffer %v3
%b = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %file 10 1
%at = OpAccessChain %p3 %b %c0
%x = OpLoad %v3 %at
%y = OpCompositeExtract %uint %x 0
%c = OpIEqual %bool %y %c0
OpSelectionMerge %m None
OpBranchConditional %c %then %m
%then = OpLabel
OpLine %file 11 1
OpStore %at %x
%r = OpFunctionCall %void %callee
OpBranch %m
%m = OpLabel
OpReturn
OpFunctionEnd
%callee = OpFunction %void None %fn
%cl = OpLabel
OpLine %file 20 1
OpKill
OpFunctionEnd
`

// counted returns the profile of a module. words are the counters.
func counted(t testing.TB, module string, words ...uint64) *Profile {
	t.Helper()
	m := asmtest.Module(t, module, 0)
	f := facts.Gather(m, nil)
	place := func(i int) Place {
		if at, ok := f.Line(i); ok {
			return Place{at.File, int(at.Line)}
		}
		return Place{}
	}
	if n := lower.NewCounters(f, &f.EntryPoints[0]).Words; n != 11 {
		t.Fatalf("%d counters, want 2 of each of main's 3 blocks, 2 after the call, 3 of the branch", n)
	}
	return &Profile{Stages: []*Stage{New(f, &f.EntryPoints[0], 4, words, place)}}
}

// words are counters of two subgroups of four: six invocations take the branch, and the function that they call ends them.
// The order is the label of main, its branch, the label of then, the call, the label of m.
var words = []uint64{8, 2, 1, 2, 0, 6, 2, 0, 0, 2, 1}

func TestLines(t *testing.T) {
	files := counted(t, module, words...).Lines()
	if len(files) != 1 || files[0].Name != "a,b.comp" || len(files[0].Lines) != 3 {
		t.Fatalf("files %+v", files)
	}
	first, second, third := files[0].Lines[0], files[0].Lines[1], files[0].Lines[2]
	if first.Number != 10 || first.Executed != 8 || first.Subgroups != 2 || first.Lanes != 8 || first.Instructions != 5*8 || first.Divergent != 1 || first.Read != 8*12 {
		t.Errorf("line 10: %+v", first)
	}
	if b := first.Branches; len(b) != 2 || b[0].Taken != 6 || b[1].Taken != 2 {
		t.Errorf("branches %+v, want 6 and 2", b)
	}
	if second.Number != 11 || second.Executed != 6 || second.Instructions != 6+6 || second.Written != 6*12 {
		t.Errorf("line 11: %+v", second)
	}
	if third.Number != 20 || third.Executed != 6 || third.Instructions != 6 {
		t.Errorf("line 20: %+v", third)
	}
}

// TestText: the table has a row for each line.
func TestText(t *testing.T) {
	var b strings.Builder
	if err := counted(t, module, words...).Text(&b, func(at Place) string { return "the text" }); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"           8  100.0%         1           40           96            .     10  the text\n",
		"           6   75.0%         .           12            .           72     11  the text\n",
		`  callee\ntwo, line 20: 6 calls`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no row %q in\n%s", want, b.String())
		}
	}
}

// TestLCOV compares the trace file with geninfo(1)'s form.
func TestLCOV(t *testing.T) {
	const want = `TN:
SF:a,b.comp
FN:10,main
FN:20,callee\ntwo
FNDA:8,main
FNDA:6,callee\ntwo
FNF:2
FNH:2
BRDA:10,0,0,6
BRDA:10,0,1,2
BRF:2
BRH:2
DA:10,8
DA:11,6
DA:20,6
LF:3
LH:3
end_of_record
`
	var b bytes.Buffer
	if err := counted(t, module, words...).LCOV(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	if err := counted(t, module).LCOV(&b); err != nil || !strings.Contains(b.String(), "BRDA:10,0,0,-\n") || !strings.Contains(b.String(), "LH:0\n") {
		t.Errorf("nothing executed: %v\n%s", err, b.String())
	}
}

func TestCobertura(t *testing.T) {
	var b bytes.Buffer
	if err := counted(t, module, 8, 2, 0, 0, 0, 8, 2, 8, 2, 8, 2).Cobertura(&b); err != nil {
		t.Fatal(err)
	}
	var r coberturaReport
	if err := xml.Unmarshal(b.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	class := r.Packages[0].Classes.List[0]
	if r.LineRate != "1.0000" || r.BranchRate != "0.5000" || class.Filename != "a,b.comp" || len(class.Methods.List) != 2 || len(class.Lines.List) != 3 {
		t.Errorf("%+v", r)
	}
	b.Reset()
	r = coberturaReport{}
	if err := counted(t, module, 8, 2, 0, 8, 2).Cobertura(&b); err != nil { // no invocation branches to then
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), &r); err != nil || r.LinesCovered != 1 || r.BranchesCovered != 1 || !strings.Contains(b.String(), `condition-coverage="50% (1/2)"`) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestPprof reads the profile back: the sums of the samples are the counts, and the callee is below its only call.
func TestPprof(t *testing.T) {
	var b bytes.Buffer
	if err := counted(t, module, words...).Pprof(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var sum [5]int64
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sum[i] += v
		}
		if f := s.Location[0].Line[0].Function.Name; f != "main" {
			if len(s.Location) != 3 || s.Location[1].Line[0].Line != 11 || s.Location[1].Line[0].Function.Name != "main" || s.Location[2].Line[0].Function.Name != "GLCompute main" {
				t.Errorf("the stack of %s is %v", f, s.Location)
			}
		}
	}
	if want := [5]int64{40 + 12 + 2 + 6, 10 + 4 + 1 + 2, 1, 96, 72}; sum != want {
		t.Errorf("sums %v, want %v", sum, want)
	}
	b.Reset()
	if err := counted(t, module, math.MaxUint64, math.MaxUint64).Pprof(&b); err != nil {
		t.Error(err)
	}
}

// TestNames: functions of one name stay apart, an entry point without a name in debug information has its own, and no name or
// file breaks a record or reaches a terminal as it is.
func TestNames(t *testing.T) {
	at := func(name, file string, line int, calls uint64) *Function {
		return &Function{Name: name, Place: Place{file, line}, Calls: calls}
	}
	const file = "a\nSF:b\x1b[2J,c"
	p := &Profile{Stages: []*Stage{{Functions: []*Function{at("f", file, 3, 1), at("f", file, 9, 2), at("g\r,\x00", file, 5, 0)}}, {Functions: []*Function{at("f", file, 3, 4)}}}}
	var b bytes.Buffer
	if err := p.LCOV(&b); err != nil {
		t.Fatal(err)
	}
	const want = "TN:\nSF:a\\nSF:b\\x1b[2J,c\nFN:3,f\nFN:5,g\\r;\\x00\nFN:9,f:9\nFNDA:5,f\nFNDA:0,g\\r;\\x00\nFNDA:2,f:9\nFNF:3\nFNH:2\n"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("%q", b.String())
	}
	b.Reset()
	p.Stages[0].Functions[0].Name, p.Stages[0].Entry = "f\xff", "\xfe"
	p.Stages[0].Functions[0].Blocks = []Block{{Instructions: []Instruction{{Count: Count{Executed: 1}}}}}
	if err := p.Pprof(&b); err != nil {
		t.Fatal(err)
	}
	if read, err := profile.Parse(&b); err != nil || len(read.Function) != 3 {
		t.Errorf("%v, %v", read, err)
	} else {
		for _, f := range read.Function {
			if !utf8.ValidString(f.Name) || !utf8.ValidString(f.Filename) {
				t.Errorf("%q in %q", f.Name, f.Filename)
			}
		}
	}
	b.Reset()
	if err := p.Cobertura(&b); err != nil || !strings.Contains(b.String(), "<lines></lines>") || strings.ContainsAny(b.String(), "\x1b\x00\r") {
		t.Errorf("%v\n%q", err, b.String())
	}
	if err := xml.Unmarshal(b.Bytes(), &coberturaReport{}); err != nil {
		t.Error(err)
	}
	if f := counted(t, strings.Replace(module, `OpName %main "main"`, "", 1), words...).Stages[0].Functions[0]; f.Name != "main" {
		t.Errorf("the entry point is %s; want main", f.Name)
	}
}

// TestActive: the active lanes of a line are of its most executed instruction.
func TestActive(t *testing.T) {
	in := func(executed, subgroups uint64) Instruction {
		return Instruction{Place: Place{"a", 1}, Count: Count{Executed: executed, Subgroups: subgroups}}
	}
	p := &Profile{Stages: []*Stage{{SubgroupSize: 16, Functions: []*Function{{Blocks: []Block{{Instructions: []Instruction{in(6, 6), in(10, 1), in(5, 5)}}}}}}}}
	if l := p.Lines()[0].Lines[0]; l.Executed != 10 || l.Subgroups != 1 || l.Lanes != 16 || l.Instructions != 21 {
		t.Errorf("%+v", l)
	}
}

func TestJSON(t *testing.T) {
	data, err := json.Marshal(counted(t, module, words...))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"op":"OpLoad","file":"a,b.comp","line":10,"executed":8,"subgroups":2,"bytesRead":96}`, `"taken":6`, `"calls":6`, `"divergent":1`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %s in %s", want, data)
		}
	}
}
