/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the causes. */
#include "cause.h"

#include "core/lib/mem.h"

static const char *const names[CAUSES] = {
#define COUNTED(id, name, ...) [CAUSE_##id] = #name,
#include "counted_rows.h"
	[CAUSE_EL3] = "el3",         [CAUSE_HYPERVISOR] = "hypervisor", [CAUSE_SERROR] = "serror",
	[CAUSE_STEAL] = "steal",     [CAUSE_STOPPED] = "stopped",       [CAUSE_STALL] = "stall",
	[CAUSE_UNKNOWN] = "unknown",
};

const char *cause_name(enum cause cause)
{
	return (unsigned)cause < CAUSES ? names[cause] : names[CAUSE_UNKNOWN];
}

bool cause_parse(const char *name, enum cause *cause)
{
	/* Most causes are unknown, which is the last one. */
	for (unsigned i = CAUSES; i-- > 0;) {
		if (strcmp(name, names[i]) == 0) {
			*cause = (enum cause)i;
			return true;
		}
	}
	return false;
}
