// Command generate writes node_messages.h: the message table of package bridge in C, for the firmware of a seat node.
// Structures, numbers and the schema's checksum come from the one table that the host's code uses too; a test fails when
// the file is not what the table says.
package main

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"

	bridge "tavolo/firmware-bridge"
)

//go:generate go run . ../node_messages.h

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], header(), 0o644); err != nil {
		fmt.Fprintf(os.Stderr, "generate: %v\n", err)
		os.Exit(1)
	}
}

// header is the whole file.
func header() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, prologue)
	fmt.Fprintf(&b, "#define SCHEMA_HASH 0x%08xu\n#define MAX_PAYLOAD %du\n#define MAX_IMAGE %du\n\n",
		bridge.SchemaHash(), bridge.MaxPayload, bridge.MaxImage)
	fmt.Fprintln(&b, "enum message {")
	for _, m := range bridge.Messages {
		fmt.Fprintf(&b, "\tMSG_%s = %d, /* %s */\n", strings.ToUpper(m.Name), m.ID, m.Dir)
	}
	fmt.Fprint(&b, "};\n\nenum key {\n")
	keys := 1
	for ; !strings.HasPrefix(bridge.Key(keys).String(), "key "); keys++ {
		fmt.Fprintf(&b, "\tKEY_%s = %d,\n", constant(bridge.Key(keys).String()), keys)
	}
	fmt.Fprintf(&b, "\tKEY_COUNT = %d, /* one more than the last */\n};\n\nenum image_state {\n", keys)
	for s := bridge.ImageNone; s <= bridge.ImageTaken; s++ {
		fmt.Fprintf(&b, "\tIMAGE_%s = %d,\n", [...]string{"NONE", "PARTIAL", "READY", "SPOILT", "UNFIT", "TAKEN"}[s], s)
	}
	fmt.Fprint(&b, "};\n\nenum scale_state {\n\tSCALE_NONE = 0,\n")
	fmt.Fprintf(&b, "\tSCALE_GOOD = %d,\n\tSCALE_OVER = %d,\n};\n", bridge.ScaleGood, bridge.ScaleOver)
	for _, m := range bridge.Messages {
		t := reflect.TypeOf(m.Body)
		structure(&b, m.Name, t)
		if m.Dir == bridge.ToHost {
			encoder(&b, m.Name, t)
		} else {
			decoder(&b, m.Name, t)
		}
	}
	fmt.Fprint(&b, "\n#endif\n")
	return b.Bytes()
}

const prologue = `/* Code generated from the message table of package bridge; DO NOT EDIT. See generate/main.go. */
#ifndef NODE_MESSAGES_H
#define NODE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Numbers go over the wire little-endian. */
static inline uint8_t *put_le(uint8_t *p, uint64_t v, size_t size)
{
	for (; size > 0; size--, v >>= 8)
		*p++ = (uint8_t)v;
	return p;
}

static inline uint64_t take_le(const uint8_t *p, size_t size)
{
	uint64_t v = 0;
	while (size > 0)
		v = v << 8 | p[--size];
	return v;
}

`

func constant(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }

// isText is whether a field fills the rest of the payload with bytes, up to the length in its max tag.
func isText(f reflect.StructField) bool { return f.Tag.Get("max") != "" }

// isList is whether a field is as many structures as there are.
func isList(f reflect.StructField) bool { return f.Type.Kind() == reflect.Slice && !isText(f) }

// size is how many bytes the fields of t take that have a size of their own.
func size(t reflect.Type) (n int) {
	for f := range t.Fields() {
		if !isText(f) && !isList(f) {
			n += int(f.Type.Size())
		}
	}
	return n
}

