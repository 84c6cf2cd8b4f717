// Package valid checks a module against the SPIR-V specification and the
// environment of an [Env], usually Vulkan. It uses the results of package facts
// and computes nothing that facts has; it does not know the results of
// instructions or the presentation of findings.
//
// [Check] finds every fault in one run and returns them in module order. A rule
// that needs a property that the Env does not have is not checked: it reports
// nothing and is counted in [Report].Unchecked.
//
// # Structure of a rule
//
// Rules are in files named after the nouns of the specification, in families.
// One family is one variable with the check functions of each opcode, the check
// functions of the whole module, and the list of rules. The list of
// families is in family.go. Check is one walk over the instructions that calls
// the functions of each opcode. A function reads the facts about its operands.
// If a fact is missing (a nil type, an unknown constant), it reports nothing:
// another rule has reported the cause.
//
// Each rule has a code: the VUID if Vulkan has the rule, otherwise
// SPV-Subject-Rule. [Rules] yields all of them with their texts.
package valid
