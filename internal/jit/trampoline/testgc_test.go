package trampoline

import _ "github.com/chiaro-gpu/chiaro/internal/testgc"
