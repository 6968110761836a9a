/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test by precedence, which supposes no distribution: were all 40 medians in random order, the
 * 6th of 20 with an aggressor is above the 15th of 20 alone if at most 5 of the lower half are of
 * the former: hypergeometric, 0.2 % (Balakrishnan, Ng: Precedence-Type Tests, 2006).
 */
#include "interfere.h"

#include "core/lib/mem.h"
#include "core/lib/sort.h"
#include "stretch.h"

#define LOW  5                         /* the 6th */
#define HIGH (INTERFERE_TURNS - 1 - 5) /* the 15th */

uint64_t interfere_median(uint64_t *v, size_t count)
{
	sort_u64(v, count);
	return count ? v[(count - 1) / 2] : 0;
}

/* a/b * c/d */
static uint64_t product(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return stretch_ppm(stretch_ratio(stretch_ratio(a, b), stretch_ratio(d, c)));
}

bool interfere_judge(const struct interfere_turns *alone, const struct interfere_turns *with,
		     struct interfere_found *found)
{
	struct interfere_turns a = *alone, w = *with;
	uint64_t typical_a = interfere_median(a.median, INTERFERE_TURNS);
	uint64_t typical_w = interfere_median(w.median, INTERFERE_TURNS);

	if (!a.median[0] || !w.median[0])
		return false;
	found->ratio = stretch_ppm(stretch_ratio(typical_w, typical_a));
	/* It exceeds this just when the 6th exceeds the 15th. */
	found->bound = product(typical_w, w.median[LOW], a.median[HIGH], typical_a);
	return true;
}
