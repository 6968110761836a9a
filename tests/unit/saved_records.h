/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that go to a compact report, and as they would have been written to compare with. */
#pragma once

#include "core/records/compact.h"

#include "tests/unit/common/test.h"
#include "tests/unit/capture.h"

#define SID UINT64_C(0x0123456789abcdef)

static struct compact_writer writer;
static struct capture before, after;

static inline void saved_start(void *room, size_t bytes)
{
	compact_start(&writer, room, bytes);
	capture_start(&before, SID);
	capture_start(&after, SID);
}

static inline int teardown(void **state)
{
	(void)state;
	capture_free(&before);
	capture_free(&after);
	return 0;
}

static inline void add(enum record_type type, const void *record)
{
	assert_true(compact_add(&writer, type, record));
	record_send(&before.link, type, record);
}
