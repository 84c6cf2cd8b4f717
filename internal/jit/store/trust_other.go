//go:build !unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
)

const noFollow = 0

// trust always fails: file ownership is not implemented for this system.
func trust(fs.FileInfo) error {
	return fmt.Errorf("files on this system cannot be trusted: %w", errors.ErrUnsupported)
}
