package ptx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/ptx"
)

const header = ".version 7.0\n.target sm_70\n.address_size 64\n"

// everything has each kind of declaration, directive, statement and operand.
const everything = header + `
.file 1 "a.cu", 1400000000, 1024
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 8 .u64 pointers[3] = {generic(words)+8, words, 0};
.visible .global .u32 words[2][2] = {{1, 2}, {-3, 0x10}};
.const .f32 pi = 0f40490FDB;
.global .f64 list[] = {1.5, 0d3FF0000000000000, -2e3};
.global .attribute(.managed) .s32 shared_by_all;
.global .attribute(.unified(19, 0x95), .managed) .f32 everywhere;
.weak .global .v4 .f32 quad;
.extern .shared .align 16 .b8 dynamic[];
.func (.reg .u32 r) old(.reg .u32 a) { add.u32 r, a, -1; ret; }
.visible .entry all(.param .u64 .ptr .global .align 16 p, .param .align 4 .b8 s[12]) .maxntid 256, 1, 1 .minnctapersm 2
{
	.reg .pred p<3>;
	.reg .b32 %r<10>, one;
	.reg .v4 .f32 v;
	.reg .b64 %rd<4>;
	.local .align 4 .b8 depot[16];
	.pragma "nounroll";
	.loc 1 7 3, function_name all+4, inlined_at 1 3 4
	table: .branchtargets L1, L2;
	proto: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
	ld.param.u64 %rd1, [p];
	mov.u64 %rd2, depot+4;
	mov.u32 %r1, %tid.x;
	setp.lt.and.s32 p1|p2, %r1, (1 << 3) | 2, !p0;
	@!p1 bra L1;
	{
		.param .b64 arg;
		st.param.b64 [arg+0], %rd1;
		call.uni (one), old, (%r1);
	}
	mov.b64 {%r2, _}, %rd1;
	ld.global.v2.u32 {%r3, %r4}, [%rd1+-8];
	ld.global.u32 %r3, [%rd1+4].unified;
	mov.f32 v.x, 0.5;
	atom.global.cas.b32 _, [%rd1], 0, 1 ? 2 : 3;
	atom.global.add.L2::cache_hint.u32 one, [%rd1], %r1, %rd2;
	brx.idx %r1, table;
L1:
	shfl.sync.up.b32 %r5|p1, %r1, 1, 0, -1;
L2:
	ret;
}
.section .debug_str { .b8 1, 2 }
`

// TestPrint prints modules and parses them: the text of what was printed is the same.
func TestPrint(t *testing.T) {
	sources := map[string]string{"everything": everything}
	files, _ := filepath.Glob("../internal/ptxlower/testdata/programs/*.ptx")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = string(b)
	}
	for name, src := range sources {
		m, findings := ptx.Parse(src)
		if findings = append(findings, ptx.Check(m)...); len(findings) > 0 {
			t.Errorf("%s: %v", name, findings[0])
			continue
		}
		text := m.String()
		again, findings := ptx.Parse(text)
		if len(findings) > 0 {
			t.Errorf("%s: what was printed: %v", name, findings[0])
		} else if again.String() != text {
			t.Errorf("%s changes when it is printed twice", name)
		}
	}
}

// TestPrototypes reads prototypes without semicolons before each kind of item, and at the end.
func TestPrototypes(t *testing.T) {
	const proto = ".visible .func (.param .b32 r) f (.param .b64 a)\n"
	for _, next := range []string{"", ";", proto, ".file 1 \"a.cu\"", ".global .u32 x;", ".entry k() { ret; }", ".func g() { ret; }", ".section .debug_str { .b8 1 }"} {
		m, findings := ptx.Parse(".version 2.1\n.target sm_20\n" + proto + next)
		if findings = append(findings, ptx.Check(m)...); len(findings) > 0 {
			t.Errorf("before %q: %v", next, findings[0])
		} else if f := m.Function("f"); f == nil || f.Body != nil || len(f.Params) != 1 {
			t.Errorf("before %q: the prototype is %+v", next, f)
		}
	}
	if _, findings := ptx.Parse(header + proto + "ret;"); len(findings) == 0 {
		t.Error("a prototype before an instruction has no finding; must have one")
	}
}

