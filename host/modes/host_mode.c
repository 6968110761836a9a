/* SPDX-License-Identifier: BSD-2-Clause */
/* The modes, in the order of enum config_mode. */
#include "host_mode.h"

static const struct host_mode *const modes[MODES] = {
#define MODE(id, name) &host_mode_##name,
#include "core/config/mode_rows.h"
};

const struct host_mode *host_mode_at(unsigned n)
{
	return n < MODES ? modes[n] : NULL;
}
