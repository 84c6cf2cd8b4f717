package fossil

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// document is the content of an entry, or of a JSON file: objects by their hashes.
type document struct {
	Version           int                            `json:"version"`
	ShaderModules     map[string]shaderModule        `json:"shaderModules,omitempty"`
	Samplers          map[string]*sampler            `json:"samplers,omitempty"`
	SetLayouts        map[string]*setLayout          `json:"setLayouts,omitempty"`
	PipelineLayouts   map[string]*pipelineLayout     `json:"pipelineLayouts,omitempty"`
	RenderPasses      map[string]*renderPass         `json:"renderPasses,omitempty"`
	ComputePipelines  map[string]*computePipeline    `json:"computePipelines,omitempty"`
	GraphicsPipelines map[string]*graphicsPipeline   `json:"graphicsPipelines,omitempty"`
	RayTracing        map[string]*rayTracingPipeline `json:"raytracingPipelines,omitempty"`
	binary            []byte                         // the bytes after the JSON
	bad               map[Ref]error                  // objects that cannot be read
}

// decode reads a document: JSON, then optionally a zero byte and binary data.
func decode(data []byte) (*document, error) {
	text := data
	d := &document{}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		text, d.binary = data[:i], data[i+1:]
	}
	if err := json.Unmarshal(text, d); err != nil {
		var kind *json.UnmarshalTypeError
		if !errors.As(err, &kind) {
			return nil, wrong(text, err)
		}
		*d = document{binary: d.binary}
		if err := d.apart(text); err != nil {
			return nil, err
		}
	}
	if d.Version < minVersion || d.Version > maxVersion {
		return nil, fmt.Errorf("version is %d; must be %d or %d", d.Version, minVersion, maxVersion)
	}
	return d, nil
}

// shaderModule is VkShaderModuleCreateInfo: its words are varints after the JSON, or base
// 64.
type shaderModule struct {
	Flags    uint32  `json:"flags"`
	CodeSize uint64  `json:"codeSize"`
	Offset   *uint64 `json:"varintOffset,omitempty"`
	Size     *uint64 `json:"varintSize,omitempty"`
	Code     string  `json:"code,omitempty"`
}

// words returns the bytes of the module.
func (m *shaderModule) words(binary []byte) ([]byte, error) {
	if m.CodeSize > maxPayload || m.CodeSize%4 != 0 {
		return nil, fmt.Errorf("codeSize is %d; must be a multiple of 4, at most %d", m.CodeSize, maxPayload)
	}
	if m.Offset == nil || m.Size == nil {
		code, err := base64.StdEncoding.DecodeString(m.Code)
		if err == nil && uint64(len(code)) != m.CodeSize {
			err = fmt.Errorf("code has %d bytes; must have %d", len(code), m.CodeSize)
		}
		return code, err
	}
	end := *m.Offset + *m.Size
	if end < *m.Offset || end > uint64(len(binary)) {
		return nil, fmt.Errorf("the code is at bytes %d to %d of %d; must be inside", *m.Offset, end, len(binary))
	}
	return varints(binary[*m.Offset:end], int(m.CodeSize/4))
}

// varints unpacks n words of seven bits a byte, the lowest first.
func varints(in []byte, n int) ([]byte, error) {
	if n > len(in) {
		return nil, fmt.Errorf("%d words are in %d bytes; must be at least a byte each", n, len(in))
	}
	out := make([]byte, 0, 4*n)
	for range n {
		v, k := binary.Uvarint(in)
		if k <= 0 || k > 5 || v > 1<<32-1 {
			return nil, errors.New("a word of the code is cut off or has more than 32 bits")
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(v))
		in = in[k:]
	}
	if len(in) > 0 {
		return nil, fmt.Errorf("%d bytes are after the code; must be none", len(in))
	}
	return out, nil
}

// Module returns the payload of an entry that holds a shader module, code being
// its words in little-endian order.
func Module(h Hash, code []byte) []byte {
	var packed []byte
	for i := 0; i+4 <= len(code); i += 4 {
		packed = binary.AppendUvarint(packed, uint64(binary.LittleEndian.Uint32(code[i:])))
	}
	zero, size := uint64(0), uint64(len(packed))
	d := document{Version: maxVersion, ShaderModules: map[string]shaderModule{h.String(): {CodeSize: uint64(len(code)), Offset: &zero, Size: &size}}}
	text, err := json.Marshal(&d)
	if err != nil {
		panic(err) // a struct of numbers and strings
	}
	return append(append(text, 0), packed...)
}
