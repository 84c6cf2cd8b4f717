package fleet

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// inputCache is a folder of inputs by their hashes, with a bound: the least recently used ones leave it. Its files have
// no other names than hashes, so that no item can name a file outside.
type inputCache struct {
	root  *os.Root
	dir   string
	limit int64

	mu    sync.Mutex
	files map[string]*cachedInput
	order *list.List // of *cachedInput, the last used first
	bytes int64
}

type cachedInput struct {
	hash    string
	once    sync.Mutex // is held while it is fetched
	ready   bool
	size    int64
	users   int
	element *list.Element
}

// errUnfit is the error of an input that no attempt of this worker can read.
var errUnfit = errors.New("unfit input")

// newInputCache makes an empty folder in dir.
func newInputCache(dir string, limit int64) (*inputCache, error) {
	if limit == 0 {
		limit = 4 << 30
	}
	path, err := filepath.Abs(filepath.Join(dir, fmt.Sprintf("inputs-%d", os.Getpid())))
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &inputCache{root: root, dir: path, limit: limit, files: map[string]*cachedInput{}, order: list.New()}, nil
}

func (c *inputCache) close() {
	c.root.Close()
	os.RemoveAll(c.dir)
}

// path returns the path of an input.
func (c *inputCache) path(hash string) string { return filepath.Join(c.dir, hash) }

// hold fetches an input that is not there, and keeps it until release is called. fetch writes the input.
func (c *inputCache) hold(hash string, fetch func(io.Writer) error) (release func(), err error) {
	c.mu.Lock()
	x := c.files[hash]
	if x == nil {
		x = &cachedInput{hash: hash}
		x.element = c.order.PushFront(x)
		c.files[hash] = x
	}
	c.order.MoveToFront(x.element)
	x.users++
	c.mu.Unlock()
	release = func() {
		c.mu.Lock()
		x.users--
		c.evict()
		c.mu.Unlock()
	}
	x.once.Lock()
	defer x.once.Unlock()
	if x.ready {
		return release, nil
	}
	if err := c.write(x, fetch); err != nil {
		release()
		return func() {}, err
	}
	return release, nil
}

// write writes an input and compares its hash.
func (c *inputCache) write(x *cachedInput, fetch func(io.Writer) error) error {
	f, err := c.root.OpenFile(x.hash, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n := &counter{w: io.MultiWriter(f, sum), most: c.limit}
	err = fetch(n)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != x.hash {
		err = fmt.Errorf("%w: %s has another hash", errUnfit, x.hash)
	}
	if err != nil {
		_ = c.root.Remove(x.hash)
		return err
	}
	c.mu.Lock()
	x.ready, x.size = true, n.n
	c.bytes += n.n
	c.mu.Unlock()
	return nil
}

// counter counts bytes up to a bound.
type counter struct {
	w       io.Writer
	n, most int64
}

func (c *counter) Write(p []byte) (int, error) {
	if c.n += int64(len(p)); c.n > c.most {
		return 0, fmt.Errorf("%w: it is larger than %d bytes, the bound of the worker's inputs", errUnfit, c.most)
	}
	return c.w.Write(p)
}

// evict removes unused inputs until the rest fits. The caller holds the lock.
func (c *inputCache) evict() {
	for e := c.order.Back(); e != nil && c.bytes > c.limit; {
		x := e.Value.(*cachedInput)
		e = e.Prev()
		if x.users > 0 {
			continue
		}
		_ = c.root.Remove(x.hash)
		c.bytes -= x.size
		c.order.Remove(x.element)
		delete(c.files, x.hash)
	}
}

// fetchInputs holds the inputs of a batch until release is called.
func (w *Worker) fetchInputs(ctx context.Context, b *batch) (release func(), err error) {
	var held []func()
	release = func() {
		for _, f := range held {
			f()
		}
	}
	done := map[string]bool{}
	for i := range b.items {
		for _, f := range b.items[i].Files {
			if done[f.Hash] {
				continue
			}
			done[f.Hash] = true
			r, err := w.inputs.hold(f.Hash, func(to io.Writer) error {
				if data, ok := b.inline[f.Hash]; ok {
					_, err := to.Write(data)
					return err
				}
				o, err := w.st.inputs.Get(ctx, f.Hash)
				if err != nil {
					return err
				}
				defer o.Close()
				_, err = io.Copy(to, o)
				if errors.Is(err, jetstream.ErrDigestMismatch) {
					err = fmt.Errorf("%w: %w", errUnfit, err)
				}
				return err
			})
			if err != nil {
				return release, err
			}
			held = append(held, r)
		}
	}
	return release, nil
}

// unfit answers the items of a batch whose inputs the worker cannot read, so that chiaro processes them itself.
func unfit(b *batch, err error) []wire.Answer {
	answers := make([]wire.Answer, len(b.items))
	for i := range answers {
		answers[i] = wire.Answer{Index: i, Status: wire.Invalid, Brief: true, Log: err.Error()}
	}
	return answers
}