// structure declares what a message says, and of a list the structure of an element before it.
func structure(b *bytes.Buffer, name string, t reflect.Type) {
	for f := range t.Fields() {
		if isList(f) {
			structure(b, element(f), f.Type.Elem())
		}
	}
	if t.NumField() == 0 {
		return
	}
	fmt.Fprintf(b, "\nstruct msg_%s {\n", name)
	for f := range t.Fields() {
		field := strings.ToLower(f.Name)
		switch {
		case isText(f):
			fmt.Fprintf(b, "\tuint8_t %s_len;\n\tuint8_t %s[%s];\n", field, field, f.Tag.Get("max"))
		case isList(f):
			most := (bridge.MaxPayload - size(t)) / size(f.Type.Elem())
			fmt.Fprintf(b, "\tuint8_t %s_len;\n\tstruct msg_%s %s[%d];\n", field, element(f), field, most)
		case f.Type.Kind() == reflect.Array:
			fmt.Fprintf(b, "\tuint8_t %s[%d];\n", field, f.Type.Len())
		case f.Type.Kind() == reflect.Bool:
			fmt.Fprintf(b, "\tbool %s;\n", field)
		default:
			fmt.Fprintf(b, "\t%s_t %s;\n", f.Type.Kind(), field)
		}
	}
	fmt.Fprintln(b, "};")
}

// element is the name of the structures in a list.
func element(f reflect.StructField) string {
	return strings.ToLower(f.Type.Elem().Name())
}

// encoder defines the function that gives the payload of a message.
func encoder(b *bytes.Buffer, name string, t reflect.Type) {
	if t.NumField() == 0 {
		return
	}
	fmt.Fprintf(b, "\n/* Returns the length of the payload. */\nstatic inline size_t put_%s(uint8_t *p, const struct msg_%s *m)\n{\n", name, name)
	fmt.Fprintln(b, "\tuint8_t *start = p;")
	put(b, "\t", "m->", t)
	fmt.Fprint(b, "\treturn (size_t)(p - start);\n}\n")
}

func put(b *bytes.Buffer, indent, m string, t reflect.Type) {
	for f := range t.Fields() {
		field := m + strings.ToLower(f.Name)
		switch {
		case isList(f):
			fmt.Fprintf(b, "%sfor (size_t i = 0; i < %s_len; i++) {\n", indent, field)
			put(b, indent+"\t", field+"[i].", f.Type.Elem())
			fmt.Fprintf(b, "%s}\n", indent)
		case isText(f) || f.Type.Kind() == reflect.Array:
			panic("generate: no node sends bytes yet")
		default:
			fmt.Fprintf(b, "%sp = put_le(p, %s, %d);\n", indent, cast(f, field), f.Type.Size())
		}
	}
}

// cast widens a number, a negative one in two's complement.
func cast(f reflect.StructField, field string) string {
	if f.Type.Kind() == reflect.Int32 {
		return "(uint32_t)" + field
	}
	return field
}

// decoder defines the function that reads a payload.
func decoder(b *bytes.Buffer, name string, t reflect.Type) {
	if t.NumField() == 0 {
		return
	}
	fmt.Fprintf(b, "\n/* Reads a payload; false where it is no %s. */\n", name)
	fmt.Fprintf(b, "static inline bool take_%s(struct msg_%s *m, const uint8_t *p, size_t len)\n{\n", name, name)
	last, fixed := t.Field(t.NumField()-1), size(t)
	switch {
	case !isText(last):
		fmt.Fprintf(b, "\tif (len != %d)\n\t\treturn false;\n", fixed)
	case fixed == 0:
		fmt.Fprintf(b, "\tif (len > sizeof m->%s)\n\t\treturn false;\n", strings.ToLower(last.Name))
	default:
		fmt.Fprintf(b, "\tif (len < %d || len - %d > sizeof m->%s)\n\t\treturn false;\n", fixed, fixed, strings.ToLower(last.Name))
	}
	at := 0
	for f := range t.Fields() {
		field := "m->" + strings.ToLower(f.Name)
		switch {
		case isText(f):
			fmt.Fprintf(b, "\t%s_len = (uint8_t)(len - %d);\n\tmemcpy(%s, p + %d, %s_len);\n", field, at, field, at, field)
		case isList(f) || f.Type.Kind() == reflect.Bool:
			panic("generate: no node is sent lists or flags yet")
		case f.Type.Kind() == reflect.Array:
			fmt.Fprintf(b, "\tmemcpy(%s, p + %d, %d);\n", field, at, f.Type.Len())
		default:
			fmt.Fprintf(b, "\t%s = (%s_t)take_le(p + %d, %d);\n", field, f.Type.Kind(), at, f.Type.Size())
		}
		if !isText(f) {
			at += int(f.Type.Size())
		}
	}
	fmt.Fprint(b, "\treturn true;\n}\n")
}
