package jit

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestHash changes every field of a program, whatever fields there are: each
// must change the hash.
func TestHash(t *testing.T) {
	make := func() *ir.Program {
		return &ir.Program{
			In: []ir.Input{{}}, Out: []ir.Output{{}}, Captures: []ir.Capture{{}}, Res: []ir.Resource{{}}, Vars: []ir.Var{{}}, Tables: [][]byte{{0}}, Messages: []ir.Message{{Args: []ir.Type{0}, At: []uint32{0}}},
			Funcs: []*ir.Func{{Vals: []ir.Val{{}}, Code: []ir.V{0}, Extra: []ir.V{0}, Args: []ir.V{0}}},
		}
	}
	seen := map[[32]byte]string{hashOf(make()): "nothing"}
	n := 0
	var change func(path string, find func(*ir.Program) reflect.Value)
	change = func(path string, find func(*ir.Program) reflect.Value) {
		switch path {
		case "program.Observed", "program.IDs": // of programs that the interpreter alone runs
			return
		}
		p := make()
		switch v := find(p); v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				change(path+"."+v.Type().Field(i).Name, func(p *ir.Program) reflect.Value { return find(p).Field(i) })
			}
			return
		case reflect.Pointer:
			if v.IsNil() { // Func.Texture: functions with one are not compiled; Program.From: the interpreter alone runs observed programs
				return
			}
			change(path, func(p *ir.Program) reflect.Value { return find(p).Elem() })
			return
		case reflect.Array:
			for i := range v.Len() {
				change(fmt.Sprintf("%s[%d]", path, i), func(p *ir.Program) reflect.Value { return find(p).Index(i) })
			}
			return
		case reflect.Slice:
			change(path+"[0]", func(p *ir.Program) reflect.Value { return find(p).Index(0) })
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if v.Type().Elem().Kind() == reflect.Pointer {
				v.Index(1).Set(reflect.New(v.Type().Elem().Elem()))
			}
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString("x")
		case reflect.Int, reflect.Int32:
			v.SetInt(5)
		default:
			v.SetUint(5)
		}
		n++
		h := hashOf(p)
		if old, ok := seen[h]; ok {
			t.Errorf("a program with another %s has the hash of one with another %s", path, old)
		}
		seen[h] = path
	}
	change("program", func(p *ir.Program) reflect.Value { return reflect.ValueOf(p).Elem() })
	if n < 50 {
		t.Errorf("%d fields; a program has more", n)
	}
}
