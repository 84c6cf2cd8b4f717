package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// grammar is one of Khronos' machine-readable files: the core language, or an
// extended instruction set.
type grammar struct {
	Classes []struct {
		Tag     string `json:"tag"`
		Heading string `json:"heading"`
	} `json:"instruction_printing_class"`
	Instructions []instruction `json:"instructions"`
	Kinds        []kind        `json:"operand_kinds"`
}

type instruction struct {
	Name         string    `json:"opname"`
	Class        string    `json:"class"`
	Code         uint32    `json:"opcode"`
	Operands     []operand `json:"operands"`
	Capabilities []string  `json:"capabilities"`
	Capability   string    `json:"capability"` // spelling in OpenCL.DebugInfo.100
	Extensions   []string  `json:"extensions"`
	Aliases      []string  `json:"aliases"`
	Version      string    `json:"version"`
	LastVersion  string    `json:"lastVersion"`
}

type operand struct {
	Kind       string `json:"kind"`
	Quantifier string `json:"quantifier"`
	Name       string `json:"name"`
}

type kind struct {
	Category   string      `json:"category"`
	Name       string      `json:"kind"`
	Enumerants []enumerant `json:"enumerants"`
	Bases      []string    `json:"bases"`
}

type enumerant struct {
	Name         string    `json:"enumerant"`
	Value        number    `json:"value"`
	Parameters   []operand `json:"parameters"`
	Capabilities []string  `json:"capabilities"`
	Extensions   []string  `json:"extensions"`
	Aliases      []string  `json:"aliases"`
	Version      string    `json:"version"`
	LastVersion  string    `json:"lastVersion"`
}

// number is a value that the grammar writes as a number or as a hex string.
type number uint32

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(b), `"`), 0, 32)
	*n = number(v)
	return err
}

// set is an extended instruction set: its import name in OpExtInstImport and the prefix of
// its Go names. If Versioned, a revision number follows the import name. If Listed, there
// is no grammar but List.
type set struct {
	File, Import, Prefix string
	Versioned, Listed    bool
	List                 string
	First                uint32 // number of the first instruction of List
	grammar              grammar
}

// sets lists the extended instruction sets in the order of their numbers; the
// non-semantic ones are last.
var sets = []set{
	{File: "glsl.std.450", Import: "GLSL.std.450", Prefix: "GLSL"},
	{File: "opencl.std.100", Import: "OpenCL.std", Prefix: "OpenCL"},
	{File: "debuginfo", Import: "DebugInfo", Prefix: "DebugInfo"},
	{File: "opencl.debuginfo.100", Import: "OpenCL.DebugInfo.100", Prefix: "OpenCLDebugInfo100"},
	{File: "spv-amd-gcn-shader", Import: "SPV_AMD_gcn_shader", Prefix: "AMDGcnShader"},
	{File: "spv-amd-shader-ballot", Import: "SPV_AMD_shader_ballot", Prefix: "AMDShaderBallot"},
	{File: "spv-amd-shader-explicit-vertex-parameter", Import: "SPV_AMD_shader_explicit_vertex_parameter", Prefix: "AMDShaderExplicitVertexParameter"},
	{File: "spv-amd-shader-trinary-minmax", Import: "SPV_AMD_shader_trinary_minmax", Prefix: "AMDShaderTrinaryMinmax"},
	{File: "tosa", Import: "TOSA.001000.1", Prefix: "TOSA", Listed: true, List: tosa},
	{File: "arm.motion-engine", Import: "Arm.MotionEngine.100", Prefix: "ArmMotionEngine", Listed: true, List: armMotionEngine},
	{File: "arm.experimental-ml-operations", Import: "Arm.ExperimentalMLOperations.", Prefix: "ArmExperimentalMLOperations", Versioned: true, Listed: true, List: armExperimentalML},
	{File: "nonsemantic.clspvreflection", Import: "NonSemantic.ClspvReflection.", Prefix: "NonSemanticClspvReflection", Versioned: true},
	{File: "nonsemantic.debugbreak", Import: "NonSemantic.DebugBreak", Prefix: "NonSemanticDebugBreak"},
	{File: "nonsemantic.debugprintf", Import: "NonSemantic.DebugPrintf", Prefix: "NonSemanticDebugPrintf"},
	{File: "nonsemantic.graph.debuginfo", Import: "NonSemantic.Graph.DebugInfo.", Prefix: "NonSemanticGraphDebugInfo", Versioned: true, Listed: true, List: graphDebugInfo, First: 1},
	{File: "nonsemantic.shader.debuginfo.100", Import: "NonSemantic.Shader.DebugInfo.", Prefix: "NonSemanticShaderDebugInfo", Versioned: true, List: shaderDebugInfo101, First: 109},
	{File: "nonsemantic.vkspreflection", Import: "NonSemantic.VkspReflection.", Prefix: "NonSemanticVkspReflection", Versioned: true},
}

// read loads the core grammar and the grammars of the extended instruction sets.
func read(dir fs.FS) (core grammar, ext []set, err error) {
	if err := load(dir, "spirv.core.grammar.json", &core); err != nil {
		return core, nil, err
	}
	complete(&core)
	ext = append(ext, sets...)
	for i := range ext {
		s := &ext[i]
		if s.Listed {
			s.grammar.Instructions = listed(s.List, s.First)
			continue
		}
		if err := load(dir, "extinst."+s.File+".grammar.json", &s.grammar); err != nil {
			return core, nil, err
		}
		localKinds(s)
		s.grammar.Instructions = append(s.grammar.Instructions, listed(s.List, s.First)...)
	}
	return core, ext, nil
}

// localKinds puts the prefix of a set before the names of its own operand
// kinds: DebugInfoFlags, for one, differs from set to set. The Debug that they
// begin with goes, for instructions have the same names.
func localKinds(s *set) {
	local := map[string]string{}
	for i, k := range s.grammar.Kinds {
		short := strings.TrimPrefix(strings.TrimPrefix(k.Name, "DebugInfo"), "Debug")
		local[k.Name] = s.Prefix + short
		s.grammar.Kinds[i].Name = s.Prefix + short
	}
	for _, in := range s.grammar.Instructions {
		for i, o := range in.Operands {
			if n, ok := local[o.Kind]; ok {
				in.Operands[i].Kind = n
			}
		}
	}
}

func load(dir fs.FS, name string, to *grammar) error {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// since packs the version that introduces something. None in the grammar means that no
// version does; a missing entry, as for extended instructions and two zero masks, means the
// first version.
func since(s string) uint16 {
	if s == "" {
		return 1 << 8
	}
	return version(s)
}

// version packs "1.3" as major<<8 | minor; 0 if there is none.
func version(s string) uint16 {
	major, minor, ok := strings.Cut(s, ".")
	if !ok {
		return 0
	}
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return uint16(a<<8 | b)
}
