/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much the counts of a run's windows differ beyond what independent events would: events that
 * come in bursts or storms are fewer than they seem.
 *
 * The windows are also taken together to 3, 6, 12 ... blocks. At each of these scales the index of
 * dispersion is Pearson's chi-square of equal rates over its degrees of freedom, as in
 * quasi-Poisson models: the number of events that come as one. It grows with the blocks until they
 * are longer than a storm. So the largest counts, with its degrees of freedom; and none where no
 * scale has a chi-square that chance reaches less often than 1 time in 100.
 *
 * What lasts longer than a third of the run does not show in it.
 */
#pragma once

#include <stddef.h>

struct dispersion_window {
	double count, length; /* length above 0, in any unit */
};

struct dispersion {
	double size;    /* so many events are taken as one: at least 1 */
	size_t freedom; /* degrees, of that estimate; 0: it is known, or events are independent */
};

/* Fewer windows are no evidence of how events come. */
#define DISPERSION_WINDOWS_MIN 5

/* In the order of time. Of fewer than DISPERSION_WINDOWS_MIN: as independent events. */
struct dispersion dispersion_of(const struct dispersion_window *w, size_t windows);

/*
 * The chance of what independent events show with probability `chance` (1e-15 to 1), if their
 * number has been divided by d->size: that is itself an estimate, so Student's t of as many
 * standard deviations.
 */
double dispersion_chance(const struct dispersion *d, double chance);

/*
 * The least and the greatest mean for which `count` or more, or `count` or fewer, occur with
 * probability `tail` (above 0, below 0.5): poisson.h, in bursts.
 */
double dispersion_lower(const struct dispersion *d, double count, double tail);
double dispersion_upper(const struct dispersion *d, double count, double tail);
