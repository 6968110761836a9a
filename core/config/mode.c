/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "mode.h"

static const struct mode *const modes[MODES] = {
	[MODE_GAPS] = &mode_gaps,
	[MODE_STRETCH] = &mode_stretch,
};

const struct mode *mode_at(unsigned n)
{
	return n < MODES ? modes[n] : NULL;
}

const struct mode *mode_of(const struct config *c)
{
	return modes[c->mode];
}
