/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Versions of rt-tests, as its tools print them, and what oslat of a version did to
 * its figures. 2.4 calls itself 2.40; so 2.10 may be 2.1 or 2.10.
 */
#ifndef HOST_RT_VERSION_H
#define HOST_RT_VERSION_H

#include "peer.h"

#include <stdbool.h>
#include <stdint.h>

/* Both bounds inclusive, minor versions of 2; older majors are minor 0. */
struct rt_version {
	unsigned low, high;
};

/* The last version whose output is known. */
#define RT_VERSION_LAST 10

/* Take up what a tool calls itself, "2.40"; anything, where it is no version. */
struct rt_version rt_version_read(struct peer *peer, const char *text);

/*
 * What oslat prints as a time of `us` units of `unit_ns` was, before it was rounded: down
 * and one added up to 2.4, up in 2.5 and 2.6, down since.
 */
struct range rt_version_unround(struct rt_version v, uint64_t units, uint64_t unit_ns);

#endif
