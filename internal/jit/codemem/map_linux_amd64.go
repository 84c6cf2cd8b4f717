package codemem

const sysMemfdCreate = 319 // memfd_create(2); package syscall has no name for it
