package valid

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The sections of a module (SPIR-V 2.4), and the body of main.
const (
	sectionCapability = iota
	sectionExtension
	sectionImport
	sectionModel
	sectionEntry
	sectionMode
	sectionSource
	sectionName
	sectionProcessed
	sectionDecoration
	sectionGlobal
	sectionDeclaration // functions without a body
	sectionBody
	sectionFunction // further functions
	sectionLast     // non-semantic instructions after the functions
	sectionCount
)

// sentenceSections are the sections of opcodes outside of functions.
var sentenceSections = map[string]int{
	"OpCapability": sectionCapability, "OpConditionalCapabilityINTEL": sectionCapability,
	"OpExtension": sectionExtension, "OpConditionalExtensionINTEL": sectionExtension,
	"OpExtInstImport": sectionImport,
	"OpMemoryModel":   sectionModel,
	"OpEntryPoint":    sectionEntry, "OpConditionalEntryPointINTEL": sectionEntry,
	"OpExecutionMode": sectionMode, "OpExecutionModeId": sectionMode,
	"OpString": sectionSource, "OpSource": sectionSource, "OpSourceContinued": sectionSource,
	"OpSourceExtension": sectionSource,
	"OpName":            sectionName, "OpMemberName": sectionName,
	"OpModuleProcessed": sectionProcessed,
	"OpDecorate":        sectionDecoration, "OpMemberDecorate": sectionDecoration, "OpDecorateId": sectionDecoration,
	"OpDecorateString": sectionDecoration, "OpMemberDecorateString": sectionDecoration,
	"OpGroupDecorate": sectionDecoration, "OpGroupMemberDecorate": sectionDecoration,
	"OpDecorationGroup": sectionDecoration, "OpMemberDecorateIdEXT": sectionDecoration,
}

// sentenceID matches an id.
var sentenceID = regexp.MustCompile(`%\w+`)

// resultOf returns the id that a line defines, "" if it defines none.
func resultOf(line string) string {
	if id, _, ok := strings.Cut(line, "="); ok && strings.HasPrefix(line, "%") {
		return strings.TrimSpace(id)
	}
	return ""
}

// opcodeOf returns the name of a line's opcode.
func opcodeOf(line string) string {
	if resultOf(line) != "" {
		_, line, _ = strings.Cut(line, "=")
	}
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return name
}

// sentenceModule is a module while it is built.
type sentenceModule struct {
	sections [sectionCount][]string
	defined  map[string]bool
	function []string // the lines of the open function
	inside   bool     // between OpFunction and OpFunctionEnd
}

// build returns the text of the row's module of a sign: the base with the row's
// lines, each in its section, and the definitions of the pool that these use.
func (b *sentenceBuilder) build(t *testing.T, r *sentenceRow, env *Env, sign byte) string {
	var own []string
	for _, l := range r.lines {
		if l.sign == ' ' || l.sign == sign {
			own = append(own, l.text)
		}
	}
	base, ok := b.bases[r.base]
	if r.base == "verbatim" {
		return strings.Join(own, "\n") + "\n"
	}
	if !ok {
		t.Fatalf("%s:%d: there is no base %s", r.table, r.line, r.base)
	}
	m := &sentenceModule{defined: map[string]bool{}}
	for _, l := range own {
		if id := resultOf(l); id != "" {
			m.defined[id] = true
		}
	}
	ownModule := strings.Join(own, "\n")
	main := !strings.Contains(ownModule, "%main = OpFunction")
	for _, l := range base {
		if !replaced(l, ownModule) {
			m.add(l)
		}
	}
	for _, l := range own {
		m.add(l)
	}
	if main {
		m.sections[sectionBody] = slices.Concat([]string{"%main = OpFunction %void None %fn_void", "%main_label = OpLabel"},
			m.sections[sectionBody], m.ending(), []string{"OpFunctionEnd"})
	}
	b.fill(m)
	m.interfaces(env, ownModule)
	var out []string
	for i := range m.sections {
		out = append(out, m.sections[i]...)
	}
	return strings.Join(out, "\n") + "\n"
}

