package abi

// Form describes the memory of a struct, or of the arguments of a command, for the rules of implicit valid usage.
type Form struct {
	Name   string   // VkShaderCreateInfoEXT, vkCreateShadersEXT
	Size   uintptr  // bytes
	SType  uint32   // of a struct that has one; 0 without
	Chain  []uint32 // the types of the structs that may be in its chain
	Fields []FormField
}

// FormField is a member of a struct, or an argument.
type FormField struct {
	Name     string
	Offset   uintptr
	Kind     FormKind
	Of       int     // of a struct its Form in Forms, of an enumeration or a mask its FormValues, of a handle its type in FormHandles
	Size     uintptr // bytes of a value, or of an element
	Align    uintptr // bytes
	Pointer  bool    // it points to the values
	Output   bool    // the command writes them
	Optional bool    // it may be 0 or nil
	Nullable bool    // it points to values that may be 0
	Count    FormCount
	Selector uintptr  // of a member of a union: the offset of the word that selects it
	Selects  []uint32 // the values that do
}

// FormKind is the kind of a value.
type FormKind uint8

// The kinds of values.
const (
	FormBytes     FormKind = iota // anything
	FormStruct                    // a struct that follows its own Form
	FormHandle                    // an object
	FormEnum                      // one of the values of an enumeration
	FormBit                       // one bit of a mask
	FormMask                      // bits of a mask
	FormString                    // UTF-8 that ends with 0
	FormLength                    // the length of an array, which is not 0
	FormCallbacks                 // VkAllocationCallbacks
)

// FormCount is the member with the length of an array. Its size is 0 for a single element.
type FormCount struct {
	Offset  uintptr
	Size    uintptr // bytes: 4 or 8
	Pointer bool    // it points to the length
	Unit    uint    // the length counts elements of so many bytes; 0 is 1
}

// FormValues are the values of an enumeration, or the bits of a mask and the names of several bits. A mask without bits is reserved.
type FormValues struct {
	Name   string
	Values []uint64 // sorted
}
