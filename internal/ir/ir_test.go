package ir_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// everyOperation returns a program that has every operation at least once, and its text.
func everyOperation(t testing.TB) (text []byte, p *ir.Program) {
	t.Helper()
	text, err := os.ReadFile("testdata/ops.ir")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = ir.Parse(string(text)); err != nil {
		t.Fatal(err)
	}
	return text, p
}

// TestPrintedForms parses a program that has every operation at least once, in
// the form of the documentation, and requires that it prints identically.
func TestPrintedForms(t *testing.T) {
	text, p := everyOperation(t)
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != string(text) {
		t.Errorf("printed:\n%s", got)
		gl, wl := strings.Split(got, "\n"), strings.Split(string(text), "\n")
		for i := range min(len(gl), len(wl)) {
			if gl[i] != wl[i] {
				t.Fatalf("line %d: %q; want %q", i+1, gl[i], wl[i])
			}
		}
	}
	seen := map[string]bool{}
	for _, f := range p.Funcs {
		for _, v := range f.Vals[1:] {
			seen[v.Op.String()] = true
		}
	}
	for o := ir.Const; o.String() != "op?"; o++ {
		if !seen[o.String()] {
			t.Errorf("no printed form of %s", o)
		}
	}
}

// TestRows checks the consistency of every row.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	for o := ir.Const; o.String() != "op?"; o++ {
		r := o.Row()
		if r.Name == "" || names[r.Name] {
			t.Errorf("operation %d has no name of its own: %q", o, r.Name)
		}
		names[r.Name] = true
		pure := r.Traits&(ir.Control|ir.Writes|ir.Reads|ir.Meets|ir.Implicit) == 0
		handle := strings.ContainsAny(r.Sig, "h") || o == ir.In || o == ir.InAt || o == ir.Interp || o == ir.PAddr
		if (r.Eval != nil) != (pure && !handle) {
			t.Errorf("%s: value by table %v; by traits %v", r.Name, r.Eval != nil, pure)
		}
	}
}

const head = "program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nvar \"a\" 4 0\n\nfunc \"main\"() L1 {\n"

// TestVerifyRefuses has one fault in each program.
func TestVerifyRefuses(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"type", "v1 = in.i32 #0\nv2 = fadd.f32 v1, 1.0:f32\n", "operand 1 is i32; want f32"},
		{"class", "v2 = fadd.i32 1:i32, 1:i32\n", "is not defined on i32"},
		{"input", "v1 = in.i32 #1\n", "#1; there are 1"},
		{"inputType", "v1 = in.i64 #0\n", "another type"},
		{"var", "v1 = pld.i32 0:i32, #1\n", "#1; there are 1"},
		{"dominance", "v1 = in.i32 #0\nv2 = eq.i32 v1, 1:i32\nif v2 {\nv3 = add.i32 v1, v1\n}\nv4 = add.i32 v3, v1\n", "not defined on every path"},
		{"falls", "block L2(v1 i32) {\n}\n", "fall off the end"},
		{"loopFalls", "loop L2 {\n}\n", "fall off the end"},
		{"unreached", "br L1\nv1 = in.i32 #0\n", "no lane reaches"},
		{"arguments", "br L1(1:i32)\n", "1 arguments; the label has 0"},
		{"call", "call 0()\n", "or is the entry point"},
		{"switchLoop", "loop L2 {\nswitch 1:i32 {1:i32 -> L2, L1}\n}\n", "switch to a loop"},
		{"cluster", "v1 = reduce.i32 1:i32, add, #3\n", "cluster 3"},
		{"operator", "v1 = reduce.i32 1:i32, sub, #0\n", "operator sub"},
		{"bitcast", "v1 = bitcast.i64.i32 1:i32\n", "from i32 to i64"},
		{"resetbudget", "}\nfunc \"f\"() L2 {\nresetbudget\n", "in the entry point of a compute program only"},
		{"sext", "v1 = sext.i32.i32 1:i32\n", "from i32 to i32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ir.Parse(head + c.body + "}\n")
			if err != nil {
				t.Fatal(err)
			}
			if err = p.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// TestVerifyAccepts has the cases at the border of what is allowed.
func TestVerifyAccepts(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"useAfterLoop", "block L2 {\nloop L3(v1 i32 = 0:i32) {\nv2 = add.i32 v1, 1:i32\nv3 = ult.i32 v2, 9:i32\nif v3 {\nbr L3(v2)\n}\nbr L2\n}\n}\nv4 = add.i32 v2, v2\n"},
		{"bothArms", "block L2(v1 i32) {\nif true {\nbr L2(1:i32)\n} else {\nbr L2(2:i32)\n}\n}\nv2 = not.i32 v1\n"},
		{"deadEnd", "if true {\nkill\n}\n"},
		{"earlyReturn", "if true {\nbr L1\n}\nv1 = in.i32 #0\n"},
		{"switch", "block L2 {\nblock L3 {\nswitch 7:i32 {1:i32 -> L3, 2:i32 -> L2, L2}\n}\nv1 = in.i32 #0\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ir.Parse(head + c.body + "}\n")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Verify(); err != nil {
				t.Error(err)
			}
			again, err := ir.Parse(p.String())
			if err != nil || again.String() != p.String() {
				t.Errorf("printed and parsed: %v\n%s", err, p)
			}
		})
	}
}

// TestParseRefuses has faults of syntax, each found on its line.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"program", "line 1: the line ends early"},
		{"program \"p\" vertexx", "want a stage"},
		{"frob", "want a declaration"},
		{head + "v1 = frob.i32 1:i32\n}", "line 8: \"frob.i32\"; want an operation"},
		{head + "v1 = add.i32 1:i32 2:i32\n}", "want \",\""},
		{head + "v1 = add.i32 v9, 2:i32\n}", "\"v9\"; want a value"},
		{head + "br L7\n}", "want an enclosing label"},
		{head + "v1 = add 1:i32, 2:i32\n}", "add without a type"},
		{head + "v1 = add.i32 300:i8, 2:i32\n}", "is no constant"},
		{head, "the function is not closed"},
		{head + "} else {\n}", "an else after a block"},
		{head + "add.i32 1:i32, 1:i32\n}", "add with 0 names"},
		{head + "@3\n}", "an origin alone"},
	} {
		_, err := ir.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, _ := os.ReadFile("testdata/ops.ir")
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ir.Parse(s)
		if err != nil || p.Verify() != nil {
			return
		}
		once := p.String()
		q, err := ir.Parse(once)
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		if twice := q.String(); twice != once {
			t.Errorf("%s\n---\n%s", once, twice)
		}
	})
}
