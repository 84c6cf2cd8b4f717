package ir

import "fmt"

// FirstTexture is the least provisional number of a texture function.
const FirstTexture = 1 << 30

// TextureList has the texture functions of a program that is being made. Calls with equal heads share one function. The functions
// follow all others, so that their numbers are provisional until [TextureList.Append].
type TextureList struct {
	Heads   []Texture // by number, from FirstTexture on
	numbers map[Texture]int
}

// Number returns the provisional number of the function with a head.
func (l *TextureList) Number(t Texture) int {
	n, ok := l.numbers[t]
	if !ok {
		if l.numbers == nil {
			l.numbers = map[Texture]int{}
		}
		n = FirstTexture + len(l.Heads)
		l.numbers[t] = n
		l.Heads = append(l.Heads, t)
	}
	return n
}

// Append appends the functions to a program, and replaces the provisional numbers in its calls.
func (l *TextureList) Append(p *Program) {
	first := len(p.Funcs)
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			if x := f.Val(v); x.Op == Call && f.Callee(v) >= FirstTexture {
				x.Aux = uint64(first + f.Callee(v) - FirstTexture)
			}
		}
	}
	for i, t := range l.Heads {
		p.Funcs = append(p.Funcs, NewTexture(fmt.Sprintf("%s %d", t.Op, i), t))
	}
}
