package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// text is a string that a user reads: the words of a rule, or a format of a message.
type text struct {
	line
	rule bool
}

// reporters are the functions that report a message to the user. Their arguments with a
// space are formats; the others are codes and names.
var reporters = []string{"fail", "malformed", "unsupported", "warn", "also", "unsuited"}

// texts returns the words of the rules and the messages of f. The words of a rule are
// the field Words of a literal, or a row of a table that begins with a code.
func (f *file) texts() (read []text) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Words" {
				read = f.literals(read, true, n.Value)
				return false
			}
		case *ast.CompositeLit:
			if len(n.Elts) >= 2 && isCode(n.Elts[0]) {
				read = f.literals(read, true, n.Elts[1:]...)
			}
		case *ast.CallExpr:
			if slices.Contains(reporters, strings.ToLower(callee(n))) {
				read = f.literals(read, false, n.Args...)
			}
		}
		return true
	})
	return read
}

// help returns the help texts of f: the fields Long and Short of commands, constants with
// a name that ends with Long, Usage or Help, and the descriptions of flags.
func (f *file) help() (read []text) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && (k.Name == "Long" || k.Name == "Short") {
				read = f.literals(read, true, n.Value)
			}
		case *ast.ValueSpec:
			if helpName.MatchString(n.Names[0].Name) {
				read = f.literals(read, true, n.Values...)
			}
		case *ast.CallExpr:
			if flagMethod.MatchString(callee(n)) {
				read = f.literals(read, true, n.Args[len(n.Args)-1:]...)
			}
		}
		return true
	})
	return read
}

var (
	helpName   = regexp.MustCompile(`(Long|Usage|Help)$`)
	flagMethod = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*VarP?$`)
)

// literals appends the string literals with a space in some expressions. It does not
// enter the calls in them, which have messages of their own.
func (f *file) literals(texts []text, rule bool, in ...ast.Expr) []text {
	for _, e := range in {
		ast.Inspect(e, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				_, call := n.(*ast.CallExpr)
				return !call
			}
			if s, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(s, " ") {
				texts = append(texts, text{line{f, f.fset.Position(lit.Pos()).Line, s}, rule})
			}
			return true
		})
	}
	return texts
}

// isCode reports whether e is the code of a rule: a constant of package vuid, or a
// string such as "SPV-Subject-Rule".
func isCode(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name == "vuid"
	case *ast.BasicLit:
		return strings.HasPrefix(e.Value, `"SPV-`)
	}
	return false
}

// callee returns the name of the called function or method, "" if it has none.
func callee(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
