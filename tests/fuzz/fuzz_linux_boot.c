/* SPDX-License-Identifier: BSD-2-Clause */
/* A payload and the kernel in it; what is no payload is read as a kernel. */
#include "core/firmware/linux_boot.h"

#include "tests/fuzz/take.h"

#define FILL 0xa5

static void check_params(const struct linux_image *k)
{
	static uint8_t params[LINUX_PARAMS_BYTES];
	const struct linux_start start = { 1, 2, 3, 4 };

	memset(params, FILL, sizeof(params));
	linux_params_set(params, k, &start);
	for (size_t n = LINUX_HEADER_END; n < sizeof(params); n++)
		insist(params[n] == FILL);
}

static void check_kernel(const uint8_t *image, size_t bytes)
{
	struct linux_image k;

	if (linux_image_read(&k, image, bytes))
		return;
	insist(k.code > image && k.code + k.code_bytes == image + bytes);
	insist(k.code_bytes > LINUX_ENTRY && k.run_bytes >= k.code_bytes);
	insist(k.alignment && !(k.alignment & (k.alignment - 1)));
	check_params(&k);
}

FUZZ(1, SIZE_MAX)
{
	struct linux_payload p;

	if (!linux_payload_is(data, bytes)) {
		check_kernel(data, bytes);
	} else if (linux_payload_read(&p, data, bytes)) {
		for (unsigned n = 0; n < LINUX_PARTS; n++)
			insist(p.part[n] >= data + LINUX_PAYLOAD_PAGE &&
			       p.bytes[n] <= (size_t)(data + bytes - p.part[n]));
		check_kernel(p.part[LINUX_PART_KERNEL], p.bytes[LINUX_PART_KERNEL]);
	}
}
