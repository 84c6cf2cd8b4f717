package main

import (
	"fmt"
	"strings"
)

// builder writes the function that appends the instruction to words.
func (v view) builder(b *strings.Builder) {
	params, body, fixed := v.parameters()
	fmt.Fprintf(b, "\n// %s appends an %s to dst.", v.name, v.doc)
	if strings.Contains(params, "rest ...uint32") {
		b.WriteString(" The words of optional operands and of parameters are rest.")
	}
	fmt.Fprintf(b, "\nfunc %s(dst []uint32%s) []uint32 {\n", v.name, params)
	if fixed > 0 {
		fmt.Fprintf(b, "return append(dst, spirv.Head(spirv.%s, %d)%s)\n}\n", v.op, fixed, body)
		return
	}
	fmt.Fprintf(b, "at := len(dst)\n%sreturn finish(dst, at, spirv.%s)\n}\n", body, v.op)
}

// parameters returns the parameter list and the body. If fixed is not 0 the instruction has
// that many words, and the body is the rest of an append.
func (v view) parameters() (params, body string, fixed int) {
	var p strings.Builder
	words, stmts := "", ""
	flush := func() {
		if words == "" {
			return
		}
		stmts += "dst = append(dst" + words + ")\n"
		words = ""
	}
	words, fixed = ", 0", 1
	open := false
	for i, o := range v.operands {
		name := lower(o.name)
		last := i == len(v.operands)-1
		if o.Quantifier != "" || o.Kind == "LiteralContextDependentNumber" {
			flush()
			open = true
			if last && o.Quantifier == "*" && o.goType() == "spirv.ID" {
				fmt.Fprintf(&p, ", %s ...spirv.ID", name)
				stmts += "dst = append(dst, words(" + name + ")...)\n"
			} else {
				if !last || o.Quantifier == "?" || o.Kind[:4] == "Pair" || o.goType() != "uint32" {
					name = "rest"
				}
				p.WriteString(", " + name + " ...uint32")
				stmts += "dst = append(dst, " + name + "...)\n"
			}
			break
		}
		fixed++
		switch {
		case v.code != "" && o.Kind == "LiteralExtInstInteger":
			words += ", uint32(spirv." + v.code + ")"
			continue
		case o.Kind == "LiteralString":
			flush()
			open = true
			fmt.Fprintf(&p, ", %s string", name)
			stmts += "dst = spirv.AppendString(dst, " + name + ")\n"
			continue
		case o.goType() == "uint32":
			words += ", " + name
		default:
			words += ", uint32(" + name + ")"
		}
		fmt.Fprintf(&p, ", %s %s", name, o.goType())
		if parametric(o.kind) {
			flush()
			open = true
			rest := name + "Words []uint32"
			if last {
				rest = "rest ...uint32"
			}
			p.WriteString(", " + rest)
			stmts += "dst = append(dst, " + strings.Fields(rest)[0] + "...)\n"
		}
	}
	if v.name == "SpecConstantOp" {
		flush()
		open = true
		p.WriteString(", rest ...uint32")
		stmts += "dst = append(dst, rest...)\n"
	}
	if open {
		flush()
		return p.String(), stmts, 0
	}
	return p.String(), strings.TrimPrefix(words, ", 0"), fixed
}
