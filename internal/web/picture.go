package web

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/golden"
)

// maxPixels bounds the pixels of a picture, since a small file may have many.
const maxPixels = 1 << 24

// differenceMark is before the name of the picture of a difference in the message of chiaro test --differences.
const differenceMark = "\tdifference: "

// differencesOf returns the pictures of differences that a record names.
func differencesOf(r *record) (names []string) {
	for line := range strings.Lines(r.Message) {
		if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), differenceMark); ok && strings.HasSuffix(name, ".png") {
			names = append(names, name)
		}
	}
	return names
}

// pictureRow is a picture of the folder of reports.
type pictureRow struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// pictures lists the pictures of the folder of reports, without reading them.
func (s *Server) pictures(w http.ResponseWriter, _ *http.Request) {
	list := []pictureRow{}
	for _, name := range s.reports.list(".png") {
		list = append(list, pictureRow{idOf(name), name})
	}
	writeJSON(w, list)
}

// named returns the name of a picture by its id.
func (s *Server) named(id string) (string, error) {
	for _, name := range s.reports.list(".png") {
		if idOf(name) == id {
			return name, nil
		}
	}
	return "", fmt.Errorf("no such picture")
}

// readPicture reads a PNG file of a folder. The size comes from the header of the file, before memory for the pixels is allocated.
func readPicture(root *os.Root, name string) ([]byte, image.Image, error) {
	data, err := readBounded(root, name, maxFile)
	if err != nil {
		return nil, nil, err
	}
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if c.Width > maxPixels || c.Height > maxPixels || c.Width*c.Height > maxPixels {
		return nil, nil, fmt.Errorf("%s: %d×%d pixels; must be at most %d", name, c.Width, c.Height, maxPixels)
	}
	m, err := png.Decode(bytes.NewReader(data))
	return data, m, err
}

// writePNG answers with a picture.
func writePNG(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(data) // an error is the browser's end
}

// picture answers with a picture of the folder of reports.
func (s *Server) picture(w http.ResponseWriter, req *http.Request) {
	name, err := s.named(req.PathValue("picture"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	s.answerPicture(w, s.reports.root, name)
}

// answerPicture answers with a picture after it has decoded it, so that the browser gets no other file. A picture may need 128 MB of
// memory, and its difference as much again, so that one request at a time decodes.
func (s *Server) answerPicture(w http.ResponseWriter, root *os.Root, name string) {
	s.decoding.Lock()
	data, _, err := readPicture(root, name)
	s.decoding.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	writePNG(w, data)
}

// itemPicture answers with the picture of a difference that an item names, from the folder of sources.
func (s *Server) itemPicture(w http.ResponseWriter, req *http.Request) {
	x := s.shown(w, req)
	if x == nil {
		return
	}
	names := differencesOf(&x.record)
	n, err := strconv.Atoi(req.PathValue("picture"))
	if err != nil || n < 0 || n >= len(names) || s.sources == nil {
		http.Error(w, "no such picture", http.StatusNotFound)
		return
	}
	s.answerPicture(w, s.sources, s.inside(names[n]))
}

// difference compares the two pictures of a request; nil after an answer that says why not.
func (s *Server) difference(w http.ResponseWriter, req *http.Request) *golden.Difference {
	s.decoding.Lock()
	defer s.decoding.Unlock()
	var both [2]image.Image
	for i, key := range []string{"want", "got"} {
		name, err := s.named(req.URL.Query().Get(key))
		if err == nil {
			_, both[i], err = readPicture(s.reports.root, name)
		}
		if err != nil {
			http.Error(w, key+": "+err.Error(), http.StatusUnprocessableEntity)
			return nil
		}
	}
	return golden.Compare(both[1], both[0], golden.PictureTolerance{})
}

// compare answers with the difference of two pictures in words.
func (s *Server) compare(w http.ResponseWriter, req *http.Request) {
	d := s.difference(w, req)
	if d == nil {
		return
	}
	text := "equal"
	if !d.Equal() {
		text = d.String()
	}
	writeJSON(w, map[string]any{"equal": d.Equal(), "text": text, "pixels": d.Pixels, "worst": d.Worst})
}

// comparePicture answers with the picture of a difference.
func (s *Server) comparePicture(w http.ResponseWriter, req *http.Request) {
	d := s.difference(w, req)
	if d == nil {
		return
	}
	var b bytes.Buffer
	if err := png.Encode(&b, d.Picture()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writePNG(w, b.Bytes())
}
