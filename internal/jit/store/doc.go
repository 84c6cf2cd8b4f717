// Package store keeps pieces of data on disk by key: compiled code, between two
// runs of a program. It refuses to know what the pieces are, and to return one
// that it cannot trust: the folder and the files must belong to the user and be
// writable by nobody else, and what is read must be what was written, by its
// checksum. All else counts as not there.
package store
