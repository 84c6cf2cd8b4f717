package vk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"github.com/chiaro-gpu/chiaro/vuid"
	"slices"
)

// ShaderBinaryUUID is the identity of the format of shader binaries (shaderBinaryUUID): equal on all machines, since a
// binary has the code before its compilation.
var ShaderBinaryUUID = [16]byte{'c', 'h', 'i', 'a', 'r', 'o', ' ', 's', 'h', 'a', 'd', 'e', 'r', ' ', '0', '1'}

// ShaderBinaryVersion is the version of shader binaries (shaderBinaryVersion). Binaries of older versions are read.
const ShaderBinaryVersion = 2

// binaryAlignment is the alignment of binary code in memory (VUID-VkShaderCreateInfoEXT-pCode-08492).
const binaryAlignment = 16

// A binary is, in little-endian order: the UUID; the version and the stage, 32 bits each; the flags, and the stages that
// may follow, 64 bits each; the SHA-256 of the specialization, and of the code with the mappings; the length of the code, 64 bits; the
// code; the mappings (see mappingBytes); zeros up to a multiple of 16. Version 1 has no mappings.
const binaryHeader = 16 + 4 + 4 + 8 + 8 + sha256.Size + sha256.Size + 8

// BinaryCode returns the binary code of the object (vkGetShaderBinaryDataEXT), a multiple of 16 bytes. An object that is
// made of it with the same specialization and layout behaves identically, on any machine. The code has the mappings of the object
// (VUID-VkShaderCreateInfoEXT-flags-11292 asks for them beside SPIR-V alone), with their embedded samplers. An object that was made of
// binary code has this code.
func (s *Shader) BinaryCode() ([]byte, error) {
	if err := check(nil, "the shader object", s); err != nil {
		return nil, err
	}
	if s.dev.checking > None && s.dev.without("shaderObject") {
		return nil, usage(vuid.VkGetShaderBinaryDataEXT_None_08461, "the code of %v is read without the feature shaderObject; must have it", &s.object)
	}
	if s.binary != nil {
		return slices.Clone(s.binary), nil
	}
	out := append([]byte(nil), ShaderBinaryUUID[:]...)
	out = binary.LittleEndian.AppendUint32(out, ShaderBinaryVersion)
	out = binary.LittleEndian.AppendUint32(out, uint32(s.info.Stage))
	out = binary.LittleEndian.AppendUint64(out, uint64(s.info.Flags))
	out = binary.LittleEndian.AppendUint64(out, uint64(s.info.Next))
	spec, code := s.info.specialization(), append(slices.Clip(s.info.Code), mappingBytes(s.info.Mappings)...)
	sum := sha256.Sum256(code)
	out = append(append(out, spec[:]...), sum[:]...)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(s.info.Code)))
	out = append(out, code...)
	return append(out, make([]byte, -len(out)&(binaryAlignment-1))...), nil
}

// specialization returns the hash of the values of specialization constants and of the entry point.
func (i *ShaderInfo) specialization() [sha256.Size]byte {
	var ids []uint32
	for id := range i.Specialization {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	text := []byte(i.Entry)
	for _, id := range ids {
		text = binary.LittleEndian.AppendUint32(text, id)
		text = binary.LittleEndian.AppendUint64(text, i.Specialization[id])
	}
	return sha256.Sum256(text)
}

// readBinary returns the SPIR-V and the mappings of binary code. Whatever the bytes are, the error is ErrIncompatibleBinary, or a
// *UsageError if the stage or the specialization differs from the object's from which the code was taken. No rule asks for the
// same flags and next stages: the description's count.
func readBinary(info *ShaderInfo) (code []byte, list []Mapping, err error) {
	b := info.Code
	if len(b) < binaryHeader || len(b)%binaryAlignment != 0 || !bytes.Equal(b[:16], ShaderBinaryUUID[:]) {
		return nil, nil, ErrIncompatibleBinary
	}
	version, stage := binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	spec, hash := b[40:][:sha256.Size], b[40+sha256.Size:][:sha256.Size]
	n := binary.LittleEndian.Uint64(b[binaryHeader-8:])
	if version == 0 || version > ShaderBinaryVersion || n > uint64(len(b)-binaryHeader) {
		return nil, nil, ErrIncompatibleBinary
	}
	code = b[binaryHeader:]
	mapped, ok := 0, true
	if version > 1 {
		list, mapped, ok = readMappings(code[n:])
	}
	if sum := sha256.Sum256(code[:n+uint64(mapped)]); !ok || !bytes.Equal(sum[:], hash) {
		return nil, nil, ErrIncompatibleBinary
	}
	if want := info.specialization(); stage != uint32(info.Stage) || !bytes.Equal(spec, want[:]) {
		return nil, nil, usage("", "the binary is of another stage or of another specialization; must be of the description")
	}
	return slices.Clone(code[:n]), list, nil
}
