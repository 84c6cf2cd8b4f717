package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// viewer turns the positions of one module into words.
type viewer struct {
	m      *facts.Module
	input  string // the text that the module was assembled from; "" for a binary
	starts []int  // the offset of each instruction in input
	lines  *asm.Lines
	last   int          // the last instruction that was printed, from 1
	shown  string       // its text
	rows   []int        // lines of the text, or of the disassembly; nil until requested
	stop   func() error // see checked
	over   bool         // stop returned an error: no further text and no line
	called []called     // of each function; nil before it is asked for

	sources map[spirv.ID]map[namedLine]string // lines by source, filled on request

	recorded map[diag.Pos]*findingRecord // of a report that is merged: the first record of each position
	quoted   map[namedLine]string        // likewise: lines of sources
}

// called is the caller of a function.
type called struct {
	entry  string   // the first entry point that does
	stages []string // the models of all that do
}

func newViewer(x *checked) *viewer {
	v := &viewer{m: x.facts, input: x.text, starts: x.starts, stop: x.stop}
	if len(x.recorded) > 0 {
		v.recall(x.recorded)
	}
	return v
}

// recall indexes the findings of a report that is merged.
func (v *viewer) recall(list []findingRecord) {
	v.recorded, v.quoted = map[diag.Pos]*findingRecord{}, map[namedLine]string{}
	note := func(at diag.Pos, r *findingRecord) {
		if v.recorded[at] == nil {
			v.recorded[at] = r
		}
	}
	for i := range list {
		r := &list[i]
		note(diag.Pos{Instruction: r.Instruction, Word: r.WordOffset}, r)
		if s := r.Source; s != nil {
			v.quoted[namedLine{s.File, int(s.Line)}] = r.Quoted
		}
	}
	for i := range list { // related places have a text alone
		for _, o := range list[i].Related {
			note(diag.Pos{Instruction: o.Instruction, Word: o.WordOffset}, &findingRecord{Text: o.Text})
		}
	}
}

// An instruction may have 256 KiB, its names as many each, and any number of
// findings; a report is not to be larger than the module for that.
const (
	maxShown     = 2048 // bytes of an instruction, and of a line of the source
	maxShownName = 256  // bytes of the name of an entry point
)

// shortened cuts a text that is longer than n bytes, between characters.
func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// text returns the instruction at a position, truncated if it is very long; "" if
// there is none.
func (v *viewer) text(p diag.Pos) string {
	if r := v.recorded[p]; r != nil {
		return r.Text
	}
	if v.m == nil || p.Instruction < 1 {
		return ""
	}
	if v.input != "" {
		return shortened(v.written(p.Instruction-1), maxShown)
	}
	if !v.disassembles() {
		return ""
	}
	if v.last != p.Instruction { // findings about one instruction follow each other
		v.last, v.shown = p.Instruction, strings.Clone(shortened(v.lines.Start(p.Instruction-1, maxShown), maxShown))
	}
	return v.shown
}

// place returns the instruction at a position, or the position itself in a module that has no
// listing because its words are no instructions; "" if there is none.
func (v *viewer) place(p diag.Pos) string {
	if v.undecoded(p) {
		return "at " + p.String()
	}
	return v.text(p)
}

// undecoded reports whether a position is in a binary module that could not be decoded.
func (v *viewer) undecoded(p diag.Pos) bool {
	return v.m == nil && v.recorded[p] == nil && p.Line == 0 && p != (diag.Pos{})
}

// disassembles prepares the disassembly, and reports whether it has one: an interrupt
// stops the preparation for a large module.
func (v *viewer) disassembles() bool {
	if v.lines == nil && !v.over {
		var err error
		v.lines, err = asm.NewLinesUntil(v.m.Code, false, v.stop)
		v.over = err != nil
	}
	return !v.over
}

// interrupted calls the stop function for one of 4096 instructions, and reports whether
// the display is over.
func (v *viewer) interrupted(i int) bool {
	if v.stop != nil && i%4096 == 4095 {
		v.over = v.over || v.stop() != nil
	}
	return v.over
}

