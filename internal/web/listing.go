package web

import "strings"

// instructions splits a listing of chiaro dis --no-header into its instructions: a line, or several with a string that has line
// feeds. Instruction n of the module is entry n-1.
func instructions(text string) (list []string) {
	var open bool // in a string
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && open:
			i++
		case c == '"':
			open = !open
		case c == '\n' && !open:
			list = append(list, text[start:i])
			start = i + 1
		}
	}
	if rest := text[start:]; strings.TrimSpace(rest) != "" {
		list = append(list, rest)
	}
	return list
}
