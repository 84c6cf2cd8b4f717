package main

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// read reads the modules and the cases of folders, and generates modules with modgen. It
// omits files that do not decode.
func (t *tool) read(folders []string) ([][]uint32, error) {
	var out [][]uint32
	for i := range t.made {
		m := modgen.New(t.seed*1000+uint64(i), modgen.Options{})
		if words, err := asm.Assemble([]byte(m.Text), asm.AssembleOptions{Version: modgen.Version}); err == nil {
			out = append(out, words)
		}
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			switch filepath.Ext(path) {
			case ".spv":
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if m, err := spirv.Decode(data); err == nil {
					out = append(out, m.Words)
				}
			case ".txtar":
				a, err := txtar.ParseFile(path)
				if err != nil {
					return err
				}
				for _, f := range a.Files {
					if words, err := asm.Assemble(f.Data, asm.AssembleOptions{}); err == nil {
						out = append(out, words)
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
