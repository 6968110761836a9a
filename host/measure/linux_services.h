/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services of firmware as a process of Linux can have them called, and devices that firmware may
 * emulate: by efivarfs, /dev/rtcN and /dev/port. What Linux does not call for a process is n/a,
 * with the reason.
 */
#pragma once

#include "linux_guard.h"

#include "core/gaps/platform.h"
#include "core/modes/services/service_room.h"

#include <stdbool.h>
#include <stdint.h>

/* No call takes longer, all of them together neither. */
#define LINUX_SERVICES_CALL_S 5
#define LINUX_SERVICES_RUN_S  3600

#define LINUX_SERVICES_VALUE (64u << 10) /* bytes of the largest variable that is read */

struct linux_services {
	char root[256];
	struct service_room *room;
	struct linux_guard guard;
	int fd; /* of the service that is open */
	uint64_t port;
	const char *service; /* the last that was called; NULL: none was */
	char why[300];
	uint64_t began_ns;
	uint8_t value[LINUX_SERVICES_VALUE + sizeof(uint32_t)];
};

/*
 * Fill the room's functions, and guard the calling thread, which will call. `give_up`: a call did
 * not return at all, that of s->service; what is left is to report it and to end the process.
 * False, with errno: not possible.
 */
bool linux_services_open(struct linux_services *s, const char *root, struct service_room *room,
			 void (*give_up)(void *ctx), void *ctx);
void linux_services_close(struct linux_services *s);

/* Whether all that is allowed has been used up: why, or NULL. */
const char *linux_services_over(const struct linux_services *s);
