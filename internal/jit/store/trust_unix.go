//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow refuses a symbolic link as the last part of a name.
const noFollow = syscall.O_NOFOLLOW

// trust returns an error where somebody else may have written what info is of.
func trust(info fs.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("the owner is not known")
	case int(s.Uid) != os.Geteuid():
		return fmt.Errorf("the owner is user %d; must be user %d", s.Uid, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("permissions %v; nobody but the owner may write", info.Mode().Perm())
	}
	return nil
}
