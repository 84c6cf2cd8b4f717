package ir

// Edit begins to write the code of f anew: f keeps its values and has no code, and
// its old code is returned. What of it shall stay the caller appends by Keep, between
// what it adds; regions that are kept are opened and closed by their own values.
func Edit(f *Func) (b *Builder, code []V) {
	code, f.Code = f.Code, nil
	return &Builder{Func: f}, code
}

// Keep appends a value that the function has already, such as one of the code that
// Edit returned.
func (b *Builder) Keep(v V) { b.Func.Code = append(b.Func.Code, v) }

// Replace makes all code read to[v] where it read v. A value that stands for another
// one is not replaced in turn.
func (f *Func) Replace(to map[V]V) {
	if len(to) == 0 {
		return
	}
	one := func(v *V) {
		if w, ok := to[*v]; ok {
			*v = w
		}
	}
	for _, v := range f.Code {
		x := &f.Vals[v]
		for i := range x.Op.Args() {
			one(&x.Args[i])
		}
		list := f.Listed(v)
		for i := range list {
			one(&list[i])
		}
	}
}
