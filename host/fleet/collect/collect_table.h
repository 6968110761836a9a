/* SPDX-License-Identifier: BSD-2-Clause */
/* The live table of a collector: the nodes heard of last, and the sums. */
#ifndef HOST_COLLECT_TABLE_H
#define HOST_COLLECT_TABLE_H

#include "collector.h"

/* Draw it over the one before, as many rows as the terminal has. */
void table_draw(const struct collector *c);

#endif
