package main

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/modgen"
)

// whole reports whether each part of the lines in braces, such as the code that passes
// values through workgroup memory, is inside i to j or outside.
func whole(lines []string, i, j int) bool {
	open := 0
	for k, l := range lines[:j] {
		switch {
		case l == "; {":
			open = k + 1
		case l == "; }":
			if open > 0 && (open-1 < i) != (k < i) {
				return false
			}
			open = 0
		}
	}
	return open == 0
}

// reducer makes a module that differs smaller.
type reducer struct {
	c     *contest
	m     modgen.Module
	kind  string // of the difference, which must stay
	lines []string
}

// reduce removes lines from the module, makes values null and branches unconditional, as
// long as the difference persists and the validator finds no fault. It does not remove the
// stores that separate the memory of invocations.
func (c *contest) reduce(m modgen.Module, kind string) *modgen.Module {
	r := &reducer{c, m, kind, strings.Split(strings.TrimSpace(m.Text), "\n")}
	for before := 0; before != len(r.lines); {
		before = len(r.lines)
		for n := 64; n > 0; n /= 2 {
			for i := len(r.lines) - n; i >= 0; i -= n {
				if i+n <= len(r.lines) && !r.cut(i, i+n) && n == 1 {
					r.simplify(i)
				}
			}
		}
	}
	m.Text = strings.Join(r.lines, "\n") + "\n"
	return &m
}

// cut tries the module with other lines for i to j.
func (r *reducer) cut(i, j int, with ...string) bool {
	for _, l := range r.lines[i:j] {
		if strings.HasPrefix(l, "OpStore %lin") {
			return false
		}
	}
	return whole(r.lines, i, j) && r.try(slices.Concat(r.lines[:i], with, r.lines[j:]))
}

// try replaces the lines if the difference persists.
func (r *reducer) try(lines []string) bool {
	k := r.m
	k.Text = strings.Join(lines, "\n") + "\n"
	words, err := k.Words()
	if err != nil || r.c.legal(words) != nil || kindOf(r.c.differs(&k)) != r.kind {
		return false
	}
	r.lines = lines
	return true
}

// simplify tries simpler instructions than that in line i.
func (r *reducer) simplify(i int) {
	w := strings.Fields(r.lines[i])
	inside := slices.Index(r.lines[i:], "; }") // the code that passes values through workgroup memory is unchanged
	if inside >= 0 && !slices.Contains(r.lines[i:i+inside], "; {") {
		return
	}
	switch {
	case len(w) > 4 && (w[2] == "OpIAdd" || w[2] == "OpIMul" || w[4] == "%lin" || w[4] == "%index"): // addresses

	case w[0] == "OpBranchConditional":
		from := i
		if strings.HasPrefix(r.lines[i-1], "OpSelectionMerge") {
			from--
		}
		_ = r.cut(from, i+1, "OpBranch "+w[2]) || r.cut(from, i+1, "OpBranch "+w[3])
	case len(w) > 4 && strings.HasPrefix(w[0], "%v") && w[2] != "OpConstantNull":
		null := "%null_" + w[3][1:]
		lines := slices.Concat(r.lines[:i], r.lines[i+1:])
		if w[2] != "OpPhi" {
			lines = slices.Insert(lines, i, w[0]+" = OpCopyObject "+w[3]+" "+null)
		} else { // the copy comes after the phis
			at := i
			for strings.Contains(lines[at], " = OpPhi ") {
				at++
			}
			lines = slices.Insert(lines, at, w[0]+" = OpCopyObject "+w[3]+" "+null)
		}
		if declared := null + " = OpConstantNull " + w[3]; !slices.Contains(lines, declared) {
			at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, " = OpFunction ") })
			lines = slices.Insert(lines, at, declared)
		}
		if w[2] != "OpCopyObject" {
			r.try(lines)
		}
	}
}
