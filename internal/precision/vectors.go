package precision

var (
	one3    = []int{3}
	two3    = []int{3, 3}
	three3s = []int{3, 3, 3}
	matrix  = []int{3, 3, 3, 3} // the columns of a matrix, and a vector
)

// vectors are the functions of vectors of GLSL.std.450.
var vectors = []Instruction{
	{Name: "Length", In: one3, Out: 1, Wide: true, Class: Inherited, Value: func(x [][]Number, _ int) Number { return dot(x[0], x[0]).Sqrt() }},
	{Name: "Distance", In: two3, Out: 1, Wide: true, Class: Inherited, Value: func(x [][]Number, _ int) Number {
		d := make([]Number, len(x[0]))
		for i := range d {
			d[i] = x[0][i].Sub(x[1][i])
		}
		return dot(d, d).Sqrt()
	}},
	{Name: "Normalize", In: one3, Out: 3, Wide: true, Class: Inherited, Value: func(x [][]Number, n int) Number {
		return x[0][n].Mul(dot(x[0], x[0]).Rsqrt())
	}},
	{Name: "Cross", In: two3, Out: 3, Wide: true, Class: Inherited, Value: func(x [][]Number, n int) Number {
		i, j := (n+1)%3, (n+2)%3
		return x[0][i].Mul(x[1][j]).Sub(x[1][i].Mul(x[0][j]))
	}},
	{Name: "FaceForward", In: three3s, Out: 3, Wide: true, Class: Inherited, Value: func(x [][]Number, n int) Number {
		if d := dot(x[2], x[1]); d.Less(d.Num(0)) {
			return x[0][n]
		}
		return Neg(x[0][n])
	}},
	{Name: "Reflect", In: two3, Out: 3, Wide: true, Class: Inherited, Value: func(x [][]Number, n int) Number {
		d := dot(x[1], x[0])
		return x[0][n].Sub(d.Num(2).Mul(d).Mul(x[1][n]))
	}},
	{Name: "Refract", In: []int{3, 3, 1}, Out: 3, Wide: true, Class: Inherited, Value: refract},
}

// coreVectors are the functions of vectors and matrices of SPIR-V, without their prefix Op. A matrix is the list of its columns;
// the result of a product of matrices is one column.
var coreVectors = []Instruction{
	{Name: "Dot", In: two3, Out: 1, Wide: true, Class: Inherited, Value: func(x [][]Number, _ int) Number { return dot(x[0], x[1]) }},
	{Name: "VectorTimesScalar", In: []int{3, 1}, Out: 3, Wide: true, Class: Rounded, Value: func(x [][]Number, n int) Number { return x[0][n].Mul(x[1][0]) }},
	{Name: "MatrixTimesScalar", In: []int{3, 3, 3, 1}, Out: 3, Wide: true, Class: Rounded, Value: func(x [][]Number, n int) Number {
		return x[1][n].Mul(x[len(x)-1][0])
	}},
	{Name: "OuterProduct", In: two3, Out: 3, Wide: true, Class: Rounded, Value: func(x [][]Number, n int) Number {
		return x[0][n].Mul(x[1][1])
	}},
	{Name: "MatrixTimesVector", In: matrix, Out: 3, Wide: true, Class: Inherited, Value: timesVector},
	{Name: "VectorTimesMatrix", In: matrix, Out: 3, Wide: true, Class: Inherited, Value: func(x [][]Number, n int) Number {
		return dot(x[len(x)-1], x[n])
	}},
	{Name: "MatrixTimesMatrix", In: matrix, Out: 3, Wide: true, Class: Inherited, Value: timesVector},
}

// timesVector is component n of the product of a matrix and a vector.
func timesVector(x [][]Number, n int) Number {
	columns, v := x[:len(x)-1], x[len(x)-1]
	row := make([]Number, len(columns))
	for i := range row {
		row[i] = columns[i][n]
	}
	return dot(row, v)
}

// dot is x·y.
func dot(x, y []Number) Number {
	s := x[0].Mul(y[0])
	for i := 1; i < len(x); i++ {
		s = s.Add(x[i].Mul(y[i]))
	}
	return s
}

func refract(x [][]Number, n int) Number {
	eta, d := x[2][0], dot(x[1], x[0])
	one := d.Num(1)
	k := one.Sub(eta.Mul(eta).Mul(one.Sub(d.Mul(d))))
	if k.Less(k.Num(0)) {
		return k.Num(0)
	}
	return eta.Mul(x[0][n]).Sub(eta.Mul(d).Add(k.Sqrt()).Mul(x[1][n]))
}
