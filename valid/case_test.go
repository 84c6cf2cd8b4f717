package valid

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestCases checks testdata/CODE.txtar: fail.spvasm must have exactly the findings
// that it marks, the code of the file's name among them, and pass.spvasm
// none. A text has one instruction a line. Modules that no text can express are
// in fail.hex instead: the words of the header on the first line, and the words of
// one instruction on each further line, two digits a byte. A finding is marked at
// the end of its line with "; ERROR CODE", a finding about the whole module on a
// line of its own. The comment before the first section may contain "env: vulkan1.2"
// (default: spv1.6 for SPV-, vulkan1.4 for VUID-), "reading: 1.1", "device: min", known properties
// of the device, "feature: NAME off", "extension: NAME on", "limit: NAME 4", a
// universal limit by its flag, such as "max-struct-members: 2", and flags such as
// "relax-block-layout".
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(code, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(text)
			env, limits := caseEnv(t, code, string(a.Comment))
			seen := map[string]bool{}
			for _, f := range a.Files {
				name, form, _ := strings.Cut(f.Name, ".")
				kind, _, _ := strings.Cut(name, "-") // pass, fail, pass-2
				seen[kind] = true
				want, got := marks(string(f.Data)), judgeForm(t, env, limits, form, f.Data)
				if !slices.Equal(want, got) {
					t.Errorf("%s: findings\n%s\nwant\n%s", f.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				has := slices.ContainsFunc(want, func(m string) bool { return strings.HasSuffix(m, " "+code) })
				if has != (kind == "fail") || kind == "pass" && len(want) > 0 {
					t.Errorf("%s: a fail section must mark %s, a pass section nothing", f.Name, code)
				}
			}
			if !seen["fail"] || !seen["pass"] {
				t.Error("needs fail.spvasm and pass.spvasm")
			}
		})
	}
}

// caseEnv reads the comment of a case.
func caseEnv(t *testing.T, code, comment string) (*Env, Limits) {
	name, reading := "spv1.6", facts.ReadingDefault
	if strings.HasPrefix(code, "VUID-") {
		name = "vulkan1.4"
	}
	var device string
	own := &Device{Features: map[string]bool{}, Limits: map[string]uint64{}, Extensions: map[string]bool{}}
	flags := map[string]bool{}
	var limits Limits
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(line)
		switch k, v, ok := strings.Cut(line, ": "); {
		case ok && k == "env":
			name = v
		case ok && k == "reading":
			if reading, ok = facts.ParseReading(v); !ok {
				t.Fatalf("no reading %s", v)
			}
		case ok && k == "device":
			device = v
		case ok && (k == "feature" || k == "extension" || k == "limit"):
			own.Name = "case"
			ownDevice(t, own, k, v)
		case ok && (k == "matrix" || k == "product"):
			own.Name = "case"
			ownList(t, own, k, strings.Fields(v))
		case ok && universalLimit(&limits, k) != nil:
			n, err := strconv.Atoi(v)
			if err != nil {
				t.Fatal(err)
			}
			*universalLimit(&limits, k) = n
		case line != "":
			flags[line] = true
		}
	}
	e, ok := ParseEnv(name)
	if !ok {
		t.Fatalf("no environment %s", name)
	}
	e.Reading = reading
	for name, at := range map[string]*bool{
		"relax-block-layout": &e.Layout.Relaxed, "uniform-buffer-standard-layout": &e.Layout.UniformStandard,
		"scalar-block-layout": &e.Layout.Scalar, "workgroup-scalar-block-layout": &e.Layout.WorkgroupScalar,
		"skip-block-layout": &e.Layout.Skip, "relax-logical-pointer": &e.RelaxLogicalPointer,
		"relax-struct-store": &e.RelaxStructStore, "before-hlsl-legalization": &e.BeforeLegalization,
		"allow-localsizeid": &e.AllowLocalSizeID, "allow-vulkan-32-bit-bitwise": &e.AllowVulkan32BitBitwise,
	} {
		*at = flags[name]
		delete(flags, name)
	}
	for f := range flags {
		t.Fatalf("no flag %s", f)
	}
	if own.Name != "" {
		e.Device = own
	}
	if device != "" {
		if e.Device, ok = BuiltinDevice(device, e.Version); !ok {
			t.Fatalf("no device %s", device)
		}
	}
	return e, limits
}

// universalLimit returns the field of a limit by its flag, nil if there is none.
func universalLimit(l *Limits, flag string) *int {
	switch flag {
	case "max-struct-members":
		return &l.StructMembers
	case "max-struct-depth":
		return &l.StructDepth
	case "max-local-variables":
		return &l.LocalVariables
	case "max-global-variables":
		return &l.GlobalVariables
	case "max-switch-branches":
		return &l.SwitchBranches
	case "max-function-args":
		return &l.FunctionArgs
	}
	return nil
}

