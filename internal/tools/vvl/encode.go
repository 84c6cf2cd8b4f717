package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"

	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// encode returns the input of the client: the members in order, numbers as 32 bits, a list
// after its length, a pointer outside of lists after 1, or 0 for none.
func encode(p *pipeline) []byte { return encodeValue(nil, reflect.ValueOf(p).Elem()) }

func encodeValue(b []byte, v reflect.Value) []byte {
	word := func(n uint32) { b = binary.NativeEndian.AppendUint32(b, n) }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("wire") != "-" {
				b = encodeValue(b, v.Field(i))
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			word(0)
			return b
		}
		word(1)
		b = encodeValue(b, v.Elem())
	case reflect.Slice, reflect.String:
		word(uint32(v.Len()))
		for i := range v.Len() {
			b = encodeValue(b, reflect.Indirect(v.Index(i)))
		}
	case reflect.Uint32, reflect.Uint8:
		word(uint32(v.Uint()))
	case reflect.Float32:
		word(math.Float32bits(float32(v.Float())))
	case reflect.Bool:
		n := uint32(0)
		if v.Bool() {
			n = 1
		}
		word(n)
	}
	return b
}

// The types of the structs in chains.
const (
	typeBindingFlags = 1000161000
	typeMultiview    = 1000053000
	typeDivisors     = 1000190001
	typeRendering    = 1000044002
	typeSubgroupSize = 1000225001
)

type object map[string]any

// archive writes a pipeline as Fossilize records it.
func archive(p *pipeline) ([]byte, error) {
	var b bytes.Buffer
	w, err := fossil.NewWriter(&b)
	if err != nil {
		return nil, err
	}
	add := func(tag fossil.Tag, kind string, n int, o any) {
		name := fmt.Sprintf("%016x", n)
		text, e := json.Marshal(object{"version": 6, kind: object{name: o}})
		if e == nil {
			e = w.Add(tag, fossil.Hash(n), text, n%2 == 0)
		}
		if err == nil {
			err = e
		}
	}
	layout := p.Layout
	layout.Sets = []string{}
	for i := range p.Sets {
		add(fossil.SetLayout, "setLayouts", i+1, chained(p.Sets[i]))
		layout.Sets = append(layout.Sets, fmt.Sprintf("%016x", i+1))
	}
	add(fossil.PipelineLayout, "pipelineLayouts", 1, layout)
	var stages []stage
	for i, s := range p.Stages {
		k := *s
		k.Module = fmt.Sprintf("%016x", i+1)
		if s.Spec != nil {
			spec := *s.Spec
			spec.Size = uint32(len(spec.Data))
			k.Spec = &spec
		}
		if s.Size != 0 {
			k.Next = []any{object{"sType": typeSubgroupSize, "requiredSubgroupSize": s.Size}}
		}
		stages = append(stages, k)
		if e := w.Add(fossil.ShaderModule, fossil.Hash(i+1), fossil.Module(fossil.Hash(i+1), asm.Bytes(s.Code)), true); err == nil {
			err = e
		}
	}
	if p.Compute {
		add(fossil.ComputePipeline, "computePipelines", 1, object{"flags": 0, "layout": "0000000000000001", "stage": stages[0]})
		return b.Bytes(), err
	}
	if p.Pass != nil {
		pass := *p.Pass
		if pass.Views != 0 {
			masks := make([]uint32, len(pass.Subpasses))
			for i := range masks {
				masks[i] = pass.Views
			}
			pass.Next = []any{object{"sType": typeMultiview, "viewMasks": masks}}
		}
		add(fossil.RenderPass, "renderPasses", 1, pass)
	}
	o, e := graphics(p, stages)
	if err == nil {
		err = e
	}
	add(fossil.GraphicsPipeline, "graphicsPipelines", 1, o)
	return b.Bytes(), err
}

// chained adds the flags of its bindings to a set layout.
func chained(s setLayout) setLayout {
	flags, some := []uint32{}, uint32(0)
	for _, b := range s.Bindings {
		flags, some = append(flags, b.Flags), some|b.Flags
	}
	if some != 0 {
		s.Next = []any{object{"sType": typeBindingFlags, "bindingFlags": flags}}
	}
	if s.Bindings == nil {
		s.Bindings = []binding{}
	}
	return s
}

// graphics is the object of a graphics pipeline.
func graphics(p *pipeline, stages []stage) (object, error) {
	s := *p.State
	if s.Vertex != nil && len(s.Vertex.Divisors) > 0 {
		v := *s.Vertex
		v.Next = []any{object{"sType": typeDivisors, "vertexBindingDivisorCount": len(v.Divisors), "vertexBindingDivisors": v.Divisors}}
		s.Vertex = &v
	}
	o := object{"layout": "0000000000000001", "renderPass": "0000000000000000", "basePipelineHandle": "0000000000000000", "basePipelineIndex": -1, "stages": stages}
	if p.Pass != nil {
		o["renderPass"] = "0000000000000001"
	}
	if s.Rendering != nil {
		r := *s.Rendering
		r.Type = typeRendering
		o["pNext"] = []any{r}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	more := object{}
	err = json.Unmarshal(text, &more)
	maps.Copy(o, more)
	return o, err
}
