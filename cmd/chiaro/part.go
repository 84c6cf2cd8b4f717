package main

import (
	"os"
	"path/filepath"
	"sync"
)

// partFiles are the files of outputs that are not complete. A signal can end the process while a goroutine that was
// abandoned still writes one.
type partFiles struct {
	mu    sync.Mutex
	names map[string]bool
	ended bool
}

// parts are the part files of the process.
var parts partFiles

// createPart creates the part file of an output, in the folder of the output. It becomes the output by a rename.
func createPart(name string) (*os.File, error) {
	parts.mu.Lock()
	defer parts.mu.Unlock()
	if parts.ended {
		return nil, &os.PathError{Op: "create", Path: name, Err: os.ErrClosed}
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err == nil {
		if parts.names == nil {
			parts.names = map[string]bool{}
		}
		parts.names[f.Name()] = true
	}
	return f, err
}

// done says that a part file was renamed or removed.
func (p *partFiles) done(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.names, name)
}

// end removes all part files, and prevents new ones. It is called at the end of the process.
func (p *partFiles) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for name := range p.names {
		_ = os.Remove(name) // an error means that the folder is gone or was locked meanwhile
	}
}
