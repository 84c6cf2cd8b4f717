package vk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// values are the types with methods that no device makes.
var values = []any{
	&InUseError{}, &InvalidModuleError{}, &LinkError{}, &Location{}, &LostError{}, &OutOfMemoryError{}, &OutOfPoolMemoryError{},
	&InternalError{}, &MemoryRequirements{}, &PipelineError{}, &Executable{}, &ShaderError{}, &StageError{}, &UnsupportedError{}, &UsageError{}, new(ShaderStage), new(BindPoint),
}

// functions are the functions of the package.
var functions = map[string]any{"Chiaro": Chiaro, "Play": Play, "DescriptorSize": DescriptorSize, "BindPoints": BindPoints, "PipelineCacheUUID": PipelineCacheUUID, "ValidationCacheUUID": ValidationCacheUUID, "CombinedHandle": CombinedHandle}

// TestHostileValues calls the methods of values, and the functions, with hostile arguments.
func TestHostileValues(t *testing.T) {
	for _, number := range []int64{0, 1, -1} {
		a := &arguments{number, 1, reflect.Zero}
		for _, x := range values {
			for i := range reflect.TypeOf(x).NumMethod() {
				v := reflect.New(reflect.TypeOf(x).Elem())
				if number != 0 {
					a.fill(v.Elem(), 0)
				}
				a.call(t, "zero", v, v.Type().Method(i))
			}
		}
		for name, f := range functions {
			// A method expression has the form of a function whose first argument is the receiver: here a nil pointer.
			kind := reflect.FuncOf(append([]reflect.Type{reflect.TypeFor[*int]()}, in(reflect.TypeOf(f))...), nil, false)
			call := func(args []reflect.Value) []reflect.Value { reflect.ValueOf(f).Call(args[1:]); return nil }
			a.call(t, "no", reflect.Zero(reflect.TypeFor[*int]()), reflect.Method{Name: name, Type: kind, Func: reflect.MakeFunc(kind, call)})
		}
	}
}

func in(f reflect.Type) (list []reflect.Type) {
	for i := range f.NumIn() {
		list = append(list, f.In(i))
	}
	return list
}

// TestHostileCovers fails if the package exports a method or a function that no hostile test calls.
func TestHostileCovers(t *testing.T) {
	covered := map[string]bool{}
	for name := range functions {
		covered[name] = true
	}
	add := func(kind reflect.Type) {
		for i := range kind.NumMethod() {
			covered[kind.Elem().Name()+"."+kind.Method(i).Name] = true
		}
	}
	for kind := range newZoo(t) {
		add(kind)
	}
	for _, x := range values {
		add(reflect.TypeOf(x))
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				kind := f.Recv.List[0].Type
				if p, ok := kind.(*ast.StarExpr); ok {
					kind = p.X
				}
				id, ok := kind.(*ast.Ident)
				if !ok || !id.IsExported() {
					continue // a promoted method, which the types that embed it have
				}
				name = id.Name + "." + name
			}
			if n++; !covered[name] {
				t.Errorf("no hostile test calls %s: add its type to newZoo or values, or the function to functions", name)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d exported functions and methods; the package has more", n)
	}
}
