package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/ptx"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestSubjects demands a subject that names the structure or the command of every rule.
func TestSubjects(t *testing.T) {
	for _, code := range vuid.All {
		of, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
		if s := subjectOf(code); !strings.HasSuffix(s, of) {
			t.Errorf("%s: %q", code, s)
		}
	}
	for code, want := range map[string]string{
		"VUID-vkCmdDraw-None-08601":                            "the command vkCmdDraw",
		"VUID-VkCudaFunctionCreateInfoNV-pName-parameter":      "the validity of pName in the structure VkCudaFunctionCreateInfoNV",
		"VUID-vkCmdSetPatchControlPointsEXT-videocoding":       "the position of the command, outside of video coding, in the command vkCmdSetPatchControlPointsEXT",
		"VUID-VkPipelineLayoutCreateInfo-setLayoutCount-00286": "setLayoutCount in the structure VkPipelineLayoutCreateInfo",
	} {
		if got := subjectOf(code); got != want {
			t.Errorf("%s: %q, must be %q", code, got, want)
		}
	}
}

// TestExplainEveryRule demands for each of Vulkan's rules that explain and the generated pages have the same answer.
func TestExplainEveryRule(t *testing.T) {
	rows := map[string]string{}
	for _, name := range []string{"vuids.md", "pipelines.md"} {
		text, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if code, row, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` | "); ok && strings.HasPrefix(code, "VUID-") {
				rows[code] += row
			}
		}
	}
	for _, code := range vuid.All {
		var out bytes.Buffer
		explain := newExplain(console{out: &out})
		explain.SetArgs([]string{code})
		if err := explain.Execute(); err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		a, ok := link.AnswerOf(code)
		row := strings.ReplaceAll(rows[code], "\\|", "|")
		switch {
		case !ok || !strings.Contains(out.String(), a.Why):
			t.Errorf("%s: explain prints %q, must have the answer %q", code, out.String(), a.Why)
		case a.By == link.ByCheck && !strings.Contains(row, "`valid/") && !strings.Contains(row, "`spirv/") && row != "check | "+a.Why+" |\n":
			t.Errorf("%s: the page has no function that checks it: %q", code, row)
		case a.By == link.ByLink && !strings.Contains(row, "`link/"):
			t.Errorf("%s: the page has no function that checks it: %q", code, row)
		case !a.By.Judged() && !strings.Contains(row, a.Why):
			t.Errorf("%s: the page has %q, must have the answer %q", code, row, a.Why)
		}
	}
}

// TestExplainPTX demands the requirement and both examples of each rule of PTX, and that Chiaro cannot run the bad example of PTX-Support alone.
func TestExplainPTX(t *testing.T) {
	for _, r := range ptx.Rules() {
		var out bytes.Buffer
		explain := newExplain(console{out: &out})
		explain.SetArgs([]string{r.Code})
		if err := explain.Execute(); err != nil || !strings.Contains(out.String(), r.Words) {
			t.Errorf("%s: explain prints %q, %v; must have %q", r.Code, out.String(), err, r.Words)
		}
		for text, want := range map[string]bool{r.Bad: r.Code == ptx.CodeSupport, r.Good: false} {
			m, findings := parsePTX([]byte(text))
			if text == r.Bad && len(findings) > 0 {
				continue
			}
			if list := unsupportedKernels(m); len(list) > 0 != want {
				t.Errorf("%s: %v; a kernel cannot run: must be %v\n%s", r.Code, list, want, text)
			}
		}
		if codes := ruleCodes(r.Code); len(codes) != 1 {
			t.Errorf("the completion of %s is %v", r.Code, codes)
		}
	}
}
