package amber

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/source"
)

// Bounds on the files that the shaders of a script include.
const (
	maxIncludes      = 100_000 // paths at which files are sought for a shader
	maxIncludedFiles = 1_000
	maxIncludedBytes = 64 << 20 // of all files
)

// folders are the folders of the files that a shader includes, as paths from the script's folder: of the virtual
// files, and of the file of the shader.
func (s *Shader) folders() []string {
	if s.Path == "" || path.IsAbs(filepath.ToSlash(s.Path)) {
		return []string{"."}
	}
	return []string{".", path.Dir(filepath.ToSlash(s.Path))}
}

// include reads the files that shaders include and that are below the script's folder, and makes them virtual files.
// A file that cannot be read stays missing.
func (p *parser) include() {
	if p.open == nil || p.err != nil {
		return
	}
	files, left := 0, maxIncludedBytes
	for _, x := range p.script.Shaders {
		p.script.eachInclude(x, func(at string) bool {
			if files >= maxIncludedFiles || left <= 0 {
				return false
			}
			data, err := p.open(at)
			if err != nil || len(data) > left {
				return false
			}
			files, left = files+1, left-len(data)
			p.script.Files[at] = &VirtualFile{Text: string(data)}
			return true
		})
	}
}

// eachInclude visits each #include of a shader, directly or through virtual files. It calls found for the paths at which
// a file may be that is no virtual file, until found has made it one. It stops at the first #include of no virtual file,
// and returns the words of it.
func (s *Script) eachInclude(x *Shader, found func(at string) bool) (words string, outside bool) {
	if x.Format != GLSL && x.Format != HLSL {
		return "", false
	}
	seen := map[string]bool{}
	left := maxIncludes
	var walk func(text string, folders []string) bool
	walk = func(text string, folders []string) bool {
		for _, include := range source.Includes(text) {
			name, file := source.IncludedFile(include), ""
			if path.IsAbs(name) || strings.ContainsAny(name, `:\`) {
				name = "" // on no system below a folder
			}
			for _, folder := range folders {
				at := path.Join(folder, name)
				if left--; left >= 0 && name != "" && filepath.IsLocal(at) && (s.Files[at] != nil || found(at)) {
					file = at
				}
			}
			if file == "" {
				words = include
				return true
			}
			if seen[file] {
				continue
			}
			seen[file] = true
			if walk(s.Files[file].Text, append(folders[:len(folders):len(folders)], path.Dir(file))) {
				return true
			}
		}
		return false
	}
	outside = walk(x.Source, x.folders())
	return words, outside
}

// OutsideInclude returns the words of the first #include of a shader, directly or through virtual files, that is of
// no virtual file of the script and of no file below its folder; ok is false if there is none.
func (s *Script) OutsideInclude(x *Shader) (words string, ok bool) {
	return s.eachInclude(x, func(string) bool { return false })
}
