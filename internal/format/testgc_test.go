package format

import _ "github.com/chiaro-gpu/chiaro/internal/testgc"
