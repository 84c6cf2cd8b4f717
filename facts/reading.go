package facts

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Reading is a version of the wording of Vulkan's chapters on shaders. Some sentences
// changed their meaning from version to version; docs/versions.md lists them.
type Reading uint8

// The readings. ReadingDefault is the wording that docs/versions.md lists for the
// target environment: the newest, with the exceptions in its version columns.
const (
	ReadingDefault Reading = iota
	Reading10              // the built-in variables of Vulkan 1.0, and the other chapters of 1.1
	Reading11              // the chapters of Vulkan 1.1, with the newest built-in variables
	ReadingCurrent         // the newest text
)

// Readings are the names of the readings that can be selected.
var Readings = []string{"1.0", "1.1", "current"}

// ParseReading returns the reading with a name; "" is the default.
func ParseReading(name string) (Reading, bool) {
	if name == "" {
		return ReadingDefault, true
	}
	n := slices.Index(Readings, name)
	return Reading(n + 1), n >= 0
}

// String returns the name of the reading, "" for the default.
func (r Reading) String() string {
	if r == ReadingDefault || int(r) > len(Readings) {
		return ""
	}
	return Readings[r-1]
}

// Old reports whether the reading is the text of 1.0 or 1.1.
func (r Reading) Old() bool { return r == Reading10 || r == Reading11 }

// StaticUses computes the static use of variables in one reading.
type StaticUses struct {
	m        *Module
	reading  Reading
	accessed [][]*Variable // by function, in an old reading: operands of memory and image instructions
}

// StaticUses returns the static use of variables in a reading. Its cost is proportional
// to the size of the module.
func (m *Module) StaticUses(r Reading) *StaticUses {
	u := &StaticUses{m: m, reading: r}
	if r.Old() {
		seen := make([]int, len(m.Variables))
		u.accessed = make([][]*Variable, len(m.Functions))
		for i := range m.Functions {
			u.function(&m.Functions[i], seen)
		}
	}
	return u
}

// function collects the variables of module scope that are operands of a function's
// memory and image instructions. seen holds, by variable, 1 + the number of the last
// function that has it.
func (u *StaticUses) function(f *Function, seen []int) {
	if len(f.Globals) == 0 {
		return
	}
	m := u.m
	var positions []int
	for i := f.Index; i < f.End; i++ {
		if !m.Code.Known(i) {
			continue
		}
		in := m.Code.Inst(i)
		if c := in.Op().Class(); c != spirv.ClassMemory && c != spirv.ClassImage {
			continue
		}
		positions = m.Code.IDs(i, positions[:0])
		for _, at := range positions {
			if v := m.Variable(spirv.ID(in[at])); v != nil && v.Func == nil && seen[v.Number] != f.Number+1 {
				seen[v.Number] = f.Number + 1
				u.accessed[f.Number] = append(u.accessed[f.Number], v)
			}
		}
	}
}

// Of returns the variables of module scope that an entry point uses statically, in
// order of declaration (Vulkan, Shaders, Static Use). In the newest text these are the
// variables that any instruction of the call tree names, and the variables in the
// interface. In the text of 1.1 they are the operands of memory and image
// instructions; for variables of Input and Output that text refers to the interface.
func (u *StaticUses) Of(e *EntryPoint) []*Variable {
	m, old := u.m, u.reading.Old()
	used := newNumbers(len(m.Variables))
	var list []*Variable
	add := func(v *Variable) {
		if used.add(v.Number) {
			list = append(list, v)
		}
	}
	if old {
		for _, f := range m.CallTree(e) {
			for _, v := range u.accessed[f.Number] {
				if !v.staged() {
					add(v)
				}
			}
		}
	} else {
		for _, v := range m.Globals(e) {
			add(v)
		}
	}
	for _, id := range e.Interface {
		if v := m.Variable(id); v != nil && v.Func == nil && (!old || v.staged()) {
			add(v)
		}
	}
	slices.SortFunc(list, func(x, y *Variable) int { return x.Number - y.Number })
	return list
}

// staged reports whether the variable is an input or an output of a stage.
func (v *Variable) staged() bool {
	return v.Storage == spirv.StorageClassInput || v.Storage == spirv.StorageClassOutput
}
