package wsi

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unsafe"
)

// Headless is a surface without a window: it counts the frames and writes them as PNG files if it has a folder.
type Headless struct {
	Folder string // "" for none

	mu     sync.Mutex
	frames int
}

// NewHeadless returns a surface that writes its frames into a folder, if it is not "".
func NewHeadless(folder string) *Headless { return &Headless{Folder: folder} }

// Size reports that images of any size can be shown.
func (h *Headless) Size() (width, height int, ok bool, err error) { return 0, 0, false, nil }

// Refresh returns 0: nothing scans the images.
func (h *Headless) Refresh() time.Duration { return 0 }

// NewImage makes an image in memory of the process.
func (h *Headless) NewImage(width, height int) (Image, error) { return newPlainImage(width, height) }

// Present counts the frame and writes it as frame-NNNNN.png.
func (h *Headless) Present(m Image) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frames++
	if h.Folder == "" {
		return nil
	}
	p := m.(*plainImage)
	return writePNG(filepath.Join(h.Folder, fmt.Sprintf("frame-%05d.png", h.frames)), p.pixels, p.width, p.height)
}

// plainImage is an image in memory of the process.
type plainImage struct {
	pixels        []byte
	width, height int
}

func newPlainImage(width, height int) (*plainImage, error) {
	n := imageBytes(width, height)
	b := make([]byte, n+pageSize)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (pageSize - 1))
	return &plainImage{b[skip : skip+n : skip+n], width, height}, nil
}

// Pixels returns the memory.
func (p *plainImage) Pixels() []byte { return p.pixels }

// Close drops the memory.
func (p *plainImage) Close() error {
	p.pixels = nil
	return nil
}

// writePNG writes pixels as a file, opaque. A file with the name is replaced.
func writePNG(name string, pixels []byte, width, height int) error {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := 0; i < width*height*BytesPerPixel; i += BytesPerPixel {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = pixels[i+2], pixels[i+1], pixels[i], 0xff
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(f, m); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
