package jit

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
)

// Cache keeps code that was compiled, so that a program equal to one before, at
// the same level, costs no compilation. It may serve several engines and
// goroutines.
type Cache struct {
	version string
	limit   int
	disk    *store.Dir // or nil

	mu    sync.Mutex
	known map[store.Key]*list.Element // of cached
	order *list.List                  // what was used last comes first
	bytes int
	found Found
}

// Found counts where a cache found code that was asked for.
type Found struct {
	Memory, Disk, Nowhere int
}

// cached is the code of one key. The cache holds a reference to it.
type cached struct {
	key  store.Key
	code *variant
}

// NewCache returns a cache that keeps up to limit bytes of code in memory, and
// on disk where disk is not nil. There, version must tell this build of the
// compiler from all others; without one nothing is kept on disk.
func NewCache(limit int, disk *store.Dir, version string) *Cache {
	if version == "" {
		disk = nil
	}
	return &Cache{version: version, limit: limit, disk: disk, known: map[store.Key]*list.Element{}, order: list.New()}
}

// Found returns where code was found so far.
func (c *Cache) Found() Found {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.found
}

// Close lets go of all code that the cache keeps in memory. Programs that use
// some keep it.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shrink(0)
}

// keyOf returns the key of a program's code: what decides its bytes.
func (c *Cache) keyOf(hash [sha256.Size]byte, level amd64.Level, extras amd64.Extra, exact bool) store.Key {
	b := append([]byte(nil), hash[:]...)
	b = append(b, byte(level), byte(extras), 0)
	if exact {
		b[len(b)-1] = 1
	}
	return sha256.Sum256(append(b, c.version...))
}

// get returns the code of a key with a reference for the caller, or nil. From
// disk it is code for p.
func (c *Cache) get(k store.Key, p *ir.Program) *variant {
	v := c.inMemory(k)
	at := &c.found.Memory
	if v == nil {
		v, at = c.onDisk(k, p), &c.found.Disk
	}
	if v == nil {
		at = &c.found.Nowhere
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*at++
	return v
}

func (c *Cache) inMemory(k store.Key) *variant {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[k]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	v := e.Value.(*cached).code
	v.retain()
	return v
}

func (c *Cache) onDisk(k store.Key, p *ir.Program) *variant {
	if c.disk == nil {
		return nil
	}
	b, ok := c.disk.Load(k)
	if !ok {
		return nil
	}
	v, err := parseVariant(b, p)
	if err != nil {
		return nil // then it is compiled anew
	}
	c.add(k, v)
	return v
}

// put keeps code under a key.
func (c *Cache) put(k store.Key, v *variant) {
	c.add(k, v)
	if c.disk != nil {
		_ = c.disk.Save(k, v.append(nil)) // where it cannot be kept it is compiled again
	}
}

func (c *Cache) add(k store.Key, v *variant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[k]; ok || v.block.Size() > c.limit {
		return
	}
	c.shrink(c.limit - v.block.Size())
	v.retain()
	c.known[k] = c.order.PushFront(&cached{k, v})
	c.bytes += v.block.Size()
}

// shrink lets go of what was not used for the longest time until at most most
// bytes are kept.
func (c *Cache) shrink(most int) {
	for c.bytes > most {
		e := c.order.Back()
		x := c.order.Remove(e).(*cached)
		delete(c.known, x.key)
		c.bytes -= x.code.block.Size()
		x.code.release()
	}
}

// append appends a variant as bytes that parseVariant takes back.
func (v *variant) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, v.p.SubgroupSize)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.written)))
	for _, r := range v.written {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return v.code.Append(b)
}

// parseVariant takes back what append made of code for p.
func parseVariant(b []byte, p *ir.Program) (*variant, error) {
	var head [2]uint32
	if _, err := binary.Decode(b, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	b = b[8:]
	written := make([]uint32, min(int(head[1]), len(b)/4))
	n, err := binary.Decode(b, binary.LittleEndian, written)
	if err != nil {
		return nil, err
	}
	made, err := amd64.ParseCode(b[n:])
	if err != nil {
		return nil, err
	}
	strip := *p
	strip.SubgroupSize = head[0]
	v, err := newVariant(&strip, made)
	if err != nil {
		return nil, err
	}
	for _, r := range written {
		v.written = append(v.written, int(r))
	}
	return v, nil
}
