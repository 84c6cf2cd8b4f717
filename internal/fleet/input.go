package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// errInput is the error of an input that changes while its run is submitted.
var errInput = errors.New("an input has changed since the run began")

// hasher hashes files, large ones once.
type hasher struct {
	mu    sync.Mutex
	large map[string]string // hashes by path
	paths map[string]string // of large files, by hash
	there map[string]bool   // hashes of the objects that the server has
}

func newHasher() *hasher {
	return &hasher{large: map[string]string{}, paths: map[string]string{}, there: map[string]bool{}}
}

// fill sets the hashes of the files of an item. It returns the contents of the small ones, by hash, as far as a batch has
// room for them; the others are objects of the store like large ones.
func (h *hasher) fill(it *wire.Item) (map[string][]byte, error) {
	small := map[string][]byte{}
	room := maxInline
	for i := range it.Files {
		f := &it.Files[i]
		h.mu.Lock()
		hash, ok := h.large[f.Path]
		h.mu.Unlock()
		if ok {
			f.Hash = hash
			continue
		}
		data, hash, err := hashFile(f.Path)
		if err != nil {
			return nil, err
		}
		f.Hash = hash
		if data != nil && len(data) <= room {
			room -= len(data)
			small[hash] = data
			continue
		}
		h.mu.Lock()
		h.large[f.Path], h.paths[hash] = hash, f.Path
		h.mu.Unlock()
	}
	return small, nil
}

// hashFile returns the hash of a regular file, and its contents if they are small.
func hashFile(path string) (data []byte, hash string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	if !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("%s: must be a regular file", path)
	}
	if info.Size() <= maxFile {
		data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
		if err != nil {
			return nil, "", err
		}
		if len(data) <= maxFile {
			sum := sha256.Sum256(data)
			return data, hex.EncodeToString(sum[:]), nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, "", err
		}
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, "", err
	}
	return nil, hex.EncodeToString(sum.Sum(nil)), nil
}

// upload stores the large files of a batch that the server does not have.
func (x *submitter) upload(ctx context.Context, b *batch) error {
	for i := range b.items {
		for _, f := range b.items[i].Files {
			if err := x.uploadFile(ctx, f.Hash); err != nil {
				return err
			}
		}
	}
	return nil
}

// forget makes upload ask again whether the server has the files of a batch, which may have been removed.
func (h *hasher) forget(b *batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range b.items {
		for _, f := range b.items[i].Files {
			delete(h.there, f.Hash)
		}
	}
}

// uploadFile stores a large file by its hash. The lock makes the batches that need the file wait for the first one.
func (x *submitter) uploadFile(ctx context.Context, hash string) error {
	h := x.files
	h.mu.Lock()
	defer h.mu.Unlock()
	path := h.paths[hash]
	if path == "" || h.there[hash] {
		return nil
	}
	if _, err := x.st.inputs.GetInfo(ctx, hash); err == nil {
		h.there[hash] = true
		return nil
	} else if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	defer f.Close()
	sum := sha256.New()
	info, err := x.st.inputs.Put(ctx, jetstream.ObjectMeta{Name: hash}, io.TeeReader(f, sum))
	if err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		_ = x.st.inputs.Delete(ctx, info.Name)
		return fmt.Errorf("%s: %w", path, errInput)
	}
	h.there[hash] = true
	return nil
}
