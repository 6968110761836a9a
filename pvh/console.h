/* SPDX-License-Identifier: BSD-2-Clause */
/* COM1 is the console until the probe has chosen its serial port. */
#pragma once

#include "probe/door.h"

/* These implement door.print(), door.read_key() and door.stall(); see probe/door.h. */
void console_print(const char *line);
bool console_read_key(struct door_key *key);
void console_stall(uint32_t us);
