package main

import (
	"strings"
	"testing"

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
