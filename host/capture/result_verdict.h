/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run judged by limits: those of a requested preset, else the run's own. And whether it ran as
 * long as its preset requires.
 */
#pragma once

#include "result.h"

#include "core/config/config.h"
#include "core/config/preset.h"
#include "core/lib/text.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

struct result_verdict {
	const struct preset *preset; /* requested, else the run's own; NULL: none */
	bool asked;
	struct config limits;           /* in force, as `max` */
	uint64_t sampled_ns;            /* of the stage that had the least */
	struct verdict_reasons reasons; /* by the requested preset; else the outcome and remark */
};

/* `asked` NULL: by the run's own limits. */
void result_verdict_read(struct result_verdict *v, const struct result *run,
			 const struct preset *asked);

/*
 * "preset openshift: pass, but 2 s of sampling is short of the 12 h ...; source", and without the
 * outcome where the preset is the run's own. Nothing where there is no preset.
 */
void result_verdict_sentence(const struct result_verdict *v, struct text *t);

/* Exit code of the requested preset: 0 where none was requested. */
int result_verdict_exit_code(const struct result_verdict *v);
