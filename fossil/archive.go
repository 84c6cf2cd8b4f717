package fossil

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"sync"
)

// Tag is the sort of an object.
type Tag uint8

// The sorts of objects, as archives number them.
const (
	ApplicationInfo Tag = iota
	Sampler
	SetLayout
	PipelineLayout
	ShaderModule
	RenderPass
	GraphicsPipeline
	ComputePipeline
	ApplicationLink
	RayTracingPipeline

	tags = iota
)

var tagNames = [tags]string{
	"application", "sampler", "set layout", "pipeline layout", "shader module", "render pass",
	"graphics pipeline", "compute pipeline", "application link", "ray tracing pipeline",
}

// String returns the name of the sort in words.
func (t Tag) String() string {
	if int(t) < len(tagNames) {
		return tagNames[t]
	}
	return "object of sort " + strconv.Itoa(int(t))
}

// Hash identifies an object in an archive.
type Hash uint64

// String returns the sixteen digits that archives write.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// ParseHash parses the output of String, or fewer digits.
func ParseHash(s string) (Hash, error) {
	v, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		return 0, fmt.Errorf("hash %q: must be at most 16 hexadecimal digits", s)
	}
	return Hash(v), nil
}

// The layout of an archive: a head, then entries of a name (24 digits of the
// sort, 16 of the hash), a head of four words, and the payload.
const (
	headSize  = 16
	nameSize  = 40
	entryHead = nameSize + 16

	minVersion, maxVersion = 5, 6

	stored, deflated = 1, 2
)

var magic = []byte("\x81FOSSILIZEDB\x00\x00\x00")

// IsArchive reports whether data begins as an archive of Fossilize does.
func IsArchive(data []byte) bool { return bytes.HasPrefix(data, magic) }

// The largest payload that is read, as it is stored and as it is unpacked.
const maxPayload = 256 << 20

// Entry is the position of an object in an archive.
type Entry struct {
	Tag    Tag
	Hash   Hash
	Offset int64 // of the payload
	Size   uint32
	Format uint32
	CRC    uint32 // 0 if it was not computed
	Full   uint32 // bytes when unpacked
}

// Foreign is an entry that is no object of Fossilize.
type Foreign struct {
	Name  string // 40 hexadecimal digits
	Entry        // its sort and hash say nothing
}

// maxForeign is how many such entries are kept.
const maxForeign = 1024

// Archive is a stream archive. It is safe for concurrent use if its reader is.
type Archive struct {
	Version int
	Cut     int64 // the offset of an entry that was cut off; 0 if the archive is complete

	// Others is the number of entries that are no objects of Fossilize: Mesa stores its
	// compiled shaders in archives of this form, under hashes of 40 digits. Foreign are the
	// first of them.
	Others  int
	Foreign []Foreign

	r       io.ReaderAt
	entries [tags][]Entry // in order of their hashes
}

// Open reads the positions of the entries in an archive of size bytes. It stops at an entry
// that is cut off. Of several entries with one name the last one counts.
func Open(r io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{r: r}
	var head [headSize]byte
	if _, err := r.ReadAt(head[:], 0); err != nil || !bytes.Equal(head[:headSize-1], magic) {
		return nil, errors.New("must begin with the magic bytes of a Fossilize archive")
	}
	if a.Version = int(head[headSize-1]); a.Version < minVersion || a.Version > maxVersion {
		return nil, fmt.Errorf("version %d; must be %d or %d", a.Version, minVersion, maxVersion)
	}
	in := &scanner{r: r, size: size}
	for at := int64(headSize); at < size; {
		e, next, err := in.entry(at)
		if err != nil {
			return nil, fmt.Errorf("at byte %d: %w", at, err)
		}
		if next > size {
			a.Cut = at
			break
		}
		if int(e.Tag) < tags {
			a.entries[e.Tag] = append(a.entries[e.Tag], e.Entry)
		} else if a.Others++; len(a.Foreign) < maxForeign {
			a.Foreign = append(a.Foreign, e)
		}
		at = next
	}
	for t := range a.entries {
		a.entries[t] = sorted(a.entries[t])
	}
	return a, nil
}

// sorted puts entries in order of their hashes, the last of each name.
func sorted(list []Entry) []Entry {
	slices.SortStableFunc(list, func(x, y Entry) int { return cmp.Compare(x.Hash, y.Hash) })
	out := list[:0]
	for i, e := range list {
		if i+1 == len(list) || list[i+1].Hash != e.Hash {
			out = append(out, e)
		}
	}
	return out
}

// scanner reads the heads of entries, through a window of the file.
type scanner struct {
	r     io.ReaderAt
	size  int64
	start int64
	win   []byte
	buf   [1 << 16]byte
}