// replaced reports whether a line of the row replaces a line of the base: the
// memory model, the entry point with its modes, and a mode that the row has too.
func replaced(line, own string) bool {
	switch op := opcodeOf(line); op {
	case "OpMemoryModel", "OpEntryPoint":
		return strings.Contains(own, op)
	case "OpExecutionMode":
		mode := strings.Fields(line)[2]
		return strings.Contains(own, "OpEntryPoint") || strings.Contains(own, " "+mode)
	case "OpCapability":
		return strings.Contains(own, line+"\n") || strings.HasSuffix(own, line)
	}
	return false
}

// add adds a line to its section.
func (m *sentenceModule) add(line string) {
	op := opcodeOf(line)
	at, outside := sentenceSections[op]
	rest, forced := strings.CutPrefix(line, "global ")
	tail, last := strings.CutPrefix(line, "last ")
	switch {
	case last:
		m.sections[sectionLast] = append(m.sections[sectionLast], tail)
		return
	case forced:
		m.sections[sectionGlobal] = append(m.sections[sectionGlobal], rest)
		return
	case op == "OpFunction":
		m.inside = true
	case m.inside:
	case outside:
		m.sections[at] = append(m.sections[at], line)
		return
	case isGlobal(op, line):
		m.sections[sectionGlobal] = append(m.sections[sectionGlobal], line)
		return
	default:
		m.sections[sectionBody] = append(m.sections[sectionBody], line)
		return
	}
	m.function = append(m.function, line)
	if op == "OpFunctionEnd" {
		at := sectionFunction
		if !slices.ContainsFunc(m.function, func(l string) bool { return opcodeOf(l) == "OpLabel" }) {
			at = sectionDeclaration
		}
		m.sections[at] = append(m.sections[at], m.function...)
		m.inside, m.function = false, nil
	}
}

// isGlobal reports whether a line is among the types, constants and global
// variables.
func isGlobal(op, line string) bool {
	switch {
	case strings.HasPrefix(op, "OpType"), strings.HasPrefix(op, "OpConstant"), strings.HasPrefix(op, "OpSpecConstant"):
		return true
	case op == "OpVariable", op == "OpUntypedVariableKHR":
		return !strings.Contains(line, " Function")
	}
	return false
}

// ending returns the end of main's last block.
func (m *sentenceModule) ending() []string {
	body := m.sections[sectionBody]
	if len(body) > 0 {
		if op, ok := spirv.OpByName(opcodeOf(body[len(body)-1])); ok && facts.IsTerminator(op) {
			return nil
		}
	}
	return []string{"OpReturn"}
}

// fill adds the definitions of the pool that the module uses, in their order,
// before its own.
func (b *sentenceBuilder) fill(m *sentenceModule) {
	used := make([]bool, len(b.pool))
	var visit func(line string)
	visit = func(line string) {
		for _, id := range sentenceID.FindAllString(line, -1) {
			if at, ok := b.byID[id]; ok && !m.defined[id] && !used[at] {
				used[at] = true
				for _, l := range b.pool[at].lines {
					visit(l)
				}
			}
		}
	}
	for i := range m.sections {
		for _, l := range m.sections[i] {
			visit(l)
		}
	}
	own, ownLast := m.sections[sectionGlobal], m.sections[sectionLast]
	m.sections[sectionGlobal], m.sections[sectionLast] = nil, nil
	for i, e := range b.pool {
		if !used[i] {
			continue
		}
		for _, l := range e.lines {
			if op := opcodeOf(l); op == "OpCapability" || op == "OpExtension" {
				if s := sentenceSections[op]; slices.Contains(m.sections[s], l) {
					continue
				}
			}
			m.add(l)
		}
	}
	m.sections[sectionGlobal] = append(m.sections[sectionGlobal], own...)
	m.sections[sectionLast] = append(m.sections[sectionLast], ownLast...)
}

// interfaces appends the global variables to the interface of the base's entry
// point: before SPIR-V 1.4 only inputs and outputs.
func (m *sentenceModule) interfaces(env *Env, own string) {
	if strings.Contains(own, "OpEntryPoint") {
		return
	}
	for _, l := range m.sections[sectionGlobal] {
		op := opcodeOf(l)
		if op != "OpVariable" && op != "OpUntypedVariableKHR" {
			continue
		}
		if words := strings.Fields(l); env.SPIRV >= spirv.Version14 || words[4] == "Input" || words[4] == "Output" {
			for i := range m.sections[sectionEntry] {
				m.sections[sectionEntry][i] += " " + resultOf(l)
			}
		}
	}
}
