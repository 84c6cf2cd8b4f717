package source

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	directives = regexp.MustCompile(`(?m)^[^\S\n]*(?:#|%:|\?\?=)[^\S\n]*include(.*)$`)
	modules    = regexp.MustCompile(`\b(?:__include|__import|import|implementing)\s*("[^"\n]*")`) // of Slang
	fileName   = regexp.MustCompile(`^\s*(?:"([^"\n]*)"|<([^>\n]*)>)`)
)

// Includes returns what follows #include in each such directive of a source, and the strings that Slang imports. A line
// that a backslash continues and comments may hide a directive; a source that is strange enough to fool this has one
// more directive than it seems.
func Includes(text string) (names []string) {
	text = strings.ReplaceAll(text, "\r", "\n")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\\\n\n", ""), "\\\n", "")
	for _, s := range []string{text, comments.ReplaceAllString(text, " ")} {
		for _, form := range []*regexp.Regexp{directives, modules} {
			for _, m := range form.FindAllStringSubmatch(s, -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// IncludedFile returns the name of the file in what follows #include; "" if that is no name.
func IncludedFile(words string) string {
	m := fileName.FindStringSubmatch(words)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// maxIncluded bounds the number of files that a source includes, maxInclude the bytes of each, maxLookups the number of
// paths at which they may be.
const (
	maxIncluded = 1000
	maxInclude  = 64 << 20
	maxLookups  = 100_000
)

// inside is a walk over the files that a source includes. It stops at a file outside the root.
type inside struct {
	root *os.Root
	path string          // of root
	seen map[string]bool // the included files
	left int             // lookups
	last string          // words after the last #include of the source itself
}

// includesInside returns an error if a source includes a file outside of its folder and, if the source is in the working
// directory or below it, outside of that directory. line is the line of the directive.
func includesInside(file string, text []byte) (line int, err error) {
	if len(Includes(string(text))) == 0 {
		return 0, nil
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return 1, err
	}
	folder := filepath.Dir(file)
	if work, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(work, folder); err == nil && filepath.IsLocal(rel) {
			folder = work
		}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 1, err
	}
	defer root.Close()
	w := &inside{root: root, path: folder, seen: map[string]bool{file: true}, left: maxLookups}
	if err := w.walk(text, []string{filepath.Dir(file)}); err != nil {
		return lineOf(string(text), w.last), err
	}
	return 0, nil
}

// lineOf returns the line of the directive that has words after #include; 1 if comments or continued lines hide it.
func lineOf(text, words string) int {
	for line, n := text, 1; ; n++ {
		first, rest, more := strings.Cut(line, "\n")
		if strings.Contains(first, words) && (strings.Contains(first, "include") || strings.Contains(first, "imp")) {
			return n
		}
		if !more {
			return 1
		}
		line = rest
	}
}

// walk checks the files that a text includes. folders are the folders of the text and of the files that include it:
// glslangValidator searches all of them.
func (w *inside) walk(text []byte, folders []string) error {
	for _, include := range Includes(string(text)) {
		if len(folders) == 1 {
			w.last = include
		}
		name := filepath.FromSlash(IncludedFile(include))
		if name == "" {
			return fmt.Errorf("#include%s: is not the name of a file", include)
		}
		for _, folder := range folders {
			path := filepath.Join(folder, name)
			rel, err := filepath.Rel(w.path, path)
			if err != nil || filepath.IsAbs(name) || !filepath.IsLocal(rel) {
				return fmt.Errorf("#include%s: is outside the folder of the source", include)
			}
			if w.left--; w.left < 0 {
				return fmt.Errorf("the files that the source includes may be at more than %d paths", maxLookups)
			}
			info, err := w.root.Stat(rel)
			switch {
			case errors.Is(err, os.ErrNotExist) || w.seen[path]:
				continue // The compiler reports a missing file.
			case err != nil:
				return fmt.Errorf("#include%s: is outside the folder of the source, or cannot be read there (%w)", include, errors.Unwrap(err))
			case !info.Mode().IsRegular() || info.Size() > maxInclude:
				return fmt.Errorf("#include%s: must be a regular file of at most %d bytes", include, maxInclude)
			case len(w.seen) > maxIncluded:
				return fmt.Errorf("#include%s: more than %d files", include, maxIncluded)
			}
			w.seen[path] = true
			f, err := w.root.Open(rel)
			if err != nil {
				return err
			}
			text, err := io.ReadAll(io.LimitReader(f, maxInclude))
			f.Close()
			if err != nil {
				return err
			}
			if err := w.walk(text, append(folders[:len(folders):len(folders)], filepath.Dir(path))); err != nil {
				return err
			}
		}
	}
	return nil
}