// bytes returns n bytes at a place, fewer at the end of the file.
func (s *scanner) bytes(at int64, n int) ([]byte, error) {
	if at < s.start || at+int64(n) > s.start+int64(len(s.win)) {
		k, err := s.r.ReadAt(s.buf[:], at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		s.start, s.win = at, s.buf[:k]
	}
	return s.win[at-s.start:][:min(int64(n), int64(len(s.win))-(at-s.start))], nil
}

// entry reads the header of an entry, with its name if it is foreign. next is the offset of
// the following entry, beyond the end of the file if the entry is cut off.
func (s *scanner) entry(at int64) (e Foreign, next int64, err error) {
	b, err := s.bytes(at, entryHead)
	if err != nil {
		return e, 0, err
	}
	if len(b) < entryHead {
		return e, s.size + 1, nil
	}
	for _, c := range b[:nameSize] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return e, 0, fmt.Errorf("the name of an entry is %.40q; must be %d hexadecimal digits", b[:nameSize], nameSize)
		}
	}
	tag, err := strconv.ParseUint(string(b[:nameSize-16]), 16, 64)
	if err != nil || tag >= tags { // a longer hash, or a sort that came later
		e.Name, tag = string(b[:nameSize]), tags
	}
	hash, _ := strconv.ParseUint(string(b[nameSize-16:nameSize]), 16, 64)
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[nameSize+4*i:]) }
	e.Entry = Entry{Tag: Tag(tag), Hash: Hash(hash), Offset: at + entryHead, Size: word(0), Format: word(1), CRC: word(2), Full: word(3)}
	return e, e.Offset + int64(e.Size), nil
}

// Entries returns the entries of a sort, in order of their hashes. The slice
// must not be changed.
func (a *Archive) Entries(t Tag) []Entry {
	if int(t) >= tags {
		return nil
	}
	return a.entries[t]
}

// Entry returns the entry of an object.
func (a *Archive) Entry(t Tag, h Hash) (Entry, bool) {
	list := a.Entries(t)
	i, ok := slices.BinarySearchFunc(list, h, func(e Entry, h Hash) int { return cmp.Compare(e.Hash, h) })
	if !ok {
		return Entry{}, false
	}
	return list[i], true
}

// Raw returns the stored payload of an entry after a check of its checksum.
func (a *Archive) Raw(e Entry) ([]byte, error) {
	if e.Size > maxPayload {
		return nil, fmt.Errorf("%s %s: its payload has %d bytes; must be at most %d", e.Tag, e.Hash, e.Size, maxPayload)
	}
	raw := make([]byte, e.Size)
	if n, err := a.r.ReadAt(raw, e.Offset); n < len(raw) {
		return nil, fmt.Errorf("%s %s: %w", e.Tag, e.Hash, err)
	}
	// Mesa's sums have all bits the other way.
	if sum := crc32.ChecksumIEEE(raw); e.CRC != 0 && sum != e.CRC && (int(e.Tag) < tags || ^sum != e.CRC) {
		return nil, fmt.Errorf("%s %s: its checksum is %08x; must be %08x", e.Tag, e.Hash, sum, e.CRC)
	}
	return raw, nil
}

// Read returns the payload of an entry, unpacked.
func (a *Archive) Read(e Entry) ([]byte, error) {
	raw, err := a.Raw(e)
	if err != nil {
		return nil, err
	}
	return unpack(e, raw)
}

// inflaters are readers of deflated data, which are large, to be used again.
var inflaters sync.Pool

// inflater returns a reader of the decompressed bytes of raw.
func inflater(raw []byte) (io.Reader, error) {
	if z, ok := inflaters.Get().(io.Reader); ok {
		return z, z.(zlib.Resetter).Reset(bytes.NewReader(raw), nil)
	}
	return zlib.NewReader(bytes.NewReader(raw))
}

// unpack unpacks the payload of an entry.
func unpack(e Entry, raw []byte) ([]byte, error) {
	switch e.Format {
	case stored:
		if e.Size != e.Full {
			return nil, fmt.Errorf("%s %s: %d bytes are stored as %d; must be as many", e.Tag, e.Hash, e.Full, e.Size)
		}
		return raw, nil
	case deflated:
	default:
		return nil, fmt.Errorf("%s %s: its payload is packed in way %d; must be %d or %d", e.Tag, e.Hash, e.Format, stored, deflated)
	}
	if e.Full > maxPayload {
		return nil, fmt.Errorf("%s %s: its payload has %d bytes when unpacked; must be at most %d", e.Tag, e.Hash, e.Full, maxPayload)
	}
	z, err := inflater(raw)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", e.Tag, e.Hash, err)
	}
	defer inflaters.Put(z)
	// The header may declare a wrong size: the buffer never exceeds the largest size to
	// which a payload of that length can unpack. With less than MinRead bytes after the byte that is one too many it would double.
	out := bytes.NewBuffer(make([]byte, 0, min(int64(e.Full), int64(len(raw))*1032)+1+bytes.MinRead))
	n, err := io.Copy(out, io.LimitReader(z, int64(e.Full)+1))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", e.Tag, e.Hash, err)
	}
	if n != int64(e.Full) {
		return nil, fmt.Errorf("%s %s: its payload has not %d bytes when unpacked; must have as many", e.Tag, e.Hash, e.Full)
	}
	return out.Bytes(), nil
}
