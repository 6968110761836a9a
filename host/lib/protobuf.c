/* SPDX-License-Identifier: BSD-2-Clause */
/* Varints and length-delimited fields: all that messages of numbers and texts need. */
#include "protobuf.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

#define VARINT_MAX 10 /* bytes of 64 bits, 7 in each */

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
};

static void reserve(struct protobuf *p, size_t count)
{
	if (p->room - p->count >= count)
		return;
	p->room = 2 * (p->count + count);
	p->bytes = memory_resize(p->bytes, p->room);
}

static void put_varint(struct protobuf *p, uint64_t value)
{
	reserve(p, VARINT_MAX);
	for (; value > 0x7f; value >>= 7)
		p->bytes[p->count++] = (uint8_t)(value | 0x80);
	p->bytes[p->count++] = (uint8_t)value;
}

static void put_bytes(struct protobuf *p, uint32_t field, const void *bytes, size_t count)
{
	put_varint(p, (uint64_t)field << 3 | WIRE_BYTES);
	put_varint(p, count);
	reserve(p, count);
	if (count)
		memcpy(p->bytes + p->count, bytes, count);
	p->count += count;
}

void protobuf_number(struct protobuf *p, uint32_t field, uint64_t value)
{
	put_varint(p, (uint64_t)field << 3 | WIRE_VARINT);
	put_varint(p, value);
}

void protobuf_text(struct protobuf *p, uint32_t field, const char *text)
{
	put_bytes(p, field, text, strlen(text));
}

void protobuf_message(struct protobuf *p, uint32_t field, struct protobuf *inner)
{
	put_bytes(p, field, inner->bytes, inner->count);
	inner->count = 0;
}

void protobuf_free(struct protobuf *p)
{
	free(p->bytes);
	*p = (struct protobuf){ .count = 0 };
}