// TestModule checks what a parsed module has.
func TestModule(t *testing.T) {
	m, _ := ptx.Parse(everything)
	if m.Version != [2]int{7, 0} || m.Target[0] != "sm_70" || m.AddressSize != 64 {
		t.Errorf("the header is %v, %v, %v", m.Version, m.Target, m.AddressSize)
	}
	f := m.Function("all")
	if len(m.Entries()) != 1 || m.Entries()[0] != f || f.Params[0].Pointer != ".global" || f.Params[0].PtrTo != 16 || f.Params[1].Size() != 12 {
		t.Errorf("the kernel is %+v", f)
	}
	sizes := map[string]int{"pointers": 24, "words": 16, "pi": 4, "list": 24, "quad": 16}
	for _, x := range m.Items {
		if v, ok := x.(*ptx.Variable); ok && sizes[v.Name] != 0 && v.Size() != sizes[v.Name] {
			t.Errorf("%s has %d bytes; must have %d", v.Name, v.Size(), sizes[v.Name])
		}
	}
}

// TestFindings checks the code and the position of faults; each is at the marker ^ of the line below it.
func TestFindings(t *testing.T) {
	body := func(statements string) string {
		return header + ".entry k() {\n.reg .pred p; .reg .u32 a<3>;\n" + statements + "\n}\n"
	}
	for _, x := range []struct{ src, code, at, message string }{
		{".target sm_70\n.version 7.0\n", ptx.CodeSyntax, "2:1", ".version is after .target; must be the first directive of the module, once"},
		{".version 7.0\n.target sm_70\n.version 7.0\n", ptx.CodeSyntax, "3:1", "must be the first directive of the module"},
		{".version 7.0\n.global .u32 x;\n.target sm_70\n", ptx.CodeSyntax, "3:1", ".target is after .global; must be after .version"},
		{".version 7.0\n.target sm_70\n.global .u32 x;\n.address_size 64\n", ptx.CodeSyntax, "4:1", ".address_size is not after .target; must be, once"},
		{".version 7.0\n.target sm_70\n.address_size 64\n.address_size 64\n", ptx.CodeSyntax, "4:1", ".address_size is not after .target"},
		{".version 3.0\n.target sm_20\n.local .u32 x;\n", ptx.CodeSymbol, "3:13", "x is in .local outside of a function"},
		{".version 3.0\n.target sm_20\n.reg .u32 x;\n", ptx.CodeSymbol, "3:11", "x is in .reg outside of a function"},
		{".version 2.3\n.target sm_20\n.reg .u32 x<3>;\n.entry k() {\nmov.u32 x2, x3;\n}\n", ptx.CodeSymbol, "5:13", "x3 of mov.u32 is not declared"},
		{body("add.u32 a1, a2, a3;"), ptx.CodeSymbol, "6:17", "a3 of add.u32 is not declared"},
		{body("add.u32 a1, a2, a01;"), ptx.CodeSymbol, "6:17", "a01"},
		{body("frob.u32 a1;"), ptx.CodeInstruction, "6:1", `"frob" is no instruction`},
		{body("bra NOWHERE;"), ptx.CodeSymbol, "6:1", "no label"},
		{body("@a1 ret;"), ptx.CodeType, "6:1", "no predicate"},
		{body("add.u32 a1, a2 a0;"), ptx.CodeSyntax, "6:16", `must be ","`},
		{body("add.u32 a1, a2, (1 + ;"), ptx.CodeSyntax, "6:22", "must be a constant"},
		{body("popc.f32 a1, a2;"), ptx.CodeType, "6:1", "popc.f32 has the type .f32; must have a type of bits or integers"},
		{body("rsqrt.approx.u32 a1, a2;"), ptx.CodeType, "6:1", "must have a type of floats"},
		{body("mul.hi.f32 a1, a2, a0;"), ptx.CodeType, "6:1", "must have an integer type with .lo, .hi or .wide"},
		{body(".reg .b64 d; add.u32 d, a1, a2;"), ptx.CodeType, "6:22", "the register d of add.u32 has 64 bits; must have 32"},
		{body(".reg .b64 d; mul.wide.u32 a1, a1, a2;"), ptx.CodeType, "6:27", "has 32 bits; must have 64"},
		{body(".reg .b64 d; shl.b64 d, d, d;"), ptx.CodeType, "6:28", "has 64 bits; must have 32"},
		{body("ld.global.b64 a1, [a1];"), ptx.CodeType, "6:15", "has 32 bits; must have at least 64"},
		{body("ld.global.v2.b64 {a1, a2}, [a1];"), ptx.CodeType, "6:19", "must have at least 64"},
		{body("atom.global.add.L2::cache_hint.u32 a0, [a1], a2, a1;"), ptx.CodeType, "6:50", "has 32 bits; must have 64"},
		{body("atom.global.exch.add.u32 a0, [a1], a2;"), ptx.CodeInstruction, "6:1", "has .exch and .add; must have one of them"},
		{body("red.relaxed.acq_rel.gpu.global.add.u32 [a1], a2;"), ptx.CodeInstruction, "6:1", "has .relaxed and .acq_rel; must have one of them"},
		{body("atom.gpu.sys.add.u32 a0, [a1], a2;"), ptx.CodeInstruction, "6:1", "has .gpu and .sys; must have one of them"},
		{body("atom.global.shared::cta.add.u32 a0, [a1], a2;"), ptx.CodeInstruction, "6:1", "has .global and .shared::cta; must have one of them"},
		{body("atom.global.u32 a0, [a1], a2;"), ptx.CodeInstruction, "6:1", "has no operation; must have one"},
		{body("atom.local.add.u32 a0, [a1], a2;"), ptx.CodeInstruction, "6:1", "has .local; must not have it"},
		{body("atom.volatile.global.add.u32 a0, [a1], a2;"), ptx.CodeInstruction, "6:1", "has .volatile; must not have it"},
		{body(".reg .b128 q; atom.global.add.b128 q, [a1], q;"), ptx.CodeType, "6:15", "has the type .b128"},
		{body("ld.weak.relaxed.gpu.global.u32 a0, [a1];"), ptx.CodeInstruction, "6:1", "has .weak and .relaxed; must have one of them"},
		{body("st.global.local.u32 [a0], a1;"), ptx.CodeInstruction, "6:1", "has .global and .local; must have one of them"},
		{body("setp.eq.u32 a1, a1, a2;"), ptx.CodeType, "6:13", "has the type .u32; must be .pred"},
		{body("setp.eq.u32 p, p, a2;"), ptx.CodeType, "6:16", "has the type .pred; must not be .pred"},
		{body("stacksave.u64 a1;"), ptx.CodeType, "6:15", "has 32 bits; must have 64"},
		{body("cvt.u64.u32 a1, a2;"), ptx.CodeType, "6:13", "must have at least 64"},
		{body("and.pred p, p, a1;"), ptx.CodeType, "6:16", "must be .pred"},
		{body("L: L: ret;"), ptx.CodeSymbol, "6:4", "second time"},
		{body(".reg .u99 b;"), ptx.CodeSyntax, "6:11", "must be a type"},
		{body("ret"), ptx.CodeSyntax, "7:1", `must be`},
		{body("st.global.u32 [a1].unified, a2;"), ptx.CodeInstruction, "6:15", "has an address with .unified; must be ld"},
		{body("L1: ; .branchtargets L1;"), ptx.CodeSyntax, "6:7", ".branchtargets is without a label"},
		{body(".loc 1 7 3, inlined_at 1 function_name all+4;"), ptx.CodeSyntax, "6:26", "must be a number"},
		{body(".loc 1 7 3, function_name 4;"), ptx.CodeSyntax, "6:27", "must be a label"},
		{body(".loc 1 7 3, \"inlined_at\" 1 3 4;"), ptx.CodeSyntax, "6:13", "must be function_name or inlined_at"},
		{body(".loc 1 7 a1;"), ptx.CodeSyntax, "6:10", "must be a number"},
		{body("call a1, -1;"), ptx.CodeSyntax, "6:10", "must be a name, or a list in parentheses"},
		{body("call a1, b ? c : d;"), ptx.CodeSyntax, "6:12", `must be ","`},
		{header + ".entry k() {", ptx.CodeSyntax, "4:13", "the end of the text"},
		{header + ".global .u32 x; .global .u32 x;", ptx.CodeSymbol, "4:30", "second time"},
		{header + ".global .attribute(.managed \"a\") .u32 x;", ptx.CodeSyntax, "4:29", `must be ")"`},
		{header + ".global .attribute() .u32 x;", ptx.CodeSyntax, "4:20", "must be an attribute such as .managed"},
		{header + ".global .attribute(.unified(a)) .u32 x;", ptx.CodeSyntax, "4:29", "must be a number"},
		{".target sm_70\n", ptx.CodeSyntax, "2:1", "no .version"},
		{header + "/* no end", ptx.CodeSyntax, "4:1", "comment without end"},
		{header + `.file 1 "no end`, ptx.CodeSyntax, "4:9", "string without end"},
	} {
		m, findings := ptx.Parse(x.src)
		if len(findings) == 0 {
			findings = ptx.Check(m)
		}
		if len(findings) == 0 {
			t.Errorf("%q has no finding; must have %q", x.src, x.message)
			continue
		}
		f := findings[0]
		if f.Code != x.code || f.Pos.String() != x.at || !strings.Contains(f.Message, x.message) {
			t.Errorf("%q: %v; must be %s at %s with %q", x.src, f, x.code, x.at, x.message)
		}
	}
}

