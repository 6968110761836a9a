/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "host_mode.h"

static const struct host_mode *const modes[MODES] = {
	[MODE_GAPS] = &host_mode_gaps,
	[MODE_STRETCH] = &host_mode_stretch,
};

const struct host_mode *host_mode_at(unsigned n)
{
	return n < MODES ? modes[n] : NULL;
}
