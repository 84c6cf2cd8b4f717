package amd64

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// tableRow is one constant of insn_table.go or insn_table_vex.go.
type tableRow struct {
	name     string // as the constant is called
	mnemonic string // as an assembler calls it
	op       Op
}

// readTable reads the constants of both tables from their source, so that the
// table is written once and no row can be left untested.
func readTable(t *testing.T) []tableRow {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"insn.go", "reg.go", "asm.go", "insn_table.go", "insn_table_vex.go"} {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Error: func(error) {}, Importer: nil}
	pkg, _ := conf.Check("amd64", fset, files, nil)
	var rows []tableRow
	for _, d := range append(files[3].Decls, files[4].Decls...) {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			name := s.(*ast.ValueSpec).Names[0].Name
			v, ok := constant.Uint64Val(pkg.Scope().Lookup(name).(*types.Const).Val())
			if !ok {
				t.Fatalf("%s has no value", name)
			}
			m := strings.ToLower(strings.TrimPrefix(name, "AVX_"))
			m, _, _ = strings.Cut(m, "_")
			rows = append(rows, tableRow{name, m, Op(v)})
		}
	}
	return rows
}

func TestTable(t *testing.T) {
	rows := readTable(t)
	if len(rows) < 272 {
		t.Fatalf("%d rows", len(rows))
	}
	seen := map[Op]string{}
	for _, r := range rows {
		if other, ok := seen[r.op]; ok {
			t.Errorf("%s is the same word as %s", r.name, other)
		}
		seen[r.op] = r.name
	}
}
