package link_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// inMemory are the endings of rules on the form of structures and calls: their
// types, chains, pointers, handles and counts. A description has none of them, and
// where it is read names and types are errors with their place.
var inMemory = []string{
	"-sType-sType", "-sType-unique", "-pNext-pNext", "-parameter", "-parent", "-commonparent", "-arraylength", "-requiredbitmask", "-zerobitmask",
}

// unjudged are the other rules that Link does not judge, by what they need that
// neither a description nor a device has.
var unjudged = []struct {
	why   string
	codes []string // without VUID-
}{
	{"it asks for a sampler together with the view that it samples at the draw", []string{
		"vkCmdDraw-addressModeU-12422",
	}},
	{"whether an invocation ends is decided when it runs", []string{
		"vkCmdDraw-None-07288",
	}},
}

// explained are the beginnings of rules each of which is judged or has its reason.
var explained = []string{
	"VkShaderDescriptorSetAndBindingMapping", "VkDescriptorSetAndBindingMapping", "VkDescriptorMappingSource",
	"vkCreateExecutionGraphPipelinesAMDX", "VkExecutionGraphPipelineCreateInfoAMDX", "vkCmdDraw",
}

// whyNot returns why Link does not judge a rule, "" where that is not said.
func whyNot(code string) string {
	for _, k := range unjudged {
		for _, c := range k.codes {
			if "VUID-"+c == code {
				return k.why
			}
		}
	}
	for _, end := range inMemory {
		if strings.HasSuffix(code, end) {
			return "it is on the form of a structure or a call in memory"
		}
	}
	return ""
}

// TestUnjudged demands that a rule is judged or has its reason, and not both.
func TestUnjudged(t *testing.T) {
	all := map[string]bool{}
	for _, code := range vuid.All {
		all[code] = true
		of := strings.TrimPrefix(code, "VUID-")
		_, judged := link.RuleOf(code)
		for _, begin := range explained {
			if strings.HasPrefix(of, begin) && !judged && whyNot(code) == "" {
				t.Errorf("%s is not judged and has no reason", code)
			}
		}
	}
	seen := map[string]bool{}
	for _, k := range unjudged {
		for _, c := range k.codes {
			_, judged := link.RuleOf("VUID-" + c)
			switch {
			case judged:
				t.Errorf("%s is judged, and has a reason not to be", c)
			case !all["VUID-"+c]:
				t.Errorf("%s is no rule", c)
			case seen[c]:
				t.Errorf("%s: twice", c)
			}
			seen[c] = true
		}
	}
}
