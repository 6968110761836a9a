/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "screen_mode.h"

static const struct screen_mode *const modes[MODES] = {
	[MODE_GAPS] = &screen_mode_gaps,
	[MODE_STRETCH] = &screen_mode_stretch,
};

const struct screen_mode *screen_mode_of(const struct config *c)
{
	return modes[c->mode];
}
