/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses one by one, and added up. */
#include "pauses.h"

#include "core/lib/mem.h"

void pauses_clear(struct pauses *p)
{
	memset(p, 0, sizeof(*p));
}

bool pauses_add(struct pauses *p, unsigned n, const struct record_pause *pause)
{
	struct record_pause *rest = &p->rest[n][pause->forward];

	if (pause->forward && p->kept < PAUSES_SINGLE) {
		p->ahead[p->kept++] = *pause;
		return false;
	}
	if (!pause->forward && p->reported < PAUSES_SINGLE) {
		p->reported++;
		return true;
	}
	if (!rest->pauses) {
		*rest = *pause;
		return false;
	}
	rest->pauses += pause->pauses;
	rest->until_ns = pause->until_ns;
	rest->least_ns += pause->least_ns;
	rest->most_ns += pause->most_ns;
	if (pause->worst_ns > rest->worst_ns)
		rest->worst_ns = pause->worst_ns;
	return false;
}

bool pauses_take(struct pauses *p, struct record_pause *pause)
{
	if (p->taken < p->kept) {
		*pause = p->ahead[p->taken++];
		return true;
	}
	for (unsigned n = 0; n < CLOCKWATCH_MAX; n++) {
		for (unsigned forward = 0; forward < 2; forward++) {
			if (!p->rest[n][forward].pauses)
				continue;
			*pause = p->rest[n][forward];
			p->rest[n][forward].pauses = 0;
			return true;
		}
	}
	return false;
}
