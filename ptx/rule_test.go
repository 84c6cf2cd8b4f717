package ptx_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// TestRules demands of each example what it shows: that it has a finding of its rule, and no other, or none at all. A kernel that Chiaro cannot run
// is a correct module.
func TestRules(t *testing.T) {
	codes := func(text string) (list []string) {
		m, findings := ptx.Parse(text)
		findings = append(findings, ptx.Check(m)...)
		for _, f := range append(findings, ptx.Requirements(m)...) {
			list = append(list, f.Code)
		}
		return list
	}
	for _, r := range ptx.Rules() {
		if list := codes(r.Good); len(list) > 0 {
			t.Errorf("the good example of %s has findings of %v", r.Code, list)
		}
		list := codes(r.Bad)
		if r.Code == ptx.CodeSupport {
			if len(list) > 0 {
				t.Errorf("the bad example of %s has findings of %v", r.Code, list)
			}
			continue
		}
		if len(list) == 0 {
			t.Errorf("the bad example of %s has no finding", r.Code)
		}
		for _, c := range list {
			if c != r.Code {
				t.Errorf("the bad example of %s has a finding of %s", r.Code, c)
			}
		}
	}
}
