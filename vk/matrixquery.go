package vk

import (
	"errors"

	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// MatrixQuery selects products of cooperative matrices (VkPhysicalDeviceCooperativeMatrixInfo2EXT).
type MatrixQuery struct {
	Scope        spirv.Scope
	SubgroupSize uint32 // 0 for a shader that runs with any size
	Invocations  uint32 // of a workgroup; 0 for another scope
	Saturating   bool
}

// CooperativeMatrixProperties2 returns the products that a query selects, with their granularities
// (vkGetPhysicalDeviceCooperativeMatrixProperties2EXT). The error has all rules that the query breaks, each a *[UsageError]; the
// list does not depend on them.
func (p *PhysicalDevice) CooperativeMatrixProperties2(q MatrixQuery) (list []valid.MatrixShape, err error) {
	for _, s := range p.CooperativeMatrixProperties(valid.MatricesEXT) {
		if s.Scope == q.Scope && s.Saturating == q.Saturating && (s.Scope != spirv.ScopeWorkgroup || s.Invocations == uint64(q.Invocations)) {
			list = append(list, s)
		}
	}
	if p == nil {
		return list, nil
	}
	if !p.supports("cooperativeMatrixProperties2") {
		err = usage(vuid.VkGetPhysicalDeviceCooperativeMatrixProperties2EXT_cooperativeMatrixProperties2_13371, "the device has no feature cooperativeMatrixProperties2; must have it")
	}
	switch q.Scope {
	case spirv.ScopeSubgroup:
		err = errors.Join(err, p.subgroupQuery(q))
	case spirv.ScopeWorkgroup:
		err = errors.Join(err, p.workgroupQuery(q))
	default:
		err = errors.Join(err, usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_scope_13372, "the scope is %s; must be Subgroup or Workgroup", q.Scope))
	}
	if n := q.SubgroupSize; n&(n-1) != 0 {
		err = errors.Join(err, usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_subgroupSize_13374, "the subgroup size is %d; must be 0 or a power of two", n))
	}
	if q.Scope != spirv.ScopeWorkgroup && q.Invocations != 0 {
		err = errors.Join(err, usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_invocations_13381, "the scope is %s with %d invocations; must have 0", q.Scope, q.Invocations))
	}
	return list, err
}

// supports reports whether the device has a feature. Of a feature that the profile does not name nothing is known.
func (p *PhysicalDevice) supports(feature string) bool {
	on, known := p.Limits.Feature(feature)
	return on || !known
}

// subgroupQuery checks the subgroup size of a query for products of a subgroup.
func (p *PhysicalDevice) subgroupQuery(q MatrixQuery) error {
	n := uint64(q.SubgroupSize)
	if !p.supports("subgroupSizeControl") {
		if size := p.limit("subgroupSize", lower.DefaultSubgroup); n != 0 && n != size {
			return usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_scope_13377, "the subgroup size is %d; must be 0 or %d, the size of the device", n, size)
		}
		return nil
	}
	least, most := uint64(lower.MinSubgroup), p.limit("maxSubgroupSize", lower.MaxSubgroup)
	if own, known := p.Limits.Limit("minSubgroupSize"); known {
		least = own
	}
	switch {
	case n != 0 && n < least:
		return usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_scope_13375, "the subgroup size is %d; must be 0 or at least %d (minSubgroupSize)", n, least)
	case n > most:
		return usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_scope_13376, "the subgroup size is %d; must be at most %d (maxSubgroupSize)", n, most)
	}
	return nil
}

// workgroupQuery checks the invocations of a query for products of a workgroup.
func (p *PhysicalDevice) workgroupQuery(q MatrixQuery) (err error) {
	if !p.supports("cooperativeMatrixWorkgroupScope") {
		err = usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_cooperativeMatrixWorkgroupScope_13373, "the scope is Workgroup on a device without cooperativeMatrixWorkgroupScope; must be Subgroup")
	}
	if n := q.Invocations; n == 0 || n&(n-1) != 0 {
		err = errors.Join(err, usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_invocations_13378, "the workgroup has %d invocations; must have a power of two", n))
	}
	if q.SubgroupSize != 0 && q.Invocations%q.SubgroupSize != 0 {
		err = errors.Join(err, usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_subgroupSize_13379, "the workgroup has %d invocations; must have a multiple of the subgroup size, %d", q.Invocations, q.SubgroupSize))
	}
	if most := p.limit(workgroupScopeLimit, workgroupSizes[len(workgroupSizes)-1]); uint64(q.Invocations) > most {
		err = errors.Join(err, usage(vuid.VkPhysicalDeviceCooperativeMatrixInfo2EXT_scope_13380, "the workgroup has %d invocations; must have at most %d (%s)", q.Invocations, most, workgroupScopeLimit))
	}
	return err
}

// workgroupScopeLimit is the limit of the invocations of a product of a workgroup.
const workgroupScopeLimit = "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize"
