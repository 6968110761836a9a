/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of core/modes/services/services_run.c: a call that goes on is reported sooner. */
#include "core/modes/services/service_room.h"

/* tests/system/test_services.py has the same values. */
#undef SERVICE_GUARD_SECONDS
#define SERVICE_GUARD_SECONDS 3

#include "core/modes/services/services_run.c"
