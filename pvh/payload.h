/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The payload is a Linux in the initrd, usually the one that started the probe. The probe starts it
 * after the run, with the report in a node of setup_data. See core/firmware/linux_boot.h.
 */
#pragma once

#include "start_info.h"
#include "probe/door.h"

/*
 * Look for a payload in the initrd, and allocate what starting it takes. All memory is mapped.
 * False: there is one, and it cannot be started; *problem has the reason.
 */
bool payload_open(const struct start_info *info, struct text *problem);

bool payload_is_there(void);

/* The configuration in the payload; *bytes is 0 without one. */
const char *payload_config(size_t *bytes);

/* These implement door.variable. One variable exists: the first part of a report. */
enum door_status payload_get(enum door_owner owner, const char *name, void *value, size_t *bytes);
enum door_status payload_set(enum door_owner owner, const char *name, enum door_lasting lasting,
			     const void *value, size_t bytes);
bool payload_room(uint64_t *store, uint64_t *left, uint64_t *most);

/* Stop the other cores, and start the payload's Linux. Called once payload_is_there(). */
void payload_start(void) __attribute__((noreturn));
