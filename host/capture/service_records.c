/* SPDX-License-Identifier: BSD-2-Clause */
#include "service_records.h"

#include "core/lib/text.h"

struct service_records service_records_of(const struct result_stage *stage)
{
	const struct result_list *list = &stage->kept[RECORD_SERVICE];

	return (struct service_records){ list->at, list->count };
}

const struct record_service *service_records_find(struct service_records of, const char *service)
{
	for (size_t i = 0; i < of.count; i++)
		if (text_same(of.at[i].service, service))
			return &of.at[i];
	return NULL;
}
