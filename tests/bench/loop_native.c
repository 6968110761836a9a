/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hot loop against the least that any such loop can do: eight RDTSC and a
 * branch. Both run in one process on one CPU, a few microseconds each in turn,
 * so that a busy machine and a changing clock rate hit both alike; the medians
 * of many turns leave out those that were disturbed.
 */
#define _GNU_SOURCE
#include "clock_now.h"
#include "loop.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TURNS       20001
#define TURN_PASSES 64
#define PASS        8 /* samples */
#define RATIO_MAX   1.10

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double v[TURNS])
{
	qsort(v, TURNS, sizeof(v[0]), compare);
	return v[TURNS / 2];
}

/* Ticks per read, with nothing between the reads. */
static double time_bare(void)
{
	uint64_t start = clock_now();

	for (unsigned i = 0; i < TURN_PASSES; i++) {
		clock_now();
		clock_now();
		clock_now();
		clock_now();
		clock_now();
		clock_now();
		clock_now();
		clock_now();
	}
	return (double)(clock_now() - start) / (TURN_PASSES * PASS + 1);
}

/* Ticks per sample of the loop, which runs for about `length` ticks. */
static double time_loop(uint64_t length)
{
	uint64_t start = clock_now();
	_Atomic uint64_t end = start + length;
	uint64_t passes = 0;
	uint64_t now;

	/* Only a TSC that steps back exceeds this threshold. */
	loop_sample_counted(start, UINT64_MAX, &end, &now, &passes);
	return passes ? (double)(now - start) / (double)(passes * PASS) : 0;
}

static void stay_on_one_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

int main(void)
{
	static double bare[TURNS], loop[TURNS];

	stay_on_one_cpu();
	for (unsigned i = 0; i < TURNS; i++) {
		bare[i] = time_bare();
		loop[i] = time_loop((uint64_t)(bare[i] * TURN_PASSES * PASS));
	}

	double least = median(bare);
	double ours = median(loop);
	bool good = least > 0 && ours > 0 && ours <= RATIO_MAX * least;

	printf("loop on this machine: %.2f ticks per sample, %.2f for RDTSC alone: "
	       "ratio %.3f, at most %.2f\n",
	       ours, least, ours / least, RATIO_MAX);
	return good ? 0 : 1;
}
