package adapter

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-dap"

	"github.com/chiaro-gpu/chiaro/internal/debug"
)

// pictures are the pictures of images. A client gets the file of one by the expression picture(…) and by a location reference, and its
// bytes, as if they were in memory, by a memory reference.
type pictures struct {
	dir   string // of the files; "" before the first
	files map[string]string
	sizes map[string]int // in bytes, by file
	total int            // of all sizes

	last *debug.Variable // the variable of png
	png  []byte
}

// Bounds of the files of pictures of a client.
const (
	maxPictures     = 1024
	maxPictureBytes = 1 << 30 // of all files
)

// remove removes the files.
func (p *pictures) remove() {
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}

// encode returns the picture of a variable as PNG.
func (a *adapter) encode(v *debug.Variable) ([]byte, error) {
	p := &a.pictures
	if p.last == v {
		return p.png, nil
	}
	m, err := a.session.Picture(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, m); err != nil {
		return nil, err
	}
	p.last, p.png = v, out.Bytes()
	return p.png, nil
}

// write writes the picture of a variable into its file, which later stops replace, so that an editor that shows the file follows the
// shader.
func (a *adapter) writePicture(v *debug.Variable) (file string, err error) {
	p := &a.pictures
	data, err := a.encode(v)
	if err != nil {
		return "", err
	}
	if p.dir == "" {
		if p.dir, err = os.MkdirTemp("", "chiaro-debug-"); err != nil {
			return "", err
		}
		p.files, p.sizes = map[string]string{}, map[string]int{}
	}
	path := v.Path()
	if file = p.files[path]; file == "" {
		if len(p.files) >= maxPictures {
			return "", fmt.Errorf("more than %d pictures", maxPictures)
		}
		file = filepath.Join(p.dir, fmt.Sprintf("%d-%s.png", len(p.files)+1, fileName(path)))
		p.files[path] = file
	}
	total := p.total - p.sizes[file] + len(data)
	if total > maxPictureBytes {
		return "", fmt.Errorf("the pictures have %d bytes; must be at most %d", total, maxPictureBytes)
	}
	p.sizes[file], p.total = len(data), total
	return file, os.WriteFile(file, data, 0o600)
}

// maxFileName bounds the part of a file's name that is of a variable.
const maxFileName = 48

// fileName returns the letters and digits of a name, for the name of a file.
func fileName(name string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' {
			return r
		}
		return '-'
	}, name)
	return strings.Trim(kept[:min(len(kept), maxFileName)], "-")
}

// pictureIn returns the image of the expression picture(image).
func pictureIn(expression string) (image string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(expression), "picture")
	rest = strings.TrimSpace(rest)
	if !ok || !strings.HasPrefix(rest, "(") || !strings.HasSuffix(rest, ")") {
		return "", false
	}
	return rest[1 : len(rest)-1], true
}

// evaluatePicture answers with the file of the picture of an image.
func (a *adapter) evaluatePicture(r *dap.Request, f debug.Frame, image string) {
	_, _, v, err := a.session.Evaluate(f, image)
	if err == nil && (v == nil || !v.HasPicture()) {
		err = fmt.Errorf("picture of %s, which is not an image", image)
	}
	file := ""
	if err == nil {
		file, err = a.writePicture(v)
	}
	if err != nil {
		a.refuse(r, "%v", err)
		return
	}
	n := a.handleOf(v)
	a.respond(r, evaluation{dap.EvaluateResponseBody{Result: file, Type: "picture", MemoryReference: pictureReference(n)}, n})
}

// evaluation is the answer to an evaluation, with a location that version 1.65 of the protocol does not have.
type evaluation struct {
	dap.EvaluateResponseBody
	ValueLocationReference int `json:"valueLocationReference,omitempty"`
}

// shown is a variable, with such a location.
type shown struct {
	dap.Variable
	ValueLocationReference int `json:"valueLocationReference,omitempty"`
}

// picturePrefix begins the memory references of pictures.
const picturePrefix = "picture:"

// pictureReference is the memory reference of the picture of a variable with a handle.
func pictureReference(handle int) string { return fmt.Sprintf("%s%d", picturePrefix, handle) }

// pictured returns the image of a handle.
func (a *adapter) pictured(n int) (*debug.Variable, error) {
	if n >= 1 && n <= len(a.handles) {
		if v, ok := a.handles[n-1].(*debug.Variable); ok && v.HasPicture() {
			return v, nil
		}
	}
	return nil, errors.New("no such picture at this stop")
}

// readMemory answers with bytes of the PNG of an image.
func (a *adapter) readMemory(m *dap.ReadMemoryRequest) {
	r, n := m.GetRequest(), 0
	if _, err := fmt.Sscanf(m.Arguments.MemoryReference, picturePrefix+"%d", &n); err != nil {
		a.refuse(r, "memory %q; want that of an image", m.Arguments.MemoryReference)
		return
	}
	v, err := a.pictured(n)
	var data []byte
	if err == nil {
		data, err = a.encode(v)
	}
	if err != nil {
		a.refuse(r, "%v", err)
		return
	}
	from, count := m.Arguments.Offset, max(m.Arguments.Count, 0)
	body := dap.ReadMemoryResponseBody{Address: fmt.Sprint(from)}
	if from >= 0 && from < len(data) {
		got := data[from:][:min(count, len(data)-from)]
		body.Data, body.UnreadableBytes = base64.StdEncoding.EncodeToString(got), count-len(got)
	} else {
		body.UnreadableBytes = count
	}
	a.respond(r, body)
}

// locations answers with the file of a picture.
func (a *adapter) locations(r *dap.Request, arguments json.RawMessage) {
	var args struct {
		LocationReference int `json:"locationReference"`
	}
	err := json.Unmarshal(arguments, &args)
	var v *debug.Variable
	if err == nil {
		v, err = a.pictured(args.LocationReference)
	}
	file := ""
	if err == nil {
		file, err = a.writePicture(v)
	}
	if err != nil {
		a.refuse(r, "%v", err)
		return
	}
	a.respond(r, struct {
		Source dap.Source `json:"source"`
		Line   int        `json:"line"`
	}{dap.Source{Name: filepath.Base(file), Path: file}, 1})
}
