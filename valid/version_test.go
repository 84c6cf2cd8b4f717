package valid

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// versionCase is testdata/versions/NAME.txtar: what an old text of Vulkan says
// of something, what the newest says, and modules that each version judges.
// Each section begins with lines "; 1.0 1.1: CODE…" of what those versions find;
// the others accept the module. "; SPIR-V 1.0" says what it is written in, if
// not in the newest version that the environment takes.
type versionCase struct {
	name                         string
	part, what, old, newest, why string
	modules                      []versionModule
}

// versionModule is one section of a case.
type versionModule struct {
	name  string
	text  []byte
	spirv spirv.Version
	finds map[Version]string // the codes, sorted, with blanks between
}

// versions are the versions of Vulkan, the oldest first.
var versions = []Version{Vulkan10, Vulkan11, Vulkan12, Vulkan13, Vulkan14}

// versionParts are the headings of docs/versions.md that cases come under.
var versionParts = []struct{ key, title, text string }{
	{"text", "The text differs", "The chapter of 1.0 says it otherwise, or does not say it. The reading of the newest text holds for every version, for the reason in the last column."},
	{"stage", "Stages that came later", "The chapter of 1.0 knows six execution models, and lets a built-in into fewer of them. What came later needs in 1.0 what it comes from: a capability that an extension of SPIR-V brings."},
	{"later", "Built-ins that came later", "The chapter of 1.0 does not list them. What is not listed must not be used (StandaloneSpirv-BuiltIn-04668); the extension that brings a built-in lists it."},
	{"lacks", "What the environment of 1.0 lacks", "Not of the built-ins, but what they and modules for 1.1 lean on."},
}

// TestVersions judges the cases of testdata/versions for each version of Vulkan,
// and demands that docs/versions.md says what they say; with -todo it writes it.
func TestVersions(t *testing.T) {
	files, err := filepath.Glob("testdata/versions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	var cases []versionCase
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			c := readVersionCase(t, file)
			c.name = name
			cases = append(cases, c)
			for _, m := range c.modules {
				for _, v := range versions {
					if got := m.judge(t, v); got != m.finds[v] {
						t.Errorf("%s in Vulkan %s: finds %q; must find %q", m.name, v, got, m.finds[v])
					}
				}
			}
		})
	}
	if !t.Failed() {
		versionPage(t, cases)
	}
}

// readVersionCase reads a case.
func readVersionCase(t *testing.T, file string) versionCase {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(data)
	var c versionCase
	into := map[string]*string{"part": &c.part, "what": &c.what, "1.0": &c.old, "newest": &c.newest, "why": &c.why}
	for line := range strings.Lines(string(a.Comment)) {
		k, v, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if at := into[k]; ok && at != nil {
			*at = v
		} else if strings.TrimSpace(line) != "" {
			t.Errorf("no such line in a case: %s", line)
		}
	}
	for k, at := range into {
		if *at == "" {
			t.Errorf("the case does not say %q", k)
		}
	}
	for _, f := range a.Files {
		c.modules = append(c.modules, readVersionModule(t, f))
	}
	return c
}

// readVersionModule reads a section.
func readVersionModule(t *testing.T, f txtar.File) versionModule {
	m := versionModule{name: strings.TrimSuffix(f.Name, ".spvasm"), text: f.Data, finds: map[Version]string{}}
	for line := range strings.Lines(string(f.Data)) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "; ")
		if !ok {
			return m
		}
		if number, ok := strings.CutPrefix(line, "SPIR-V "); ok {
			v, _ := parseVersion(number)
			m.spirv = spirv.Version(uint32(v>>8)<<16 | uint32(v&0xff)<<8)
			continue
		}
		which, codes, ok := strings.Cut(line, ": ")
		list := strings.Fields(codes)
		slices.Sort(list)
		for _, number := range strings.Fields(which) {
			v, known := parseVersion(number)
			if !ok || !known || !slices.Contains(versions, v) {
				t.Errorf("%s: no such line in a module: %s", f.Name, line)
			}
			m.finds[v] = strings.Join(list, " ")
		}
	}
	return m
}

