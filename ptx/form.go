package ptx

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Forms of instructions (PTX ISA, "Instruction Set"): the syntax of an instruction lists which qualifiers it may have together. A form
// is a part of a line of a table:
//
//	opcode, or several between "|": form; form; …
//	form: slot slot … [vM.N] [smK[a]] [-vM.N]
//
// A slot is one qualifier without its dot, or several that exclude each other, separated by "|". "?" after a slot makes it optional, $name
// matches any qualifier of a class, and "*" any number of further qualifiers. vM.N is the first PTX version with the form and -vM.N the last one. smK
// is the first target; with "a" the target must have the suffix "a" or "f".
//
// Types have the order of the form, and so have the layouts .row and .col of matrices. Other qualifiers have any order, because the examples of the ISA itself (cvt.f64.bf16.rp) and
// public compilers write other orders than the syntax.
type form struct {
	slots       []slot
	open        bool   // "*"
	first, last [2]int // versions; last is zero without an end
	target      target
	text        string // in the notation of the ISA, for messages
}

// slot is a place for one qualifier of a form.
type slot struct {
	words    map[string]bool // with their dots
	optional bool
	typed    bool // the words are types
}

// target is an architecture such as sm_90a.
type target struct {
	number int
	suffix bool // "a" or "f": features of one architecture or one family
}

// classes are the names that forms use for several qualifiers.
var classes = map[string]string{
	"rnd":   "rn|rz|rm|rp",
	"irnd":  "rni|rzi|rmi|rpi",
	"int":   "u16|u32|u64|s16|s32|s64",
	"wide":  "u32|u64|s32|s64",
	"bits":  "b16|b32|b64",
	"any":   "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
	"mem":   "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
	"num":   "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16|f32|f64",
	"plain": "u8|u16|u32|u64|s8|s16|s32|s64|f16|f32|f64",
	"half":  "f16|f16x2",
	"brain": "bf16|bf16x2",
	"cmp":   "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan",
	"bool":  "and|or|xor",
	"scope": "cta|cluster|gpu|sys",
	"sem":   "relaxed|acquire|release|acq_rel",
	"cta":   "shared|shared::cta",
	"smem":  "shared|shared::cta|shared::cluster",
	"gs":    "global|shared|shared::cta|shared::cluster",
	"vec":   "v2|v4|v8",
	"l1":    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate",
	"l2":    "L2::evict_normal|L2::evict_first|L2::evict_last",
	"size":  "L2::64B|L2::128B|L2::256B",
	"hint":  "L2::cache_hint",
	"geom":  "1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms",
	"mode":  "trap|clamp|zero",
	"bytes": "mbarrier::complete_tx::bytes",
	"dim":   "1d|2d|3d|4d|5d",
	"f8":    "e4m3|e5m2",
	"f864":  "e4m3|e5m2|e3m2|e2m3|e2m1",
	"ss":    "global|shared|shared::cta",
	"mnk16": "m16n16k16|m8n32k16|m32n8k16",
	"sp":    "sp|sp::ordered_metadata",
	"x4":    "e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4",
	"report": "mbarrier::report::disabled|mbarrier::report::validity::per_16bytes::80000000|mbarrier::report::validity::per_16bytes::8000|" +
		"mbarrier::report::validity::per_16bytes::80|mbarrier::report::validity::per_16bytes::8|mbarrier::report::validity::per_element::ff",
}

// forms returns the forms of all instructions by opcode. An opcode without forms has any qualifiers.
var forms = sync.OnceValue(func() map[string][]*form {
	all := map[string][]*form{}
	for _, table := range []string{arithmeticForms, movingForms, groupForms, matrixForms, videoForms, recentForms} {
		for line := range strings.Lines(table) {
			ops, list, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok {
				continue
			}
			for op := range strings.SplitSeq(ops, "|") {
				for text := range strings.SplitSeq(list, ";") {
					all[op] = append(all[op], formOf(op, strings.Fields(text)))
				}
			}
		}
	}
	return all
})

// formOf returns the form of the words of a line after its opcode.
func formOf(op string, words []string) *form {
	f := &form{text: op, first: [2]int{1, 0}}
	for _, w := range words {
		switch {
		case w == "*":
			f.open = true
		case isVersion(w, "-v"):
			f.last = versionOf(w[2:])
		case isVersion(w, "v"):
			f.first = versionOf(w[1:])
		case isTarget(w):
			f.target = targetOf(w[2:])
		default:
			f.add(w)
		}
	}
	return f
}

