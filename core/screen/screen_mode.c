/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "screen_mode.h"

#include "core/lib/units.h"

static const struct screen_mode *const modes[MODES] = {
#define MODE(id, name) &screen_mode_##name,
#include "core/config/mode_rows.h"
};

void screen_mode_max(const struct screen *s, struct text *t)
{
	const struct config_limit *max = &s->report->config->max_ns;

	if (max->set)
		units_print_ns(t, max->value);
}

const struct screen_mode *screen_mode_of(const struct config *c)
{
	return modes[c->mode];
}
