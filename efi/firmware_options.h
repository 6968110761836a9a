/* SPDX-License-Identifier: BSD-2-Clause */
/* noisefloor.conf, what the boot server has, load options. */
#pragma once

struct options;

/* As door.read_options(). */
void firmware_options_read(struct options *o);
