package driver

import (
	"slices"
	"sort"
	"strings"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// findArgs are the arguments of find: struct args of find in cmd/icd.
type findArgs struct {
	level  uint32 // 0 without an instance, 1 of an instance, 2 of physical devices, 3 of a device
	handle *abi.Dispatch
	name   unsafe.Pointer
}

// find returns the number of a command that an instance or a device has, or 0. Core commands need the version, others an
// enabled extension.
func find(a *findArgs) int {
	name := abi.String(a.name)
	i := sort.Search(len(abi.Names), func(i int) bool { return abi.Names[i].Name >= name })
	if i == len(abi.Names) || abi.Names[i].Name != name || !has(abi.Names[i].Number) {
		return 0
	}
	n := &abi.Names[i]
	switch a.level {
	case 0:
		if n.Level != abi.Global {
			return 0
		}
		return n.Number
	case 2:
		if n.Level != abi.Physical {
			return 0
		}
	case 3:
		if n.Level != abi.OfDevice {
			return 0
		}
		if d := deviceOf(a.handle); d != nil && !blocksEnabled(n.Blocks, d.version, d.extensions, d.physical.instance.extensions) {
			return 0
		}
		return n.Number
	}
	return n.Number
}

// blocksEnabled reports whether a version or an extension of a list is there.
func blocksEnabled(blocks string, version uint32, sets ...map[string]bool) bool {
	for b := range strings.SplitSeq(blocks, " ") {
		if v, core := coreVersion(b); core {
			if version >= v {
				return true
			}
		} else if slices.ContainsFunc(sets, func(s map[string]bool) bool { return s[b] }) {
			return true
		}
	}
	return false
}

// coreVersion returns the version of a block such as VK_VERSION_1_1 or VK_COMPUTE_VERSION_1_1.
func coreVersion(block string) (uint32, bool) {
	_, number, ok := strings.Cut(block, "VERSION_1_")
	if !ok || len(number) != 1 {
		return 0, false
	}
	return makeVersion(1, uint32(number[0]-'0'), 0), true
}

// makeVersion is VK_MAKE_API_VERSION of variant 0.
func makeVersion(major, minor, patch uint32) uint32 { return major<<22 | minor<<12 | patch }
