package link_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// FuzzLink links the pipelines of the cases with modules that have changed words: no module
// content may cause a panic.
func FuzzLink(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	type one struct {
		archive *txtar.Archive
		text    []byte
	}
	var all []one
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		a := txtar.Parse(text)
		for _, s := range a.Files {
			if strings.HasSuffix(s.Name, ".yaml") {
				all = append(all, one{a, s.Data})
			}
		}
	}
	env, _ := valid.ParseEnv("vulkan1.4")
	f.Add(uint16(0), []byte{})
	f.Add(uint16(7), []byte{40, 0, 3, 60, 0, 9, 80, 0, 1})
	f.Fuzz(func(t *testing.T, which uint16, changes []byte) {
		c := all[int(which)%len(all)]
		d, err := describe.Read(c.text, "case", func(s describe.Stage) (*link.Shader, error) {
			text, err := os.ReadFile(filepath.Join("testdata/stock", s.File))
			for _, k := range c.archive.Files {
				if k.Name == s.File {
					text, err = k.Data, nil
				}
			}
			if err != nil {
				return nil, err
			}
			words, err := asm.Assemble(text, asm.AssembleOptions{Version: env.SPIRV})
			if err != nil {
				return nil, err
			}
			for p := changes; len(p) >= 3 && len(words) > 5; p = p[3:] { // a position and its new word
				words[5+int(binary.LittleEndian.Uint16(p))%(len(words)-5)] = uint32(int8(p[2]))
			}
			m, err := spirv.FromWords(words)
			if err != nil {
				return nil, err
			}
			v := valid.Assume(facts.Gather(m, s.Specialization))
			for _, e := range iface.Reflect(v) {
				if k := link.StageOf(e.Model); k >= 0 && s.Stage>>k&1 != 0 {
					return &link.Shader{File: s.File, Module: v, Entry: e}, nil
				}
			}
			return nil, &link.NoEntryError{}
		})
		if err != nil {
			return
		}
		d.Env = env
		link.Link(d)
	})
}
