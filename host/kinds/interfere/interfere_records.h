/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfere records of a stage, none of a kernel and pair twice; and their part of the page. */
#pragma once

#include "host/capture/result.h"

#include "core/config/config.h"
#include "core/records/record.h"

#include <stddef.h>
#include <stdio.h>

/* A heat map of each kernel: host_kind.page. */
void interfere_page(FILE *f, const struct result *run, struct result_stage *stage,
		    const struct config *limits);
