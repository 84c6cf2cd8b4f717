package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSource bounds the bytes of a source, maxSources the sources of an item.
const (
	maxSource  = 4 << 20
	maxSources = 50
)

// sourceFile is a file of the folder of sources.
type sourceFile struct {
	name string // as the record has it
	path string // in the folder
}

// sourcesOf returns the files that a record names and that exist in the folder: its subject first, then the files of its findings
// and reports, which may be named from the folder of the subject.
func (s *Server) sourcesOf(r *record) (list []sourceFile) {
	add := func(name string) {
		if name == "" || len(list) >= maxSources || slices.ContainsFunc(list, func(f sourceFile) bool { return f.name == name }) {
			return
		}
		for _, p := range []string{s.inside(name), filepath.Join(filepath.Dir(s.inside(r.File)), name)} {
			if info, err := s.sources.Stat(p); err == nil && info.Mode().IsRegular() {
				list = append(list, sourceFile{name, p})
				return
			}
		}
	}
	add(r.File)
	for i := range r.Findings {
		if l := r.Findings[i].Source; l != nil {
			add(l.File)
		}
	}
	for i := range r.Reports {
		if l := r.Reports[i].Source; l != nil {
			add(l.File)
		}
	}
	return list
}

// inside returns a name as a path in the folder of sources. It decides nothing: os.Root refuses a path that leads outside, by ".."
// or by a link.
func (s *Server) inside(name string) string {
	name = filepath.FromSlash(name)
	if !filepath.IsAbs(name) {
		return name
	}
	base, err := filepath.Abs(s.config.Sources)
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(base, name); err == nil {
		return rel
	}
	return name
}

// readBounded reads a regular file of a folder. Another one, such as a pipe, may have no end; it is not opened.
func readBounded(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: must be a regular file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: larger than %d bytes", name, most)
	}
	return data, err
}

// source answers with the lines of a source of an item.
func (s *Server) source(w http.ResponseWriter, req *http.Request) {
	x := s.shown(w, req)
	if x == nil {
		return
	}
	n, err := strconv.Atoi(req.PathValue("source"))
	var list []sourceFile
	if s.sources != nil {
		list = s.sourcesOf(&x.record)
	}
	if err != nil || n < 0 || n >= len(list) {
		http.Error(w, "no such source in the folder of sources", http.StatusNotFound)
		return
	}
	data, err := readBounded(s.sources, list[n].path, maxSource)
	if err == nil && !isText(data) {
		err = errors.New(list[n].name + " is no text")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	writeJSON(w, map[string]any{"name": list[n].name, "lines": strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")})
}

// isText reports whether data are text in UTF-8.
func isText(data []byte) bool {
	return utf8.Valid(data) && !slices.Contains(data, 0)
}

// The endings of the files that chiaro dis and chiaro profile read.
var (
	shaderEndings = []string{".spv", ".comp", ".vert", ".frag", ".geom", ".tesc", ".tese", ".mesh", ".task", ".rgen", ".rchit", ".rmiss",
		".rahit", ".rint", ".rcall", ".glsl", ".hlsl", ".wgsl", ".slang"}
	scriptEndings = []string{".amber", ".vkscript"}
)

// listable reports whether a file has a listing.
func listable(name string) bool { return slices.Contains(shaderEndings, filepath.Ext(name)) }

// runnable reports whether a file may run without arguments. A shader with buffers may still fail, and the answer says why.
func runnable(name string) bool {
	return slices.Contains(scriptEndings, filepath.Ext(name)) || filepath.Ext(name) == ".spvasm" || listable(name)
}

// withSubject runs chiaro on the subject of an item; nil after an answer that says why not. The path begins with "./", since a report
// may name a file like a flag.
func (s *Server) withSubject(w http.ResponseWriter, req *http.Request, may func(string) bool, args ...string) *outcome {
	x := s.shown(w, req)
	if x == nil {
		return nil
	}
	var list []sourceFile
	if s.sources != nil {
		list = s.sourcesOf(&x.record)
	}
	if len(list) == 0 || list[0].name != x.record.File || !may(list[0].name) {
		http.Error(w, "the file of the item is not in the folder of sources, or is no shader", http.StatusNotFound)
		return nil
	}
	out, err := s.tool.run(req.Context(), s.config.Sources, append(args, "."+string(filepath.Separator)+list[0].path)...)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return nil
	}
	return &out
}

// itemListing answers with the disassembly of the subject of an item.
func (s *Server) itemListing(w http.ResponseWriter, req *http.Request) {
	kind := req.URL.Query().Get("kind")
	if !slices.Contains([]string{"spirv", "ir", "asm"}, kind) {
		kind = "spirv"
	}
	args := listingArgs(kind, "")
	if out := s.withSubject(w, req, listable, args[:len(args)-1]...); out != nil {
		writeJSON(w, playPart{Part: "listing", Code: out.code, Log: out.log, Ended: out.ended, Lines: listingLines(kind, out.out)})
	}
}

// itemHeat runs the subject of an item and answers with its counts.
func (s *Server) itemHeat(w http.ResponseWriter, req *http.Request) {
	if out := s.withSubject(w, req, runnable, "profile", "--format=json"); out != nil {
		part := playPart{Part: "heat", Code: out.code, Log: out.log, Ended: out.ended}
		if h, err := heatOf(out.out); err == nil {
			part.Heat = h
		}
		writeJSON(w, part)
	}
}
