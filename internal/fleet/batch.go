package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// Bounds of a batch. A message of NATS has at most 1 MiB by default.
const (
	maxItems  = 128       // items of a batch
	maxInline = 256 << 10 // bytes of the files that a batch carries
	maxFile   = 32 << 10  // bytes of a file that travels in a batch; a larger one is an object of the store
	maxHeader = 512 << 10 // bytes of the header of a batch
)

// key is a SHA-256.
type key [sha256.Size]byte

// token returns a key as part of a subject: 128 bits of it.
func (k key) token() string { return hex.EncodeToString(k[:16]) }

// scopeOf returns the token of the part of a key that all items of a run share.
func scopeOf(h *wire.Head) string {
	return hashOf("scope", h.Version, h.Verb, string(h.Options)).token()
}

// versionToken returns a version as part of a subject.
func versionToken(version string) string { return hashOf("version", version).token()[:12] }

// hashOf returns the hash of a list of texts.
func hashOf(parts ...string) key {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return key(h.Sum(nil))
}

// itemKey returns the hash of an item: its name, its kind and its files, without its place in a list.
func itemKey(it *wire.Item) key {
	parts := []string{"item", it.Name, it.Kind}
	for _, f := range it.Files {
		parts = append(parts, f.Name, f.Hash)
	}
	return hashOf(parts...)
}

// batch is the unit of work of a worker: some items with the small files among their inputs.
type batch struct {
	items  []wire.Item
	keys   []key
	inline map[string][]byte // by hash
	bytes  int               // of inline
}

// key returns the hash of a batch in a scope.
func (b *batch) key(scope string) key {
	parts := []string{"batch", scope}
	for i := range b.keys {
		parts = append(parts, string(b.keys[i][:]))
	}
	return hashOf(parts...)
}

// add appends an item. Files without data are objects of the store.
func (b *batch) add(it wire.Item, k key, data map[string][]byte) {
	if b.inline == nil {
		b.inline = map[string][]byte{}
	}
	b.items, b.keys = append(b.items, it), append(b.keys, k)
	for hash, text := range data {
		if _, ok := b.inline[hash]; !ok {
			b.inline[hash] = text
			b.bytes += len(text)
		}
	}
}

// ends reports whether a batch ends after its last item. The boundaries depend on the items alone, so that a change of
// one item changes one batch, as in content-defined chunking (Muthitacharoen, Chen & Mazières 2001). mean is the
// mean number of items, a power of two.
func (b *batch) ends(mean int) bool {
	last := b.keys[len(b.keys)-1]
	return len(b.items) >= maxItems || b.bytes >= maxInline || binary.LittleEndian.Uint32(last[:])&uint32(mean-1) == 0
}

// meanItems returns the mean number of items of a batch for a list of n items: 1 for lists of few messages, 64 for
// the longest ones.
func meanItems(n int) int {
	mean := 1
	for mean < 64 && n/mean > 8192 {
		mean *= 2
	}
	return mean
}

// header is the first part of the message of a batch; the files that it carries follow.
type header struct {
	Head   wire.Head    `json:"head"`
	Items  []wire.Item  `json:"items"`
	Inline []inlineFile `json:"inline,omitempty"`
}

// inlineFile is a file that a message carries.
type inlineFile struct {
	Hash string `json:"hash"`
	Size int    `json:"size"`
}

// message encodes a batch: the length of the header, the header as JSON, and the files.
func (b *batch) message(h *wire.Head) ([]byte, error) {
	x := header{Head: *h}
	x.Head.Total = 0
	size := 0
	var files [][]byte
	done := map[string]bool{}
	for _, it := range b.items {
		it.Index = 0
		it.Files = append([]wire.File(nil), it.Files...)
		for i := range it.Files {
			f := &it.Files[i]
			f.Path = ""
			if data, ok := b.inline[f.Hash]; ok && !done[f.Hash] {
				done[f.Hash] = true
				x.Inline = append(x.Inline, inlineFile{f.Hash, len(data)})
				files, size = append(files, data), size+len(data)
			}
		}
		x.Items = append(x.Items, it)
	}
	text, err := json.Marshal(&x)
	if err != nil {
		return nil, err
	}
	if len(text) > maxHeader {
		return nil, fmt.Errorf("the options and names of a batch have %d bytes; must be at most %d", len(text), maxHeader)
	}
	out := make([]byte, 4, 4+len(text)+size)
	binary.LittleEndian.PutUint32(out, uint32(len(text)))
	out = append(out, text...)
	for _, f := range files {
		out = append(out, f...)
	}
	return out, nil
}

// errMessage is the error of a message that is no batch, or no result.
var errMessage = errors.New("the message is none of the fleet")

// readBatch decodes a message. It trusts nothing in it: the hash of each file that it carries is compared.
func readBatch(data []byte) (*wire.Head, *batch, error) {
	if len(data) < 4 {
		return nil, nil, errMessage
	}
	n := binary.LittleEndian.Uint32(data)
	if data = data[4:]; uint64(n) > uint64(len(data)) || n > maxHeader {
		return nil, nil, errMessage
	}
	var x header
	if err := json.Unmarshal(data[:n], &x); err != nil {
		return nil, nil, errMessage
	}
	data = data[n:]
	b := &batch{inline: map[string][]byte{}}
	for _, f := range x.Inline {
		if f.Size < 0 || f.Size > len(data) {
			return nil, nil, errMessage
		}
		text := data[:f.Size]
		data = data[f.Size:]
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != f.Hash {
			return nil, nil, errMessage
		}
		b.inline[f.Hash] = text
		b.bytes += len(text)
	}
	if len(data) > 0 || len(x.Items) == 0 || len(x.Items) > maxItems {
		return nil, nil, errMessage
	}
	for i := range x.Items {
		it := x.Items[i]
		for k := range it.Files {
			it.Files[k].Path = ""
			if !isHash(it.Files[k].Hash) {
				return nil, nil, errMessage
			}
		}
		it.Index = i
		b.items, b.keys = append(b.items, it), append(b.keys, itemKey(&it))
	}
	return &x.Head, b, nil
}

// isHash reports whether s is a SHA-256 as the fleet writes it.
func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == s
}
