package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/internal/source"
)

// subject is one thing that check judges: a module, a description of a
// pipeline, or an object of an archive.
type subject struct {
	name string // the name in reports, which check also accepts as an argument
	file string
	kind subjectKind
	set  *fossil.Set // of an archive
	ref  fossil.Ref
	err  error // why it cannot be read
}

type subjectKind uint8

const (
	isModule subjectKind = iota
	isDescription
	isObject
	isScript
)

// The endings of files that check finds in directories.
var checkEndings = slices.Concat([]string{".spv", ".spvasm", ".foz", ".amber", ".vkscript", ".ptx"}, launchEndings, pipelineEndings, source.Endings())

var pipelineEndings = []string{".pipeline.yaml", ".pipeline.yml", ".pipeline.json"}

// isPipelineFile reports whether a file describes a pipeline, by its name.
func isPipelineFile(file string) bool {
	return slices.ContainsFunc(pipelineEndings, func(e string) bool { return strings.HasSuffix(file, e) })
}

// objectWords are the sorts of objects that are judged, as names have them.
var objectWords = []struct {
	word string
	tag  fossil.Tag
}{
	{"module", fossil.ShaderModule}, {"graphics", fossil.GraphicsPipeline}, {"compute", fossil.ComputePipeline}, {"raytracing", fossil.RayTracingPipeline},
}

// subjects expands files into the objects to check: an archive becomes its modules
// and pipelines; ARCHIVE#SORT/HASH is one object. closeAll closes the archives.
func subjects(c console, files []string) (list []subject, closeAll func()) {
	var open []*os.File
	for _, file := range files {
		path, object, one := archiveObject(file)
		switch {
		case file == "-":
			list = append(list, subject{name: file, file: file})
		case one || strings.HasSuffix(path, ".foz") || fossilJSON(path):
			set, f, err := openSet(c, path)
			if f != nil {
				open = append(open, f)
			}
			if err != nil {
				list = append(list, subject{name: file, file: path, kind: isObject, err: err})
				continue
			}
			list = append(list, objectsOf(set, path, object)...)
		case isPipelineFile(file):
			list = append(list, subject{name: file, file: file, kind: isDescription})
		case strings.HasSuffix(file, ".amber") || strings.HasSuffix(file, ".vkscript"):
			list = append(list, subject{name: file, file: file, kind: isScript})
		default:
			list = append(list, subject{name: file, file: file})
		}
	}
	return list, func() {
		for _, f := range open {
			f.Close()
		}
	}
}

// archiveObject splits ARCHIVE#SORT/HASH. A file of that name is no such thing.
func archiveObject(file string) (path, object string, ok bool) {
	i := strings.LastIndexByte(file, '#')
	if i < 0 {
		return file, "", false
	}
	if _, err := os.Stat(file); err == nil {
		return file, "", false
	}
	return file[:i], file[i+1:], true
}

// objectName splits the name of an object of an archive, such as a.foz#module/1f, into the archive and the object. The
// object of another name is empty.
func objectName(name string) (file, object string) {
	i := strings.LastIndexByte(name, '#')
	word, hash, _ := strings.Cut(name[i+1:], "/")
	if _, err := fossil.ParseHash(hash); i >= 0 && err == nil {
		for _, w := range objectWords {
			if w.word == word {
				return name[:i], name[i+1:]
			}
		}
	}
	return name, ""
}

// fossilJSON reports whether a file of JSON holds objects as Fossilize writes
// them, by its beginning.
func fossilJSON(file string) bool {
	if !strings.HasSuffix(file, ".json") || isPipelineFile(file) {
		return false
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [64]byte
	n, _ := f.Read(head[:])
	return bytes.Contains(head[:n], []byte(`"version"`))
}

// openSet opens an archive, or reads a document.
func openSet(c console, path string) (*fossil.Set, *os.File, error) {
	info, err := os.Stat(path) // before opening, which waits at a pipe
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: an archive must be a regular file", path)
	}
	if err != nil {
		return nil, nil, unreadable("%v", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, unreadable("%v", err)
	}
	if strings.HasSuffix(path, ".json") {
		data, err := readFile(path)
		if err != nil {
			return nil, f, unreadable("%v", err)
		}
		set, err := fossil.Parse(data)
		if err != nil {
			return nil, f, unreadable("%s: error: %v", path, err)
		}
		return set, f, nil
	}
	a, err := fossil.Open(f, info.Size())
	if err != nil {
		return nil, f, unreadable("%s: error: %v", path, err)
	}
	set := fossil.NewSet(a)
	if a.Others > 0 && !holds(a) {
		return nil, f, unreadable("%s: error: none of %d entries is an object of Fossilize; an entry is called %s, as the shader cache of Mesa calls its own", path, a.Others, a.Foreign[0].Name)
	}
	if a.Others > 0 {
		plain.Fprintf(c.err, "%s: warning: %d entries are no objects of Fossilize, such as %s; they are not read\n", path, a.Others, a.Foreign[0].Name)
	}
	if a.Cut > 0 {
		plain.Fprintf(c.err, "%s: warning: an entry is cut off at byte %d; it is not read\n", path, a.Cut)
	}
	return set, f, nil
}

// holds reports whether an archive has objects of Fossilize.
func holds(a *fossil.Archive) bool {
	for t := fossil.ApplicationInfo; t <= fossil.RayTracingPipeline; t++ {
		if len(a.Entries(t)) > 0 {
			return true
		}
	}
	return false
}

// objectsOf lists the objects of an archive to check: the named one, or all.
func objectsOf(set *fossil.Set, path, object string) []subject {
	var list []subject
	if object != "" {
		word, hash, _ := strings.Cut(object, "/")
		h, err := fossil.ParseHash(hash)
		for _, w := range objectWords {
			if w.word == word && err == nil {
				return []subject{{name: path + "#" + object, file: path, kind: isObject, set: set, ref: fossil.Ref{Tag: w.tag, Hash: h}}}
			}
		}
		return []subject{{name: path + "#" + object, file: path, kind: isObject,
			err: unreadable("%s#%s: must be module, graphics, compute or raytracing, and a hash, with / between them", path, object)}}
	}
	for _, w := range objectWords {
		for _, r := range set.Refs(w.tag) {
			list = append(list, subject{name: fmt.Sprintf("%s#%s/%s", path, w.word, r.Hash), file: path, kind: isObject, set: set, ref: r})
		}
	}
	return list
}
