package driver

import "github.com/chiaro-gpu/chiaro/internal/abi"

// The objects of dispatchable handles, and of all others, by kind.
var (
	instances      table[instance]
	physicals      table[physicalDevice]
	devices        table[device]
	queues         table[queue]
	commandBuffers table[commandBuffer]
)

// newDispatch makes the handle of an object; nil if there is no memory.
func newDispatch[T any](t *table[T], x *T) *abi.Dispatch {
	d := host.New()
	if d == nil {
		return nil
	}
	d.Magic = abi.LoaderMagic
	if d.ID = t.add(x); d.ID == 0 {
		host.Free(d)
		return nil
	}
	return d
}

// dropDispatch frees the handle of an object.
func dropDispatch[T any](t *table[T], d *abi.Dispatch) {
	if d != nil && t.remove(d.ID) != nil {
		host.Free(d)
	}
}

func instanceOf(d *abi.Dispatch) *instance           { return dispatched(&instances, d) }
func physicalOf(d *abi.Dispatch) *physicalDevice     { return dispatched(&physicals, d) }
func deviceOf(d *abi.Dispatch) *device               { return dispatched(&devices, d) }
func queueOf(d *abi.Dispatch) *queue                 { return dispatched(&queues, d) }
func commandBufferOf(d *abi.Dispatch) *commandBuffer { return dispatched(&commandBuffers, d) }

// dispatched returns the object of a dispatchable handle, or nil.
func dispatched[T any](t *table[T], d *abi.Dispatch) *T {
	if d == nil {
		return nil
	}
	return t.get(d.ID)
}
