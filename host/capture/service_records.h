/* SPDX-License-Identifier: BSD-2-Clause */
/* The service records of a stage. */
#pragma once

#include "host/capture/result.h"

struct service_records {
	const struct record_service *at;
	size_t count;
};

struct service_records service_records_of(const struct result_stage *stage);

/* That of a service; NULL: there is none. */
const struct record_service *service_records_find(struct service_records of, const char *service);
