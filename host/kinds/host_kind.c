/* SPDX-License-Identifier: BSD-2-Clause */
/* All kinds, in the order in which they are printed. */
#include "host_kind.h"

/* clang-format off */
static const struct host_kind *const kinds[] = {
	&host_kind_stage,
	&host_kind_window,
	&host_kind_cpu,
	&host_kind_stretch,
	&host_kind_interfere,
	&host_kind_survey,
	&host_kind_service,
	&host_kind_gap,
	&host_kind_event,
	&host_kind_source,
};
/* clang-format on */

const struct host_kind *host_kind_at(size_t n)
{
	return n < sizeof(kinds) / sizeof(kinds[0]) ? kinds[n] : NULL;
}

const struct host_kind *host_kind_of(enum record_type type)
{
	const struct host_kind *kind;
	size_t n = 0;

	while ((kind = host_kind_at(n)) && kind->type != type)
		n++;
	return kind;
}
