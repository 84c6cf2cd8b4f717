package wsi

import (
	"errors"
	"sync"
	"time"
	"unsafe"
)

// Wayland are the calls of Wayland's client library. C makes them, since the objects of a connection are the library's: the zero
// value is a host without them. A window and its buffers are in one call at a time.
type Wayland struct {
	Open       func(display, surface unsafe.Pointer) unsafe.Pointer // a window of a wl_surface; nil if there is none
	Close      func(window unsafe.Pointer)
	NewBuffer  func(window unsafe.Pointer, file, width, height int) unsafe.Pointer // pixels in a file; nil if there is none
	FreeBuffer func(buffer unsafe.Pointer)
	Busy       func(buffer unsafe.Pointer) bool                   // the compositor may read it
	Show       func(window, buffer unsafe.Pointer) bool           // false if the connection is broken
	Waiting    func(window unsafe.Pointer) bool                   // the compositor has not asked for another frame since the last one
	Wait       func(window unsafe.Pointer, milliseconds int) bool // handles events; false if the connection is broken
}

// Bounds of a surface of Wayland.
const (
	mostBuffers = 4                      // that the compositor reads at the same time
	frameWait   = 100 * time.Millisecond // the longest wait for a compositor: it asks for no frames of hidden windows
)

// WaylandSurface is a surface that shows images in a wl_surface of the application. Images are copied into buffers that the
// compositor shares, so that an image is free after its Present, although a compositor may read a buffer until it has the next one.
type WaylandSurface struct {
	calls  Wayland
	window unsafe.Pointer

	mu      sync.Mutex
	buffers []*waylandBuffer
}

// waylandBuffer is memory that the compositor can read.
type waylandBuffer struct {
	buffer        unsafe.Pointer
	pixels        []byte
	width, height int
}

// NewSurface returns the surface of a wl_surface.
func (c Wayland) NewSurface(display, surface unsafe.Pointer) (*WaylandSurface, error) {
	if c.Open == nil {
		return nil, ErrLost
	}
	w := c.Open(display, surface)
	if w == nil {
		return nil, ErrLost
	}
	return &WaylandSurface{calls: c, window: w}, nil
}

// Size reports that images of any size can be shown: the image gives the window its size.
func (s *WaylandSurface) Size() (width, height int, ok bool, err error) { return 0, 0, false, nil }

// Refresh returns 0: the compositor asks for frames, see AwaitFrame.
func (s *WaylandSurface) Refresh() time.Duration { return 0 }

// NewImage makes an image in memory of the process.
func (s *WaylandSurface) NewImage(width, height int) (Image, error) {
	return newPlainImage(width, height)
}

// AwaitFrame waits until the compositor asks for a frame after the last one.
func (s *WaylandSurface) AwaitFrame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until(func() bool { return !s.calls.Waiting(s.window) })
}

// Present copies an image into a buffer and shows it. The image is dropped if the compositor keeps all buffers.
func (s *WaylandSurface) Present(image Image) error {
	m, ok := image.(*plainImage)
	if !ok {
		return errors.New("the image is of another surface")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.calls.Wait(s.window, 0) {
		return ErrLost
	}
	b, err := s.buffer(m.width, m.height)
	if b == nil {
		return err
	}
	copy(b.pixels, m.pixels)
	if !s.calls.Show(s.window, b.buffer) {
		return ErrLost
	}
	return nil
}

// buffer returns a buffer that the compositor does not read; nil if it keeps all.
func (s *WaylandSurface) buffer(width, height int) (b *waylandBuffer, err error) {
	s.until(func() bool {
		b = s.idle(width, height)
		return b != nil || len(s.buffers) < mostBuffers
	})
	if b != nil || len(s.buffers) == mostBuffers {
		return b, nil
	}
	if b, err = s.newBuffer(width, height); err == nil {
		s.buffers = append(s.buffers, b)
	}
	return b, err
}

// idle returns a buffer of a size that the compositor does not read, and frees those of other sizes; nil if there is none.
func (s *WaylandSurface) idle(width, height int) (found *waylandBuffer) {
	kept := s.buffers[:0]
	for _, b := range s.buffers {
		fits, busy := b.width == width && b.height == height, s.calls.Busy(b.buffer)
		if !fits && !busy {
			s.free(b)
			continue
		}
		if fits && !busy {
			found = b
		}
		kept = append(kept, b)
	}
	clear(s.buffers[len(kept):])
	s.buffers = kept
	return found
}

// until handles events until a condition holds, the connection is broken, or the longest wait is over.
func (s *WaylandSurface) until(holds func() bool) {
	for begin := time.Now(); !holds(); {
		left := frameWait - time.Since(begin)
		if left <= 0 || !s.calls.Wait(s.window, int((left+time.Millisecond-1)/time.Millisecond)) {
			return
		}
	}
}

// newBuffer makes a buffer over memory that both sides map.
func (s *WaylandSurface) newBuffer(width, height int) (*waylandBuffer, error) {
	file, pixels, err := newSharedFile(width * height * BytesPerPixel)
	if err != nil {
		return nil, err
	}
	defer closeFile(file) // the mapping and the descriptor of the compositor remain
	b := &waylandBuffer{pixels: pixels, width: width, height: height}
	if b.buffer = s.calls.NewBuffer(s.window, file, width, height); b.buffer == nil {
		return nil, errors.Join(ErrLost, unmapFile(pixels))
	}
	return b, nil
}

// free frees a buffer.
func (s *WaylandSurface) free(b *waylandBuffer) {
	s.calls.FreeBuffer(b.buffer)
	_ = unmapFile(b.pixels)
}

// Close frees the objects of the surface.
func (s *WaylandSurface) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.buffers {
		s.free(b)
	}
	s.buffers = nil
	s.calls.Close(s.window)
}
