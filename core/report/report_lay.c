/* SPDX-License-Identifier: BSD-2-Clause */
/* The report's memory: windows and cores, then one place for slots or times. */
#include "report.h"

#define TIMES_BYTES (REPORT_TIMES * sizeof(uint64_t))

static size_t fixed_part(uint32_t cpus)
{
	return REPORT_EXPOSURE * sizeof(struct exposure_window) + cpus * sizeof(struct event_cpu);
}

size_t report_room(uint32_t cpus, uint64_t events)
{
	size_t slots = (size_t)events * sizeof(struct event_slot);

	return fixed_part(cpus) + (slots > TIMES_BYTES ? slots : TIMES_BYTES);
}

_Static_assert(sizeof(struct exposure_window) % 8 == 0 && sizeof(struct event_cpu) % 8 == 0,
	       "what comes behind them is aligned");

void report_lay(struct report *r, void *memory, size_t bytes, uint32_t cpus)
{
	uint8_t *at = memory;

	r->exposure = (struct exposure){ .window = memory, .capacity = REPORT_EXPOSURE };
	at += REPORT_EXPOSURE * sizeof(struct exposure_window);
	r->event_cpus = (struct event_cpu *)(void *)at;
	at += cpus * sizeof(struct event_cpu);
	r->event_slots = (struct event_slot *)(void *)at;
	r->event_capacity = (uint32_t)((bytes - fixed_part(cpus)) / sizeof(struct event_slot));
	r->times = (uint64_t *)(void *)at;
}
