package web

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// cause is why items fail: a rule, a report of a sanitizer, or a message without its names and numbers.
type cause struct {
	Title string `json:"title"`
	Kind  string `json:"kind"`           // error, warning, or the status of the items
	Text  string `json:"text,omitempty"` // the message of the first item
	Items int    `json:"items"`
}

// maxTitle bounds the characters of a cause.
const maxTitle = 200

var (
	ofPlace  = regexp.MustCompile(`^:?\d+:(\d+:)? (error: )?`)
	ofNumber = regexp.MustCompile(`\b(0x[0-9a-fA-F]+|\d+(\.\d+)?(e[-+]?\d+)?)\b|%\w+`)
	ofPath   = regexp.MustCompile(`[^\s"']*/[^\s"':,;]+`)
	ofQuote  = regexp.MustCompile(`"[^"]*"|'[^']*'`)
)

// causesOf returns the causes of a record, each once.
func causesOf(r *record) (list []cause) {
	seen := map[string]bool{}
	add := func(title, kind, text string) {
		title = cut(title) // causes are equal if their shown titles are
		if !seen[title] {
			seen[title] = true
			list = append(list, cause{Title: title, Kind: kind, Text: cut(text)})
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		add(f.Code, f.Severity, f.Message)
	}
	for i := range r.Reports {
		add(r.Reports[i].Sanitizer+": "+r.Reports[i].Rule, "fail", r.Message)
	}
	state := r.state()
	if len(list) == 0 && state != "pass" && state != "clean" {
		message, _, _ := strings.Cut(strings.TrimSpace(r.Message), "\n")
		add(state+": "+general(message, r), state, message)
	}
	return list
}

// general returns a message without its place, names and numbers, so that messages with one cause are equal. Quoted texts go first:
// a path or a number in quotes is part of a name.
func general(message string, r *record) string {
	message = strings.TrimPrefix(strings.TrimPrefix(message, r.File+":"), " ")
	message = ofPlace.ReplaceAllString(message, "")
	message = strings.TrimPrefix(message, r.Test+": ")
	message = ofQuote.ReplaceAllString(message, "“…”")
	message = ofPath.ReplaceAllString(message, "…")
	return ofNumber.ReplaceAllString(message, "#")
}

// cut shortens a text.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= maxTitle {
		return text
	}
	return string([]rune(text)[:maxTitle]) + "…"
}
