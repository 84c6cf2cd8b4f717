package link

import (
	"iter"
	"slices"
	"strings"
)

// Rule is one rule that Link checks.
type Rule struct {
	Code  string // the VUID; SPV-Subject-Rule if Vulkan has none
	Words string // the requirement in our words, as a sentence without a period
}

// families are the rules, by the file that checks them.
var families = [][]Rule{
	matchRules, layoutRules, layoutCountRules, setRules, stageRules, attributeRules, shaderRules, graphicsRules, vertexRules, localReadRules,
	rayRules, payloadRules, flagRules, robustnessRules, fragmentRules, builtInRules, objectRules, mappingRules, graphRules, dataGraphRules, drawRules, libraryRules,
	recordedRules, nvRules, moduleRules, attachmentRules, flowRules, runtimeRules, ycbcrRules, accessRules, callRules, pushRules, boundRules, actionRules, stateRules,
}

// Rules yields every rule in order of its code.
func Rules() iter.Seq[Rule] {
	var all []Rule
	for _, f := range families {
		all = append(all, f...)
	}
	slices.SortFunc(all, func(x, y Rule) int { return strings.Compare(x.Code, y.Code) })
	return slices.Values(all)
}

// RuleOf returns the rule of a code.
func RuleOf(code string) (Rule, bool) {
	for _, f := range families {
		for _, r := range f {
			if r.Code == code {
				return r, true
			}
		}
	}
	return Rule{}, false
}
