//go:build !linux

package exec

import "errors"

// AllocShared is Alloc: memory of this system cannot be mapped a second time.
func AllocShared(n int) (*Memory, error) { return Alloc(n) }

// Share does nothing.
func (m *Memory) Share() error { return nil }

// NewSpace returns an error that wraps errors.ErrUnsupported.
func NewSpace(int, *Memory) (*Space, error) { return nil, errors.ErrUnsupported }

// Map returns an error that wraps errors.ErrUnsupported.
func (s *Space) Map(int, *Memory, int, int) error { return errors.ErrUnsupported }

// Unmap returns an error that wraps errors.ErrUnsupported.
func (s *Space) Unmap(int, int) error { return errors.ErrUnsupported }
