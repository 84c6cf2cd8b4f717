package debug

import (
	"fmt"
	"math"
)

// Functions of matrices ("8.6. Matrix Functions" of GLSL), and of the directions of vectors (8.5).

// square returns the numbers of a square matrix by column, and whether one of them is wide.
func square(name string, r result) (m [][]float64, wide bool, err error) {
	if r.columns == 0 || r.columns != r.rows() {
		return nil, false, fmt.Errorf("%s with %s; must be a square matrix", name, r.typeName())
	}
	n := r.columns
	for c := range n {
		column := make([]float64, n)
		for i, x := range r.floats().numbers[c*n:][:n] {
			column[i], wide = x.f, wide || x.wide
		}
		m = append(m, column)
	}
	return m, wide, nil
}

// minor returns a matrix without a column and a row.
func minor(m [][]float64, column, row int) (out [][]float64) {
	for c := range m {
		if c != column {
			out = append(out, append(append([]float64{}, m[c][:row]...), m[c][row+1:]...))
		}
	}
	return out
}

// determinantOf expands by the first column (Laplace). A matrix has at most 4 columns.
func determinantOf(m [][]float64) float64 {
	if len(m) == 0 {
		return 1
	}
	sum := 0.0
	for i, x := range m[0] {
		if i%2 == 1 {
			x = -x
		}
		sum += float64(x * determinantOf(minor(m, 0, i)))
	}
	return sum
}

func determinant(args []result) (result, error) {
	m, wide, err := square("determinant", args[0])
	if err != nil {
		return result{}, err
	}
	return result{kind: float, numbers: []number{number{f: determinantOf(m), wide: wide}.fit(float)}}, nil
}

// inverse is the adjugate over the determinant (Cramer). The inverse of a singular matrix is undefined: an error.
func inverse(args []result) (result, error) {
	m, wide, err := square("inverse", args[0])
	if err != nil {
		return result{}, err
	}
	d := determinantOf(m)
	if d == 0 {
		return result{}, fmt.Errorf("inverse of a matrix with the determinant 0")
	}
	out := result{kind: float, columns: len(m)}
	for c := range m {
		for i := range m {
			x := determinantOf(minor(m, i, c)) / d
			if (c+i)%2 == 1 {
				x = -x
			}
			out.numbers = append(out.numbers, number{f: x, wide: wide}.fit(float))
		}
	}
	return out, nil
}

// outerProduct has a column for each number of the second vector.
func outerProduct(args []result) (result, error) {
	a, b := args[0].floats(), args[1].floats()
	if len(a.numbers) < 2 || len(b.numbers) < 2 || a.columns+b.columns > 0 {
		return result{}, fmt.Errorf("outerProduct of %s and %s; must be of vectors", args[0].typeName(), args[1].typeName())
	}
	out := result{kind: float, columns: len(b.numbers)}
	for _, y := range b.numbers {
		for _, x := range a.numbers {
			out.numbers = append(out.numbers, number{f: x.f * y.f, wide: x.wide || y.wide}.fit(float))
		}
	}
	return out, nil
}

// matrixCompMult is the product component by component.
func matrixCompMult(args []result) (result, error) {
	a, b := args[0], args[1]
	if a.columns == 0 || a.columns != b.columns || len(a.numbers) != len(b.numbers) {
		return result{}, fmt.Errorf("matrixCompMult of %s and %s; must be matrices of one type", a.typeName(), b.typeName())
	}
	return each([]result{a.floats(), b.floats()}, func(k kind, x []number) (number, kind) { return number{f: x[0].f * x[1].f}, k })
}

// along returns x·a + y·b, number by number.
func along(a result, x float64, b result, y float64) result {
	out := result{kind: float}
	for i := range a.numbers {
		n := number{f: float64(a.numbers[i].f*x) + float64(b.numbers[i].f*y), wide: a.numbers[i].wide || b.numbers[i].wide}
		out.numbers = append(out.numbers, n.fit(float))
	}
	return out
}

// reflect is I − 2·dot(N, I)·N.
func reflect(args []result) (result, error) {
	i, n, err := vectors(args)
	if err != nil {
		return result{}, err
	}
	return along(i, 1, n, -2*sum(n.numbers, i.numbers).f), nil
}

// refract is the refracted direction for the ratio eta of refractive indices; 0 at total internal reflection.
func refract(args []result) (result, error) {
	i, n, err := vectors(args[:2])
	if err == nil && len(args[2].numbers) != 1 {
		err = fmt.Errorf("refract with a ratio of type %s", args[2].typeName())
	}
	if err != nil {
		return result{}, err
	}
	eta, d := args[2].floats().numbers[0].f, sum(n.numbers, i.numbers).f
	k := 1 - float64(eta*eta*(1-float64(d*d))) // converted products are never fused
	if k < 0 {
		return along(i, 0, n, 0), nil
	}
	return along(i, eta, n, -(float64(eta*d) + math.Sqrt(k))), nil
}

// faceForward is N, or −N if the angle of I and Nref is not obtuse.
func faceForward(args []result) (result, error) {
	i, ref, err := vectors(args[1:])
	if err == nil {
		_, _, err = vectors(args[:2])
	}
	if err != nil {
		return result{}, err
	}
	n := args[0].floats()
	if sum(ref.numbers, i.numbers).f < 0 {
		return n, nil
	}
	for j := range n.numbers {
		n.numbers[j].f = -n.numbers[j].f
	}
	return n, nil
}