// TestQualifiers checks that the checker takes the forms of the syntax of atom, red, ld and st in the PTX ISA.
func TestQualifiers(t *testing.T) {
	for _, text := range []string{
		"atom.add.u32 a0, [d], a1;", "atom.relaxed.gpu.global.cas.b32 a0, [d], a1, a2;", "atom.acq_rel.cluster.shared::cluster.exch.b32 a0, [d], a1;",
		"atom.global.gpu.inc.u32 a0, [d], a1;", "atom.acquire.sys.global.exch.L2::cache_hint.b128 q, [d], q, d;", "atom.release.cta.shared::cta.cas.b128 q, [d], q, q;",
		"red.relaxed.sys.global.max.u32 [d], a1;", "red.shared.xor.b32 [d], a1;",
		"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [a0], a1, [a2];", "red.async.mmio.release.sys.global.add.u32 [d], a1;",
		"ld.mmio.relaxed.sys.global.u32 a0, [d];", "ld.volatile.shared.u32 a0, [d];", "ld.weak.global.nc.u32 a0, [d];", "ld.acquire.cta.u32 a0, [d];",
		"st.release.gpu.global.u32 [d], a1;", "st.mmio.relaxed.sys.u32 [d], a1;", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [a0], a1, [a2];",
	} {
		m, findings := ptx.Parse(header + ".entry k() {\n.reg .u32 a<3>; .reg .b64 d; .reg .b128 q;\n" + text + "\n}\n")
		if len(findings) == 0 {
			findings = ptx.Check(m)
		}
		if len(findings) > 0 {
			t.Errorf("%s: %v; must have no finding", text, findings[0])
		}
	}
}

