package fossil

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"
)

// Ref names an object.
type Ref struct {
	Tag  Tag
	Hash Hash
}

// String returns the sort and the hash.
func (r Ref) String() string { return r.Tag.String() + " " + r.Hash.String() }

// Set is the objects of an archive or of a document. It caches layouts and render passes,
// which are few and shared by many pipelines. It is safe for concurrent use.
type Set struct {
	archive *Archive
	doc     *document
	text    []byte // of doc

	placed sync.Once
	places map[Ref]int // offsets of objects in text

	mu      sync.Mutex
	kept    map[Ref]any
	digests sync.Map // of Ref to [32]byte
}

// Digest returns a digest of the stored bytes of an object, which changes when the object
// changes. It returns false for a document, and if the object cannot be read.
func (s *Set) Digest(r Ref) (digest [sha256.Size]byte, ok bool) {
	if s.archive == nil {
		return digest, false
	}
	if v, ok := s.digests.Load(r); ok {
		return v.([sha256.Size]byte), true
	}
	e, ok := s.archive.Entry(r.Tag, r.Hash)
	if !ok {
		return digest, false
	}
	raw, err := s.archive.Raw(e)
	if err != nil {
		return digest, false
	}
	digest = sha256.Sum256(raw)
	if r.Tag != GraphicsPipeline && r.Tag != ComputePipeline && r.Tag != RayTracingPipeline {
		s.digests.Store(r, digest) // others share it
	}
	return digest, true
}

// NewSet returns the objects of an archive.
func NewSet(a *Archive) *Set { return &Set{archive: a, kept: map[Ref]any{}} }

// Parse reads a JSON document that is not in an archive.
func Parse(data []byte) (*Set, error) {
	d, err := decode(data)
	if err != nil {
		return nil, err
	}
	return &Set{doc: d, text: data, kept: map[Ref]any{}}, nil
}

// Document reports whether the set is a JSON document, not an archive.
func (s *Set) Document() bool { return s.doc != nil }

// Pipelines returns all pipelines: graphics, compute and ray tracing, each in
// order of their hashes.
func (s *Set) Pipelines() []Ref {
	var out []Ref
	for _, t := range [...]Tag{GraphicsPipeline, ComputePipeline, RayTracingPipeline} {
		out = append(out, s.Refs(t)...)
	}
	return out
}

// Refs returns the objects of a sort, in order of their hashes.
func (s *Set) Refs(t Tag) []Ref {
	var out []Ref
	if s.archive != nil {
		for _, e := range s.archive.Entries(t) {
			out = append(out, Ref{t, e.Hash})
		}
		return out
	}
	add := func(name string) {
		if h, err := ParseHash(name); err == nil {
			out = append(out, Ref{t, h})
		}
	}
	switch t {
	case ShaderModule:
		names(s.doc.ShaderModules, add)
	case GraphicsPipeline:
		names(s.doc.GraphicsPipelines, add)
	case ComputePipeline:
		names(s.doc.ComputePipelines, add)
	case RayTracingPipeline:
		names(s.doc.RayTracing, add)
	}
	slices.SortFunc(out, func(x, y Ref) int {
		if x.Hash < y.Hash {
			return -1
		}
		return 1
	})
	return out
}

func names[T any](m map[string]T, add func(string)) {
	for n := range m {
		add(n)
	}
}

// document returns the document that contains an object.
func (s *Set) document(r Ref) (*document, error) {
	if s.doc != nil {
		return s.doc.of(r)
	}
	e, ok := s.archive.Entry(r.Tag, r.Hash)
	if !ok {
		return nil, &MissingError{r}
	}
	data, err := s.archive.Read(e)
	if err != nil {
		return nil, err
	}
	d, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return d.of(r)
}

// of is the document, or why one object of it cannot be read.
func (d *document) of(r Ref) (*document, error) {
	if err := d.bad[r]; err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return d, nil
}

// MissingError reports that an object is named but absent.
type MissingError struct{ Ref Ref }

// Error describes the missing object.
func (e *MissingError) Error() string { return e.Ref.String() + ": the object does not exist" }

// object finds an object in a document by its hash; hashes are written with or
// without leading zeros.
func object[T any](m map[string]T, r Ref) (T, error) {
	if v, ok := m[r.Hash.String()]; ok {
		return v, nil
	}
	for n, v := range m {
		if h, err := ParseHash(n); err == nil && h == r.Hash {
			return v, nil
		}
	}
	var none T
	return none, &MissingError{r}
}

// keep returns a cached object, or reads and caches it.
func keep[T any](b *builder, r Ref, of func(*document) map[string]*T) (*T, error) {
	s := b.set
	b.out.Uses = append(b.out.Uses, r)
	s.mu.Lock()
	v, ok := s.kept[r]
	s.mu.Unlock()
	if ok {
		return v.(*T), nil
	}
	d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	o, err := object(of(d), r)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, &MissingError{r}
	}
	s.mu.Lock()
	s.kept[r] = o
	s.mu.Unlock()
	return o, nil
}

// Code returns the words of a shader module, in little-endian order.
func (s *Set) Code(h Hash) ([]byte, error) {
	r := Ref{ShaderModule, h}
	d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	m, err := object(d.ShaderModules, r)
	if err != nil {
		return nil, err
	}
	code, err := m.words(d.binary)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r, err)
	}
	return code, nil
}
