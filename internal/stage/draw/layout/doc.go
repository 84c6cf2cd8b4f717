// Package layout defines the memory that Go code and the programs of a draw share: the bindings of the draw's
// own resources, the words of parameter buffers, and the records of vertices. It refuses to know the content.
//
// A vertex record ([Record]) holds the outputs that the next stage reads:
//
//	byte 0        16                32                           stride (a multiple of 16)
//	┌────────────┬─────────────────┬─────┬─────────────────────┬─────┐
//	│ Position   │ location l      │  …  │ scalar built-ins    │ pad │
//	│ x  y  z  w │ four components │     │ Layer, PointSize, … │     │
//	└────────────┴─────────────────┴─────┴─────────────────────┴─────┘
//	             └─ KeptBytes: the part that primitives keep for fragments
//
// # Files
//
// Callees come first: a file refers only to files before it.
//
//	binding.go   bindings, parameters, counters
//	record.go    vertex records
//	quad.go      quads of packed fragments
package layout
