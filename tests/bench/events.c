/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long it takes, and in how much memory, to merge the gaps of 255 cores into
 * events. The gaps are planted from a seed, so the events are known: finding
 * others, or needing memory that grows with the gaps, is a failure.
 */
#include "tests/unit/planted.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define GROWTH_MAX 1024 /* KiB the merge may add to the memory resident */

static void fail(const char *what)
{
	fprintf(stderr, "bench-events: %s\n", what);
	exit(1);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t resident_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss;
}

static void run(uint64_t gaps)
{
	uint64_t before, growth, events;
	const char *flaw;
	double seconds;

	planted_make(gaps);
	before = resident_kib();
	seconds = cpu_seconds();
	events = planted_merge();
	seconds = cpu_seconds() - seconds;
	growth = resident_kib() - before;
	flaw = planted_flaw(gaps);
	if (flaw)
		fail(flaw);
	printf("%8" PRIu64 "  %7" PRIu64 "  %7.2f  %6.0f  %9" PRIu64 "  %8" PRIu64 "  %6" PRIu64
	       " %6" PRIu64 " %7" PRIu64 " %7" PRIu64 "\n",
	       gaps, events, seconds, seconds * 1e9 / (double)gaps, before, growth,
	       planted.found[SCOPE_CPU], planted.found[SCOPE_CORE], planted.found[SCOPE_PACKAGE],
	       planted.found[SCOPE_MACHINE]);
	planted_free();
	if (growth > GROWTH_MAX)
		fail("the merge took memory that grows with the gaps");
}

int main(void)
{
	printf("%d cores, all events as planted; the merge keeps %zu bytes and the %d longest\n",
	       PLANTED_CORES,
	       sizeof(struct event_merge) +
		       PLANTED_CORES * (sizeof(planted.core[0]) + sizeof(planted.heap[0])),
	       PLANTED_LONGEST);
	printf("    GAPS   EVENTS  CPU (s)  ns/GAP  RSS (KiB)  + (KiB)      CPU   CORE PACKAGE "
	       "MACHINE\n");
	run(100000);
	run(1000000);
	run(10000000);
	return 0;
}
