//go:build !linux

package exec

import (
	"errors"
	"os"
)

// AllocFile returns an error that wraps errors.ErrUnsupported.
func AllocFile(int) (*Memory, error) { return nil, errors.ErrUnsupported }

// MapFile returns an error that wraps errors.ErrUnsupported.
func MapFile(*os.File, int) (*Memory, error) { return nil, errors.ErrUnsupported }

// File returns an error that wraps errors.ErrUnsupported.
func (m *Memory) File() (*os.File, error) { return nil, errors.ErrUnsupported }
