package source

import (
	"context"
	"os"
	"sync"
)

// folders are the temporary folders of compilations that run. A process that ends before they do, because of a signal,
// removes them with Clean: their own deferred calls do not run.
var folders struct {
	sync.Mutex
	list   map[string]bool
	closed bool
}

// temporaryFolder makes a temporary folder; remove removes it.
func temporaryFolder(pattern string) (dir string, remove func(), err error) {
	folders.Lock()
	defer folders.Unlock()
	if folders.closed {
		return "", nil, context.Canceled
	}
	if dir, err = os.MkdirTemp("", pattern); err != nil {
		return "", nil, err
	}
	if folders.list == nil {
		folders.list = map[string]bool{}
	}
	folders.list[dir] = true
	return dir, func() {
		os.RemoveAll(dir)
		folders.Lock()
		defer folders.Unlock()
		delete(folders.list, dir)
	}, nil
}

// Clean removes the temporary folders of compilations that have not ended. It is for the end of the process: no
// compilation begins after it.
func Clean() {
	folders.Lock()
	defer folders.Unlock()
	folders.closed = true
	for dir := range folders.list {
		os.RemoveAll(dir)
	}
}
