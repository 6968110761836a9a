/* SPDX-License-Identifier: BSD-2-Clause */
/* Options from noisefloor.conf, the boot server and load options. */
#pragma once

struct options;

/* Implements door.read_options(). */
void firmware_options_read(struct options *o);
