package amd64

import _ "github.com/chiaro-gpu/chiaro/internal/testgc"