// written returns an instruction as in the source text, without the comment lines
// after it.
func (v *viewer) written(i int) string {
	if i >= len(v.starts) {
		return ""
	}
	end := len(v.input)
	if i+1 < len(v.starts) {
		end = v.starts[i+1]
	}
	lines := strings.Split(v.input[v.starts[i]:end], "\n")
	for len(lines) > 1 {
		if s := strings.TrimSpace(lines[len(lines)-1]); s != "" && s[0] != ';' {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\r")
}

// shownLine returns the line that shows the instruction: of the text, or of the
// disassembly.
func (v *viewer) shownLine(p diag.Pos) int {
	if v.recorded != nil {
		return 0
	}
	if v.text(p) == "" {
		return 0
	}
	if v.rows == nil && !v.over {
		v.rows = v.numbers()
		v.over = v.rows == nil
	}
	if v.over {
		return 0
	}
	return v.rows[p.Instruction-1]
}

func (v *viewer) numbers() []int {
	if v.input == "" {
		return v.lines.Numbers()
	}
	rows := make([]int, len(v.starts))
	line, at := 1, 0
	for i, start := range v.starts {
		line += strings.Count(v.input[at:start], "\n")
		rows[i], at = line, start
	}
	return rows
}

// source returns the source line that an instruction comes from; "" if the module
// does not contain its source.
func (v *viewer) source(f *valid.Finding) string {
	if v.recorded != nil && f.HasSource {
		return v.quoted[namedLine{f.Source.File, int(f.Source.Line)}]
	}
	if v.m == nil || !f.HasSource || f.Pos.Instruction < 1 {
		return ""
	}
	id := v.m.SourceOf(f.Pos.Instruction - 1)
	lines, ok := v.sources[id]
	if !ok {
		if v.sources == nil {
			v.sources = map[spirv.ID]map[namedLine]string{}
		}
		lines = sourceIndex(v.m, id, f.Source.File)
		v.sources[id] = lines
	}
	return shortened(lines[namedLine{f.Source.File, int(f.Source.Line)}], maxShown)
}

// callers returns the name of the first entry point that calls the function of
// an instruction, and the models of all that do.
func (v *viewer) callers(p diag.Pos) (name string, stages []string) {
	if r := v.recorded[p]; r != nil {
		return r.EntryPoint, r.Stages
	}
	if v.m == nil || p.Instruction < 1 {
		return "", nil
	}
	i := p.Instruction - 1
	n, _ := slices.BinarySearchFunc(v.m.Functions, i, func(f facts.Function, i int) int { return f.End - 1 - i })
	if n == len(v.m.Functions) || v.m.Functions[n].Index > i {
		return "", nil
	}
	if v.called == nil {
		v.calls()
	}
	return v.called[n].entry, v.called[n].stages
}

// maxCalls bounds how many pairs of an entry point and a function that it calls
// are looked at.
const maxCalls = 1 << 18

func (v *viewer) calls() {
	v.called = make([]called, len(v.m.Functions))
	budget := maxCalls
	for k := range v.m.EntryPoints {
		e := &v.m.EntryPoints[k]
		if budget <= 0 {
			return
		}
		tree := v.m.CallTree(e)
		budget -= len(tree)
		for _, f := range tree {
			c := &v.called[f.Number]
			if c.entry == "" {
				c.entry = shortened(e.Name, maxShownName)
			}
			if s := e.Model.String(); !slices.Contains(c.stages, s) {
				c.stages = append(c.stages, s)
			}
		}
	}
}

// where returns the source line if the module has line information, else the file with
// the line of the disassembly, or line 1 of a source that was compiled.
func (v *viewer) where(x *checked, f *valid.Finding) (file string, line, column int) {
	if f.HasSource && f.Source.File != "" {
		return f.Source.File, int(f.Source.Line), int(max(f.Source.Column, 1))
	}
	if r := v.recorded[f.Pos]; r != nil {
		return x.file, max(r.Line, r.Disassembled, 1), 1
	}
	if n := v.shownLine(f.Pos); n > 0 {
		if v.input == "" && isSource(x.file) {
			n = 1
		}
		return x.file, n, 1
	}
	return x.file, 1, 1
}

// sited reports whether where returns a line of a source file, not of the
// disassembly.
func (v *viewer) sited(f *valid.Finding) bool {
	if r := v.recorded[f.Pos]; r != nil && r.Line > 0 {
		return true
	}
	return f.HasSource && f.Source.File != "" || v.input != "" && f.Pos.Instruction > 0
}

// binary reports whether a finding is at a word of a binary module.
func (v *viewer) binary(f *valid.Finding) bool {
	return v.m != nil || v.recorded != nil && f.Pos.Instruction > 0 || v.undecoded(f.Pos)
}

// indentOf is a text of the same width with nothing to see.
func indentOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// position is a place as problem matchers read it.
func position(file string, line, column int) string {
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// instructionPos is the place of instruction i, counted from 0.
func instructionPos(i int) diag.Pos { return diag.Pos{Instruction: i + 1} }
