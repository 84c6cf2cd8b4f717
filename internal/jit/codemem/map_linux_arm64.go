package codemem

const sysMemfdCreate = 279 // memfd_create(2), which package syscall does not name here
