/* SPDX-License-Identifier: BSD-2-Clause */
/* The checkpoint interval is the configured one, and a variable may be as large as a report. */
#include "nvram.h"

uint64_t save_limits_every_ns(const struct config *c)
{
	return config_checkpoint_ns(c);
}

size_t save_limits_part(const struct config *c)
{
	(void)c;
	return NVRAM_REPORT_MAX;
}
