package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// content is the bytes of a buffer and the type of its values.
type content struct {
	kind   scalarKind
	data   []byte
	beside *exec.Memory // the memory of data

	addresses []addressOf // values of data
}

// addressOf is a device address among the values of a buffer.
type addressOf struct {
	at     int // byte
	name   string
	offset uint64
}

// scalarKind is a type of values in flags.
type scalarKind struct {
	size   int
	float  bool
	signed bool
}

var scalarKinds = map[string]scalarKind{
	"float": {4, true, true}, "double": {8, true, true}, "int": {4, false, true}, "uint": {4, false, false},
	"int8": {1, false, true}, "int16": {2, false, true}, "int32": {4, false, true}, "int64": {8, false, true},
	"uint8": {1, false, false}, "uint16": {2, false, false}, "uint32": {4, false, false}, "uint64": {8, false, false},
}

// append appends a value.
func (k scalarKind) append(b []byte, text string) ([]byte, error) {
	var bits uint64
	switch {
	case k.float:
		f, err := strconv.ParseFloat(text, k.size*8)
		if err != nil {
			return b, err
		}
		if bits = math.Float64bits(f); k.size == 4 {
			bits = uint64(math.Float32bits(float32(f)))
		}
	case k.signed:
		n, err := strconv.ParseInt(text, 0, k.size*8)
		if err != nil {
			return b, err
		}
		bits = uint64(n)
	default:
		n, err := strconv.ParseUint(text, 0, k.size*8)
		if err != nil {
			return b, err
		}
		bits = n
	}
	return append(b, binary.LittleEndian.AppendUint64(nil, bits)[:k.size]...), nil
}

// text returns the value at the start of b.
func (k scalarKind) text(b []byte) string {
	var all [8]byte
	copy(all[:], b[:k.size])
	bits := binary.LittleEndian.Uint64(all[:])
	switch {
	case k.float && k.size == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case k.float:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case k.signed:
		shift := 64 - 8*k.size
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}

// parseContent reads the content of a buffer.
func parseContent(c console, text string) (content, error) {
	fail := func(why string) (content, error) {
		return content{}, unreadable("content %q: %s; want TYPE:VALUE,…, TYPE*COUNT[:VALUE,…], [TYPE]@FILE or address:NAME,…", text, why)
	}
	if kind, file, ok := strings.Cut(text, "@"); ok && !strings.ContainsAny(kind, ":*") {
		k, known := scalarKinds[orElse(kind, "uint8")]
		if !known {
			return fail(fmt.Sprintf("unknown type %q", kind))
		}
		data, err := readInput(c, file)
		return content{kind: k, data: data}, err
	}
	head, list, some := strings.Cut(text, ":")
	if head == "address" && some {
		return parseAddresses(list), nil
	}
	name, countText, counted := strings.Cut(head, "*")
	k, known := scalarKinds[name]
	if !known {
		return fail(fmt.Sprintf("unknown type %q", name))
	}
	if !some && !counted {
		return fail("no values and no count")
	}
	var data []byte
	if some {
		for _, v := range strings.Split(list, ",") {
			var err error
			if data, err = k.append(data, strings.TrimSpace(v)); err != nil {
				return fail(fmt.Sprintf("%q is no %s", v, name))
			}
		}
	}
	if counted {
		n, err := parseUint(countText, 62)
		if err != nil || n > maxBenchBuffer/uint64(k.size) {
			return fail(fmt.Sprintf("the count must be from 0 to %d", maxBenchBuffer/k.size))
		}
		memory, err := exec.Alloc(int(n) * k.size) // lives as long as the program runs
		if err != nil {
			return fail(err.Error())
		}
		all := memory.Bytes()
		for at := 0; some && at < len(all); {
			at += copy(all[at:], data)
		}
		return content{kind: k, data: all, beside: memory}, nil
	}
	return content{kind: k, data: data}, nil
}

// parseAddresses reads NAME or NAME+BYTES, separated by commas.
func parseAddresses(list string) content {
	x := content{kind: scalarKinds["uint64"]}
	for i, text := range strings.Split(list, ",") {
		a := addressOf{at: i * x.kind.size, name: strings.TrimSpace(text)}
		if k := strings.LastIndexByte(a.name, '+'); k >= 0 {
			if n, err := parseUint(a.name[k+1:], 63); err == nil {
				a.name, a.offset = a.name[:k], n
			}
		}
		x.addresses = append(x.addresses, a)
	}
	x.data = make([]byte, len(x.addresses)*x.kind.size)
	return x
}
