package facts

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// module is a module assembled from text, with the ids of the text's names.
type module struct {
	*Module
	ids map[string]spirv.ID
}

// gather assembles and gathers a text; each id has its name in the text as
// OpName.
func gather(t testing.TB, text string, spec Spec) module {
	t.Helper()
	m, err := tryGather(text, spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tryGather is gather for texts that may not be well-formed.
func tryGather(text string, spec Spec) (module, error) {
	var head strings.Builder
	seen := map[string]bool{}
	for _, name := range regexp.MustCompile(`%\w+`).FindAllString(text, -1) {
		if !seen[name] {
			seen[name] = true
			head.WriteString("OpName " + name + ` "` + name[1:] + "\"\n")
		}
	}
	words, err := asm.Assemble([]byte(head.String()+text), asm.AssembleOptions{})
	if err != nil {
		return module{}, err
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		return module{}, err
	}
	f := module{Gather(m, spec), map[string]spirv.ID{}}
	for i, in := range m.All() {
		if in.Op() == spirv.OpName && i < len(seen) {
			f.ids[spirv.String(in[2:])] = spirv.ID(in[1])
		}
	}
	return f, nil
}

func (m module) typ(name string) *Type    { return m.Type(m.ids[name]) }
func (m module) konst(name string) *Const { return m.Const(m.ids[name]) }
func (m module) block(name string) *Block { return m.Block(m.ids[name]) }
func (m module) fn(name string) *Function { return m.Function(m.ids[name]) }
func (m module) name(b *Block) string     { return blockName(m.Module, b) }
func (m module) entry(name string) *EntryPoint {
	for i := range m.EntryPoints {
		if m.EntryPoints[i].Name == name {
			return &m.EntryPoints[i]
		}
	}
	return nil
}

func blockName(m *Module, b *Block) string {
	if b == nil {
		return "-"
	}
	return m.Name(b.ID)
}
