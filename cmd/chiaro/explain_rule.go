package main

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// findLinkRule is findRule for the rules of pipelines.
func findLinkRule(code string) (link.Rule, bool) {
	if r, ok := link.RuleOf(code); ok {
		return r, true
	}
	var found link.Rule
	n := 0
	if len(code) == len("04633") && strings.Trim(code, "0123456789") == "" {
		for r := range link.Rules() {
			if strings.HasSuffix(r.Code, "-"+code) {
				found = r
				n++
			}
		}
	}
	return found, n == 1
}

// explainLinkRule prints the requirement of a rule on pipelines and its examples.
func explainLinkRule(w io.Writer, r link.Rule) {
	fmt.Fprintf(w, "%s\n  judged   on pipelines\n  rule     %s\n", r.Code, r.Words)
	text, ok := link.Case(r.Code)
	if !ok {
		fmt.Fprintf(w, "\nThere is no example of it yet.\n")
		return
	}
	a := txtar.Parse([]byte(text))
	shown := ""
	for _, part := range []struct{ name, title string }{{"fail.yaml", "This violates it:"}, {"pass.yaml", "This satisfies it:"}} {
		for _, f := range a.Files {
			if f.Name == part.name {
				fmt.Fprintf(w, "\n%s\n\n", part.title)
				indented(w, string(f.Data))
				shown += string(f.Data)
			}
		}
	}
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".spvasm") && strings.Contains(shown, f.Name) {
			fmt.Fprintf(w, "\n%s:\n\n", f.Name)
			indented(w, string(f.Data))
		}
	}
}

func indented(w io.Writer, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		fmt.Fprintf(w, "    %s", line)
	}
}

// findRule returns the rule with a code. It also accepts the last part of a VUID,
// such as 04633, if that is unique.
func findRule(code string) (valid.Rule, bool) {
	if r, ok := valid.RuleOf(code); ok {
		return r, true
	}
	var found valid.Rule
	n := 0
	if len(code) == len("04633") && strings.Trim(code, "0123456789") == "" {
		for r := range valid.Rules() {
			if strings.HasPrefix(r.Code, "VUID-") && strings.HasSuffix(r.Code, "-"+code) {
				found = r
				n++
			}
		}
	}
	return found, n == 1
}

// ruleCodes returns the codes of rules that begin with a prefix.
func ruleCodes(prefix string) []string {
	var codes []string
	for r := range valid.Rules() {
		if strings.HasPrefix(r.Code, prefix) {
			codes = append(codes, r.Code)
		}
	}
	for r := range link.Rules() {
		if strings.HasPrefix(r.Code, prefix) {
			codes = append(codes, r.Code)
		}
	}
	return codes
}

// explainRule prints the requirement of a rule and its examples.
func explainRule(w io.Writer, r valid.Rule) {
	fmt.Fprintf(w, "%s\n  section  %s\n  judged   %s\n  rule     %s\n", r.Code, r.Section, judgedWith[r.Need], r.Words)
	text, ok := valid.Case(r.Code)
	if !ok {
		fmt.Fprintf(w, "\nThere is no example of it yet.\n")
		return
	}
	a := txtar.Parse([]byte(text))
	if s := strings.TrimSpace(string(a.Comment)); s != "" {
		fmt.Fprintf(w, "  example  %s\n", strings.ReplaceAll(s, "\n", ", "))
	}
	for _, part := range []struct{ kind, title string }{{"fail", "This violates it:"}, {"pass", "This satisfies it:"}} {
		for _, f := range a.Files {
			if !strings.HasPrefix(f.Name, part.kind) {
				continue
			}
			fmt.Fprintf(w, "\n%s\n\n", part.title)
			for line := range strings.Lines(strings.TrimRight(string(f.Data), "\n") + "\n") {
				fmt.Fprintf(w, "    %s", strings.Replace(line, "; ERROR ", "; found: ", 1))
			}
			break // one example of each kind is enough
		}
	}
}

// judgedWith describes the inputs that a rule needs.
var judgedWith = [...]string{
	valid.NeedModule: "from the module alone",
	valid.NeedVulkan: "for a Vulkan environment",
	valid.NeedDevice: "with a device profile",
}

// neededBeyond returns the reason why check does not judge a rule.
func neededBeyond(u valid.Unjudged) string {
	switch u.Needs {
	case valid.BeyondText:
		return "it is of another text: " + u.Why
	case valid.BeyondQuery:
		return "it needs a query of the device: " + u.Why
	}
	return "it needs a " + u.Needs.String() + ": " + u.Why
}
