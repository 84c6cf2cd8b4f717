// Package store is a persistent key-value cache in a directory, for compiled code. It refuses to know the
// meaning of the data, and to return data that it cannot trust: the directory and its files must belong to
// the effective user and be writable by no one else, and the data must match its checksum. Everything else
// counts as a miss.
//
//	file KEY.code:  magic | key | length | SHA-256 of these and of the data | data
//
// Files are written under a temporary name and renamed, so that a reader sees a complete file or none. If the
// files exceed the limit, the least recently used ones are evicted; the modification time records the last
// use.
package store
