/* SPDX-License-Identifier: BSD-2-Clause */
/* The live table of a collector: the latest nodes, and the totals. */
#pragma once

#include "collector.h"

/* Draw it over the previous one, with as many rows as the terminal has. */
void collect_table_draw(const struct collector *c);
