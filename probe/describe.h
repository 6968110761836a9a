/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the begin record, which describes what is measured. */
#pragma once

#include "machine.h"

#include "core/config/config.h"
#include "core/gaps/platform.h"
#include "core/lib/date.h"
#include "core/records/record.h"
#include "core/report/report.h"

#define DESCRIBE_CONFIG_MAX 800

/* The begin record and the strings it points to. */
struct describe_begin {
	struct record_begin record;
	const char *busy[RECORD_STRINGS]; /* evidence that the firmware uses; ends with NULL */
	char apic_ids[400];
	char config[DESCRIBE_CONFIG_MAX];
	char began[DATE_TEXT_MAX];
};

/* Fill in what is known before the cores are prepared. */
void describe_machine(struct record_begin *b, const struct machine *m);

/* Fill in the wall time, as long as the firmware can be asked. */
void describe_time(struct describe_begin *d);

/* Fill in the rest, once the cores are prepared. */
void describe_begin(struct describe_begin *d, const struct machine *m, const struct platform *p,
		    const struct config *c);

/* Log the evidence that is left alone because the firmware uses it. */
void describe_log_busy(const struct describe_begin *d, struct report *report);