// TestSeveralFindings checks that the parser goes on after a fault.
func TestSeveralFindings(t *testing.T) {
	_, findings := ptx.Parse(header + ".entry a() { add a b; mul c d; ret; }\n.entry b() { sub , ; }\n")
	var lines []int
	for _, f := range findings {
		lines = append(lines, f.Pos.Line)
	}
	if len(lines) != 3 || lines[0] != 4 || lines[1] != 4 || lines[2] != 5 {
		t.Errorf("the findings are in lines %d; must be in 4, 4 and 5", lines)
	}
}

// TestDeepNesting checks that nesting is bounded.
func TestDeepNesting(t *testing.T) {
	for _, x := range []string{"{", "add.u32 a, (", "add.u32 a, -", ".global .u32 a = {", "add.u32 a, {", "add.u32 a, !"} {
		_, findings := ptx.Parse(header + ".entry k() {" + strings.Repeat(x, 1<<16))
		if len(findings) == 0 {
			t.Errorf("%q nested deeply has no finding", x)
		}
	}
}

// FuzzParse checks that each text is read within its size, and that a module without findings is printed as the same module.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(header + ".entry k() { L: bra L; }")
	f.Add(header + ".entry k() .language \"ptx\", 3 { .loc_intermediate 1 2 3 spcompress.sp::2:4 a; }\n.nv_intermediate_source_section { .code_block { .source_begin { \n .source_end } }")
	f.Fuzz(func(t *testing.T, src string) {
		m, findings := ptx.Parse(src)
		var all []*diag.Finding
		all = append(append(all, findings...), ptx.Check(m)...)
		for _, x := range all {
			if x.Pos.Line < 1 || x.Pos.Column < 1 || x.Message == "" {
				t.Errorf("the finding %v has no position or no message", x)
			}
		}
		if len(findings) > 0 {
			return
		}
		text := m.String()
		again, findings := ptx.Parse(text)
		if len(findings) > 0 || again.String() != text {
			t.Errorf("%q is printed as %q: %v", src, text, findings)
		}
	})
}

