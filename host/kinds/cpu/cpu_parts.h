/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the kind `cpu` that have files of their own. */
#pragma once

#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"

#include "core/config/config.h"

#include <stdio.h>

/* The stage at a glance, and a table of its cores: host_kind.page. */
void cpu_page(FILE *f, const struct result *run, struct result_stage *stage,
	      const struct config *limits);
void cpu_page_table(FILE *f, const struct result *run, struct result_stage *stage,
		    const struct config *limits);

/* How rates have changed. */
host_kind_diff cpu_diff;
