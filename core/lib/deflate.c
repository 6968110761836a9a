/* SPDX-License-Identifier: BSD-2-Clause */
/* One call for each direction. */
#include "deflate.h"

#include "core/lib/mem.h"

#include <zlib.h>

/* A window of 16 KiB: lines of records repeat each other within far less. */
#define WINDOW_BITS  14
#define MEMORY_LEVEL 7
#define INFLATE_BITS 15 /* largest window that any deflate may have used */
#define WINDOW_BYTES (1u << INFLATE_BITS)
#define RAW          -1 /* neither zlib's head nor its checksum */
#define WORK_ALIGNED 16u

struct work {
	uint8_t *at, *end;
};

static voidpf deflate_lend(voidpf opaque, uInt items, uInt size)
{
	struct work *w = opaque;
	size_t bytes = ((size_t)items * size + WORK_ALIGNED - 1) & ~(size_t)(WORK_ALIGNED - 1);
	void *lent = w->at;

	if (bytes > (size_t)(w->end - w->at))
		return Z_NULL;
	w->at += bytes;
	return lent;
}

static void take_back(voidpf opaque, voidpf address)
{
	(void)opaque, (void)address;
}

static z_stream stream_of(struct work *w, void *out, size_t cap, const void *in, size_t bytes)
{
	return (z_stream){
		.next_in = (Bytef *)(uintptr_t)in,
		.avail_in = (uInt)bytes,
		.next_out = out,
		.avail_out = cap < UINT32_MAX ? (uInt)cap : UINT32_MAX,
		.zalloc = deflate_lend,
		.zfree = take_back,
		.opaque = w,
	};
}

size_t deflate_pack(void *out, size_t cap, const void *in, size_t bytes, void *work)
{
	struct work w = { work, (uint8_t *)work + DEFLATE_WORK_BYTES };
	z_stream z = stream_of(&w, out, cap, in, bytes);

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, RAW * WINDOW_BITS, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	return deflate(&z, Z_FINISH) == Z_STREAM_END ? z.total_out : 0;
}

struct output {
	uint8_t *out;
	size_t cap, used;
};

/* The input callback has no more: all input was given at the beginning. */
static unsigned no_input(void *ctx, z_const unsigned char **in)
{
	(void)ctx, (void)in;
	return 0;
}

static int put_output(void *ctx, unsigned char *bytes, unsigned count)
{
	struct output *o = ctx;

	if (count > o->cap - o->used)
		return -1;
	memcpy(o->out + o->used, bytes, count);
	o->used += count;
	return 0;
}

size_t deflate_unpack(void *out, size_t cap, const void *in, size_t bytes, void *work)
{
	struct work w = { (uint8_t *)work + WINDOW_BYTES, (uint8_t *)work + DEFLATE_WORK_BYTES };
	z_stream z = stream_of(&w, NULL, 0, in, bytes);
	struct output o = { out, cap, 0 };

	if (inflateBackInit(&z, INFLATE_BITS, work) != Z_OK)
		return 0;
	return inflateBack(&z, no_input, NULL, put_output, &o) == Z_STREAM_END && !z.avail_in
		       ? o.used
		       : 0;
}
