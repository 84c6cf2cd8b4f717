package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/ptx"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// commands are the commands that name the rules on all draws, dispatches and traces.
var commands = []string{"vkCmdDraw", "vkCmdDispatch", "vkCmdTraceRaysKHR", "vkCmdDrawMeshTasksEXT"}

// codeOf returns the code of the rule that a text names: by its code with or without VUID-, by its code for another draw, dispatch
// or trace, or by its number if no other rule has it. It returns any other text unchanged.
func codeOf(text string) string {
	code := text
	if !strings.HasPrefix(text, "VUID-") && strings.Contains(text, "-") && !known(text) {
		code = "VUID-" + text
	}
	if known(code) {
		return code
	}
	if _, rule, ok := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-"); ok && strings.HasPrefix(code, "VUID-vkCmd") {
		for _, c := range commands {
			if x := "VUID-" + c + "-" + rule; known(x) {
				return x
			}
		}
	}
	all := numbered(text)
	var checked, linked []string
	for _, x := range all {
		if judgedOf(valid.RuleOf(x)) {
			checked = append(checked, x)
		} else if judgedOf(link.RuleOf(x)) {
			linked = append(linked, x)
		}
	}
	for _, list := range [][]string{checked, linked, all} {
		if len(list) == 1 {
			return list[0]
		}
	}
	return text
}

// numbered returns the codes of the rules with a number such as 04633; several rules can have the same.
func numbered(number string) []string {
	if len(number) != len("04633") || strings.Trim(number, "0123456789") != "" {
		return nil
	}
	var codes []string
	for _, x := range vuid.All {
		if strings.HasSuffix(x, "-"+number) {
			codes = append(codes, x)
		}
	}
	return codes
}

func judgedOf[T any](_ T, ok bool) bool { return ok }

// known reports whether a rule has the code.
func known(code string) bool {
	return strings.HasPrefix(code, "PTX-") || judgedOf(valid.RuleOf(code)) || judgedOf(link.AnswerOf(code))
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

// explainPTX prints the requirement of a rule of PTX and its examples.
func explainPTX(w io.Writer, r ptx.Rule) {
	fmt.Fprintf(w, "%s\n  judged   from the module, by chiaro check\n  rule     %s\n\nThis violates it:\n\n", r.Code, r.Words)
	indented(w, r.Bad)
	fmt.Fprintf(w, "\nThis satisfies it:\n\n")
	indented(w, r.Good)
}

func indented(w io.Writer, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		fmt.Fprintf(w, "    %s", line)
	}
}

// ruleCodes returns the codes of rules that begin with a prefix, judged or not.
func ruleCodes(prefix string) []string {
	codes := slices.Clone(vuid.All[:])
	for r := range valid.Rules() {
		codes = append(codes, r.Code)
	}
	for r := range link.Rules() {
		codes = append(codes, r.Code)
	}
	for _, r := range ptx.Rules() {
		codes = append(codes, r.Code)
	}
	codes = slices.DeleteFunc(codes, func(c string) bool { return !strings.HasPrefix(c, prefix) })
	slices.Sort(codes)
	return slices.Compact(codes)
}

// explainRule prints the requirement of a rule and its examples.
func explainRule(w io.Writer, r valid.Rule) {
	fmt.Fprintf(w, "%s\n  section  %s\n  judged   %s\n  rule     %s\n", r.Code, r.Section, judgedWith[r.Need], r.Words)
	if note := valid.ReadingOf(r.Code); note != "" {
		fmt.Fprintf(w, "  reading  %s (docs/versions.md)\n", note)
	}
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
	valid.NeedModule: "from the module",
	valid.NeedVulkan: "for a Vulkan environment",
	valid.NeedDevice: "with a device profile",
}

// explainAnswer prints the answer for a rule that neither check nor link judges under its
// own name.
func explainAnswer(w io.Writer, code string, a link.Answer) {
	fmt.Fprintf(w, "%s\n  subject  %s\n", code, subjectOf(code))
	switch a.By {
	case link.ByReader:
		fmt.Fprintf(w, "  judged   by the reader of modules and descriptions: %s\n", a.Why)
	case link.ByRun:
		fmt.Fprintf(w, "  judged   while running: %s\n", a.Why)
	case link.ByObjects:
		fmt.Fprintf(w, "  judged   by the objects of the API, package vk: %s\n", a.Why)
	case link.ByDriver:
		fmt.Fprintf(w, "  judged   by the driver, for the memory of each call: %s\n", a.Why)
	case link.ByOther:
		fmt.Fprintf(w, "  judged   by other rules: %s\n", a.Why)
	case link.ByRefusal:
		fmt.Fprintf(w, "  judged   at the creation of the device: %s\n", a.Why)
	case link.NeedsText:
		fmt.Fprintf(w, "  judged   not: it is of another text: %s\n", a.Why)
	default:
		fmt.Fprintf(w, "  judged   not: %s: %s\n", missing[a.By], a.Why)
	}
}

// missing is the information that the check of a rule would need.
var missing = map[link.Judge]string{
	link.NeedsForm: "it is on memory that the driver cannot judge, or writes itself", link.NeedsCall: "it needs the handles of a call, or the state of the device",
	link.NeedsCommands: "it needs the recorded commands", link.NeedsDraw: "it needs the bound resources", link.NeedsRun: "it needs a run",
	link.NeedsObject: "it needs an object, a state or a parameter that package vk does not have",
}

// forms are the subjects of rules on the form of structures and calls, by the last part
// of a VUID.
var forms = map[string]string{
	"sType": "the type of the structure", "unique": "the structures in the chain, one of each type", "pNext": "the chain of structures",
	"parameter": "the validity of", "parent": "the device that made", "commonparent": "the one device that made all handles",
	"arraylength": "the length of", "requiredbitmask": "the set bits, at least one, of", "zerobitmask": "the reserved bits, all 0, of",
	"recording": "the state of the command buffer, which must record", "cmdpool": "the queue family of the command pool",
	"videocoding": "the position of the command, outside of video coding", "renderpass": "the position of the command in a render pass",
}

// subjectOf describes the subject of a VUID, which has the form
// VUID-structure or command-member-number or form.
func subjectOf(code string) string {
	parts := strings.Split(strings.TrimPrefix(code, "VUID-"), "-")
	of, member := parts[0], ""
	if len(parts) > 1 && parts[1] != "None" {
		member = parts[1]
	}
	kind := "the structure " + of
	if strings.HasPrefix(of, "vk") {
		kind = "the command " + of
	}
	words, ok := forms[parts[len(parts)-1]]
	switch {
	case ok && strings.HasSuffix(words, " of") || strings.HasSuffix(words, " made"):
		return words + " " + member + " in " + kind
	case ok:
		return words + ", in " + kind
	case member != "":
		return member + " in " + kind
	}
	return kind
}
