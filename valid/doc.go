// Package valid is what must be true of a module: by the SPIR-V specification,
// and in the Vulkan environment that it is judged for. It judges what package
// facts states and computes nothing that it could look up; it refuses to know
// what any instruction computes, and how a finding is shown.
//
// [Check] finds every fault in one run and returns them in order of their
// places. An [Env] says what the module is judged for; what an Env does not
// know, no rule judges: the rule stays silent and is counted.
//
// # How a rule stands here
//
// Rules stand in files named after the nouns of the specification, in families:
// one family is one variable that says which function judges which opcode, which
// functions judge the module as a whole, and what its rules are. The list of
// families is in family.go, and Check is one walk over the instructions that
// calls, for each, the functions of its opcode. A function looks at facts about
// its operands, and where one is missing (a nil type, an unknown constant) says
// nothing: what is missing was reported where it is missing.
//
// A rule has a code. Where Vulkan has a rule it is the VUID, else it is
// SPV-Subject-Rule. [Rules] yields all of them with their words.
package valid
