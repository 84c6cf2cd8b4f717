package fleet

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/fleet/wire"
)

// packer compresses the items of batches: 20 to 40 bytes an item with its path, instead of about 400. It leaves out the
// hashes, which do not compress; they are computed again if the work is lost.
type packer struct {
	mu   sync.Mutex
	w    *flate.Writer // made by the first call: it has a megabyte of tables
	text bytes.Buffer
}

// pack returns the packed form of items.
func (p *packer) pack(items []wire.Item) ([]byte, error) {
	bare := make([]wire.Item, len(items))
	for i, it := range items {
		bare[i] = it
		bare[i].Files = make([]wire.File, len(it.Files))
		for k, f := range it.Files {
			bare[i].Files[k] = wire.File{Name: f.Name, Path: f.Path}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Reset()
	if p.w == nil {
		w, err := flate.NewWriter(&p.text, flate.BestSpeed)
		if err != nil {
			return nil, err
		}
		p.w = w
	} else {
		p.w.Reset(&p.text)
	}
	if err := json.NewEncoder(p.w).Encode(bare); err != nil {
		return nil, err
	}
	if err := p.w.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(p.text.Bytes()), nil
}

// unpack returns the batch of packed items. It reads their small files again; an error tells that a file has changed
// since the batch got its token.
func (x *submitter) unpack(packed []byte, token string) (*batch, error) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	var items []wire.Item
	if err := json.Unmarshal(text, &items); err != nil {
		return nil, err
	}
	b := &batch{}
	for i := range items {
		data, err := x.files.fill(&items[i])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errInput, err)
		}
		b.add(items[i], itemKey(&items[i]), data)
	}
	if b.key(x.scope).token() != token {
		return nil, fmt.Errorf("the files of %s and the %d items after it: %w", items[0].Name, len(items)-1, errInput)
	}
	return b, nil
}
