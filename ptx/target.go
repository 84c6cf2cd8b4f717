package ptx

import (
	"fmt"
	"strings"
)

// minors are the last minor versions of PTX by the major one. Each major version has all minor ones from 0 on. 9.5 is the version of CUDA
// 13.5.
var minors = [...]int{1: 5, 2: 3, 3: 2, 4: 3, 5: 0, 6: 5, 7: 8, 8: 8, 9: 5}

// targetVersions are the architectures with the first versions that have them (PTX ISA, ".target"). sm_21 is one that compilers write; the
// ISA has sm_20 alone.
const targetVersions = `
1.0 sm_10 sm_11
1.2 sm_12 sm_13
2.0 sm_20 sm_21
3.0 sm_30
3.1 sm_35
4.0 sm_32 sm_50
4.1 sm_37 sm_52
4.2 sm_53
5.0 sm_60 sm_61 sm_62
6.0 sm_70
6.1 sm_72
6.3 sm_75
7.0 sm_80
7.1 sm_86
7.4 sm_87
7.8 sm_89 sm_90
8.0 sm_90a
8.6 sm_100 sm_100a sm_101 sm_101a
8.7 sm_120 sm_120a
8.8 sm_100f sm_101f sm_103 sm_103a sm_103f sm_120f sm_121 sm_121a sm_121f
9.0 sm_88 sm_110 sm_110a sm_110f
9.4 sm_107 sm_107a sm_107f
`

// optionVersions are the other words of .target with their first versions: the mode of textures, and options of the platform.
var optionVersions = map[string][2]int{"texmode_unified": {1, 5}, "texmode_independent": {1, 5}, "debug": {3, 0}, "map_f64_to_f32": {1, 0}}

// targetVersion returns the first version with a word of .target; false of no word of PTX.
func targetVersion(name string) (first [2]int, ok bool) {
	if v, ok := optionVersions[name]; ok {
		return v, true
	}
	digits, isTarget := cutAny(name, "sm_", "compute_")
	if !isTarget {
		return first, false
	}
	for line := range strings.Lines(targetVersions) {
		for i, w := range strings.Fields(line) {
			if i == 0 {
				first = versionOf(w)
			} else if w == "sm_"+digits {
				return first, true
			}
		}
	}
	return first, false
}

// nearestTarget names the greatest architecture of PTX that is not above an unknown one, for a message; nothing of another word.
func nearestTarget(name string) string {
	digits, ok := cutAny(name, "sm_", "compute_")
	n, nearest := number31(strings.TrimRight(digits, "af")), 0
	for w := range strings.FieldsSeq(targetVersions) {
		if k, isTarget := strings.CutPrefix(w, "sm_"); isTarget && strings.Trim(k, "0123456789") == "" {
			if k := number31(k); k > nearest && k <= n {
				nearest = k
			}
		}
	}
	if !ok || nearest == 0 || strings.Trim(digits, "0123456789af") != "" {
		return ""
	}
	return fmt.Sprintf(", such as sm_%d", nearest)
}

// isArchitecture reports whether a word of .target names an architecture.
func isArchitecture(name string) bool {
	_, ok := cutAny(name, "sm_", "compute_")
	return ok
}

// targetLists returns the words of several .target, each with one architecture at most.
func targetLists(words []string) (lists [][]string) {
	begin, has := 0, false
	for i, w := range words {
		if isArchitecture(w) && has {
			lists = append(lists, words[begin:i])
			begin, has = i, false
		}
		has = has || isArchitecture(w)
	}
	return append(lists, words[begin:])
}

// head reports a version that PTX does not have, and words of .target that PTX or the version lacks.
func (r *requirer) head() {
	v := r.module.Version
	if known := v[0] < len(minors) && v[1] <= minors[v[0]]; !known && v != [2]int{} {
		last := minors[min(v[0], len(minors)-1)]
		r.warn(r.module.VersionPos, "the version is %d.%d; must be one of PTX, such as %d.%d", v[0], v[1], min(v[0], len(minors)-1), last)
	}
	for i, t := range r.module.Target {
		at := Position{Line: 1, Col: 1}
		if i < len(r.module.TargetPos) {
			at = r.module.TargetPos[i]
		}
		switch first, ok := targetVersion(t); {
		case len(r.findings) >= maxFindings:
			return
		case !ok:
			r.warn(at, "the target is %s; must be one of PTX up to version %d.%d%s", t, len(minors)-1, minors[len(minors)-1], nearestTarget(t))
		case before(v, first):
			r.warn(at, "the target %s is in a module of version %s; must be in one of version %d.%d or later", t, fmt.Sprintf("%d.%d", v[0], v[1]), first[0], first[1])
		}
	}
}
