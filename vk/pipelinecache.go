package vk

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/jit/store"
)

// PipelineCache has compiled stages (VkPipelineCache): a stage that is in it is not compiled again. It is safe for
// concurrent use.
type PipelineCache struct {
	object
	mu     sync.Mutex
	pieces map[store.Key]*cached

	external bool         // the application synchronizes its use
	users    atomic.Int32 // the calls in progress, of an external one
}

// cached is an entry of a cache: packed until a pipeline needs it.
type cached struct {
	packed []byte // nil if piece was compiled by this device and not yet packed
	piece  *piece // nil if it is not yet unpacked
}

// The data of a cache begins with the header of version one (VkPipelineCacheHeaderVersionOne): its length and version, and
// the vendor and the device, 32 bits each, least significant byte first; and the UUID. Then follow the entries in ascending
// order of their keys, each after its length in 64 bits. Each entry has a checksum of its own, so that the beginning of
// the data is valid too.
const (
	cacheHeader  = 32
	cacheVersion = 1
)

// PipelineCacheUUID returns the identity of the compiler (pipelineCacheUUID): it differs between any two builds. Data of
// another build is ignored.
func PipelineCacheUUID() [16]byte {
	id := build()
	return [16]byte(id[:])
}

// header returns the header of the data of a device.
func (d *Device) cacheHeader() []byte {
	limit := func(name string) uint32 { // of the played device; Chiaro has no number of a vendor
		n, _ := d.env.Device.Limit(name)
		return uint32(n)
	}
	b := binary.LittleEndian.AppendUint32(nil, cacheHeader)
	b = binary.LittleEndian.AppendUint32(b, cacheVersion)
	b = binary.LittleEndian.AppendUint32(b, limit("vendorID"))
	b = binary.LittleEndian.AppendUint32(b, limit("deviceID"))
	id := PipelineCacheUUID()
	return append(b, id[:]...)
}

// NewPipelineCache makes a cache with initial data, which may be nil. Data of another device, of another version of Chiaro
// or that is damaged is ignored.
func (d *Device) NewPipelineCache(data []byte) (*PipelineCache, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	c := &PipelineCache{pieces: map[store.Key]*cached{}}
	if h := d.cacheHeader(); bytes.HasPrefix(data, h) {
		c.read(slices.Clone(data[len(h):]))
	}
	d.adopt(&c.object, "pipeline cache", func() { c.pieces = nil })
	return c, nil
}

// NewExternalPipelineCache is NewPipelineCache for a cache of which the application synchronizes the use
// (VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT): a creation of a pipeline fails during another use.
func (d *Device) NewExternalPipelineCache(data []byte) (*PipelineCache, error) {
	c, err := d.NewPipelineCache(data)
	if err == nil {
		c.external = true
	}
	return c, err
}

// use begins a use of the cache, which unuse ends also if there is an error. The error has the rule if another use is in progress.
func (c *PipelineCache) use(rule string) error {
	if c == nil || !c.external {
		return nil
	}
	if n := c.users.Add(1); n > 1 && c.dev.checking > None {
		return usage(rule, "%v is externally synchronized, and another call uses it; must be one call at a time", &c.object)
	}
	return nil
}

func (c *PipelineCache) unuse() {
	if c != nil && c.external {
		c.users.Add(-1)
	}
}

// read adds the entries of data, up to the first that is damaged.
func (c *PipelineCache) read(data []byte) {
	for len(data) >= 8 {
		n := binary.LittleEndian.Uint64(data)
		if data = data[8:]; n > uint64(len(data)) {
			return
		}
		k, _, ok := store.Unpack(data[:n])
		if !ok {
			return
		}
		c.pieces[k] = &cached{packed: data[:n:n]}
		data = data[n:]
	}
}

// get returns the piece of a key; nil if the cache lacks it. An entry that is no program is dropped.
func (c *PipelineCache) get(k store.Key) *piece {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pieces[k]
	if e == nil {
		return nil
	}
	if e.piece == nil {
		var ok bool
		if e.piece, ok = unpackPiece(e.packed); !ok {
			delete(c.pieces, k)
			return nil
		}
	}
	return e.piece
}

// put adds a piece.
func (c *PipelineCache) put(p *piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pieces != nil && c.pieces[p.key] == nil {
		c.pieces[p.key] = &cached{piece: p}
	}
}

// Data returns the data of the cache (vkGetPipelineCacheData). Equal caches have equal data.
func (c *PipelineCache) Data() ([]byte, error) {
	if err := check(nil, "the pipeline cache", c); err != nil {
		return nil, err
	}
	c.use("")
	defer c.unuse()
	out := c.dev.cacheHeader()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(c.pieces), func(x, y store.Key) int { return bytes.Compare(x[:], y[:]) }) {
		e := c.pieces[k]
		if e.packed == nil {
			e.packed = e.piece.pack()
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(len(e.packed)))
		out = append(out, e.packed...)
	}
	return out, nil
}

// Merge adds the entries of other caches. The cache itself must not be among them.
func (c *PipelineCache) Merge(others ...*PipelineCache) error {
	if err := check(nil, "the pipeline cache", c); err != nil {
		return err
	}
	for _, o := range others {
		if err := check(c.dev, "a pipeline cache", o); err != nil {
			return err
		}
		if o == c {
			return usage("VUID-vkMergePipelineCaches-dstCache-00770", "%v is merged into itself; must be another", &c.object)
		}
	}
	for _, o := range others {
		all := o.entries()
		c.mu.Lock()
		for k, e := range all {
			if c.pieces != nil && c.pieces[k] == nil {
				c.pieces[k] = &e
			}
		}
		c.mu.Unlock()
	}
	return nil
}

// entries returns a copy of the entries.
func (c *PipelineCache) entries() map[store.Key]cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[store.Key]cached, len(c.pieces))
	for k, e := range c.pieces {
		out[k] = *e
	}
	return out
}

// Len returns the number of stages in the cache.
func (c *PipelineCache) Len() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pieces)
}

// maxRecent bounds the pieces that a device keeps.
const maxRecent = 256

// recentPieces are the stages that a device compiled last: pipelines of equal stages share them.
type recentPieces struct {
	mu    sync.Mutex
	list  map[store.Key]*piece
	order []store.Key // the oldest first
}

func (r *recentPieces) get(k store.Key) *piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[k]
}

func (r *recentPieces) put(p *piece) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list[p.key] != nil {
		return
	}
	if r.list == nil {
		r.list = map[store.Key]*piece{}
	}
	if len(r.order) == maxRecent {
		delete(r.list, r.order[0])
		copy(r.order, r.order[1:])
		r.order = r.order[:maxRecent-1]
	}
	r.list[p.key] = p
	r.order = append(r.order, p.key)
}
