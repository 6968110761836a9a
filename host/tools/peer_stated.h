/* SPDX-License-Identifier: BSD-2-Clause */
/* `# noisefloor:` lines, which say what a tool's output leaves out. */
#ifndef HOST_PEER_STATED_H
#define HOST_PEER_STATED_H

#include "peer_format.h"

#include <stdbool.h>

bool stated_is(const char *line);

/* Take up what the line says. False, with a complaint, where it cannot be read. */
bool stated_read(struct peer_parse *p, const char *line, struct peer_stated *stated);

/* Give what was stated to the figures that lack it; for a piece that was read to its end. */
void stated_apply(struct peer_parse *p);

#endif
