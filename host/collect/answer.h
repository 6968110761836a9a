/* SPDX-License-Identifier: BSD-2-Clause */
/* What is answered, as JSON, where a node's verdict is asked for over HTTP: web.h. */
#pragma once

#include "host/fleet/store/store.h"

#include <stdint.h>

/*
 * The verdict of the node whose UUID this text is. *status is that of HTTP. Passes that were
 * received longer ago than max_age_ns do not count; 0: any does. To be freed; NULL: memory has run
 * out.
 */
char *answer_verdict(struct store *store, uint64_t max_age_ns, const char *uuid, unsigned *status);

/* No outcome, for this reason. */
char *answer_reason(const char *reason);
