package debug

import "strings"

// Assignment divides an assignment in the syntax of GLSL, such as v.x = 1.0 or n <<= 2, into the variable and the expression of its value.
// It returns false for other expressions.
func Assignment(text string) (variable, value string, ok bool) {
	if len(text) > maxExpression {
		return "", "", false
	}
	p := &parser{text: text}
	depth, op := 0, ""
	for p.next(); p.token != ""; p.next() {
		switch t := p.token; {
		case t == "(" || t == "[":
			depth++
		case t == ")" || t == "]":
			depth--
		case depth == 0 && t == "=":
			variable = strings.TrimSpace(text[:len(text)-len(p.text)-len("=")-len(op)])
			value = strings.TrimSpace(p.text)
			if op != "" {
				value = variable + " " + op + " (" + value + ")"
			}
			return variable, value, true
		}
		if op = ""; strings.HasPrefix(p.text, "=") && strings.Contains("+ - * / % & | ^ << >>", p.token) {
			op = p.token
		}
	}
	return "", "", false
}
