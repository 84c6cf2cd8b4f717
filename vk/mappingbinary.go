package vk

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// The mappings of a shader binary are little-endian words of 64 bits: their number, then for each its fields, in the order of binary. A
// pointer is 1 and its fields, or 0. No mappings have no words.

// mappingWords reads or writes the words of mappings.
type mappingWords struct {
	b       []byte
	reading bool
	at      int  // while reading: of the next word in b
	short   bool // b ends too early, or a word has more bits than its field
}

// word returns the next word, which is at most most; while writing it appends x and returns x. Writing changes no field: several calls may
// write the same mappings at once.
func (w *mappingWords) word(x, most uint64) uint64 {
	switch {
	case !w.reading:
		w.b = binary.LittleEndian.AppendUint64(w.b, x)
		return x
	case w.short || len(w.b)-w.at < 8:
		w.short = true
		return 0
	}
	x = binary.LittleEndian.Uint64(w.b[w.at:])
	w.at += 8
	if w.short = x > most; w.short {
		return 0
	}
	return x
}

// long, wordsOf, float and flag read or write fields.
func (w *mappingWords) long(list ...*uint64) {
	for _, x := range list {
		if v := w.word(*x, math.MaxUint64); w.reading {
			*x = v
		}
	}
}

func wordsOf[T ~uint32](w *mappingWords, list ...*T) {
	for _, x := range list {
		if v := w.word(uint64(*x), math.MaxUint32); w.reading {
			*x = T(v)
		}
	}
}

func (w *mappingWords) float(list ...*float32) {
	for _, x := range list {
		if v := w.word(uint64(math.Float32bits(*x)), math.MaxUint32); w.reading {
			*x = math.Float32frombits(uint32(v))
		}
	}
}

func (w *mappingWords) flag(list ...*bool) {
	for _, x := range list {
		if v := w.word(flag(*x), 1); w.reading {
			*x = v != 0
		}
	}
}

// optional reads or writes whether there is a value, and the value.
func optional[T any](w *mappingWords, x **T, fields func(*T)) {
	there := *x != nil
	if w.flag(&there); !there {
		return
	}
	if w.reading {
		*x = new(T)
	}
	fields(*x)
}

// binary reads or writes a mapping.
func (m *Mapping) binary(w *mappingWords) {
	wordsOf(w, &m.Set, &m.First, &m.IndexStride, &m.SamplerIndexStride, &m.SamplerRecordOffset)
	optional(w, &m.Count, func(x *uint32) { wordsOf(w, x) })
	optional(w, &m.Resources, func(x *enum.ResourceTypes) { w.long((*uint64)(x)) })
	wordsOf(w, &m.Source)
	w.long(&m.HeapOffset, &m.HeapArrayStride, &m.PushOffset, &m.AddressOffset, &m.RecordOffset)
	w.flag(&m.CombinedIndex)
	w.long(&m.SamplerHeapOffset, &m.SamplerHeapArrayStride, &m.SamplerPushOffset, &m.SamplerAddressOffset)
	optional(w, &m.Sampler, func(x *link.EmbeddedSampler) { w.flag(&x.CustomBorder, &x.OpaqueCapture) })
	optional(w, &m.Bank, func(x *uint32) { wordsOf(w, x) })
	optional(w, &m.Embedded, func(x *SamplerInfo) { x.binary(w) })
}

// binary reads or writes the description of a sampler.
func (i *SamplerInfo) binary(w *mappingWords) {
	wordsOf(w, &i.Mag, &i.Min)
	w.flag(&i.MipLinear, &i.Compare, &i.Unnormalized, &i.NonSeamless, &i.Processing, &i.BlockMost)
	wordsOf(w, &i.Address[0], &i.Address[1], &i.Address[2])
	w.float(&i.LodBias, &i.MinLod, &i.MaxLod, &i.Anisotropy)
	wordsOf(w, &i.CompareOp)
	wordsOf(w, &i.Border[0], &i.Border[1], &i.Border[2], &i.Border[3])
	wordsOf(w, &i.BorderFormat)
	wordsOf(w, &i.BorderIndex)
	wordsOf(w, &i.Reduction)
	wordsOf(w, &i.Weights)
	wordsOf(w, &i.BlockWindow[0], &i.BlockWindow[1])
	optional(w, &i.Conversion, func(c *YcbcrConversion) {
		x := &c.info
		wordsOf(w, &x.Format)
		wordsOf(w, &x.Model)
		wordsOf(w, &x.Range)
		wordsOf(w, &x.Components[0], &x.Components[1], &x.Components[2], &x.Components[3])
		wordsOf(w, &x.XOffset, &x.YOffset)
		wordsOf(w, &x.ChromaFilter)
		w.flag(&x.ForceExplicit)
	})
}

// mappingBytes returns the words of mappings.
func mappingBytes(list []Mapping) []byte {
	if len(list) == 0 {
		return nil
	}
	w := mappingWords{}
	w.word(uint64(len(list)), 0)
	for i := range list {
		list[i].binary(&w)
	}
	return w.b
}

// readMappings returns the mappings at the begin of b, and the number of their bytes. It is not ok if b is no such list, or if the
// description of a conversion is invalid. The conversions of their samplers are of no device.
func readMappings(b []byte) (list []Mapping, n int, ok bool) {
	if len(b) < 8 { // the padding of a binary without mappings
		return nil, 0, true
	}
	w := mappingWords{b: b, reading: true}
	count := w.word(0, uint64(len(b)/8))
	if count == 0 {
		return nil, 0, !w.short
	}
	for range count {
		var m Mapping
		if m.binary(&w); w.short || m.Embedded != nil && m.Embedded.Conversion != nil && m.Embedded.Conversion.info.check() != nil {
			return nil, 0, false
		}
		list = append(list, m)
	}
	return list, w.at, true
}

// adoptConversions makes the conversions of mappings that were read objects of the device, until the call of the function that it returns.
func (d *Device) adoptConversions(list []Mapping) func() {
	var all []*YcbcrConversion
	for i := range list {
		if m := list[i].Embedded; m != nil && m.Conversion != nil {
			d.adopt(&m.Conversion.object, "Y′CbCr conversion", nil)
			all = append(all, m.Conversion)
		}
	}
	return func() {
		for _, c := range all {
			c.Close()
		}
	}
}
