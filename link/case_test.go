package link_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

var writeTodo = flag.Bool("todo", false, "write testdata/todo.txt and docs/pipelines.md")

// TestCases checks testdata/CODE.txtar: fail.yaml is a pipeline that breaks the rule of the
// file's name and no other, and pass.yaml satisfies every rule; fail-2.yaml and pass-2.yaml
// are further examples. A fail section may begin with "# also: CODE" if another rule must
// be broken too. The modules that they name are sections of the file, or files of
// testdata/stock; modules must satisfy the rules of package valid. The comment before the
// first section may set "env: vulkan1.2" (default: vulkan1.4).
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(code, func(t *testing.T) { judgeCase(t, file, code) })
	}
}

func judgeCase(t *testing.T, file, code string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(text)
	name := "vulkan1.4"
	for line := range strings.Lines(string(a.Comment)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "env: "); ok {
			name = v
		}
	}
	env, ok := valid.ParseEnv(name)
	if !ok {
		t.Fatalf("no environment %s", name)
	}
	seen := map[string]bool{}
	for _, f := range a.Files {
		if !strings.HasSuffix(f.Name, ".yaml") {
			continue
		}
		kind, _, _ := strings.Cut(strings.TrimSuffix(f.Name, ".yaml"), "-")
		seen[kind] = true
		var want []string
		if kind == "fail" {
			want = append(want, code)
		}
		for line := range strings.Lines(string(f.Data)) {
			if also, ok := strings.CutPrefix(strings.TrimSpace(line), "# also: "); ok {
				want = append(want, also)
			}
		}
		d, err := describe.Read(f.Data, f.Name, func(s describe.Stage) (*link.Shader, error) { return caseShader(a, s, env) })
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		d.Env = env
		var got, words []string
		text := describe.NewPositions(f.Data)
		line, column := text.At("")
		for _, x := range link.Link(d) {
			if l, c := text.At(x.Path); (l == line && c == column) != absent[x.Code] && f.Name == "fail.yaml" {
				t.Errorf("%s: %s is at %q, %d:%d; must be a part of the description", f.Name, x.Code, x.Path, l, c)
			}
			if !slices.Contains(got, x.Code) {
				got = append(got, x.Code)
			}
			words = append(words, x.Code+": "+x.Message)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: findings\n%s\nmust be %s", f.Name, strings.Join(words, "\n"), strings.Join(want, ", "))
		}
	}
	if !seen["fail"] || !seen["pass"] {
		t.Error("needs fail.yaml and pass.yaml")
	}
}

// absent are the rules on a state or a device that their cases do not have, so that a
// finding is about the description as a whole.
var absent = map[string]bool{
	"VUID-VkComputePipelineCreateInfo-None-11367": true, "VUID-VkComputePipelineCreateInfo-flags-09178": true,
	"VUID-VkComputePipelineCreateInfo-shaderEnqueue-09177": true, "VUID-VkGraphicsPipelineCreateInfo-pStages-02097": true,
	"VUID-VkGraphicsPipelineCreateInfo-stageCount-09530": true, "VUID-VkRayTracingPipelineCreateInfoKHR-stage-03425": true,
	"VUID-VkRayTracingPipelineCreateInfoNV-stage-06232": true, "VUID-VkRayTracingPipelineCreateInfoNV-stageCount-arraylength": true,
	"VUID-vkCreateShadersEXT-None-08400": true,
}

// caseShader assembles a module of a case or of the stock, and demands that it
// is valid.
func caseShader(a *txtar.Archive, s describe.Stage, env *valid.Env) (*link.Shader, error) {
	text, err := os.ReadFile(filepath.Join("testdata/stock", s.File))
	for _, f := range a.Files {
		if f.Name == s.File {
			text, err = f.Data, nil
		}
	}
	if err != nil {
		return nil, err
	}
	words, err := asm.Assemble(text, asm.AssembleOptions{Version: env.SPIRV})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	f := facts.Gather(m, s.Specialization)
	report, err := valid.Check(context.Background(), f, env, valid.Options{})
	if err != nil {
		return nil, err
	}
	for i := range report.Findings {
		if x := &report.Findings[i]; x.Severity == diag.Error {
			return nil, fmt.Errorf("%s: %s [%s]", s.File, x.Message, x.Code)
		}
	}
	v := valid.Assume(f)
	if s.Graph {
		return &link.Shader{File: s.File, Module: v}, nil
	}
	for _, e := range iface.Reflect(v) {
		if k := link.StageOf(e.Model); k >= 0 && s.Stage>>k&1 != 0 && (s.Entry == "" || s.Entry == e.Name) {
			return &link.Shader{File: s.File, Module: v, Entry: e}, nil
		}
	}
	return nil, &link.NoEntryError{File: s.File, Stage: s.Stage, Name: s.Entry}
}
