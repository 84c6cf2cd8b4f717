package iface_test

import _ "github.com/chiaro-gpu/chiaro/internal/testgc"
