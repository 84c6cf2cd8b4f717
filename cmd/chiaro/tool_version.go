package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"sync"
)

// toolVersion is the version that must be the same at both ends of a fleet. A build that is no release is known by its
// build id, which has a hash of the binary, else by its bytes.
var toolVersion = sync.OnceValue(func() string {
	v := version()
	if !strings.HasPrefix(v, "devel") && v != "unknown" && !strings.Contains(v, "+dirty") && !strings.HasPrefix(v, "v0.0.0-") {
		return v
	}
	self, err := os.Executable()
	if err != nil {
		return v
	}
	f, err := os.Open(self)
	if err != nil {
		return v
	}
	defer f.Close()
	sum := sha256.New()
	if id := buildID(f); id != "" {
		sum.Write([]byte(id))
	} else if _, err := io.Copy(sum, f); err != nil {
		return v
	}
	return v + " " + hex.EncodeToString(sum.Sum(nil)[:8])
})

// buildID returns the build id of a binary: the note of an ELF file, which is in its first page. It returns "" for another
// file, or one that was linked without an id, and then is at the start of the file again.
func buildID(f io.ReadSeeker) string {
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	_, err := f.Seek(0, io.SeekStart)
	head = head[:n]
	at := bytes.Index(head, []byte("\x04\x00\x00\x00Go\x00\x00")) // the type and the name of the note
	if err != nil || at < 4 || !bytes.HasPrefix(head, []byte("\x7fELF")) {
		return ""
	}
	size := binary.LittleEndian.Uint32(head[at-4:])
	if id := head[at+8:]; uint64(size) <= uint64(len(id)) {
		return string(id[:size])
	}
	return ""
}
