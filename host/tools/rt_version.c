/* SPDX-License-Identifier: BSD-2-Clause */
/* Versions of rt-tests and their rounding. */
#include "rt_version.h"

#include "host/lib/scan.h"

#include "core/lib/arith.h"

#include <stdio.h>
#include <string.h>

static const struct rt_version any = { 0, RT_VERSION_LAST };

struct rt_version rt_version_read(struct peer *peer, const char *text)
{
	const char *at = text;
	uint64_t major, minor;

	if (!scan_u64(&at, &major) || *at != '.' || !*++at || *at == ' ' ||
	    !scan_u64(&at, &minor) || !scan_end(at)) {
		peer->notes |= PEER_VERSION;
		return any;
	}
	snprintf(peer->version, sizeof(peer->version), "%.20s", text);
	if (major < 2)
		return (struct rt_version){ 0, 0 };
	if (major == 2 && minor == 10) {
		peer->notes |= PEER_VERSION;
		return (struct rt_version){ 1, 10 };
	}
	if (minor >= 20 && minor % 10 == 0)
		minor /= 10;
	if (major > 2 || minor > RT_VERSION_LAST) {
		peer->notes |= PEER_NEWER;
		minor = RT_VERSION_LAST;
	}
	return (struct rt_version){ (unsigned)minor, (unsigned)minor };
}

#define ROUNDS_DOWN_SINCE 7

struct range rt_version_unround(struct rt_version v, uint64_t units, uint64_t unit_ns)
{
	bool down = v.high >= ROUNDS_DOWN_SINCE, up = v.low < ROUNDS_DOWN_SINCE;
	uint64_t ns = arith_times(units, unit_ns);

	return range_of(up ? arith_less(ns, unit_ns) : ns, down ? arith_sum(ns, unit_ns - 1) : ns);
}
