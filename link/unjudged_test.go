package link_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestAnswers demands an answer with a reason for every rule of Vulkan.
func TestAnswers(t *testing.T) {
	for _, code := range vuid.All {
		if a, ok := link.AnswerOf(code); !ok || a.Why == "" {
			t.Errorf("%s has no answer", code)
		}
	}
	if _, ok := link.AnswerOf("VUID-VkNoSuchThing-None-00001"); ok {
		t.Error("a rule that does not exist has an answer")
	}
}
