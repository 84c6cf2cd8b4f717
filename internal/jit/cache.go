package jit

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/store"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Cache holds compiled code, so that a program equal to an earlier one, for the same level, needs no
// compilation. It is safe for several engines and goroutines. The bound counts bytes of machine code
// with its padding. Two goroutines that miss the same key at the same time both compile; the second
// result serves its program only.
type Cache struct {
	version string
	limit   int
	disk    *store.Dir // or nil

	mu      sync.Mutex
	entries map[store.Key]*list.Element // of cached
	lru     *list.List                  // most recently used first
	bytes   int
	stats   CacheStats
}

// CacheStats counts lookups by their result.
type CacheStats struct {
	MemoryHits, DiskHits, Misses int
}

// entry is the code of one key. The cache holds a reference to it. Eviction therefore never frees
// code that a program or a run still uses: it drops one of several references.
type entry struct {
	key  store.Key
	code *variant
}

// NewCache returns a cache of up to limit bytes of code in memory, and on disk if disk is not nil.
// version must identify this build of the compiler; if it is empty nothing is stored on disk, because
// code of another build would be taken for this one's.
func NewCache(limit int, disk *store.Dir, version string) *Cache {
	if version == "" {
		disk = nil
	}
	return &Cache{version: version, limit: limit, disk: disk, entries: map[store.Key]*list.Element{}, lru: list.New()}
}

// Stats returns the number of lookups so far.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Close releases all code in memory. Programs that use some of it still hold their references.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(0)
}

// keyOf returns the key of a program's code: a hash of all that determines its bytes. All fields but
// the last have a fixed size, so that no two inputs share an encoding. level and extras are part of
// it, because a cache directory can be shared by machines with different processors.
func (c *Cache) keyOf(hash [sha256.Size]byte, level target.Level, extras target.Feature, exact bool) store.Key {
	b := append([]byte(nil), hash[:]...)
	b = append(b, byte(level), byte(extras), 0)
	if exact {
		b[len(b)-1] = 1
	}
	return sha256.Sum256(append(b, c.version...))
}

// get returns the code of a key with a reference for the caller, or nil. p is the program of the key.
func (c *Cache) get(k store.Key, p *ir.Program) *variant {
	v := c.fromMemory(k)
	counter := &c.stats.MemoryHits
	if v == nil {
		v, counter = c.fromDisk(k, p), &c.stats.DiskHits
	}
	if v == nil {
		counter = &c.stats.Misses
	}
	// The disk is read without the lock, so that a slow file system blocks no other lookup.
	c.mu.Lock()
	defer c.mu.Unlock()
	*counter++
	return v
}

func (c *Cache) fromMemory(k store.Key) *variant {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[k]
	if !ok {
		return nil
	}
	c.lru.MoveToFront(e)
	v := e.Value.(*entry).code
	v.retain()
	return v
}

func (c *Cache) fromDisk(k store.Key, p *ir.Program) *variant {
	if c.disk == nil {
		return nil
	}
	b, ok := c.disk.Load(k)
	if !ok {
		return nil
	}
	v, err := decodeVariant(b, p)
	if err != nil {
		return nil // compile again
	}
	// The caller has the reference of newVariant, and add acquires another one for the cache.
	c.add(k, v)
	return v
}

// put stores code under a key.
func (c *Cache) put(k store.Key, v *variant) {
	c.add(k, v)
	if c.disk != nil {
		_ = c.disk.Save(k, v.encode(nil)) // a failure only costs a compilation later
	}
}

func (c *Cache) add(k store.Key, v *variant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Code larger than the whole cache would evict everything else and then be evicted itself.
	if _, ok := c.entries[k]; ok || v.block.Size() > c.limit {
		return
	}
	c.evict(c.limit - v.block.Size())
	v.retain()
	c.entries[k] = c.lru.PushFront(&entry{k, v})
	c.bytes += v.block.Size()
}

// evict removes the least recently used code until at most limit bytes remain.
func (c *Cache) evict(limit int) {
	for c.bytes > limit {
		e := c.lru.Back()
		x := c.lru.Remove(e).(*entry)
		delete(c.entries, x.key)
		c.bytes -= x.code.block.Size()
		x.code.release()
	}
}

// encode appends a variant in the format of decodeVariant. The layout, in little-endian words of
// four bytes:
//
//	word 0        lanes of the strip
//	word 1        n, the number of resources in written
//	n words       their indices in ir.Program.Res
//	rest          target.Code.Append
func (v *variant) encode(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, v.source.SubgroupSize)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.written)))
	for _, r := range v.written {
		b = binary.LittleEndian.AppendUint32(b, uint32(r))
	}
	return v.code.Append(b)
}

// errVariant is the error for code that does not fit its program.
var errVariant = errors.New("jit: the code does not fit the program")

// decodeVariant decodes a variant of p from untrusted bytes. All but the machine code is checked.
func decodeVariant(b []byte, p *ir.Program) (*variant, error) {
	var head [2]uint32
	if _, err := binary.Decode(b, binary.LittleEndian, &head); err != nil {
		return nil, err
	}
	b = b[8:]
	// The bytes that exist bound the allocation, not the number in the header.
	written := make([]uint32, min(int(head[1]), len(b)/4))
	n, err := binary.Decode(b, binary.LittleEndian, written)
	if err != nil {
		return nil, err
	}
	code, err := target.ParseCode(b[n:])
	if err != nil {
		return nil, err
	}
	// The program itself is not on disk. The key contains its hash, so that p is the program of this
	// code.
	strip := *p
	strip.SubgroupSize = head[0]
	back := targetOf(code.Level)
	if back == nil || !isStrip(head[0], p, back.Form(code.Level)) || code.Record != back.Record(&strip, code.Level) {
		return nil, errVariant
	}
	var indices []int
	for _, r := range written {
		if int64(r) >= int64(len(p.Res)) {
			return nil, errVariant
		}
		indices = append(indices, int(r))
	}
	return newVariant(&compiled{source: &strip, code: code, written: indices})
}

// isStrip reports whether strips of p can have so many lanes: whole subgroups, a vector of a subgroup with more, or with RowStrips a
// row of the workgroup, its half, and so on.
func isStrip(lanes uint32, p *ir.Program, form vcode.Form) bool {
	if lanes == 0 || p.SubgroupSize == 0 || lanes > p.SubgroupSize*p.Subgroups() {
		return false
	}
	for row := p.LocalSize[0]; form.RowStrips && row >= uint32(form.Lanes); row /= 2 {
		if lanes == row {
			return true
		}
	}
	return lanes%p.SubgroupSize == 0 || lanes == uint32(form.Lanes) && lanes < p.SubgroupSize
}
