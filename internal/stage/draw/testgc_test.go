package draw_test

import _ "github.com/chiaro-gpu/chiaro/internal/testgc"
