/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages in protobuf's wire format (protobuf.dev, "Encoding"), built in memory from the inside
 * outwards.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct protobuf {
	uint8_t *bytes;
	size_t count, room;
};

/* Append a field. These end the program when memory has run out. */
void protobuf_number(struct protobuf *p, uint32_t field, uint64_t value);
void protobuf_text(struct protobuf *p, uint32_t field, const char *text); /* UTF-8 */

/* A message as a field; it is empty afterwards, and keeps its memory. */
void protobuf_message(struct protobuf *p, uint32_t field, struct protobuf *inner);

void protobuf_free(struct protobuf *p);
