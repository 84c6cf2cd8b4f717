package fossil

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// chain is a pNext chain: a list of structs that say their types.
type chain []json.RawMessage

// typed is one struct of a chain.
type typed struct {
	Type structureType `json:"sType"`
}

// structureType is a VkStructureType.
type structureType uint32

// String returns the name of the type without VK_STRUCTURE_TYPE_.
func (t structureType) String() string {
	if n, ok := structureNames[t]; ok {
		return n
	}
	return strconv.FormatUint(uint64(t), 10)
}

// reader reads the objects of one pipeline. It records the first error and the unknown
// structs of chains.
type reader struct {
	err     error
	skipped []string
}

// read reads the structs of a chain that have a destination in places, and records the
// others.
func (r *reader) read(c chain, places map[structureType]any) (found map[structureType]bool) {
	if len(c) == 0 {
		return nil
	}
	found = map[structureType]bool{}
	for _, raw := range c {
		var k typed
		if err := json.Unmarshal(raw, &k); err != nil {
			r.fail(fmt.Errorf("pNext: %w", wrong(nil, err)))
			continue
		}
		to, ok := places[k.Type]
		if !ok {
			if !silent[k.Type] {
				r.skipped = append(r.skipped, k.Type.String())
			}
			continue
		}
		if err := json.Unmarshal(raw, to); err != nil {
			r.fail(fmt.Errorf("pNext %s: %w", k.Type, wrong(nil, err)))
			continue
		}
		found[k.Type] = true
	}
	return found
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// silent are the structs that affect no check: a pipeline with them is checked like one
// without them.
var silent = map[structureType]bool{
	stColorBlendAdvanced: true, stSampleLocations: true, stDiscardRectangle: true, stColorWrite: true,
	stStencilLayout: true, stStencilLayoutRef: true, stDepthStencilResolve: true, stFeedback: true,
	stDepthBiasRepresentation: true, stBorderColor: true, stReduction: true, stMemoryBarrier: true,
}

// The types of structs that are known (vk.xml).
const (
	stDomainOrigin            structureType = 1000117003
	stDivisors                structureType = 1000190001
	stDepthClip               structureType = 1000102001
	stStream                  structureType = 1000028002
	stMultiview               structureType = 1000053000
	stBindingFlags            structureType = 1000161000
	stColorBlendAdvanced      structureType = 1000148002
	stConservative            structureType = 1000101001
	stLines                   structureType = 1000259001
	stSubgroupSize            structureType = 1000225001
	stMutable                 structureType = 1000351002
	stStencilLayout           structureType = 1000241002
	stStencilLayoutRef        structureType = 1000241001
	stDepthStencilResolve     structureType = 1000199001
	stShadingRateAttachment   structureType = 1000226000
	stShadingRate             structureType = 1000226001
	stRendering               structureType = 1000044002
	stColorWrite              structureType = 1000381001
	stProvoking               structureType = 1000254001
	stYcbcr                   structureType = 1000156001
	stReduction               structureType = 1000130001
	stBorderColor             structureType = 1000287000
	stDiscardRectangle        structureType = 1000099001
	stSampleLocations         structureType = 1000143002
	stParts                   structureType = 1000320002
	stLibraries               structureType = 1000290000
	stNegativeOneToOne        structureType = 1000355001
	stFlags2                  structureType = 1000470005
	stLocations               structureType = 1000232001
	stInputs                  structureType = 1000232002
	stRobustness              structureType = 1000068000
	stDensityMap              structureType = 1000218002
	stFeedback                structureType = 1000192000
	stDepthBiasRepresentation structureType = 1000283001
	stMemoryBarrier           structureType = 1000314000
	stIdentifier              structureType = 1000462002
	stModule                  structureType = 16
)
