// Package modgen makes legal compute modules at random: from a seed, or from
// bytes that a fuzzer chooses, it writes the text of a SPIR-V module that ends
// by construction and shows in buffers the results of its invocations. The types
// of instructions come from the typing table, so that each row of the table is
// tried at every width.
//
// It refuses to know the meaning of a module: it computes no result, and compares
// none. With [Options].Peers a module computes nothing that SPIR-V or Vulkan
// leaves open, so that any two implementations must agree on every byte.
package modgen
