package main

import (
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// camel joins the words of a name of the grammar to one exported Go name:
// "x size" becomes "XSize", "s_add_sat" becomes "SAddSat".
func camel(s string) string {
	var b strings.Builder
	up := true
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lower makes the first word of an exported name lower case, for a parameter.
func lower(s string) string {
	n := 0
	for n < len(s) && s[n] >= 'A' && s[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(s) && !(s[n] >= '0' && s[n] <= '9') {
		n-- // the last capital begins the next word
	}
	s = strings.ToLower(s[:n]) + s[n:]
	if s == "type" {
		return "typ"
	}
	if token.IsKeyword(s) || slices.Contains(reserved, s) {
		return s + "Arg"
	}
	return s
}

// reserved are the names that builders use for other things.
var reserved = []string{"dst", "at", "len", "append", "string", "spirv", "words", "rest", "finish", "uint32"}

// operandName is the Go name of an operand: its name in the grammar, or its kind. A list
// "Operand 1, Operand 2, ..." is called Operands.
func operandName(o operand) string {
	switch o.Kind {
	case "IdResultType":
		return "Type"
	case "IdResult":
		return "Result"
	}
	if o.Name == "" {
		if o.Quantifier == "*" {
			return "Operands"
		}
		return camel(o.Kind)
	}
	if o.Kind == "PairLiteralIntegerIdRef" {
		return "Targets"
	}
	first, _, list := strings.Cut(o.Name, ",")
	if list {
		first = strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return ' '
			}
			return r
		}, first)
		return camel(first) + "s"
	}
	return camel(o.Name)
}

// operandNames assigns a distinct name to each operand of a list.
func operandNames(ops []operand) []string {
	names, seen := make([]string, len(ops)), map[string]int{}
	for i, o := range ops {
		n := operandName(o)
		if n == "Op" || n == "Type" && o.Kind != "IdResultType" || n == "Result" && o.Kind != "IdResult" {
			n += "Operand"
		}
		seen[n]++
		if c := seen[n]; c > 1 {
			n += string(rune('0' + c))
		}
		names[i] = n
	}
	return names
}

// constant is the Go name of an enumerant, as Khronos' C++ header has it: the
// bits of a mask end in Mask, its zero begins with Mask.
func constant(k kind, name string, value uint32) string {
	switch {
	case k.Category != "BitEnum":
		return k.Name + name
	case value == 0:
		return k.Name + "Mask" + name
	}
	return k.Name + name + "Mask"
}
