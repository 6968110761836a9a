/* SPDX-License-Identifier: BSD-2-Clause */
/* One call for each direction. */
#include "deflate.h"

#include <zlib.h>

/* A window of 16 KiB: lines of records repeat each other within far less. */
#define WINDOW_BITS  14
#define MEMORY_LEVEL 7
#define INFLATE_BITS 15 /* largest window that any deflate may have used */
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

size_t deflate_unpack(void *out, size_t cap, const void *in, size_t bytes, void *work)
{
	struct work w = { work, (uint8_t *)work + DEFLATE_WORK_BYTES };
	z_stream z = stream_of(&w, out, cap, in, bytes);

	if (inflateInit2(&z, RAW * INFLATE_BITS) != Z_OK)
		return 0;
	return inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_in ? z.total_out : 0;
}
