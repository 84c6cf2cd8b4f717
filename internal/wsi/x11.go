//go:build unix

package wsi

import (
	"errors"
	"io"
	"log"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
	"golang.org/x/sys/unix"
)

// Display is a connection to an X server.
type Display struct {
	conn   *xgb.Conn
	shared bool // the server has MIT-SHM and shares memory with this process
	timed  bool // the server has RandR 1.3, which tells the modes of displays
}

func init() { xgb.Logger = log.New(io.Discard, "", 0) } // a library of a host must not print

// OpenDisplay connects to an X server; "" is the display of the variable DISPLAY.
func OpenDisplay(name string) (*Display, error) {
	c, err := xgb.NewConnDisplay(name)
	if err != nil {
		return nil, err
	}
	go func() { // errors of requests without a reply, until the connection ends
		for {
			if event, err := c.WaitForEvent(); event == nil && err == nil {
				return
			}
		}
	}()
	d := &Display{conn: c}
	if extend(c, "MIT-SHM", shm.Init) {
		_, err := shm.QueryVersion(c).Reply()
		d.shared = err == nil
	}
	if extend(c, "RANDR", randr.Init) {
		v, err := randr.QueryVersion(c, 1, 3).Reply()
		d.timed = err == nil && (v.MajorVersion > 1 || v.MinorVersion >= 3)
	}
	return d, nil
}

// extension names an extension and its first numbers of events and errors.
type extension struct {
	name         string
	event, error byte
}

// extensions are those of all connections so far.
var (
	extensionsMutex sync.Mutex
	extensions      = map[extension]bool{}
)

// extend prepares an extension and reports whether the server has it. init is the Init of its package, which writes to maps that
// the goroutines of all connections read without a lock. So it runs once for all connections with the same numbers, which are those
// of one server.
func extend(c *xgb.Conn, name string, init func(*xgb.Conn) error) bool {
	r, err := xproto.QueryExtension(c, uint16(len(name)), name).Reply()
	if err != nil || !r.Present {
		return false
	}
	extensionsMutex.Lock()
	defer extensionsMutex.Unlock()
	x := extension{name, r.FirstEvent, r.FirstError}
	if !extensions[x] {
		extensions[x] = init(c) == nil
		return extensions[x]
	}
	c.ExtLock.Lock()
	defer c.ExtLock.Unlock()
	c.Extensions[name] = r.MajorOpcode
	return true
}

// Close ends the connection.
func (d *Display) Close() { d.conn.Close() }

// Depth returns the bits of a pixel of a visual; 0 if the server does not have it.
func (d *Display) Depth(visual uint32) int {
	for _, s := range xproto.Setup(d.conn).Roots {
		for _, depth := range s.AllowedDepths {
			for _, v := range depth.Visuals {
				if uint32(v.VisualId) == visual {
					return int(depth.Depth)
				}
			}
		}
	}
	return 0
}

// root returns the root window of the default screen.
func (d *Display) root() xproto.Window { return xproto.Setup(d.conn).DefaultScreen(d.conn).Root }

// Window is a surface in a window.
type Window struct {
	display  *Display
	id       xproto.Drawable
	depth    byte
	context  xproto.Gcontext
	mu       sync.Mutex
	unshared bool // attaching failed: the server is on another machine
}

// NewWindow returns the surface of a window.
func (d *Display) NewWindow(id uint32) (*Window, error) {
	w := &Window{display: d, id: xproto.Drawable(id)}
	g, err := xproto.GetGeometry(d.conn, w.id).Reply()
	if err != nil {
		return nil, errors.Join(ErrLost, err)
	}
	w.depth = g.Depth
	if w.context, err = xproto.NewGcontextId(d.conn); err != nil {
		return nil, errors.Join(ErrLost, err)
	}
	if err := xproto.CreateGCChecked(d.conn, w.context, w.id, xproto.GcGraphicsExposures, []uint32{0}).Check(); err != nil {
		return nil, errors.Join(ErrLost, err)
	}
	return w, nil
}

// Size returns the size of the window.
func (w *Window) Size() (width, height int, ok bool, err error) {
	g, err := xproto.GetGeometry(w.display.conn, w.id).Reply()
	if err != nil {
		return 0, 0, true, errors.Join(ErrLost, err)
	}
	return int(g.Width), int(g.Height), true, nil
}

// Refresh returns the time between two vertical blanks of the fastest display of the server.
func (w *Window) Refresh() time.Duration { return w.display.refresh() }

// NewImage makes an image in memory that the server shares, or in the memory of the process.
func (w *Window) NewImage(width, height int) (Image, error) {
	w.mu.Lock()
	shared := w.display.shared && !w.unshared
	w.mu.Unlock()
	if shared {
		m, err := w.display.newSharedImage(width, height)
		if err == nil {
			return m, nil
		}
		w.mu.Lock()
		w.unshared = true
		w.mu.Unlock()
	}
	return newPlainImage(width, height)
}

// sharedImage is an image in a System V segment that the server has attached.
type sharedImage struct {
	display       *Display
	segment       shm.Seg
	pixels        []byte
	width, height int
}

func (d *Display) newSharedImage(width, height int) (*sharedImage, error) {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, imageBytes(width, height), unix.IPC_CREAT|0o600)
	if err != nil {
		return nil, err
	}
	defer unix.SysvShmCtl(id, unix.IPC_RMID, nil) // the segment lives until both sides detach it
	b, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return nil, err
	}
	m := &sharedImage{display: d, pixels: b, width: width, height: height}
	if m.segment, err = shm.NewSegId(d.conn); err == nil {
		err = shm.AttachChecked(d.conn, m.segment, uint32(id), true).Check()
	}
	if err != nil {
		return nil, errors.Join(err, unix.SysvShmDetach(b))
	}
	return m, nil
}

// Pixels returns the memory.
func (m *sharedImage) Pixels() []byte { return m.pixels }

// Close detaches the memory.
func (m *sharedImage) Close() error {
	shm.Detach(m.display.conn, m.segment)
	return unix.SysvShmDetach(m.pixels)
}

// Present puts an image into the window and waits until the server has read it.
func (w *Window) Present(image Image) error {
	switch m := image.(type) {
	case *sharedImage:
		err := shm.PutImageChecked(w.display.conn, w.id, w.context, uint16(m.width), uint16(m.height), 0, 0, uint16(m.width), uint16(m.height), 0, 0, w.depth, xproto.ImageFormatZPixmap, 0, m.segment, 0).Check()
		if err != nil {
			return errors.Join(ErrLost, err)
		}
		return nil
	case *plainImage:
		return w.putRows(m)
	}
	return errors.New("the image is of another surface")
}

// putRows sends an image in requests of the length that the server allows.
func (w *Window) putRows(m *plainImage) error {
	const head = 24 // bytes of a request before its pixels
	row := m.width * BytesPerPixel
	rows := max((int(xproto.Setup(w.display.conn).MaximumRequestLength)*4-head)/row, 1)
	for y := 0; y < m.height; y += rows {
		n := min(rows, m.height-y)
		err := xproto.PutImageChecked(w.display.conn, xproto.ImageFormatZPixmap, w.id, w.context, uint16(m.width), uint16(n), 0, int16(y), 0, w.depth, m.pixels[y*row:(y+n)*row]).Check()
		if err != nil {
			return errors.Join(ErrLost, err)
		}
	}
	return nil
}

// Close frees the objects of the surface on the server.
func (w *Window) Close() { xproto.FreeGC(w.display.conn, w.context) }
