/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu. */
#include "linux_caches.h"

#include "system_file.h"

#include "core/lib/text.h"
#include "core/lib/units.h"

#include <stdbool.h>
#include <string.h>

#define INDEXES 16

struct place {
	const char *root;
	uint32_t cpu;
	unsigned index;
};

static bool read_text(const struct place *p, const char *name, char *text, size_t cap)
{
	TEXT_DEFINE(path, 80);

	text_add(&path, "sys/devices/system/cpu/cpu%u/cache/index%u/%s", (unsigned)p->cpu, p->index,
		 name);
	return system_read(p->root, path.buf, text, cap) == 0;
}

/* With that unit behind it, which may be none. */
static bool read_number(const struct place *p, const char *name, const char *unit, uint64_t *value)
{
	char text[24];
	size_t digits;

	if (!read_text(p, name, text, sizeof(text)))
		return false;
	digits = strspn(text, "0123456789");
	return strcmp(text + digits, unit) == 0 && units_parse_u64(text, digits, value) == UNITS_OK;
}

void linux_caches_read(struct caches *c, uint32_t cpu, const char *root)
{
	struct place p = { .root = root, .cpu = cpu };
	uint64_t level, kib;
	char type[24];

	*c = (struct caches){ 0 };
	for (; p.index < INDEXES && read_number(&p, "level", "", &level); p.index++) {
		if (read_text(&p, "type", type, sizeof(type)) && strcmp(type, "Instruction") != 0 &&
		    read_number(&p, "size", "K", &kib) && kib <= UINT64_MAX >> 10)
			caches_add(c, level, kib << 10);
	}
}
