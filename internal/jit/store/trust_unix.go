//go:build unix

package store

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// noFollow makes OpenFile fail if the last element of the name is a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// trust returns an error if another user may have written the file or directory that info describes.
func trust(info fs.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("the owner is unknown")
	case int(s.Uid) != os.Geteuid():
		return fmt.Errorf("the owner is user %d; must be user %d", s.Uid, os.Geteuid())
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("permissions are %v; only the owner may write", info.Mode().Perm())
	}
	return nil
}
