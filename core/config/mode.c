/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "mode.h"

static const struct mode *const modes[MODES] = {
#define MODE(id, name) &mode_##name,
#include "mode_rows.h"
};

const struct mode *mode_at(unsigned n)
{
	return n < MODES ? modes[n] : NULL;
}

const struct mode *mode_of(const struct config *c)
{
	return modes[c->mode];
}
