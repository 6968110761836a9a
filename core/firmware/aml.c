/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices in AML, ACPI 6.5, 20.2.5.2; PkgLength is 20.2.4. */
#include "aml.h"

#include "core/lib/mem.h"

/* ExtOpPrefix DeviceOp PkgLength */
#define DEVICE       "\x5b\x82"
#define DEVICE_BYTES 2u

bool aml_begins(const struct aml *a, const void *what, size_t bytes, size_t needed)
{
	return (size_t)(a->end - a->at) >= needed && memcmp(a->at, what, bytes) == 0;
}

/* The rest of the package whose length is at `a`; nothing, if it ends past `a`. */
static struct aml package_at(struct aml a)
{
	size_t left = (size_t)(a.end - a.at), more = left ? a.at[0] >> 6 : 0, bytes;

	if (more >= left)
		return (struct aml){ a.end, a.end };
	bytes = a.at[0] & (more ? 0x0f : 0x3f);
	for (size_t i = 0; i < more; i++)
		bytes |= (size_t)a.at[1 + i] << (4 + 8 * i);
	if (bytes > left)
		return (struct aml){ a.end, a.end };
	return (struct aml){ a.at + 1 + more, a.at + bytes };
}

/* The number of the id that stands there; that of the list's end, if none does. */
static unsigned id_at(const struct aml *a, const struct aml_id ids[])
{
	unsigned n = 0;

	while (ids[n].bytes && !aml_begins(a, ids[n].what, ids[n].bytes, ids[n].bytes))
		n++;
	return n;
}

void aml_devices(struct aml a, const struct aml_id ids[],
		 bool (*visit)(void *ctx, unsigned id, struct aml device), void *ctx)
{
	struct aml device = { a.end, a.end };

	for (; a.at < a.end; a.at++) {
		unsigned id;

		if (aml_begins(&a, DEVICE, DEVICE_BYTES, DEVICE_BYTES)) {
			device = package_at((struct aml){ a.at + DEVICE_BYTES, a.end });
			continue;
		}
		if (a.at < device.at || a.at >= device.end)
			continue;
		id = id_at(&a, ids);
		if (!ids[id].bytes)
			continue;
		if (visit(ctx, id, device))
			return;
		a.at = device.end - 1;
	}
}
