package store

import "io/fs"

// NoFollow is a flag of os.OpenFile: opening fails if the last element of the name is a symbolic link. It is 0 on
// systems without that flag.
const NoFollow = noFollow

// Trusted returns an error if another user may have written the file or directory that info describes. On systems
// without owners of files it always returns one.
func Trusted(info fs.FileInfo) error { return trust(info) }
