package describe

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"sort"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
)

// Schema returns the JSON Schema (draft 2020-12) of descriptions, indented.
func Schema() []byte {
	b := &schemaBuilder{defs: map[string]any{}}
	root := b.object(pipelineType)
	root["$id"] = "https://github.com/chiaro-gpu/chiaro/raw/main/docs/pipeline.schema.json"
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "a pipeline, as chiaro link and chiaro check take it"
	root["$defs"] = b.defs
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // maps of strings
	}
	return append(text, '\n')
}

// numberKey is the pattern of a key that is a number.
const numberKey = "^[0-9]+$"

// schemaBuilder makes schemas of types in Go, as the reader of YAML sees them.
type schemaBuilder struct {
	defs map[string]any // of structs and enumerations that have a name
}

// named is an enumeration or a set of flags of package link.
type named interface{ Names() []string }

var (
	refType        = reflect.TypeFor[link.Ref]()
	formatType     = reflect.TypeFor[link.Format]()
	descriptorType = reflect.TypeFor[link.DescriptorType]()
	pipelineType   = reflect.TypeFor[pipelineFile]()
	setsType       = reflect.TypeFor[map[uint32]map[uint32]*bindingFile]()
	samplersType   = reflect.TypeFor[samplersFile]()
	readingType    = reflect.TypeFor[readingName]()
	stageFileType  = reflect.TypeFor[stageFile]()
	textType       = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// of returns the schema of a type.
func (b *schemaBuilder) of(t reflect.Type) map[string]any {
	switch {
	case t.Kind() == reflect.Pointer:
		return b.of(t.Elem())
	case t == refType:
		return map[string]any{"oneOf": []any{map[string]any{"type": "integer", "minimum": 0}, map[string]any{"const": "unused"}}}
	case t == formatType:
		return map[string]any{"type": "string", "description": "a VkFormat, such as R8G8B8A8_UNORM"}
	case t == descriptorType:
		names := []string{}
		for _, d := range link.DescriptorTypes() {
			names = append(names, string(d))
		}
		return map[string]any{"enum": names}
	case t == setsType: // a set that is null is left out
		s := b.of(t.Elem())
		return map[string]any{
			"type": "object", "additionalProperties": map[string]any{"oneOf": []any{s, map[string]any{"type": "null"}}},
			"propertyNames": map[string]any{"pattern": numberKey},
		}
	case t == samplersType:
		return map[string]any{"oneOf": []any{map[string]any{"type": "boolean"}, b.of(reflect.TypeFor[[]link.Sampler]())}}
	case t == readingType: // YAML reads 1.1 without quotes as a number
		return map[string]any{"oneOf": []any{map[string]any{"enum": facts.Readings}, map[string]any{"type": "number", "enum": []any{1.0, 1.1}}}}
	case t == stageFileType:
		return b.reference("stage", func() map[string]any {
			return map[string]any{"oneOf": []any{map[string]any{"type": "string"}, b.object(t)}}
		})
	}
	if n, ok := reflect.Zero(t).Interface().(named); ok {
		return b.enumeration(t, n.Names())
	}
	switch t.Kind() {
	case reflect.Struct:
		if t == pipelineType {
			return b.reference("pipeline", func() map[string]any { return b.object(t) })
		}
		return b.reference(t.Name(), func() map[string]any { return b.object(t) })
	case reflect.Slice, reflect.Array:
		s := map[string]any{"type": "array", "items": b.of(t.Elem())}
		if t.Kind() == reflect.Array {
			s["minItems"], s["maxItems"] = t.Len(), t.Len()
		}
		return s
	case reflect.Map:
		s := map[string]any{"type": "object", "additionalProperties": b.of(t.Elem())}
		if t.Key().Kind() == reflect.Uint32 {
			s["propertyNames"] = map[string]any{"pattern": numberKey}
		}
		return s
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32:
		return map[string]any{"type": "number"}
	case reflect.Uint32:
		return map[string]any{"type": "integer", "minimum": 0, "maximum": int64(math.MaxUint32)}
	case reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	}
	return map[string]any{} // anything
}

// enumeration is the schema of names: one, or of flags a list of them too.
func (b *schemaBuilder) enumeration(t reflect.Type, names []string) map[string]any {
	return b.reference(t.Name(), func() map[string]any {
		sort.Strings(names)
		one := map[string]any{"enum": names}
		if reflect.PointerTo(t).Implements(textType) {
			return one
		}
		one["enum"] = append([]string{"none"}, names...) // of flags: the empty set
		return map[string]any{"oneOf": []any{one, map[string]any{"type": "array", "items": one}}}
	})
}

// reference returns a reference to a schema with a name, which it makes once.
func (b *schemaBuilder) reference(name string, build func() map[string]any) map[string]any {
	if _, ok := b.defs[name]; !ok {
		b.defs[name] = nil
		b.defs[name] = build()
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// object is the schema of a struct.
func (b *schemaBuilder) object(t reflect.Type) map[string]any {
	properties := map[string]any{}
	b.fields(t, properties)
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func (b *schemaBuilder) fields(t reflect.Type, properties map[string]any) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case rest == "inline":
			b.fields(f.Type, properties)
		case name != "" && name != "-":
			p := b.of(f.Type)
			if text := descriptions[t.Name()+"."+name]; text != "" {
				p["description"] = text
			}
			properties[name] = p
		}
	}
}
