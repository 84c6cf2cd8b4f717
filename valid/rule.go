package valid

import (
	"iter"
	"slices"
	"strings"
)

// Need is the information beside the module that a rule needs.
type Need uint8

// The needs.
const (
	NeedModule Need = iota // nothing
	NeedVulkan             // a Vulkan environment
	NeedDevice             // features, properties, limits or extensions of a device
)

// String returns "module", "vulkan" or "device".
func (n Need) String() string { return [...]string{"module", "vulkan", "device"}[n] }

// Rule is one rule that Check checks.
type Rule struct {
	Code    string // the VUID, or SPV-Subject-Rule
	Section string // the part of the specification: "SPIR-V 2.4", "Vulkan BuiltIn"
	Words   string // the requirement in our words, as a sentence without a period
	Need    Need   // for a VUID, NeedVulkan unless it is NeedDevice
}

// need sets the minimal need of a VUID.
func (r Rule) need() Rule {
	if r.Need == NeedModule && strings.HasPrefix(r.Code, "VUID-") {
		r.Need = NeedVulkan
	}
	return r
}

// Rules yields every rule in order of its code.
func Rules() iter.Seq[Rule] {
	var all []Rule
	for _, f := range families {
		all = append(all, f.rules...)
	}
	slices.SortFunc(all, func(x, y Rule) int { return strings.Compare(x.Code, y.Code) })
	return func(yield func(Rule) bool) {
		for _, r := range all {
			if !yield(r.need()) {
				return
			}
		}
	}
}

// RuleOf returns the rule of a code, false if there is none.
func RuleOf(code string) (Rule, bool) {
	for _, f := range families {
		for _, r := range f.rules {
			if r.Code == code {
				return r.need(), true
			}
		}
	}
	return Rule{}, false
}
