package vk

import (
	"errors"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestMatrixQuery makes a query that follows each rule of VkPhysicalDeviceCooperativeMatrixInfo2EXT, and one that breaks it.
func TestMatrixQuery(t *testing.T) {
	sizes := map[string]uint64{"minSubgroupSize": 8, "maxSubgroupSize": 32, "subgroupSize": 16, "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize": 256}
	having := func(features ...string) *PhysicalDevice {
		d := &valid.Device{Features: map[string]bool{}, AllOthers: true, Limits: sizes}
		for _, f := range append(features, "cooperativeMatrixProperties2") {
			d.Features[f] = true
		}
		return &PhysicalDevice{Version: valid.Vulkan14, Limits: d}
	}
	all, fixed := having("subgroupSizeControl", "cooperativeMatrixWorkgroupScope"), having()
	lacking := having("subgroupSizeControl")
	lacking.Limits.Features["cooperativeMatrixProperties2"] = false
	const subgroup, workgroup = spirv.ScopeSubgroup, spirv.ScopeWorkgroup
	const rule = "VUID-VkPhysicalDeviceCooperativeMatrixInfo2EXT-"
	for _, k := range []struct {
		device *PhysicalDevice
		query  MatrixQuery
		rules  []string
	}{
		{all, MatrixQuery{Scope: subgroup}, nil},
		{all, MatrixQuery{Scope: subgroup, SubgroupSize: 32, Saturating: true}, nil},
		{all, MatrixQuery{Scope: workgroup, SubgroupSize: 32, Invocations: 256}, nil},
		{Chiaro(), MatrixQuery{Scope: workgroup, Invocations: 64}, nil},
		{all, MatrixQuery{Scope: spirv.ScopeDevice}, []string{rule + "scope-13372"}},
		{fixed, MatrixQuery{Scope: workgroup, Invocations: 64}, []string{rule + "cooperativeMatrixWorkgroupScope-13373"}},
		{all, MatrixQuery{Scope: subgroup, SubgroupSize: 24}, []string{rule + "subgroupSize-13374"}},
		{all, MatrixQuery{Scope: subgroup, SubgroupSize: 4}, []string{rule + "scope-13375"}},
		{all, MatrixQuery{Scope: subgroup, SubgroupSize: 64}, []string{rule + "scope-13376"}},
		{fixed, MatrixQuery{Scope: subgroup, SubgroupSize: 16}, nil},
		{fixed, MatrixQuery{Scope: subgroup, SubgroupSize: 32}, []string{rule + "scope-13377"}},
		{all, MatrixQuery{Scope: workgroup, Invocations: 96}, []string{rule + "invocations-13378"}},
		{all, MatrixQuery{Scope: workgroup}, []string{rule + "invocations-13378"}}, // 0 is no power of two
		{all, MatrixQuery{Scope: workgroup, SubgroupSize: 64, Invocations: 32}, []string{rule + "subgroupSize-13379"}},
		{all, MatrixQuery{Scope: workgroup, Invocations: 512}, []string{rule + "scope-13380"}},
		{all, MatrixQuery{Scope: subgroup, Invocations: 32}, []string{rule + "invocations-13381"}},
		{lacking, MatrixQuery{Scope: subgroup}, []string{"VUID-vkGetPhysicalDeviceCooperativeMatrixProperties2EXT-cooperativeMatrixProperties2-13371"}},
	} {
		_, err := k.device.CooperativeMatrixProperties2(k.query)
		if got := rulesOf(err); !slices.Equal(got, k.rules) {
			t.Errorf("%+v breaks %v; must break %v", k.query, got, k.rules)
		}
	}
	for _, s := range must(Chiaro().CooperativeMatrixProperties2(MatrixQuery{Scope: workgroup, Invocations: 64}))(t) {
		if s.Scope != workgroup || s.Invocations != 64 || s.Saturating {
			t.Errorf("the query for workgroups of 64 has the product %+v", s)
		}
	}
	if list, err := (*PhysicalDevice)(nil).CooperativeMatrixProperties2(MatrixQuery{}); list != nil || err != nil {
		t.Errorf("nil has the list %v and the error %v", list, err)
	}
}

// rulesOf returns the rules of an error that joins errors.
func rulesOf(err error) (rules []string) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			rules = append(rules, rulesOf(e)...)
		}
	} else if u := (*UsageError)(nil); errors.As(err, &u) {
		rules = append(rules, u.Rule)
	}
	return rules
}
