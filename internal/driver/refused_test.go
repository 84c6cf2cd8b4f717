package driver

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestRefusedRules checks that no device has the extensions that docs/pipelines.md says the device refuses.
func TestRefusedRules(t *testing.T) {
	name := regexp.MustCompile(`VK_[A-Z]+_\w+`)
	count := 0
	for _, code := range vuid.All {
		a, _ := link.AnswerOf(code)
		if a.By != link.ByRefusal {
			continue
		}
		count++
		names := name.FindAllString(a.Why, -1)
		if len(names) == 0 && !strings.Contains(a.Why, "protectedMemory") {
			t.Errorf("%s: %q names no extension and no feature", code, a.Why)
		}
		for _, n := range names {
			if slices.ContainsFunc(announced(false), func(e *abi.Extension) bool { return e.Name == n }) {
				t.Errorf("%s: a device has %s", code, n)
			}
		}
	}
	if count == 0 {
		t.Error("no rule is on a refused extension")
	}
}
