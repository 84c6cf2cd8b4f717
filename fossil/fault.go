package fossil

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// wrong describes a fault in JSON that cannot be read: its position in data, or no position
// if data is nil because the fault is in a part of an object; the actual value; and the
// required one.
func wrong(data []byte, err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		name := kind.Field
		if name != "" {
			name += ": "
		}
		value, number, _ := strings.Cut(kind.Value, " ")
		if number != "" || value == "number" {
			value = strings.TrimSpace("the number " + number)
		} else {
			value = map[string]string{"bool": "a Boolean", "string": "a text", "array": "an array", "object": "an object"}[value]
		}
		return fmt.Errorf("%s%s%s; must be %s", position(data, kind.Offset), name, value, typeName(kind.Type))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s%w", position(data, syntax.Offset), err)
	}
	return err
}

// position formats the line and column of an offset, as in messages.
func position(data []byte, offset int64) string {
	if data == nil {
		return ""
	}
	before := data[:min(max(offset, 0), int64(len(data)))]
	return fmt.Sprintf("at line %d, column %d: ", 1+bytes.Count(before, []byte("\n")), max(1, len(before)-1-bytes.LastIndexByte(before, '\n')))
}

// typeName is how a message calls the values of a type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-t.Bits()))
	case reflect.Uint, reflect.Uint64:
		return "a whole number from 0"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	}
	return "an object"
}

// apart reads a document object by object, so that a fault in one object does not affect
// the others. The error is for a fault outside of the objects.
func (d *document) apart(text []byte) error {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return wrong(text, err)
	}
	if v := parts["version"]; v != nil {
		if err := json.Unmarshal(v, &d.Version); err != nil {
			return fmt.Errorf("version: %w", wrong(nil, err))
		}
	}
	d.bad = map[Ref]error{}
	for _, err := range [...]error{
		section(d, parts, "samplers", Sampler, &d.Samplers), section(d, parts, "setLayouts", SetLayout, &d.SetLayouts),
		section(d, parts, "pipelineLayouts", PipelineLayout, &d.PipelineLayouts), section(d, parts, "shaderModules", ShaderModule, &d.ShaderModules),
		section(d, parts, "renderPasses", RenderPass, &d.RenderPasses), section(d, parts, "graphicsPipelines", GraphicsPipeline, &d.GraphicsPipelines),
		section(d, parts, "computePipelines", ComputePipeline, &d.ComputePipelines), section(d, parts, "raytracingPipelines", RayTracingPipeline, &d.RayTracing),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// section reads the objects of one sort.
func section[T any](d *document, parts map[string]json.RawMessage, name string, tag Tag, to *map[string]T) error {
	*to = map[string]T{}
	if parts[name] == nil {
		return nil
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(parts[name], &list); err != nil {
		return fmt.Errorf("%s: %w", name, wrong(nil, err))
	}
	for _, key := range slices.Sorted(maps.Keys(list)) {
		var v T
		if err := json.Unmarshal(list[key], &v); err != nil {
			if h, bad := ParseHash(key); bad == nil {
				d.bad[Ref{tag, h}] = wrong(nil, err)
			}
		}
		(*to)[key] = v
	}
	return nil
}
