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

// TestManyGroups compares look-ups on a target of 200 groups with a search of all of its decorations: a direct
// one comes first, and among groups the last one.
func TestManyGroups(t *testing.T) {
	var s strings.Builder
	kinds := []spirv.Decoration{spirv.DecorationBinding, spirv.DecorationLocation, spirv.DecorationComponent, spirv.DecorationIndex, spirv.DecorationDescriptorSet}
	s.WriteString("OpDecorate %a Binding 1000\n")
	for i := range 200 {
		for k := range 3 {
			fmt.Fprintf(&s, "OpDecorate %%g%d %s %d\nOpDecorate %%g%d %s %d\n", i, kinds[(i/40+k)%len(kinds)], 10*i+k, i, kinds[(i/40+k)%len(kinds)], 10*i+k+5)
		}
		fmt.Fprintf(&s, "%%g%d = OpDecorationGroup\nOpGroupDecorate %%g%d %%a\n", i, i)
	}
	s.WriteString("%float = OpTypeFloat 32\n%p = OpTypePointer Private %float\n%a = OpVariable %p Private\n")
	m := gather(t, s.String(), nil)
	a := m.ids["a"]
	for _, kind := range append(kinds, spirv.DecorationOffset) {
		want, found := uint32(0), false
		for n := 199; n >= 0 && !found; n-- {
			for d := range m.Decorations(m.ids[fmt.Sprintf("g%d", n)]) {
				if d.Kind == kind && !found {
					want, found = d.Literal(), true
				}
			}
		}
		if kind == spirv.DecorationBinding {
			want = 1000
		}
		d, ok := m.Decoration(a, kind)
		if ok != found || d.Literal() != want {
			t.Errorf("%v: %d, %v; want %d, %v", kind, d.Literal(), ok, want, found)
		}
	}
}

// TestBriefDecorations counts decorations: a group of 1000 has at most two of one kind.
func TestBriefDecorations(t *testing.T) {
	var s strings.Builder
	s.WriteString("OpDecorate %a Binding 1\nOpDecorate %a Binding 2\nOpDecorate %a Binding 3\nOpDecorate %g Location 0\n")
	for i := range 1000 {
		fmt.Fprintf(&s, "OpDecorate %%g DescriptorSet %d\n", i)
	}
	s.WriteString("%g = OpDecorationGroup\nOpGroupDecorate %g %a\n%float = OpTypeFloat 32\n%p = OpTypePointer Private %float\n%a = OpVariable %p Private\n")
	m := gather(t, s.String(), nil)
	var out []string
	for d := range m.BriefDecorations(m.ids["a"], -1) {
		out = append(out, fmt.Sprintf("%v%v", d.Kind, d.Operands))
	}
	if got, want := strings.Join(out, " "), "Binding[1] Binding[2] Binding[3] Location[0] DescriptorSet[0] DescriptorSet[1]"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