// add appends a slot.
func (f *form) add(word string) {
	list, optional := strings.CutSuffix(word, "?")
	f.text += map[bool]string{true: "{." + list + "}", false: "." + list}[optional]
	s := slot{words: map[string]bool{}, optional: optional}
	for w := range strings.SplitSeq(list, "|") {
		if name, ok := strings.CutPrefix(w, "$"); ok {
			w = classes[name]
		}
		for q := range strings.SplitSeq(w, "|") {
			s.words["."+q] = true
			s.typed = s.typed || types["."+q] > 0
		}
	}
	f.slots = append(f.slots, s)
}

// isVersion reports whether a word is a version after a prefix; "v2" is a qualifier.
func isVersion(w, prefix string) bool {
	rest, ok := strings.CutPrefix(w, prefix)
	return ok && strings.Contains(rest, ".") && rest[0] >= '1' && rest[0] <= '9'
}

func versionOf(w string) (v [2]int) {
	major, minor, _ := strings.Cut(w, ".")
	v[0], _ = strconv.Atoi(major)
	v[1], _ = strconv.Atoi(minor)
	return v
}

// isTarget reports whether a word is a target such as sm90a.
func isTarget(w string) bool { return len(w) > 2 && w[:2] == "sm" && w[2] >= '1' && w[2] <= '9' }

// targetOf returns the architecture of digits and a letter.
func targetOf(w string) target {
	digits := strings.TrimRight(w, "af")
	n, _ := strconv.Atoi(digits)
	return target{number: n, suffix: len(digits) < len(w)}
}

// matches reports whether an instruction has the qualifiers of the form, and how many qualifiers found a slot.
func (f *form) matches(mods []string) (ok bool, found int) {
	used := make([]bool, len(f.slots))
	var least [3]int // the first slot for the next qualifier of an order
	ok = true
	for _, m := range mods {
		order := orderOf(m)
		at := -1
		for k, s := range f.slots {
			if !used[k] && s.words[m] && k >= least[order] {
				at = k
				break
			}
		}
		switch {
		case at >= 0:
			used[at] = true
			found++
			if order != anyOrder {
				least[order] = at
			}
		case !f.open:
			ok = false
		}
	}
	for k, s := range f.slots {
		ok = ok && (used[k] || s.optional)
	}
	return ok, found
}

// The qualifiers with an order.
const (
	anyOrder = iota
	typeOrder
	layoutOrder
)

// orderOf returns the qualifiers among which one has an order.
func orderOf(mod string) int {
	switch {
	case types[mod] > 0:
		return typeOrder
	case mod == ".row" || mod == ".col":
		return layoutOrder
	}
	return anyOrder
}

// known reports whether a qualifier has a slot in the form.
func (f *form) known(mod string) bool {
	if f.open {
		return true
	}
	for _, s := range f.slots {
		if s.words[mod] {
			return true
		}
	}
	return false
}

// inForm checks that the qualifiers of an instruction have one form. The version decides on forms that PTX no longer has.
func (c *checker) inForm(i *Instr) {
	list := forms()[i.Op]
	if len(list) == 0 {
		return
	}
	var closest *form
	most := -1
	for _, f := range list {
		ok, found := f.matches(i.Mods)
		if ok && (f.last == [2]int{} || !before(f.last, c.module.Version)) {
			return
		}
		if found > most {
			closest, most = f, found
		}
	}
	for _, m := range i.Mods {
		if !anyKnows(list, m) {
			c.find(CodeInstruction, i.Pos, "%s has %s; must not have it, as no form of %s has", i.Name(), m, i.Op)
			return
		}
	}
	c.find(CodeInstruction, i.Pos, "%s is no form of %s; must be one, such as %s", i.Name(), i.Op, closest.shown())
}

func anyKnows(list []*form, mod string) bool {
	for _, f := range list {
		if f.known(mod) {
			return true
		}
	}
	return false
}

// shown returns the form in the notation of the ISA. A class of more than four qualifiers has its name.
func (f *form) shown() string {
	text := f.text
	for name, words := range classes {
		if strings.Count(words, "|") < 4 {
			text = strings.ReplaceAll(text, "$"+name+"}", words+"}")
			text = strings.ReplaceAll(text, "$"+name+".", words+".")
			text = strings.ReplaceAll(text, "$"+name+"|", words+"|")
			if rest, ok := strings.CutSuffix(text, "$"+name); ok {
				text = rest + words
			}
		}
	}
	return strings.NewReplacer("$", "", "|", "|.").Replace(text)
}

// before reports whether one version is before another one.
func before(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// String returns the target as .target names it.
func (t target) String() string {
	return fmt.Sprintf("sm_%d%s", t.number, map[bool]string{true: "a"}[t.suffix])
}
