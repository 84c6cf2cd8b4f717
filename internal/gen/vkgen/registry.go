package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// registry is the enumerations in vk.xml.
type registry struct {
	version string // of the header
	enums   map[string][]entry
}

// entry is one name of an enumeration.
type entry struct {
	name  string
	value uint64
}

// document is the part of vk.xml that is read.
type document struct {
	Types []struct {
		Name  string `xml:"name"`
		Inner string `xml:",innerxml"`
	} `xml:"types>type"`
	Enums []struct {
		Name string `xml:"name,attr"`
		Enum []enum `xml:"enum"`
	} `xml:"enums"`
	Features   []block `xml:"feature"`
	Extensions []block `xml:"extensions>extension"`
}

type block struct {
	Number  string `xml:"number,attr"` // of an extension; of a version of Vulkan "1.0"
	Require []struct {
		Enum []enum `xml:"enum"`
	} `xml:"require"`
}

type enum struct {
	Name    string `xml:"name,attr"`
	Value   string `xml:"value,attr"`
	Bit     string `xml:"bitpos,attr"`
	Offset  string `xml:"offset,attr"`
	Number  string `xml:"extnumber,attr"`
	Extends string `xml:"extends,attr"`
	Alias   string `xml:"alias,attr"`
}

// read reads a registry.
func read(r io.Reader) (*registry, error) {
	var doc document
	d := xml.NewDecoder(r)
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	reg := &registry{enums: map[string][]entry{}}
	for _, t := range doc.Types {
		if t.Name == "VK_HEADER_VERSION" {
			f := strings.Fields(t.Inner)
			reg.version = f[len(f)-1]
		}
	}
	for _, e := range doc.Enums {
		for _, x := range e.Enum {
			if err := reg.add(e.Name, x, ""); err != nil {
				return nil, err
			}
		}
	}
	for _, b := range append(doc.Features, doc.Extensions...) {
		for _, q := range b.Require {
			for _, x := range q.Enum {
				if x.Extends == "" {
					continue
				}
				if err := reg.add(x.Extends, x, b.Number); err != nil {
					return nil, err
				}
			}
		}
	}
	return reg, nil
}

// add adds a name, unless it is an alias or is already in the list.
func (r *registry) add(enum string, x enum, number string) error {
	if x.Alias != "" || strings.Contains(x.Name, "RESERVE") {
		return nil
	}
	v, err := x.number(number)
	if err != nil {
		return fmt.Errorf("%s: %w", x.Name, err)
	}
	for _, e := range r.enums[enum] {
		if e.name == x.Name {
			return nil
		}
	}
	r.enums[enum] = append(r.enums[enum], entry{x.Name, v})
	return nil
}

// number is the value of a name; extension is the number of the extension that
// brings it.
func (x enum) number(extension string) (uint64, error) {
	switch {
	case x.Bit != "":
		n, err := strconv.ParseUint(x.Bit, 10, 6)
		return 1 << n, err
	case x.Offset != "":
		n, err := strconv.ParseUint(x.Offset, 10, 16)
		if err != nil {
			return 0, err
		}
		if x.Number != "" {
			extension = x.Number
		}
		k, err := strconv.ParseUint(extension, 10, 32)
		return 1_000_000_000 + (k-1)*1000 + n, err
	}
	if v, err := strconv.ParseUint(strings.TrimRight(x.Value, "UL"), 0, 64); err == nil {
		return v, nil
	}
	return 0, nil // a string, a float or a negative number: not needed
}
