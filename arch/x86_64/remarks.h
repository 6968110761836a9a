/* SPDX-License-Identifier: BSD-2-Clause */
/* On what a processor cannot show, there is nothing to remark here. */
#pragma once

#include <stddef.h>

static inline const char *remarks_next(unsigned *from)
{
	(void)from;
	return NULL;
}
