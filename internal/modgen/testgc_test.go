package modgen_test

import _ "github.com/chiaro-gpu/chiaro/internal/testgc"
