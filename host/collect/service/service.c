/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsystemd handles descriptors and the environment. Which sockets are accepted is decided here.
 */
#include "service.h"

#include "host/lib/monotonic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define LOG_MAX 8192

/* Sockets */

static bool is_inet(int fd)
{
	return sd_is_socket_inet(fd, AF_INET, 0, -1, 0) > 0 ||
	       sd_is_socket_inet(fd, AF_INET6, 0, -1, 0) > 0;
}

static bool service_take(struct service_sockets *s, int fd, const char *name, char *why,
			 size_t room)
{
	int *place = sd_is_socket(fd, AF_UNSPEC, SOCK_DGRAM, -1) > 0   ? &s->datagram
		     : sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) > 0 ? &s->stream
								       : NULL;
	bool is_first = place && *place < 0;

	if (is_first && is_inet(fd)) {
		*place = fd;
		return true;
	}
	snprintf(why, room,
		 "%s, which was passed as descriptor %d, is %s; accepted, of IPv4 or IPv6: a "
		 "datagram socket for records, and a listening stream socket for metrics",
		 name, fd, place && !is_first ? "the second of its kind" : "of another kind");
	return false;
}

bool service_take_sockets(struct service_sockets *s, char *why, size_t room)
{
	const char *given = getenv("LISTEN_FDS");
	char **names = NULL;
	/* 0 also where they are for another process, which has passed its environment on. */
	int count = sd_listen_fds_with_names(0, &names);
	bool well = count >= 0;

	*s = (struct service_sockets){ -1, -1 };
	if (!well)
		snprintf(why, room, "LISTEN_FDS=%s: %s", given ? given : "", strerror(-count));
	for (int n = 0; n < count; n++) {
		well = well && service_take(s, SD_LISTEN_FDS_START + n, names[n], why, room);
		free(names[n]);
	}
	free(names);
	unsetenv("LISTEN_PID");
	return well;
}

/* Messages to the service manager */

void service_notify(const char *state)
{
	int error = sd_notify(0, state);

	if (error < 0)
		service_log(LOG_WARNING, "NOTIFY_SOCKET=%s: %s", getenv("NOTIFY_SOCKET"),
			    strerror(-error));
}

void service_notify_reloading(void)
{
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 monotonic_ns() / NS_PER_US);
	service_notify(text);
}

/* Twice as often as is asked for. */
void service_watchdog(void)
{
	static uint64_t next_ns;
	uint64_t now = monotonic_ns(), period_us = 0;

	if (now < next_ns || sd_watchdog_enabled(0, &period_us) <= 0)
		return;
	next_ns = now + period_us * NS_PER_US / 2;
	service_notify("WATCHDOG=1");
}

/* True if standard error is the journal: it then has the journal's device and inode. */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device &&
	       status.st_ino == inode;
}

void service_log(int priority, const char *format, ...)
{
	char level[8] = "", text[LOG_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (is_journal())
		snprintf(level, sizeof(level), "<%d>", priority);
	fprintf(stderr, "%snoisefloor-collect: %s\n", level, text);
}
