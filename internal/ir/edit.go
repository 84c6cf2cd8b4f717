package ir

// Edit starts a rewrite of the code of f. It returns the old code and a Builder for
// the new one; the values of f remain. The caller appends old values by Keep and
// new ones as usual. Kept openers, elses and ends open and close their regions.
func Edit(f *Func) (b *Builder, code []V) {
	code, f.Code = f.Code, nil
	return &Builder{Func: f}, code
}

// Keep appends an existing value of the function, such as one of the code that
// Edit returned.
func (b *Builder) Keep(v V) { b.Func.Code = append(b.Func.Code, v) }

// Replace replaces each use of a value v in the code by to[v]. It is not transitive:
// it does not replace to[v] in turn.
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
