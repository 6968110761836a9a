/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "screen_mode.h"

#include "core/config/limit.h"

static const struct screen_mode *const modes[MODES] = {
#define MODE(id, name) &screen_mode_##name,
#include "core/config/mode_rows.h"
};

const struct screen_mode *screen_mode_of(const struct config *c)
{
	return modes[c->mode];
}

void screen_mode_limit(const struct screen *s, struct text *t)
{
	const struct config *c = s->report->config;
	enum limit limit = screen_mode_of(c)->limit;

	if (limit != LIMITS && c->limit[limit].set)
		limit_row(limit)->exact(t, c->limit[limit].value);
}

bool screen_mode_is_over(const struct screen *s)
{
	const struct config *c = s->report->config;
	const struct screen_mode *mode = screen_mode_of(c);

	return mode->limit != LIMITS && limit_exceeded(c, mode->limit, mode->value(s));
}
