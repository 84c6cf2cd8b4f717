package codemem

const sysMemfdCreate = 319 // memfd_create(2), which package syscall does not name here
