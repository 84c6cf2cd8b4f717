// Package abi is the C interface of Vulkan as data: Go mirrors of the C structs, constants, the arguments and the results of each
// command, and the versions, extensions, features and properties with their names. internal/gen/abigen writes it from Khronos' registry.
//
// The mirrors have the layout of the C structs on hosts of 64 bits: a test compares every size and offset with the rules of C, and
// on request with a C compiler. Bit-fields are merged into words, and unions are arrays of words. A pointer in a mirror points to
// memory of the application.
//
// The package does not know package vk, nor the meaning of any command.
//
// # Files
//
//	dispatch.go    dispatchable handles and the commands that C recorded
//	chain.go       pNext chains, arrays and strings in memory of the application
//	registry.go    the types of the tables; form.go those of the rules on memory
//	version.go     the version of Vulkan
//	*_gen.go       written by internal/gen/abigen
package abi

// Result is VkResult.
type Result int32
