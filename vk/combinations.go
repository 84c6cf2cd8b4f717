package vk

import (
	"slices"
	"sync"
)

// combinations are the pipelines of shader objects that draws used together.
type combinations struct {
	mu   sync.Mutex
	list map[combination]*drawable
}

// get returns the pipeline of a combination, and makes it if it is new.
func (c *combinations) get(key combination, create func() (*drawable, error)) (*drawable, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.list[key]; x != nil {
		return x, nil
	}
	x, err := create()
	if err != nil {
		return nil, err
	}
	if c.list == nil {
		c.list = map[combination]*drawable{}
	}
	c.list[key] = x
	return x, nil
}

// drop closes the pipelines that use an object.
func (c *combinations) drop(s *Shader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, x := range c.list {
		if slices.Contains(key[:], s) {
			x.pipeline.Close()
			delete(c.list, key)
		}
	}
}
