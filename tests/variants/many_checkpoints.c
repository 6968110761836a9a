/* SPDX-License-Identifier: BSD-2-Clause */
/* Checkpoints more often than they can be asked for; with save=file in several small variables. */
#include "probe/save/nvram.h"

#define EVERY_NS   UINT64_C(20000000)
#define PART_BYTES 1000

uint64_t save_limits_every_ns(const struct config *c)
{
	return config_checkpoint_ns(c) ? EVERY_NS : 0;
}

size_t save_limits_part(const struct config *c)
{
	return c->save == SAVE_FILE ? PART_BYTES : NVRAM_REPORT_MAX;
}
