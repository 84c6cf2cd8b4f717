package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// capabilityFamily checks capabilities, extensions and versions (SPIR-V §3.2.30,
// and the column Enabling Capabilities of every table): each opcode, enumerant
// and capability must be enabled by the module's declarations. The walk calls
// usable for each opcode and enumerant for each operand; there is no judge per
// opcode.
//
// The requirements are rows of the grammar (package spirv). Capabilities that
// depend on types or storage classes (Int8, StorageBuffer16BitAccess, …) are
// checked by the families of these types; capabilities that Vulkan or a device
// does not support by vulkan.go and device.go.
var capabilityFamily = family{
	rules: []Rule{
		{Code: "SPV-Capability-Missing", Section: "SPIR-V 3", Words: "a module declares one of the enabling capabilities of each instruction and operand"},
		{Code: "SPV-Extension-Missing", Section: "SPIR-V 3", Words: "a module declares one of the enabling extensions of each instruction, operand and capability that its version of SPIR-V does not include"},
		{Code: "SPV-Version-Missing", Section: "SPIR-V 3", Words: "an instruction or operand without enabling extensions is in the version of SPIR-V of the module"},
		{Code: "SPV-Version-Last", Section: "SPIR-V 3", Words: "an instruction or operand is not yet removed in the version of SPIR-V of the module"},
	},
}

// capabilityState caches the results of lacks.
type capabilityState struct {
	fine []uint64 // a bit for each grammar row that lacks nothing
}

// lack is the kind of declaration that a grammar row lacks.
type lack uint8

const (
	lacksNothing lack = iota
	lacksCapability
	lacksExtension
	lacksVersion
	lacksLastVersion
)

// capable reports whether a capability is declared, or implied by a declared one.
func (c *subject) capable(k spirv.Capability) bool { return c.m.Capable(k) }

// anyCapable reports whether one of several capabilities is declared or implied.
func (c *subject) anyCapable(list ...spirv.Capability) bool {
	return slices.ContainsFunc(list, c.capable)
}

// freeRows has a bit for each grammar row without requirements.
var freeRows = newFreeRows()

func newFreeRows() []uint64 {
	out := make([]uint64, (spirv.RowCount()+63)/64)
	add := func(rows []spirv.Row) {
		for i := range rows {
			if n := rows[i].Number(); freeRow(&rows[i]) {
				out[n/64] |= 1 << (n % 64)
			}
		}
	}
	add(spirv.Ops())
	for k := range spirv.KindCount() {
		add(spirv.Kind(k).Enumerants())
	}
	return out
}

// freeRow reports whether a row is usable in every module.
func freeRow(r *spirv.Row) bool {
	return len(r.Capabilities()) == 0 && r.Version() == spirv.Version10 && r.LastVersion() == 0
}

// lacks returns the first kind of declaration that the module lacks to use a row.
func (c *checker) lacks(r *spirv.Row) lack {
	n := r.Number()
	if c.caps.fine[n/64]>>(n%64)&1 != 0 {
		return lacksNothing
	}
	l := c.ask(r)
	if l == lacksNothing {
		c.caps.fine[n/64] |= 1 << (n % 64)
	}
	return l
}

// ask computes lacks without the cache.
func (c *checker) ask(r *spirv.Row) lack {
	caps := r.Capabilities()
	if len(caps) > 0 && !c.anyCapable(caps...) {
		return lacksCapability
	}
	return c.askVersion(r, slices.ContainsFunc(caps, c.bringsRows))
}

// bringsRows reports whether a declared capability itself came with an extension
// or a later version; the rows that it enables then need no extension either.
func (c *checker) bringsRows(k spirv.Capability) bool {
	r := spirv.KindCapability.Enumerant(uint32(k))
	return c.capable(k) && r != nil && r.Version() != spirv.Version10
}

