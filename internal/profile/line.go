package profile

import (
	"cmp"
	"fmt"
	"slices"
)

// File has the counts of the lines and functions of one source, of all stages.
type File struct {
	Name      string
	Lines     []Line // ascending
	Functions []*Function
}

// Line has the counts of a line. Executed and Subgroups are sums over the stages: of each stage the counts of the line's most
// executed instruction. The other counts are sums over all instructions.
type Line struct {
	Number       int
	Instructions uint64 // executions of instructions by invocations
	Lanes        uint64 // Subgroups × subgroup size
	Count
	Branches []Branch // of all terminators of the line
}

// Lines returns the counts by file, in ascending order of the names.
func (p *Profile) Lines() []File {
	files := map[string]*File{}
	file := func(name string) *File {
		f := files[name]
		if f == nil {
			f = &File{Name: name}
			files[name] = f
		}
		return f
	}
	for _, s := range p.Stages {
		lines := map[Place]*Line{}
		for _, fn := range s.Functions {
			if fn.Line > 0 {
				f := file(fn.File)
				f.Functions = append(f.Functions, fn)
			}
			for i := range fn.Blocks {
				countLines(lines, &fn.Blocks[i])
			}
		}
		for at, l := range lines {
			l.Lanes = l.Subgroups * uint64(s.SubgroupSize)
			f := file(at.File)
			f.Lines = append(f.Lines, *l)
		}
	}
	out := make([]File, 0, len(files))
	for _, f := range files {
		f.join()
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// countLines adds the counts of a block to its lines.
func countLines(lines map[Place]*Line, b *Block) {
	for i := range b.Instructions {
		in := &b.Instructions[i]
		if in.Line <= 0 {
			continue
		}
		l := lines[in.Place]
		if l == nil {
			l = &Line{Number: in.Line}
			lines[in.Place] = l
		}
		l.Instructions += in.Executed
		executed, subgroups := l.Executed, l.Subgroups
		if cmp.Or(cmp.Compare(in.Executed, executed), cmp.Compare(in.Subgroups, subgroups)) > 0 {
			executed, subgroups = in.Executed, in.Subgroups
		}
		l.add(in.Count)
		l.Executed, l.Subgroups = executed, subgroups
		if i == len(b.Instructions)-1 {
			l.Branches = append(l.Branches, b.Branches...)
		}
	}
}

// join sorts the lines and adds those of the same number, of several stages.
func (f *File) join() {
	slices.SortStableFunc(f.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Executed, b.Executed))
	})
	out := f.Lines[:0]
	for _, l := range f.Lines {
		if n := len(out); n > 0 && out[n-1].Number == l.Number {
			last := &out[n-1]
			last.add(l.Count)
			last.Instructions += l.Instructions
			last.Lanes += l.Lanes
			last.Branches = append(last.Branches, l.Branches...)
			continue
		}
		out = append(out, l)
	}
	f.Lines = out
	slices.SortStableFunc(f.Functions, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
}

// functionCount is the calls of one function of a source. Several stages may have it.
type functionCount struct {
	Name   string
	Unique string // Name, with the line if a function before has the name
	Line   int
	Calls  uint64
}

// functions returns the calls of the functions of a file, in the order of their lines.
func (f *File) functions() (out []functionCount) {
	named := map[string]bool{}
	for _, fn := range f.Functions { // equal ones are neighbors
		if n := len(out); n > 0 && out[n-1].Name == fn.Name && out[n-1].Line == fn.Line {
			out[n-1].Calls += fn.Calls
			continue
		}
		x := functionCount{Name: fn.Name, Unique: fn.Name, Line: fn.Line, Calls: fn.Calls}
		if named[fn.Name] {
			x.Unique = fmt.Sprintf("%s:%d", fn.Name, fn.Line)
		}
		named[fn.Name] = true
		out = append(out, x)
	}
	return out
}

// covered returns the numbers of lines, functions and branches of a file, each with the number of executed ones.
func (f *File) covered() (lines, functions, branches [2]int) {
	note := func(c *[2]int, n uint64) {
		c[0]++
		if n > 0 {
			c[1]++
		}
	}
	for i := range f.Lines {
		note(&lines, f.Lines[i].Executed)
		for _, b := range f.Lines[i].Branches {
			note(&branches, b.Taken)
		}
	}
	for _, fn := range f.functions() {
		note(&functions, fn.Calls)
	}
	return lines, functions, branches
}