// judge returns the codes that a version of Vulkan finds in the module.
func (m *versionModule) judge(t *testing.T, v Version) string {
	env, ok := ParseEnv("vulkan" + v.String())
	if !ok {
		t.Fatal("no environment of", v)
	}
	written := m.spirv
	if written == 0 {
		written = env.SPIRV
	}
	words, err := asm.Assemble(m.text, asm.AssembleOptions{Version: written})
	if err != nil {
		t.Fatal(err)
	}
	module, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), facts.Gather(module, nil), env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for i := range r.Findings {
		codes = append(codes, r.Findings[i].Code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// verdict says what the versions find, those that find the same together.
func (m *versionModule) verdict() string {
	var out []string
	for i := 0; i < len(versions); {
		k := i
		for k+1 < len(versions) && m.finds[versions[k+1]] == m.finds[versions[i]] {
			k++
		}
		found := "accepted"
		if f := m.finds[versions[i]]; f != "" {
			found = "`" + strings.ReplaceAll(f, " ", "` `") + "`"
		}
		switch {
		case i == 0 && k == len(versions)-1:
		case k == len(versions)-1:
			found = "from " + versions[i].String() + ": " + found
		case i == k:
			found = versions[i].String() + ": " + found
		default:
			found = versions[i].String() + "–" + versions[k].String() + ": " + found
		}
		out = append(out, found)
		i = k + 1
	}
	return strings.Join(out, "; ")
}

// versionPage demands, or writes, the section of docs/versions.md that the cases
// make.
func versionPage(t *testing.T, cases []versionCase) {
	const file, heading = "../docs/versions.md", "## Built-in variables\n"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(page, []byte(heading))
	if !ok {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	after := []byte{}
	if k := bytes.Index(rest, []byte("\n## ")); k >= 0 {
		rest, after = rest[:k], rest[k:]
	}
	intro, _, _ := bytes.Cut(rest, []byte("\n### "))
	want := slices.Concat(before, []byte(heading), bytes.TrimRight(intro, "\n"), []byte("\n"), versionTables(t, cases), after)
	switch {
	case *writeTodo:
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	case !bytes.Equal(page, want):
		t.Errorf("%s is not what testdata/versions says; write it with: go test ./valid -run TestVersions -todo", file)
	}
}

// versionTables returns the tables of the cases, one for each part.
func versionTables(t *testing.T, cases []versionCase) []byte {
	var b bytes.Buffer
	n := 0
	for _, p := range versionParts {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", p.title, p.text)
		fmt.Fprintf(&b, "| what | Vulkan 1.0 says | the newest text says | case | what Chiaro says | why |\n|---|---|---|---|---|---|\n")
		for _, c := range cases {
			if c.part != p.key {
				continue
			}
			n++
			for k, m := range c.modules {
				where := fmt.Sprintf("`%s`: %s", c.name, m.name)
				if k == 0 {
					fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", c.what, c.old, c.newest, where, m.verdict(), c.why)
				} else {
					fmt.Fprintf(&b, "| | | | %s | %s | |\n", where, m.verdict())
				}
			}
		}
	}
	if n != len(cases) {
		t.Error("a case is of no part")
	}
	return b.Bytes()
}

// firstBuiltIns are the built-ins of the chapter of Vulkan 1.0, and
// LocalInvocationIndex, which it left out.
const firstBuiltIns = "ClipDistance CullDistance FragCoord FragDepth FrontFacing GlobalInvocationId HelperInvocation InvocationId InstanceIndex Layer " +
	"LocalInvocationId LocalInvocationIndex NumWorkgroups PatchVertices PointCoord PointSize Position PrimitiveId SampleId SampleMask SamplePosition " +
	"TessCoord TessLevelOuter TessLevelInner VertexIndex ViewportIndex WorkgroupId WorkgroupSize"

// TestFirstBuiltIns demands that a module for Vulkan 1.0 that declares all its
// capabilities of stages, and no extension, has the built-ins of that version and
// no other.
func TestFirstBuiltIns(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Geometry
OpCapability Tessellation
OpCapability ClipDistance
OpCapability CullDistance
OpCapability MultiViewport
OpCapability SampleRateShading
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %%main "main" %%it
OpDecorate %%it BuiltIn %s
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%pointer = OpTypePointer Input %%uint
%%it = OpVariable %%pointer Input
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%value = OpLoad %%uint %%it
OpReturn
OpFunctionEnd
`
	first := strings.Fields(firstBuiltIns)
	for _, r := range spirv.KindBuiltIn.Enumerants() {
		m := versionModule{text: fmt.Appendf(nil, text, r.Name())}
		codes := strings.Fields(m.judge(t, Vulkan10))
		away := slices.ContainsFunc(codes, func(c string) bool {
			return strings.HasSuffix(c, "-Missing") || c == vuid.StandaloneSpirv_BuiltIn_04668 || c == vuid.InstanceId_04254
		})
		if listed := slices.Contains(first, r.Name()); listed == away {
			t.Errorf("%s: finds %q; must be listed: %v", r.Name(), codes, listed)
		}
	}
}
