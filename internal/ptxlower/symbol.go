package ptxlower

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// describe sets the symbols of all functions.
func (u *unit) describe(s *lower.KernelSymbols) {
	*s = lower.KernelSymbols{Sources: map[int]lower.SourceLine{}}
	for _, f := range u.list {
		x := &lower.KernelFunction{Instructions: map[int]bool{}}
		s.Functions = append(s.Functions, x)
		if u.ofHeap(f.f) {
			continue
		}
		for i := range f.items {
			it := &f.items[i]
			n := it.in.Pos.Line
			s.Lines = max(s.Lines, n)
			x.Instructions[n] = false
			if it.loc != nil && len(it.loc.Words) >= 2 {
				file, line := f.source(it)
				s.Sources[n] = lower.SourceLine{File: file, Line: int(line)}
			}
		}
		for _, b := range f.blocks {
			if b.from < len(f.items) {
				x.Instructions[f.items[b.from].in.Pos.Line] = true
			}
		}
		x.Symbols = f.describeScopes()
	}
}

// describeScopes lists the symbols of the scopes of a function.
func (f *function) describeScopes() (list []lower.KernelSymbol) {
	type lines struct{ from, to int }
	ranges := map[*scope]*lines{}
	order := []*scope{f.top}
	ranges[f.top] = &lines{f.f.Pos.Line, f.f.Pos.Line}
	for i := range f.items {
		n := f.items[i].in.Pos.Line
		for s := f.items[i].at; s != nil; s = s.parent {
			if ranges[s] == nil {
				ranges[s] = &lines{n, n}
				order = append(order, s)
			}
			ranges[s].from, ranges[s].to = min(ranges[s].from, n), max(ranges[s].to, n)
		}
	}
	for _, s := range order {
		from := len(list)
		for name, r := range s.registers {
			if r.typ != 0 {
				p := lower.Place{Kind: lower.InVariable, Type: r.typ, Variable: r.number}
				list = append(list, lower.KernelSymbol{Name: name, Kind: lower.RegisterSymbol, Type: r.decl.Type, Place: p, Float: r.typ.IsFloat()})
			}
		}
		for name, x := range s.symbols {
			if y, ok := f.describeSymbol(name, x); ok {
				list = append(list, y)
			}
		}
		for i := range list[from:] {
			list[from+i].From, list[from+i].To = ranges[s].from, ranges[s].to
		}
		slices.SortFunc(list[from:], func(x, y lower.KernelSymbol) int {
			if x.Kind != y.Kind {
				return int(x.Kind) - int(y.Kind)
			}
			return compareNames(x.Name, y.Name)
		})
	}
	return append(list, f.describeModule()...)
}

// compareNames orders names by their text, and those with equal beginnings by their last number.
func compareNames(x, y string) int {
	a, b := strings.TrimRight(x, "0123456789"), strings.TrimRight(y, "0123456789")
	if a == b && len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(x, y)
}

// describeSymbol returns the symbol of a variable in memory.
func (f *function) describeSymbol(name string, x *symbol) (s lower.KernelSymbol, ok bool) {
	if x == nil || x.decl == nil || ptx.TypeSize(x.decl.Type) == 0 {
		return s, false
	}
	size := ptx.TypeSize(x.decl.Type)
	s = lower.KernelSymbol{Name: name, Type: x.decl.Type, Step: uint64(size), Place: lower.Place{Type: bitsType(min(size, 8)), Offset: uint64(x.offset)}}
	if n := x.decl.Size() / size; n != 1 {
		s.Count = n
	}
	switch x.space {
	case inParam:
		s.Kind, s.Place.Kind = lower.ParameterSymbol, lower.InPush
	case inShared:
		s.Kind, s.Place.Kind = lower.SharedSymbol, lower.InWorkgroup
	case inFrame: // values of less than a slot have one of their own only if they are all of the variable
		if size < 4 && s.Count > 0 {
			return s, false
		}
		s.Kind, s.Step, s.Place.Kind, s.Place.Variable, s.Place.Offset = lower.LocalSymbol, uint64(size+3)/4, lower.InVariable, x.number, 0
	case inLocal:
		s.Kind, s.Place.Kind, s.Place.Variable = lower.LocalSymbol, lower.InBytes, f.local
	default:
		return s, false
	}
	for _, v := range f.f.Params {
		if x.decl == v {
			s.Kind = lower.ParameterSymbol
		}
	}
	return s, true
}

// describeModule returns the symbols of the variables of the module that the kernel names.
func (f *function) describeModule() (list []lower.KernelSymbol) {
	for _, item := range f.module.Items {
		v, ok := item.(*ptx.Variable)
		size := 0
		if ok {
			size = ptx.TypeSize(v.Type)
		}
		if size == 0 || size > 8 || !f.named[v.Name] || f.image.opaque[v.Name] != "" {
			continue
		}
		s := lower.KernelSymbol{Name: v.Name, Type: v.Type, Kind: lower.ModuleSymbol, To: int(^uint(0) >> 1), Step: uint64(size), Place: lower.Place{Kind: lower.InAddress, Type: bitsType(size)}}
		n := v.Size() / size
		at, shared := f.shared[v.Name]
		if shared {
			s.Kind, s.Place.Kind, s.Place.Offset = lower.SharedSymbol, lower.InWorkgroup, uint64(at)
			if dynamic(v) {
				n = int(f.sharedEnd-at) / size
			}
		} else if at, ok := f.image.offsets[v.Name]; ok {
			s.Place.Offset = f.o.Base + at
		} else {
			continue
		}
		if n != 1 || dynamic(v) {
			s.Count = n
		}
		if s.Count > 0 || n == 1 {
			list = append(list, s)
		}
	}
	return list
}
