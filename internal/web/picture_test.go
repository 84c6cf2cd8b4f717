package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// gray returns a PNG of one color.
func gray(t *testing.T, level uint8) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 2, 2))
	for i := range m.Pix {
		m.Pix[i] = level
	}
	m.SetGray(0, 0, color.Gray{7})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// huge returns a PNG whose header has a picture of 60000×60000 pixels.
func huge(t *testing.T) string {
	t.Helper()
	data := []byte(gray(t, 0))
	binary.BigEndian.PutUint32(data[16:], 60000) // of the chunk IHDR, whose type is at 12
	binary.BigEndian.PutUint32(data[20:], 60000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return string(data)
}

// TestPictures compares pictures of the folder.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.png", gray(t, 10))
	write(t, dir, "b.png", gray(t, 13))
	write(t, dir, "huge.png", huge(t))
	write(t, dir, "text.png", "no picture")
	write(t, dir, "r.jsonl", `{"file":"t","test":"x","status":"fail","message":"m\n\tdifference: b.png"}`+"\n"+`{"file":"t","status":"fail","message":"m\n\tdifference: ../b.png"}`+"\n")
	s := newServer(t, Config{Reports: dir, Sources: dir})
	if list := answer[[]pictureRow](t, s, "/api/pictures"); len(list) != 4 {
		t.Fatalf("pictures are %+v", list)
	}
	d := answer[struct {
		Equal         bool
		Pixels, Worst int
	}](t, s, "/api/compare?want="+idOf("a.png")+"&got="+idOf("b.png"))
	if d.Equal || d.Pixels != 3 || d.Worst != 3 {
		t.Errorf("the difference is %+v", d)
	}
	w := ask(s, "GET", "/api/compare/picture?want="+idOf("a.png")+"&got="+idOf("b.png"), "")
	if _, err := png.Decode(w.Body); err != nil || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("the picture of the difference: %v", err)
	}
	for path, want := range map[string]int{
		"/api/pictures/" + idOf("a.png"): http.StatusOK, "/api/pictures/" + idOf("huge.png"): http.StatusUnprocessableEntity,
		"/api/pictures/" + idOf("text.png"): http.StatusUnprocessableEntity, "/api/pictures/zz": http.StatusNotFound,
		"/api/compare?want=" + idOf("a.png"):                   http.StatusUnprocessableEntity,
		"/api/runs/" + idOf("r.jsonl") + "/items/0/pictures/0": http.StatusOK,
		"/api/runs/" + idOf("r.jsonl") + "/items/0/pictures/1": http.StatusNotFound,
		"/api/runs/" + idOf("r.jsonl") + "/items/1/pictures/0": http.StatusUnprocessableEntity, // outside of the folder
	} {
		if w := ask(s, "GET", path, ""); w.Code != want {
			t.Errorf("%s: status %d; want %d", path, w.Code, want)
		}
	}
}

// TestEvents checks that a listener hears of a report that grows, and of the fleet.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "r.jsonl", passed+"\n")
	s := newServer(t, Config{Reports: dir, Fleet: func(context.Context) (any, error) { return map[string]string{"workers": "none"}, nil }})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	r, err := http.Get(server.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	fleet, grown := false, false
	for lines := bufio.NewScanner(r.Body); lines.Scan() && !(fleet && grown); {
		switch line := lines.Text(); {
		case line == `data: {"workers":"none"}`:
			fleet = true
		case strings.HasPrefix(line, "data: [") && strings.Contains(line, `"total":1`):
			write(t, dir, "r.jsonl", passed+"\n"+failed+"\n")
		case strings.HasPrefix(line, "data: [") && strings.Contains(line, `"total":2`):
			grown = true
		}
	}
	if !fleet || !grown {
		t.Errorf("fleet %v, grown %v", fleet, grown)
	}
}
