/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "screen_mode.h"

static const struct screen_mode *const modes[MODES] = {
#define MODE(id, name) &screen_mode_##name,
#include "core/config/mode_rows.h"
};

const struct screen_mode *screen_mode_of(const struct config *c)
{
	return modes[c->mode];
}
