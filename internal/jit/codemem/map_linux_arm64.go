package codemem

const sysMemfdCreate = 279 // memfd_create(2); package syscall has no name for it
