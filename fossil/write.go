package fossil

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Writer writes a stream archive.
type Writer struct {
	w   io.Writer
	err error
}

// NewWriter writes the header of an archive and returns a writer of its entries.
func NewWriter(w io.Writer) (*Writer, error) {
	_, err := w.Write(append(bytes.Clone(magic), maxVersion))
	return &Writer{w, err}, err
}

// Add writes one entry, with its checksum; packed reports that the payload is deflated.
func (w *Writer) Add(t Tag, h Hash, payload []byte, packed bool) error {
	if w.err != nil {
		return w.err
	}
	data, format := payload, uint32(stored)
	if packed {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		if _, w.err = z.Write(payload); w.err == nil {
			w.err = z.Close()
		}
		data, format = b.Bytes(), deflated
	}
	head := fmt.Appendf(nil, "%024x%s", int(t), h)
	for _, v := range [...]uint32{uint32(len(data)), format, crc32.ChecksumIEEE(data), uint32(len(payload))} {
		head = binary.LittleEndian.AppendUint32(head, v)
	}
	for _, b := range [][]byte{head, data} {
		if w.err == nil {
			_, w.err = w.w.Write(b)
		}
	}
	return w.err
}
