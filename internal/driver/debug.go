package driver

import "unsafe"

// messengers are the debug messengers of an instance.
type messengers struct{}

// chained adds the messengers in the chain of the creation of an instance.
func (m *messengers) chained(unsafe.Pointer) {}

var debugCalls = map[int]call{}
