package vk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// ValidationCache remembers modules that were checked and found valid (VK_EXT_validation_cache): a module that is in it is
// not checked again.
type ValidationCache struct {
	object
	mu    sync.Mutex
	valid map[verdict]struct{}
}

// verdict is the hash of a module, of the environment of its check and of the validator.
type verdict [sha256.Size]byte

// ValidationCacheUUID returns the identity of the validator (validationCacheUUID). It differs between any two builds: their rules may
// have other verdicts. Data of another build is ignored.
func ValidationCacheUUID() [16]byte {
	id := build()
	sum := sha256.Sum256(append([]byte("chiaro verdicts 1\x00"), id[:]...))
	return [16]byte(sum[:])
}

// The data of a cache is the header of version one (VkValidationCacheHeaderVersionOneEXT): its length and its version, 32
// bits each, least significant byte first, and the UUID. Then follow the verdicts in ascending order, and the SHA-256 of
// all that precedes it.
const (
	validationHeader  = 24
	validationVersion = 1
)

// NewValidationCache makes a cache with initial data, which may be nil. Data that is damaged, or of another validator, is
// ignored.
func (d *Device) NewValidationCache(data []byte) (*ValidationCache, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	c := &ValidationCache{valid: map[verdict]struct{}{}}
	if err := c.read(data); err != nil && d.checking >= All {
		return nil, err
	}
	d.adopt(&c.object, "validation cache", nil)
	return c, nil
}

// read adds the verdicts of data. It returns an error for damaged data.
func (c *ValidationCache) read(data []byte) error {
	n := len(data) - validationHeader - sha256.Size
	switch {
	case len(data) == 0:
		return nil
	case n < 0:
		return usage(vuid.VkValidationCacheCreateInfoEXT_initialDataSize_01534, "the data of a validation cache has %d bytes; must be as long as Data returned", len(data))
	case binary.LittleEndian.Uint32(data) != validationHeader || binary.LittleEndian.Uint32(data[4:]) != validationVersion:
		return usage(vuid.VkValidationCacheCreateInfoEXT_initialDataSize_01535, "the data is not of a validation cache; must be what Data returned")
	case [16]byte(data[8:validationHeader]) != ValidationCacheUUID():
		return nil // of another validator
	case n%sha256.Size != 0:
		return usage(vuid.VkValidationCacheCreateInfoEXT_initialDataSize_01534, "the data of a validation cache has %d bytes; must be as long as Data returned", len(data))
	}
	body := data[:len(data)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
		return usage(vuid.VkValidationCacheCreateInfoEXT_initialDataSize_01535, "the data of a validation cache is damaged; must be what Data returned")
	}
	for v := range slices.Chunk(body[validationHeader:], sha256.Size) {
		c.valid[verdict(v)] = struct{}{}
	}
	return nil
}

// Data returns the data of the cache. Equal caches have equal data.
func (c *ValidationCache) Data() ([]byte, error) {
	if err := check(nil, "the validation cache", c); err != nil {
		return nil, err
	}
	c.mu.Lock()
	list := slices.Collect(maps.Keys(c.valid))
	c.mu.Unlock()
	slices.SortFunc(list, func(x, y verdict) int { return bytes.Compare(x[:], y[:]) })
	out := binary.LittleEndian.AppendUint32(nil, validationHeader)
	out = binary.LittleEndian.AppendUint32(out, validationVersion)
	id := ValidationCacheUUID()
	out = append(out, id[:]...)
	for _, v := range list {
		out = append(out, v[:]...)
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// Merge adds the verdicts of other caches. The cache itself must not be among them.
func (c *ValidationCache) Merge(others ...*ValidationCache) error {
	if err := check(nil, "the validation cache", c); err != nil {
		return err
	}
	var all []verdict
	for _, o := range others {
		if err := check(c.dev, "a validation cache", o); err != nil {
			return err
		}
		if o == c {
			return usage("VUID-vkMergeValidationCachesEXT-dstCache-01536", "%v is merged into itself; must be another", &c.object)
		}
		o.mu.Lock()
		all = slices.AppendSeq(all, maps.Keys(o.valid))
		o.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range all {
		c.valid[v] = struct{}{}
	}
	return nil
}

// Len returns the number of modules in the cache.
func (c *ValidationCache) Len() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.valid)
}

// NewShaderModuleCached is NewShaderModule with a cache: a module that is in it is not checked, and a valid module is added
// to it. It checks on every device.
func (d *Device) NewShaderModuleCached(ctx context.Context, code []byte, c *ValidationCache) (_ *ShaderModule, err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	if err := check(d, "the validation cache", c); err != nil {
		return nil, err
	}
	v := d.verdict(code)
	c.mu.Lock()
	_, hit := c.valid[v]
	c.mu.Unlock()
	var judge *shader.Judge
	if !hit {
		judge = &shader.Judge{Env: d.env}
	}
	m, err := d.newModule(ctx, code, judge)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.valid[v] = struct{}{}
	return m, nil
}

// verdict returns the key of a module: the hash of its code and of all that its rules depend on.
func (d *Device) verdict(code []byte) verdict {
	h := sha256.New()
	id := ValidationCacheUUID()
	h.Write(id[:])
	env, limits := *d.env, valid.Device{}
	if env.Device != nil {
		// What is not known and what is known to be missing have different verdicts, as have lists of shapes.
		limits = *env.Device
	}
	known := env.Device != nil
	env.Device = nil
	// The Go syntax of a value has all of its fields, and maps in the order of their keys.
	fmt.Fprintf(h, "%#v %v %#v\x00", env, known, limits)
	h.Write(code)
	return verdict(h.Sum(nil))
}
