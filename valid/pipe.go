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
		spirv.OpGroupReserveReadPipePackets, spirv.OpGroupCommitReadPipe, spirv.OpReadPipeBlockingALTERA,
	}
	pipeWrites = []spirv.Op{
		spirv.OpWritePipe, spirv.OpReservedWritePipe, spirv.OpReserveWritePipePackets, spirv.OpCommitWritePipe,
		spirv.OpGroupReserveWritePipePackets, spirv.OpGroupCommitWritePipe, spirv.OpWritePipeBlockingALTERA,
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

// pipeUse checks the access of the pipe, the storage class of the pointer, and the size and alignment of a packet. The access ReadWrite
// allows ReadOnly and WriteOnly.
func (c *checker) pipeUse(i int, in spirv.Inst, want spirv.AccessQualifier) {
	c.packetAlignment(i, in)
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

// packetAlignment checks the last two operands of an instruction on a pipe, the size and the alignment of a packet, if both are known.
func (c *checker) packetAlignment(i int, in spirv.Inst) {
	size, ok := c.fixedInt(spirv.ID(in[len(in)-2]))
	alignment, ok2 := c.fixedInt(spirv.ID(in[len(in)-1]))
	if ok && ok2 {
		c.packet(i, size, alignment)
	}
}

// fixedInt returns the value of an integer constant that no specialization changes.
func (c *checker) fixedInt(id spirv.ID) (int64, bool) {
	k := c.m.Const(id)
	if k != nil && k.Spec {
		return 0, false
	}
	return k.Int()
}

// pipeStorage checks the packets of the storage of a pipe, the size and alignment of which are literals.
func (c *checker) pipeStorage(i int, in spirv.Inst) {
	v := inst.ConstantPipeStorage(in)
	c.packet(i, int64(v.PacketSize()), int64(v.PacketAlignment()))
}

// packet checks that the alignment of a packet divides its size, so that neither is 0.
func (c *checker) packet(i int, size, alignment int64) {
	if alignment < 1 || size < 1 || size%alignment != 0 {
		c.fail(i, "SPV-Kernel-Pipe", "the packets of %s have %d bytes and the alignment %d; must be a multiple of the alignment, above 0", c.code.Inst(i).Op(), size, alignment)
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
