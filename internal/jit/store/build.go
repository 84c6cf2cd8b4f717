package store

import (
	"debug/elf"
	"encoding/hex"
	"sync"
)

// BuildID returns an id that differs between any two builds of this program; "" if the system does not provide one.
var BuildID = sync.OnceValue(func() string {
	f, err := elf.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	note := f.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	b, err := note.Data()
	if err != nil {
		return ""
	}
	return hex.EncodeToString(b)
})
