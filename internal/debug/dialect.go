package debug

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Expressions have the syntax of GLSL, and also the names of types and functions of HLSL and WGSL. A row of a matrix of HLSL is a column of
// SPIR-V, as the compilers of HLSL translate it: float2x3 has two rows of three numbers and is a mat2x3 of GLSL, and m[i] is a row.

// scalarNames are the scalar types of HLSL and WGSL, with the constructors of GLSL for them and for their vectors.
var scalarNames = map[string][2]string{
	"float": {"float", "vec"}, "half": {"float", "vec"}, "min16float": {"float", "vec"}, "f32": {"float", "vec"}, "f16": {"float", "vec"}, "double": {"double", "dvec"}, "f64": {"double", "dvec"},
	"int": {"int", "ivec"}, "min16int": {"int", "ivec"}, "i32": {"int", "ivec"}, "int64_t": {"int64_t", "i64vec"}, "i64": {"int64_t", "i64vec"},
	"uint": {"uint", "uvec"}, "dword": {"uint", "uvec"}, "min16uint": {"uint", "uvec"}, "u32": {"uint", "uvec"}, "uint64_t": {"uint64_t", "u64vec"}, "u64": {"uint64_t", "u64vec"},
	"bool": {"bool", "bvec"},
}

// wgslLetters are the last letters of the names of vectors and matrices of WGSL.
var wgslLetters = map[byte]string{'f': "f32", 'h': "f16", 'i': "i32", 'u': "u32"}

// constructorOf returns the constructor of GLSL for the name of a type of HLSL or WGSL; the name itself for another one.
func constructorOf(name string) string {
	if of, ok := scalarNames[name]; ok { // f32 has no size
		return of[0]
	}
	base := strings.TrimRight(name, "234x")
	size := name[len(base):]
	if name == "" { // at the end of an expression
		return name
	}
	if of, ok := scalarNames[base]; ok {
		switch {
		case len(size) == 1 && size != "x":
			return of[1] + size
		case len(size) == 3 && (of[0] == "float" || of[0] == "double"):
			return strings.TrimSuffix(of[1], "vec") + "mat" + size
		}
		return name
	}
	if of, ok := ofElement(name[:len(name)-1], wgslLetters[name[len(name)-1]]); ok {
		return of
	}
	return name
}

// ofElement returns the constructor of GLSL for a vector or a matrix of WGSL, such as vec3 of f32; false for another name.
func ofElement(name, element string) (string, bool) {
	of, ok := scalarNames[element]
	switch {
	case !ok:
	case len(name) == 4 && strings.HasPrefix(name, "vec") && name[3] >= '2' && name[3] <= '4':
		return of[1] + name[3:], true
	case len(name) == 6 && strings.HasPrefix(name, "mat") && of[1] == "vec":
		return name, true
	}
	return "", false
}

// isType reports whether a name is the name of a type that has a constructor.
func isType(name string) bool {
	name = constructorOf(name)
	if _, _, ok := matrixShape(name); ok {
		return true
	}
	_, ok := constructors[strings.TrimRight(name, "234")]
	return ok
}

// element reads the type in angle brackets after the name of a vector or a matrix of WGSL, or after bitcast, and returns the name of the
// constructor or the function.
func (p *parser) element(name string) (string, error) {
	_, parts := ofElement(name, "f32")
	if p.token != "<" || !parts && name != "bitcast" {
		return constructorOf(name), nil
	}
	p.next()
	of := p.token
	p.next()
	if parts {
		to, ok := ofElement(name, of)
		if !ok {
			return "", fmt.Errorf("%s of %q; want a type of numbers", name, of)
		}
		return to, p.close()
	}
	if err := p.enter(); err != nil {
		return "", err
	}
	defer p.leave()
	of, err := p.element(of)
	if err != nil {
		return "", err
	}
	function, ok := bitCasts[strings.TrimRight(of, "234")]
	if !ok {
		return "", fmt.Errorf("a bit cast to %q; want a type of 32 bits", of)
	}
	return function, p.close()
}

// close reads the angle bracket after a type; the bracket of another type may be next to it.
func (p *parser) close() error {
	if p.token == ">>" {
		p.token = ">"
		return nil
	}
	return p.expect(">")
}

// bitCasts are the functions for the types of a bit cast of WGSL.
var bitCasts = map[string]string{"float": "asfloat", "vec": "asfloat", "int": "asint", "ivec": "asint", "uint": "asuint", "uvec": "asuint"}

// cast reads the operand of a cast of HLSL, (type) value, after its parenthesis.
func (p *parser) cast(name string) (*node, error) {
	p.next()
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	of, err := p.unary()
	if err != nil {
		return nil, err
	}
	return &node{value: func(x *view) (result, error) {
		r, err := of.numbers(x)
		if err != nil {
			return r, err
		}
		return callFunction(constructorOf(name), []result{r}, true)
	}}, nil
}

// multiply is the product of HLSL: of vectors the dot product, of a vector and a matrix, or of two matrices, the product of rows and
// columns. Rows are the columns of SPIR-V, so that the operands change places.
func multiply(args []result) (result, error) {
	a, b := args[0], args[1]
	if a.columns == 0 && b.columns == 0 && len(a.numbers) > 1 && len(b.numbers) > 1 {
		return dot(args)
	}
	return apply("*", b, a)
}

// isHLSL reports whether the shader of a frame is in HLSL.
func (x *view) isHLSL() bool {
	m := x.own().stage.Facts
	return m != nil && slices.ContainsFunc(m.Sources(), func(s facts.Source) bool { return s.Language == spirv.SourceLanguageHLSL })
}

// applyHLSL evaluates a binary operator of HLSL: * and the comparisons are component by component, and % has floats.
func applyHLSL(op string, a, b result) (result, error) {
	switch {
	case op == "%" && max(a.kind, b.kind) == float:
		return functions["fmod"].of([]result{a, b})
	case op == "*", op == "==", op == "!=":
		return componentwise(op, a, b)
	}
	return apply(op, a, b)
}
