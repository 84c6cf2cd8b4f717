//go:build linux

package wsi

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// compositor is a fake client library with its compositor. It releases a buffer when the window shows the next one.
type compositor struct {
	width, height int
	frame         int      // the window asks for a frame after as many waits
	broken, keeps bool     // the connection is broken; no buffer is released
	shown         [][]byte // the pixels of each frame
	buffers       map[*compositorBuffer]bool
	current       *compositorBuffer
	closed        bool
}

// compositorBuffer is a buffer of the compositor: it has a mapping of its own.
type compositorBuffer struct {
	pixels []byte
	busy   bool
}

// calls returns the calls of the library.
func (c *compositor) calls() Wayland {
	c.buffers = map[*compositorBuffer]bool{}
	return Wayland{
		Open:  func(_, surface unsafe.Pointer) unsafe.Pointer { return surface },
		Close: func(unsafe.Pointer) { c.closed = true },
		NewBuffer: func(_ unsafe.Pointer, file, width, height int) unsafe.Pointer {
			pixels, err := unix.Mmap(file, 0, width*height*BytesPerPixel, unix.PROT_READ, unix.MAP_SHARED)
			if err != nil {
				return nil
			}
			b := &compositorBuffer{pixels: pixels}
			c.buffers[b] = true
			return unsafe.Pointer(b)
		},
		FreeBuffer: func(b unsafe.Pointer) { delete(c.buffers, (*compositorBuffer)(b)) },
		Busy:       func(b unsafe.Pointer) bool { return (*compositorBuffer)(b).busy },
		Show: func(_, b unsafe.Pointer) bool {
			before := c.current
			c.current, c.frame = (*compositorBuffer)(b), 3
			c.current.busy = true
			if before != nil && before != c.current {
				before.busy = c.keeps
			}
			c.shown = append(c.shown, slices.Clone(c.current.pixels))
			return !c.broken
		},
		Waiting: func(unsafe.Pointer) bool { return c.frame > 0 },
		Wait: func(unsafe.Pointer, int) bool {
			c.frame--
			return !c.broken
		},
	}
}

// present shows an image whose bytes have a value.
func present(t *testing.T, s *WaylandSurface, width, height int, value byte) error {
	t.Helper()
	m, err := s.NewImage(width, height)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for i := range m.Pixels() {
		m.Pixels()[i] = value
	}
	return s.Present(m)
}

// TestWayland shows frames of two sizes: the compositor sees the pixels of each, an image is free after its present, two buffers
// are enough, and those of the first size are freed.
func TestWayland(t *testing.T) {
	var c compositor
	s, err := c.calls().NewSurface(nil, unsafe.Pointer(&c))
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{64, 64, 64, 64, 32, 32, 32} {
		if err := present(t, s, n, n/2, byte(i+1)); err != nil {
			t.Fatal(err)
		}
		p := c.shown[i]
		if len(p) != n*n/2*BytesPerPixel || p[0] != byte(i+1) || p[len(p)-1] != byte(i+1) {
			t.Errorf("frame %d has %d bytes from %d to %d", i, len(p), p[0], p[len(p)-1])
		}
		if len(c.buffers) > 3 {
			t.Errorf("frame %d: %d buffers", i, len(c.buffers))
		}
		if s.AwaitFrame(); c.frame > 0 {
			t.Errorf("frame %d: the compositor has not asked for another one", i)
		}
	}
	if len(c.buffers) != 2 {
		t.Errorf("at the end there are %d buffers", len(c.buffers))
	}
	if s.Close(); len(c.buffers) != 0 || !c.closed {
		t.Errorf("after the end of the surface there are %d buffers", len(c.buffers))
	}
}

// TestWaylandKeeps shows frames on a compositor that keeps all buffers: some are dropped, and no present waits for ever.
func TestWaylandKeeps(t *testing.T) {
	c := compositor{keeps: true}
	s, err := c.calls().NewSurface(nil, unsafe.Pointer(&c))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range mostBuffers + 1 {
		if err := present(t, s, 8, 8, byte(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.shown) != mostBuffers {
		t.Errorf("%d frames are shown", len(c.shown))
	}
}

// TestWaylandLost shows a frame after the end of the connection, and opens windows on hosts without the library.
func TestWaylandLost(t *testing.T) {
	c := compositor{broken: true}
	s, err := c.calls().NewSurface(nil, unsafe.Pointer(&c))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := present(t, s, 8, 8, 1); !errors.Is(err, ErrLost) {
		t.Errorf("the error of a present is %v", err)
	}
	if _, err := (Wayland{}).NewSurface(nil, unsafe.Pointer(&c)); !errors.Is(err, ErrLost) {
		t.Errorf("without the library the error is %v", err)
	}
	calls := c.calls()
	calls.Open = func(_, _ unsafe.Pointer) unsafe.Pointer { return nil }
	if _, err := calls.NewSurface(nil, unsafe.Pointer(&c)); !errors.Is(err, ErrLost) {
		t.Errorf("without a window the error is %v", err)
	}
}