// TestPrintPrototype checks that a printed prototype keeps its directives.
func TestPrintPrototype(t *testing.T) {
	m, findings := ptx.Parse(everything)
	if len(findings) > 0 {
		t.Fatal(findings[0])
	}
	if !strings.Contains(m.String(), ") .noreturn;") {
		t.Error("the prototype has no .noreturn; must have it")
	}
	m, findings = ptx.Parse(header + ".entry k() { P: .callprototype _ (.param .u32 _) .abi_preserve 4 .abi_preserve_control 2; ret; }")
	if len(findings) > 0 || !strings.Contains(m.String(), ") .abi_preserve 4 .abi_preserve_control 2;") {
		t.Errorf("%v; the prototype must have the registers that a callee preserves", findings)
	}
}

// TestNumberBeforeRegister: a dot and digits before a register are a number, not a modifier, as they are after printing.
func TestNumberBeforeRegister(t *testing.T) {
	if _, findings := ptx.Parse(header + ".entry k() { .reg .b32 %r<4>; shfl.sync.up.b.2%r1, 1, 0, -1; ret; }"); len(findings) == 0 {
		t.Error("there is no finding; must be one")
	}
}

// TestHashInLine: "#" begins a line of the preprocessor, and is no character of a statement or a section.
func TestHashInLine(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"# 1 \"a.cu\"\n.section .debug_str {.b8 1, 2 }\n", true},
		{".section .debug_str {#.b8 1, 2 }\n", false},
		{".entry k() { # ret;\n ret; }\n", false},
	} {
		if _, findings := ptx.Parse(header + c.text); (len(findings) == 0) != c.want {
			t.Errorf("%q has the findings %v; must it have none: %v", c.text, findings, c.want)
		}
	}
}

// TestDwarf: lines of debugging information before version 2.0 have no effect, wherever they are; other lines with "@@" are faults.
func TestDwarf(t *testing.T) {
	const lines = "@@DWARF .section .debug_info, \"\", @progbits\n@@dwarf .4byte 0x47, $L, -1\n"
	m, findings := ptx.Parse(header + lines + ".entry k() {\n" + lines + "\t@@DWARF .byte 1\nret;\n}\n" + lines + "@@DWARF")
	if len(findings) > 0 || m.Function("k") == nil {
		t.Error(findings)
	}
	for _, fault := range []string{"@@DWARFS 1\n", "@@ DWARF\n", "@DWARF\n"} {
		if _, findings := ptx.Parse(header + fault); len(findings) == 0 {
			t.Errorf("%q has no finding", fault)
		}
	}
}