// askVersion returns the missing extension or version of a row. brought reports
// whether a declared capability of the row replaces the extension.
func (c *checker) askVersion(r *spirv.Row, brought bool) lack {
	if last := r.LastVersion(); last != 0 && c.version > last {
		return lacksLastVersion
	}
	if v := r.Version(); v != 0 && c.version >= v {
		return lacksNothing
	}
	exts := r.Extensions()
	switch {
	case slices.ContainsFunc(exts, c.m.Extension), brought:
		return lacksNothing
	case len(exts) > 0:
		return lacksExtension
	case r.Version() != 0:
		return lacksVersion
	}
	return lacksNothing
}

// usable checks whether the module may use the opcode of instruction i.
func (c *checker) usable(i int, o *opcode) {
	r := o.op.Row()
	if l := c.lacks(r); l != lacksNothing && !(l == lacksCapability && c.ballotGroup(o.op)) {
		c.lacking(i, l, o.op.String(), r)
	}
}

// ballotGroup reports whether SPV_AMD_shader_ballot is declared and enables the
// opcode without a capability.
func (c *checker) ballotGroup(op spirv.Op) bool {
	return op >= spirv.OpGroupIAddNonUniformAMD && op <= spirv.OpGroupSMaxNonUniformAMD && c.m.Extension("SPV_AMD_shader_ballot")
}

// enumerant checks whether the module may use an enumerant, or one bit of a mask,
// in instruction i; r is its row, nil if there is none.
func (c *checker) enumerant(i int, op spirv.Op, k spirv.Kind, r *spirv.Row) {
	if r == nil {
		return
	}
	if k == spirv.KindCapability {
		// a capability has no enabling ones; it implies others
		if l := c.askVersion(r, false); l != lacksNothing {
			c.lacking(i, l, "capability "+r.Name(), r)
		}
		return
	}
	l := c.lacks(r)
	if l == lacksNothing || c.excused(k, r, l) {
		return
	}
	c.lacking(i, l, k.String()+" "+r.Name(), r)
}

// excused reports whether an operand is valid although its row lacks something.
func (c *checker) excused(k spirv.Kind, r *spirv.Row, l lack) bool {
	switch k {
	case spirv.KindBuiltIn:
		// naming these is not a use (SPIR-V §3.2.21)
		switch spirv.BuiltIn(r.Value()) {
		case spirv.BuiltInPointSize, spirv.BuiltInClipDistance, spirv.BuiltInCullDistance:
			return l == lacksCapability
		}
	case spirv.KindGroupOperation:
		return l == lacksCapability && r.Value() <= uint32(spirv.GroupOperationExclusiveScan) && c.m.Extension("SPV_AMD_shader_ballot")
	}
	return false
}

// freeRounding reports whether a value of a shader may have FPRoundingMode: in Vulkan only
// if 16-bit floats can be stored, because nothing else rounds (SPV_KHR_16bit_storage).
func (c *checker) freeRounding() bool {
	return c.anyCapable(spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityUniformAndStorageBuffer16BitAccess,
		spirv.CapabilityStoragePushConstant16, spirv.CapabilityStorageInputOutput16) || !c.vulkan
}

// lacking reports a missing declaration.
func (c *checker) lacking(i int, l lack, what string, r *spirv.Row) {
	switch l {
	case lacksCapability:
		var names []string
		for _, k := range r.Capabilities() {
			names = append(names, k.String())
		}
		c.fail(i, "SPV-Capability-Missing", "%s without its capability; %s must be declared", what, or(names))
	case lacksExtension:
		c.fail(i, "SPV-Extension-Missing", "%s in SPIR-V %s; the extension %s must be declared", what, c.version, or(r.Extensions()))
	case lacksVersion:
		c.fail(i, "SPV-Version-Missing", "%s in SPIR-V %s; must be %s or later", what, c.version, r.Version())
	case lacksLastVersion:
		c.fail(i, "SPV-Version-Last", "%s in SPIR-V %s; must be %s or earlier", what, c.version, r.LastVersion())
	}
}
