package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Determinant returns the determinant of a square matrix of n = 2, 3 or 4
// columns; m has its n² components, column by column.
func Determinant(b *ir.Builder, n int, m []ir.V) ir.V {
	x := newMinors(b, n, m)
	return x.expand(0, x.all())
}

// MatrixInverse returns the inverse of a square matrix of n = 2, 3 or 4 columns,
// column by column: the adjugate divided by the determinant.
func MatrixInverse(b *ir.Builder, n int, m []ir.V) []ir.V {
	x := newMinors(b, n, m)
	det := x.expand(0, x.all())
	out := make([]ir.V, n*n)
	for col := range n {
		for row := range n {
			// The cofactor of the transposed place.
			c := x.cofactor(row, col)
			if (row+col)%2 == 1 {
				c = x.e.neg(c)
			}
			out[col*n+row] = x.e.div(c, det)
		}
	}
	return out
}

// minors computes determinants of parts of a matrix, each once. A part is a set
// of columns and a set of rows, as bits.
type minors struct {
	e    emit
	n    int
	m    []ir.V
	seen map[[2]uint]ir.V
}

func newMinors(b *ir.Builder, n int, m []ir.V) *minors {
	return &minors{of(b, m[0]), n, m, map[[2]uint]ir.V{}}
}

func (x *minors) all() uint { return 1<<x.n - 1 }

// cofactor returns the determinant without a column and a row, without a sign.
func (x *minors) cofactor(col, row int) ir.V {
	return x.det(x.all()&^(1<<col), x.all()&^(1<<row))
}

// expand returns the determinant of the columns from col on and a set of rows.
func (x *minors) expand(col int, rows uint) ir.V {
	return x.det(x.all()&^(1<<col-1), rows)
}

// det expands by the first column. It goes at most four deep.
func (x *minors) det(cols, rows uint) ir.V {
	col := 0
	for cols>>col&1 == 0 {
		col++
	}
	rest := cols &^ (1 << col)
	if v, ok := x.seen[[2]uint{cols, rows}]; ok {
		return v
	}
	var sum ir.V
	negative := false
	for row := range x.n {
		if rows>>row&1 == 0 {
			continue
		}
		v := x.m[col*x.n+row]
		if rest != 0 {
			v = x.e.mul(v, x.det(rest, rows&^(1<<row)))
		}
		switch {
		case sum == 0:
			sum = v
		case negative:
			sum = x.e.sub(sum, v)
		default:
			sum = x.e.add(sum, v)
		}
		negative = !negative
	}
	x.seen[[2]uint{cols, rows}] = sum
	return sum
}
