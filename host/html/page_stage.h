/* SPDX-License-Identifier: BSD-2-Clause */
/* One stage of a run on a report's page: cores, time, lengths, events, sources. */
#ifndef HOST_PAGE_STAGE_H
#define HOST_PAGE_STAGE_H

#include "host/capture/shown.h"

#include <stdio.h>

void page_stage(FILE *f, const struct shown *s, const char *stage);

#endif