// ownDevice makes one thing of a device known.
func ownDevice(t *testing.T, d *Device, kind, what string) {
	name, value, _ := strings.Cut(what, " ")
	switch kind {
	case "limit":
		if strings.ContainsAny(value, ".-") {
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			d.Limits[name] = math.Float64bits(x)
			return
		}
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		d.Limits[name] = n
		return
	case "feature":
		d.Features[name] = value == "on"
	case "extension":
		d.Extensions[name] = value == "on"
	}
	if value != "on" && value != "off" {
		t.Fatalf("%s %s is %q; must be on or off", kind, name, value)
	}
}

// ownList adds an entry to the lists of cooperative matrices, "LIST M N K A B C RESULT SCOPE [saturating] [INVOCATIONS]", or
// of products with cooperative vectors, "INPUT INPUT-AS MATRIX-AS BIAS-AS RESULT [transpose]".
func ownList(t *testing.T, d *Device, kind string, words []string) {
	component := func(i int) spirv.ComponentType {
		k, ok := ComponentNames[words[i]]
		if !ok {
			t.Fatalf("no component type %s", words[i])
		}
		return k
	}
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if kind == "product" {
		d.Vectors = append(d.Vectors, VectorProduct{component(0), component(1), component(2), component(3), component(4), slices.Contains(words, "transpose")})
		return
	}
	list, ok := map[string]MatrixList{"khr": MatricesKHR, "nv": MatricesNV, "flexible": MatricesFlexible, "ext": MatricesEXT}[words[0]]
	scope, ok2 := ScopeNames[words[8]]
	if !ok || !ok2 {
		t.Fatalf("matrix: %s", words)
	}
	e := MatrixShape{M: number(words[1]), N: number(words[2]), K: number(words[3]), A: component(4), B: component(5), C: component(6), Result: component(7), Scope: scope}
	for _, w := range words[9:] {
		if e.Saturating = e.Saturating || w == "saturating"; w != "saturating" {
			e.Invocations = number(w)
		}
	}
	if d.Matrices == nil {
		d.Matrices = map[MatrixList][]MatrixShape{}
	}
	d.Matrices[list] = append(d.Matrices[list], e)
}

// marks returns the findings that a text marks, as "line code", in order.
func marks(text string) []string {
	var out []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		before, mark, ok := strings.Cut(line, "; ERROR ")
		if !ok {
			continue
		}
		at := n
		if strings.TrimSpace(before) == "" {
			at = 0
		}
		for _, code := range strings.Fields(mark) {
			out = append(out, fmt.Sprint(at, " ", code))
		}
	}
	slices.Sort(out)
	return out
}

// judgeForm returns the findings of a section that is a text or digits.
func judgeForm(t *testing.T, env *Env, limits Limits, form string, text []byte) []string {
	if form == "hex" {
		m, err := spirv.Decode(hexBytes(t, string(text)))
		return findingsOf(t, env, limits, m, err, caseLines(string(text), form))
	}
	words := asmtest.Words(t, text, env.SPIRV)
	m, err := spirv.FromWords(words)
	return findingsOf(t, env, limits, m, err, caseLines(string(text), form))
}

// hexBytes reads hexadecimal digits, the highest byte of a word first.
func hexBytes(t *testing.T, text string) []byte {
	var out []byte
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, ";")
		for _, w := range strings.Fields(line) {
			b, err := hex.DecodeString(w)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(b)
			out = append(out, b...)
		}
	}
	return out
}

// caseLines returns the line of each instruction of a text of a form.
func caseLines(text, form string) []int {
	var lines []int
	n := 0
	for line := range strings.Lines(text) {
		n++
		if s, _, _ := strings.Cut(line, ";"); strings.TrimSpace(s) != "" {
			lines = append(lines, n)
		}
	}
	if form == "hex" && len(lines) > 0 {
		return lines[1:] // the first is the header
	}
	return lines
}

// findingsOf returns the findings of a module with its instructions on lines, or the fault of its decoding. It releases the module, whose
// findings remain: the next case has its memory.
func findingsOf(t *testing.T, env *Env, limits Limits, m *spirv.Module, err error, lines []int) []string {
	var out []string
	add := func(f *diag.Finding) {
		at := 0
		if f.Pos.Instruction > 0 {
			at = lines[f.Pos.Instruction-1]
		}
		out = append(out, fmt.Sprint(at, " ", f.Code))
		t.Log(f)
	}
	if err != nil {
		var f *diag.Finding
		if !errors.As(err, &f) {
			t.Fatal(err)
		}
		add(f)
		return out
	}
	gathered := facts.Gather(m, nil)
	r, err := Check(context.Background(), gathered, env, Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	gathered.Release()
	m.Release()
	for i := range r.Findings {
		add(&r.Findings[i].Finding)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
