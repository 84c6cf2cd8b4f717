package profile

import (
	"cmp"
	"slices"
)

// File has the counts of the lines and functions of one source, of all stages.
type File struct {
	Name      string
	Lines     []Line // ascending
	Functions []*Function
}

// Line has the counts of a line. Executed and Subgroups are those of its most executed instruction in each stage, the others
// are sums.
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
			if fn.At.Line > 0 {
				f := file(fn.At.File)
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
		if in.At.Line <= 0 {
			continue
		}
		l := lines[in.At]
		if l == nil {
			l = &Line{Number: in.At.Line}
			lines[in.At] = l
		}
		l.Instructions += in.Executed
		most, subgroups := max(l.Executed, in.Executed), max(l.Subgroups, in.Subgroups)
		l.add(in.Count)
		l.Executed, l.Subgroups = most, subgroups
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
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.Name, b.Name))
	})
}

// functionCount is the calls of the functions of one name: stages may share a source.
type functionCount struct {
	Name  string
	Line  int
	Calls uint64
}

// functions returns the calls of the functions of a file by name, in the order of their first lines.
func (f *File) functions() (out []functionCount) {
	at := map[string]int{}
	for _, fn := range f.Functions {
		n, ok := at[fn.Name]
		if !ok {
			n = len(out)
			at[fn.Name] = n
			out = append(out, functionCount{Name: fn.Name, Line: fn.At.Line})
		}
		out[n].Calls += fn.Calls
	}
	return out
}

// covered returns how many lines, functions and branches there are in a file, and how many of them were executed.
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
