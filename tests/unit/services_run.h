/* SPDX-License-Identifier: BSD-2-Clause */
/* Write a run of mode=services into a file, with the `service` records that a test supplies. */
#pragma once

#include "tests/unit/command.h"

#define SERVICES_RUN_HZ UINT64_C(2400000000)

static uint64_t services_run_hz = SERVICES_RUN_HZ;

static inline void services_run_send(const struct record_begin *begin,
				     const struct record_service *r, size_t count)
{
	record_send(&capture.link, RECORD_BEGIN, begin);
	SEND_STAGE(.stage = "handoff");
	for (size_t i = 0; i < count; i++) {
		struct record_service service = r[i];

		service.stage = "handoff";
		record_send(&capture.link, RECORD_SERVICE, &service);
	}
	SEND_END(.verdict = "none");
}

static inline void services_run_write(const struct record_service *r, size_t count, unsigned file)
{
	const struct record_begin begin = { .version = "9.8",
					    .machine = { .vendor = "Acme" },
					    .clock = { .hz = services_run_hz },
					    .config = "mode=services" };

	start_again();
	services_run_send(&begin, r, count);
	save(file);
}
