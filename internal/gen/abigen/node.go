package main

import (
	"encoding/xml"
	"strings"
)

// node is an element of the registry.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Inner   string     `xml:",innerxml"`
	Kids    []*node    `xml:",any"`
}

// attr returns an attribute, "" if it is absent.
func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// kid returns the first child with a tag, or nil.
func (n *node) kid(tag string) *node {
	for _, k := range n.Kids {
		if k.XMLName.Local == tag {
			return k
		}
	}
	return nil
}

// each calls f for the children with a tag that belong to Vulkan and not only to a variant of it.
func (n *node) each(tag string, f func(*node)) {
	for _, k := range n.Kids {
		if k.XMLName.Local == tag && k.vulkan() {
			f(k)
		}
	}
}

// vulkan reports whether an element belongs to the API "vulkan".
func (n *node) vulkan() bool {
	api := n.attr("api")
	return api == "" || listed(api, "vulkan")
}

// word returns the trimmed text of the first child with a tag.
func (n *node) word(tag string) string {
	if k := n.kid(tag); k != nil {
		return strings.TrimSpace(k.Text)
	}
	return ""
}

// listed reports whether a list that is separated by commas has a word.
func listed(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}
