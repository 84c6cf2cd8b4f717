package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// pipeReads and pipeWrites are the instructions that need a pipe of one access.
var (
	pipeReads = []spirv.Op{
		spirv.OpReadPipe, spirv.OpReservedReadPipe, spirv.OpReserveReadPipePackets, spirv.OpCommitReadPipe,
		spirv.OpGroupReserveReadPipePackets, spirv.OpGroupCommitReadPipe,
	}
	pipeWrites = []spirv.Op{
		spirv.OpWritePipe, spirv.OpReservedWritePipe, spirv.OpReserveWritePipePackets, spirv.OpCommitWritePipe,
		spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitWritePipe,
	}
)

// pipeReader checks an instruction that reads a pipe.
func (c *checker) pipeReader(i int, in spirv.Inst) { c.pipeUse(i, in, spirv.AccessQualifierReadOnly) }

// pipeWriter checks an instruction that writes a pipe.
func (c *checker) pipeWriter(i int, in spirv.Inst) { c.pipeUse(i, in, spirv.AccessQualifierWriteOnly) }

// pipeQuery checks a query of a pipe's packets; the pipe has either access.
func (c *checker) pipeQuery(i int, in spirv.Inst) { c.pipeUse(i, in, spirv.AccessQualifierReadWrite) }

// pipeScope checks the scope of a group instruction on a pipe.
func (c *checker) pipeScope(i int, in spirv.Inst) {
	at := 1
	if in.Op().HasType() {
		at = 3
	}
	c.scopes.executionScope(i, spirv.ID(in[at]))
}

// pipeUse checks the access of the pipe, and the storage class of the pointer. The
// access ReadWrite allows ReadOnly and WriteOnly.
func (c *checker) pipeUse(i int, in spirv.Inst, want spirv.AccessQualifier) {
	c.idPositions = c.code.IDs(i, c.idPositions[:0])
	for _, at := range c.idPositions {
		switch t := c.m.TypeOf(spirv.ID(in[at])); {
		case t == nil || at == 1 && in.Op().HasType():
		case t.Op == spirv.OpTypePipe:
			if access, ok := c.pipeAccess(t); ok && (access != want && want != spirv.AccessQualifierReadWrite || access == spirv.AccessQualifierReadWrite) {
				words := want.String()
				if want == spirv.AccessQualifierReadWrite {
					words = "ReadOnly or WriteOnly"
				}
				c.fail(i, "SPV-Kernel-Pipe", "%s has a pipe with %s; must be %s", in.Op(), access, words)
			}
		case t.IsPointer() && t.Storage != spirv.StorageClassGeneric:
			c.fail(i, "SPV-Kernel-Pipe", "the pointer of %s is to %s; must be to Generic", in.Op(), t.Storage)
		}
	}
}

// pipeAccess returns the access qualifier of a pipe type.
func (c *checker) pipeAccess(t *facts.Type) (spirv.AccessQualifier, bool) {
	d := c.code.DefInst(t.ID)
	if d == nil || d.Op() != spirv.OpTypePipe {
		return 0, false
	}
	return inst.TypePipe(d).Qualifier(), true
}
