// Package codemem keeps machine code in memory that can be run and is never
// writable where it runs. It refuses to know what the code does or for which
// machine it is.
//
// A Heap reserves one range of addresses, so that one comparison tells whether
// an address lies in generated code. The range is mapped twice from one
// anonymous file, once to write and once to run; where the kernel refuses an
// executable file, it is mapped once and pages change between the two.
package codemem
