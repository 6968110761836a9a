/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A distribution-free precedence test: if all 40 medians were in random order, the 6th of 20 with
 * an aggressor would be above the 15th of 20 alone with a probability of 0.19 %, the 5th above the
 * 16th with 0.018 %, and the 4th above the 17th with 0.00097 % (Balakrishnan, Ng: Precedence-Type
 * Tests, 2006). The probability that this happens in any of the pairs is below 1 %.
 */
#include "interfere.h"

#include "core/lib/ratio.h"
#include "core/lib/sort.h"

static unsigned rank_of(uint32_t pairs)
{
	if (pairs <= 5)
		return 5; /* the 6th, from 0 */
	return pairs <= 55 ? 4 : 3;
}

_Static_assert(INTERFERE_GROUPS *(INTERFERE_GROUPS - 1) <= 1031, "rank_of()");

uint64_t interfere_median(uint64_t *v, size_t count)
{
	sort_u64(v, count);
	return count ? v[(count - 1) / 2] : 0;
}

/* a/b * c/d */
static uint64_t product(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return ratio_ppm(ratio_of(ratio_of(a, b), ratio_of(d, c)));
}

bool interfere_judge(const struct interfere_turns *alone, const struct interfere_turns *with,
		     uint32_t pairs, struct record_interfere *found)
{
	unsigned low = rank_of(pairs), high = INTERFERE_TURNS - 1 - low;
	struct interfere_turns a = *alone, w = *with;
	uint64_t typical_a = interfere_median(a.median, INTERFERE_TURNS);
	uint64_t typical_w = interfere_median(w.median, INTERFERE_TURNS);

	if (!a.median[0] || !w.median[0])
		return false;
	found->ratio = ratio_ppm(ratio_of(typical_w, typical_a));
	/* The ratio of medians exceeds this exactly if the one of that rank exceeds the other's. */
	found->bound = product(typical_w, w.median[low], a.median[high], typical_a);
	return true;
}
