package wsi

import (
	"errors"
	"time"
)

// ErrLost is the error of a surface without its window, or without the connection to it (VK_ERROR_SURFACE_LOST_KHR).
var ErrLost = errors.New("the window of the surface is gone")

// BytesPerPixel is the size of a pixel: blue, green, red and a byte that is alpha or has no meaning.
const BytesPerPixel = 4

// Surface is a place that shows images. Its methods may be called from any goroutine.
type Surface interface {
	// Size returns the size in pixels; ok is false if an image of any size can be shown. The error is ErrLost.
	Size() (width, height int, ok bool, err error)

	// Refresh returns the time between two vertical blanks; 0 if the surface has none.
	Refresh() time.Duration

	// NewImage makes an image that Present can show. Its pixels are rows without space between them.
	NewImage(width, height int) (Image, error)

	// Present shows an image of the surface.
	Present(Image) error
}

// Pacer is a surface that asks for frames.
type Pacer interface {
	// AwaitFrame waits until the surface asks for a frame after the last one, or for a bounded time.
	AwaitFrame()
}

// Image is the memory of an image of a surface.
type Image interface {
	// Pixels returns the memory, page-aligned: height · width pixels of BytesPerPixel, and space up to the end of the page.
	Pixels() []byte

	// Close frees the memory.
	Close() error
}

// pageSize is the unit of the memory of images.
const pageSize = 4096

// spare is the space after the pixels that wide loads of the last ones may touch, in bytes.
const spare = 64

// imageBytes returns the bytes of an image with spare space, rounded up to pages.
func imageBytes(width, height int) int {
	return (width*height*BytesPerPixel + spare + pageSize - 1) &^ (pageSize - 1)
}

// MaxExtent bounds the width and the height of an image in pixels.
const MaxExtent = 1 << 14
