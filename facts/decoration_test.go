package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

func TestDecorations(t *testing.T) {
	m := gather(t, `
OpDecorate %a RelaxedPrecision
OpDecorate %a Binding 3
OpDecorate %a DescriptorSet 1
OpDecorate %a Binding 4
OpDecorate %group NonWritable
OpDecorate %group Binding 9
OpDecorate %group Location 2
%group = OpDecorationGroup
OpGroupDecorate %group %a %b
OpGroupMemberDecorate %group %s 1 %s 4294967295
OpDecorateId %b AlignmentId %n
OpDecorateString %b UserSemantic "sem"
OpMemberDecorate %s 0 BuiltIn Position
OpMemberDecorate %s 1 Offset 8
OpMemberDecorate %s 7 Offset 8
OpDecorate %s Block
OpDecorate %nobody Block
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%n = OpConstant %int 16
%s = OpTypeStruct %float %float
%ps = OpTypePointer Uniform %s
%a = OpVariable %ps Uniform
%b = OpVariable %ps Uniform
`, nil)
	list := func(id string, member int) string {
		var out []string
		seq := m.Decorations(m.ids[id])
		if member >= 0 {
			seq = m.MemberDecorations(m.ids[id], member)
		}
		for d := range seq {
			out = append(out, fmt.Sprintf("%v%v", d.Kind, d.Operands))
		}
		return strings.Join(out, " ")
	}
	sem := spirv.AppendString(nil, "sem")[0]
	for _, c := range []struct {
		id     string
		member int
		want   string
	}{
		{"a", -1, "RelaxedPrecision[] Binding[3] Binding[4] DescriptorSet[1] NonWritable[] Location[2] Binding[9]"},
		{"b", -1, fmt.Sprintf("AlignmentId[%d] UserSemantic[%d] NonWritable[] Location[2] Binding[9]", m.ids["n"], sem)},
		{"s", -1, "Block[]"},
		{"s", 0, "BuiltIn[0]"},
		{"s", 1, "Offset[8] NonWritable[] Location[2] Binding[9]"},
		{"s", 2, ""},
		{"n", -1, ""},
		{"nobody", -1, ""},
	} {
		if got := list(c.id, c.member); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.id, c.member, got, c.want)
		}
	}
	if d, ok := m.Decoration(m.ids["a"], spirv.DecorationBinding); !ok || d.Literal() != 3 || d.IDs {
		t.Errorf("the first binding: %+v", d)
	}
	if d, ok := m.Decoration(m.ids["b"], spirv.DecorationLocation); !ok || d.Literal() != 2 {
		t.Errorf("through a group: %+v", d)
	}
	if d, ok := m.Decoration(m.ids["b"], spirv.DecorationAlignmentId); !ok || !d.IDs {
		t.Errorf("by id: %+v", d)
	}
	if m.Has(m.ids["s"], spirv.DecorationOffset) || !m.HasMember(m.ids["s"], 1, spirv.DecorationNonWritable) {
		t.Error("members and their struct are told apart")
	}
	if b, ok := m.MemberBuiltIn(m.ids["s"], 0); !ok || b != spirv.BuiltInPosition {
		t.Errorf("built-in: %v %v", b, ok)
	}
	if _, ok := m.BuiltIn(m.ids["a"]); ok {
		t.Error("no built-in")
	}
}

func TestNames(t *testing.T) {
	m := gather(t, `
OpMemberName %s 1 "second"
OpMemberName %s 1 "again"
OpMemberName %s 0 "first"
%file = OpString "shader.comp"
OpSource GLSL 450 %file "void main"
OpSourceContinued "() {}"
%float = OpTypeFloat 32
%s = OpTypeStruct %float %float`, nil)
	if n := m.Name(m.ids["s"]); n != "s" {
		t.Errorf("name: %q", n)
	}
	for i, want := range []string{"first", "second", ""} {
		if n := m.MemberName(m.ids["s"], i); n != want {
			t.Errorf("member %d: %q, want %q", i, n, want)
		}
	}
	if m.Name(9999) != "" || m.MemberName(9999, 0) != "" {
		t.Error("what is not there has no name")
	}
	if s := m.Sources(); len(s) != 1 || s[0] != (Source{spirv.SourceLanguageGLSL, 450, "shader.comp"}) {
		t.Errorf("sources: %+v", s)
	}
	if s := m.SourceText(m.ids["file"]); s != "void main() {}" {
		t.Errorf("text: %q", s)
	}
	if s, ok := m.String(m.ids["file"]); !ok || s != "shader.comp" {
		t.Errorf("string: %q", s)
	}
	if _, ok := m.String(m.ids["s"]); ok {
		t.Error("a struct is no string")
	}
}
