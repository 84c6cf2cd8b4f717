package amber

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// TestPicture reads a PNG into a buffer and makes a picture of it again.
func TestPicture(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for i := range 6 {
		m.SetNRGBA(i%3, i/3, color.NRGBA{uint8(40 * i), 20, 255, 128})
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	open := func(string) ([]byte, error) { return file.Bytes(), nil }
	for _, f := range []string{"R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "R32G32B32A32_SFLOAT"} {
		s, err := Parse("x", []byte("#!amber\nBUFFER b FORMAT "+f+" FILE PNG x.png\n"), open)
		if err != nil {
			t.Fatal(err)
		}
		b := s.Buffer("b")
		got, err := b.Picture(b.Data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			if got, want := got.At(i%3, i/3), m.At(i%3, i/3); got != want {
				t.Errorf("%s, pixel %d: %v, want %v", f, i, got, want)
			}
		}
	}
	s := mustParse(t, tiny)
	if _, err := s.Buffer("a").Picture(nil); err == nil {
		t.Error("a buffer of numbers became a picture")
	}
}

func TestDataFiles(t *testing.T) {
	open := func(name string) ([]byte, error) {
		return map[string][]byte{"t": []byte("1 2 # three\n0x3\n-4"), "b": {1, 0, 2, 0}}[name], nil
	}
	s, err := Parse("x", []byte("#!amber\nBUFFER t DATA_TYPE int16 SIZE 4 FILE TEXT t\nBUFFER b DATA_TYPE uint16 SIZE 2 FILE BINARY b\n"+
		"EXPECT t IDX 0 EQ 1 2 3 -4\nEXPECT b IDX 0 EQ 1 2\n"), open)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Commands {
		e := c.(*ExpectValues)
		if says := checkValues(e, e.Buffer.Data); says != "" {
			t.Error(says)
		}
	}
	for _, text := range []string{"BUFFER b DATA_TYPE uint16 SIZE 3 FILE BINARY b", "BUFFER b DATA_TYPE uint16 SIZE 2 FILE PNG b", "BUFFER b FORMAT R8_UNORM FILE b"} {
		if _, err := Parse("x", []byte("#!amber\n"+text+"\n"), open); err == nil {
			t.Errorf("no fault in %s", text)
		}
	}
}

// TestBytePixel compares the channels of formats with 8 bits a channel with the channels of their numbers.
func TestBytePixel(t *testing.T) {
	for _, name := range []string{"R8_UNORM", "R8G8_UNORM", "R8G8B8_SRGB", "B8G8R8_UNORM", "R8G8B8A8_UNORM", "B8G8R8A8_SRGB", "A8B8G8R8_UNORM_PACK32", "A8_UNORM"} {
		f, ok := format.ByName(name)
		if !ok || !inBytes(&f) {
			t.Fatalf("%s: its channels do not have 8 bits", name)
		}
		for i := range 256 {
			texel := []byte{byte(i), byte(255 - i), byte(7 * i), byte(13 * i)}
			if got, want := bytePixel(&f, texel), pixel(&f, texel); got != want {
				t.Fatalf("%s: %v of %v; want %v", name, got, texel, want)
			}
		}
	}
	for _, name := range []string{"R8G8B8A8_UINT", "R16_UNORM", "R8_SNORM", "D16_UNORM", "A2B10G10R10_UNORM_PACK32"} {
		if f, ok := format.ByName(name); !ok || inBytes(&f) {
			t.Errorf("%s: its channels have 8 bits", name)
		}
	}
}
