package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// maxInput bounds the bytes of one regular file (1 GiB), maxStream the bytes of any
// other file, such as a pipe or a device (64 MiB), whose size is unknown.
const (
	maxInput  = 1 << 30
	maxStream = 64 << 20
)

// readFile reads a file of no more bytes than the bounds.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	most, size := maxStream, 0
	if info.Mode().IsRegular() {
		if info.Size() > maxInput {
			return nil, fmt.Errorf("%s: larger than %d bytes", name, maxInput)
		}
		most, size = maxInput, int(info.Size())
	}
	return readBounded(f, name, size, most)
}

// readPiece is the number of bytes of one read. A goroutine cannot be stopped within a read or a copy.
const readPiece = 1 << 20

// readBounded reads a stream of no more than most bytes, piece by piece. size is the number of bytes that it probably has.
func readBounded(r io.Reader, name string, size, most int) ([]byte, error) {
	data := make([]byte, 0, size+bytes.MinRead)
	var full [][]byte // the pieces before data
	total := 0        // bytes in full
	for {
		if len(data) == cap(data) {
			full, total = append(full, data), total+len(data)
			data = make([]byte, 0, readPiece)
		}
		n, err := r.Read(data[len(data):min(len(data)+readPiece, cap(data))])
		data = data[:len(data)+n]
		if total+len(data) > most {
			return nil, fmt.Errorf("%s: larger than %d bytes", name, most)
		}
		if err == nil {
			continue
		}
		if err == io.EOF {
			err = nil
		}
		if full == nil {
			return data, err
		}
		whole := make([]byte, 0, total+len(data))
		for _, piece := range append(full, data) {
			for part := range slices.Chunk(piece, readPiece) {
				whole = append(whole, part...)
			}
		}
		return whole, err
	}
}

// packings are the first bytes of packed files.
var packings = []struct {
	at          int
	bytes, kind string
}{
	{0, "\x1f\x8b\x08", "a gzip file"}, {0, "PK\x03\x04", "a ZIP archive"}, {0, "\xfd7zXZ\x00", "an xz file"},
	{0, "\x28\xb5\x2f\xfd", "a Zstandard file"}, {4, "1AY&SY", "a bzip2 file"}, {0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{257, "ustar", "a tar archive"},
}

// packed returns an error if a module or a script is inside of a packed file. Modules, scripts and the files that
// they name are read from folders, and pipelines from archives of Fossilize, which check reads.
func packed(file string, data []byte) error {
	if fossil.IsArchive(data) {
		return unreadable("%s: is an archive of Fossilize; must be a module or a script, since only check reads archives", file)
	}
	for _, k := range packings {
		if len(data) > k.at && strings.HasPrefix(string(data[k.at:min(len(data), k.at+len(k.bytes))]), k.bytes) {
			return unreadable("%s: is %s; must be unpacked, since only archives of Fossilize (*.foz) are read", file, k.kind)
		}
	}
	return nil
}

// standardInput is the stream for "-".
type standardInput struct {
	io.Reader
	used atomic.Bool // it was read, to its end
}

// readInput reads a file, or standard input for "-", which can be read once.
func readInput(c console, name string) ([]byte, error) {
	var data []byte
	var err error
	switch {
	case c.read != nil:
		data, err = c.read(name)
	case name != "-":
		data, err = readFile(name)
	default:
		in := c.in.(*standardInput)
		if in.used.Swap(true) {
			return nil, unreadable("two inputs are standard input; want one")
		}
		most := maxStream
		if f, ok := in.Reader.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				most = maxInput
			}
		}
		data, err = readBounded(c.in, "standard input", 0, most)
	}
	if err != nil {
		return nil, unreadable("%v", err)
	}
	c.last.Store(&data)
	return data, nil
}

// readUnpacked is readInput of a module or a description: a packed file is an error that names its format.
func readUnpacked(c console, name string) ([]byte, error) {
	data, err := readInput(c, name)
	if err == nil {
		err = packed(name, data)
	}
	return data, err
}

// writeOutput writes a file whole or not at all, or standard output for "-".
func writeOutput(c console, name string, data []byte) error {
	return writePieces(c, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writePieces is writeOutput of the text that print writes. An error of print that is a
// *diag.Finding comes back as it is.
func writePieces(c console, name string, print func(io.Writer) error) error {
	if isStandard(name) {
		return print(c.out)
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a rename would replace the link
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // a pipe or a device has no half
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		return errors.Join(print(f), f.Close())
	}
	f, err := createPart(name)
	if err != nil {
		return unreadable("cannot write %s: %v", name, errors.Unwrap(err))
	}
	defer parts.done(f.Name())
	err = print(f)
	fault := (*diag.Finding)(nil)
	isFault := errors.As(err, &fault)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		if isFault {
			return fault
		}
		return unreadable("cannot write %s: %v", name, err)
	}
	return nil
}

// listFiles resolves the arguments and the lists of a verb: files as they are,
// directories searched for names with one of the endings, in order.
func listFiles(c console, args []string, listFile string, endings ...string) ([]string, error) {
	var files []string
	for _, a := range args {
		info, err := os.Stat(a)
		if a == "-" || err == nil && !info.IsDir() {
			files = append(files, a)
			continue
		}
		if path, _, ok := archiveObject(a); ok && err != nil {
			if _, err := os.Stat(path); err == nil {
				files = append(files, a)
				continue
			}
		}
		if err != nil {
			return nil, unreadable("%v", err)
		}
		var found []string
		err = filepath.WalkDir(a, func(path string, d fs.DirEntry, err error) error {
			if err == nil && (d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0) && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) }) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			return nil, unreadable("%v", err)
		}
		files = append(files, withoutCompiled(found)...)
	}
	if listFile == "" {
		return files, nil
	}
	data, err := readInput(c, listFile)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			files = append(files, line)
		}
	}
	return files, nil
}

// located renders an error that may be a finding as one line that problem
// matchers read: path:line:column: error: message [code].
func located(path string, err error) string {
	var placed *placedError
	if errors.As(err, &placed) {
		return placed.text()
	}
	var script *amber.Fault
	if errors.As(err, &script) { // it may be in another file than the script
		path = script.File
	}
	var f *diag.Finding
	if !errors.As(err, &f) {
		return path + ": error: " + err.Error()
	}
	where := ":"
	if f.Pos != (diag.Pos{}) {
		where = ": "
		if f.Pos.Line > 0 {
			where = ":"
		}
		where += f.Pos.String() + ":"
	}
	return path + where + " " + f.Severity.String() + ": " + f.Message + " [" + f.Code + "]"
}

// writeJSON writes a value as indented JSON with no character that a terminal acts on.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(plain.JSON(b.Bytes()))
	return err
}
