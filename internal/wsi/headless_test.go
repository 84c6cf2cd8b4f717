package wsi

import (
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// TestHeadless presents two frames: each is a file with the pixels, opaque.
func TestHeadless(t *testing.T) {
	folder := t.TempDir()
	s := NewHeadless(folder)
	m, err := s.NewImage(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	copy(m.Pixels()[4:], []byte{1, 2, 3, 4}) // blue, green, red, alpha of the second pixel
	for range 2 {
		if err := s.Present(m); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(filepath.Join(folder, "frame-00002.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if b := got.Bounds(); b.Dx() != 3 || b.Dy() != 2 {
		t.Errorf("the frame is %v; must be 3 by 2", b)
	}
	if c := color.NRGBAModel.Convert(got.At(1, 0)); c != (color.NRGBA{3, 2, 1, 255}) {
		t.Errorf("pixel (1, 0) is %v", c)
	}
}

// TestImageBytes checks that an image has space after its pixels, in whole pages.
func TestImageBytes(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1024, 1}, {MaxExtent, 3}} {
		if n := imageBytes(size[0], size[1]); n%pageSize != 0 || n < size[0]*size[1]*BytesPerPixel+spare {
			t.Errorf("an image of %v has %d bytes", size, n)
		}
	}
}
