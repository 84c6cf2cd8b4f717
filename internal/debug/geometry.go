package debug

import (
	"fmt"
	"math"
	"strings"
)

// sum returns the sum of the products of two lists of floats, and whether one of them is wide.
func sum(a, b []number) number {
	out := number{}
	for i := range a {
		out.f += float64(a[i].f * b[i].f)
		out.wide = out.wide || a[i].wide || b[i].wide
	}
	return out.fit(float)
}

// vectors returns two vectors of one size as floats.
func vectors(args []result) (a, b result, err error) {
	a, b = args[0].floats(), args[1].floats()
	if len(a.numbers) != len(b.numbers) || a.columns+b.columns > 0 {
		err = fmt.Errorf("a function of two vectors with %s and %s", args[0].typeName(), args[1].typeName())
	}
	return a, b, err
}

func dot(args []result) (result, error) {
	a, b, err := vectors(args)
	if err != nil {
		return result{}, err
	}
	return result{kind: float, numbers: []number{sum(a.numbers, b.numbers)}}, nil
}

func length(args []result) (result, error) {
	a := args[0].floats()
	n := sum(a.numbers, a.numbers)
	n.f = math.Sqrt(n.f)
	return result{kind: float, numbers: []number{n.fit(float)}}, nil
}

func distance(args []result) (result, error) {
	a, b, err := vectors(args)
	if err != nil {
		return result{}, err
	}
	d, err := apply("-", a, b)
	if err != nil {
		return d, err
	}
	return length([]result{d})
}

func normalize(args []result) (result, error) {
	l, err := length(args)
	if err != nil {
		return l, err
	}
	return apply("/", args[0].floats(), l)
}

func cross(args []result) (result, error) {
	a, b, err := vectors(args)
	if err == nil && len(a.numbers) != 3 {
		err = fmt.Errorf("cross with %s", args[0].typeName())
	}
	if err != nil {
		return result{}, err
	}
	out := result{kind: float}
	for i := range 3 {
		x, y := (i+1)%3, (i+2)%3
		p, q := a.numbers, b.numbers
		n := number{f: float64(p[x].f*q[y].f) - float64(p[y].f*q[x].f), wide: p[x].wide || q[x].wide}
		out.numbers = append(out.numbers, n.fit(float))
	}
	return out, nil
}

// rows returns the number of rows of a matrix.
func (r result) rows() int { return len(r.numbers) / r.columns }

// column returns a column of a matrix.
func (r result) column(i int) result {
	n := r.rows()
	return result{kind: r.kind, numbers: r.numbers[i*n : (i+1)*n]}
}

// row returns the numbers of a row of a matrix.
func (r result) row(i int) (list []number) {
	for c := range r.columns {
		list = append(list, r.numbers[c*r.rows()+i])
	}
	return list
}

func transposed(args []result) (result, error) {
	r := args[0]
	if r.columns == 0 {
		return result{}, fmt.Errorf("transpose with %s", r.typeName())
	}
	out := result{kind: r.kind, columns: r.rows()}
	for i := range r.rows() {
		out.numbers = append(out.numbers, r.row(i)...)
	}
	return out, nil
}

// product is the product of two matrices, or of a matrix and a vector: each number is the sum of the products of a row and a column.
func product(a, b result) (result, error) {
	left, right := a.floats(), b.floats()
	out := result{kind: float, columns: right.columns}
	if left.columns == 0 { // a vector on the left is a row
		left.columns, out.columns = len(left.numbers), 0
	}
	if right.columns == 0 { // one on the right is a column
		right.columns = 1
	}
	if left.columns != right.rows() {
		return result{}, fmt.Errorf("* with %s and %s", a.typeName(), b.typeName())
	}
	for c := range right.columns {
		for r := range left.rows() {
			out.numbers = append(out.numbers, sum(left.row(r), right.column(c).numbers))
		}
	}
	return out, nil
}

// matrixShape returns the columns and rows of the matrices that a constructor of GLSL makes.
func matrixShape(name string) (columns, rows int, ok bool) {
	size := strings.TrimPrefix(strings.TrimPrefix(name, "d"), "mat")
	digit := func(i int) int {
		if n := int(size[i]) - '0'; n >= 2 && n <= 4 {
			return n
		}
		return 0
	}
	switch {
	case !strings.HasPrefix(strings.TrimPrefix(name, "d"), "mat"):
		return 0, 0, false
	case len(size) == 1:
		columns, rows = digit(0), digit(0)
	case len(size) == 3 && size[1] == 'x':
		columns, rows = digit(0), digit(2)
	}
	return columns, rows, columns*rows > 0
}

// newMatrix evaluates a constructor of a matrix: of the numbers column by column, of a scalar on the diagonal, or of another matrix, whose
// missing parts are those of the identity.
func newMatrix(name string, columns, rows int, args []result) (result, error) {
	wide := strings.HasPrefix(name, "d")
	out := result{kind: float, columns: columns}
	set := func(n number) {
		n.wide = wide
		out.numbers = append(out.numbers, n.fit(float))
	}
	first := args[0].floats()
	if len(args) > 1 || first.columns == 0 && len(first.numbers) > 1 {
		for _, a := range args {
			for _, n := range a.floats().numbers {
				set(n)
			}
		}
		err := enough(name, columns*rows, args)
		out.numbers = out.numbers[:min(columns*rows, len(out.numbers))]
		return out, err
	}
	for c := range columns {
		for r := range rows {
			switch {
			case first.columns > c && first.rows() > r:
				set(first.numbers[c*first.rows()+r])
			case r != c:
				set(number{})
			case first.columns > 0:
				set(number{f: 1})
			default:
				set(first.numbers[0])
			}
		}
	}
	return out, nil
}
