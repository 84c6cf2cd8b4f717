package abi

import "unsafe"

// Dispatch is the object that a dispatchable handle points to: struct dispatch of cmd/icd, in C memory. The loader writes Magic.
type Dispatch struct {
	Magic uintptr // the loader's dispatch table
	ID    uint64  // the driver's number of the object

	// Commands that C recorded for a command buffer: a list of chunks of records, the last record before Next.
	First, Last *Chunk
	Next, End   unsafe.Pointer
	Exhausted   uint32 // 1 after a chunk could not be allocated
}

// LoaderMagic is the first value of Magic: the loader expects it (ICD_LOADER_MAGIC).
const LoaderMagic = 0x01CDC0DE

// Chunk is memory of records, which follow it.
type Chunk struct {
	Next *Chunk
	Size uintptr // bytes after the chunk
}

// Record is the head of a recorded command. Its arguments follow it: an argument struct, then the arrays of the application.
type Record struct {
	Number uint32 // of the command; 0 ends the chunk
	Size   uint32 // bytes with the head: the distance of the next record
}

// Recorded reports whether C recorded commands since the last Rewind.
func (d *Dispatch) Recorded() bool {
	return d.First != nil && d.Next != unsafe.Add(unsafe.Pointer(d.First), unsafe.Sizeof(Chunk{}))
}

// Records calls f with the number and the arguments of each recorded command.
func (d *Dispatch) Records(f func(number uint32, args unsafe.Pointer)) {
	if !d.Recorded() {
		return
	}
	(*Record)(d.Next).Number = 0 // C leaves space for it
	for c := d.First; c != nil; c = c.Next {
		for p := unsafe.Add(unsafe.Pointer(c), unsafe.Sizeof(Chunk{})); ; {
			r := (*Record)(p)
			if r.Number == 0 {
				break
			}
			f(r.Number, unsafe.Add(p, unsafe.Sizeof(Record{})))
			p = unsafe.Add(p, uintptr(r.Size))
		}
		if c == d.Last {
			break
		}
	}
}

// Rewind drops the recorded commands. Their chunks remain for later commands.
func (d *Dispatch) Rewind() {
	if d.Last = d.First; d.First != nil {
		d.Next = unsafe.Add(unsafe.Pointer(d.First), unsafe.Sizeof(Chunk{}))
		d.End = unsafe.Add(d.Next, d.First.Size)
	}
	d.Exhausted = 0
}
