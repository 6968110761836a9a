/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of the environment, and datagrams to one of the paths in them. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "service.h"

#include "host/lib/monotonic.h"

#include "core/lib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */
#define FDS_MAX  64
#define LOG_MAX  8192

/* A number in the environment; 0: there is none. */
static uint64_t number_in(const char *variable)
{
	const char *text = getenv(variable);
	uint64_t number = 0;

	if (text)
		units_parse_u64(text, strlen(text), &number);
	return number;
}

/* Sockets */

static int option_of(int fd, int option)
{
	int value;
	socklen_t bytes = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &bytes) == 0 ? value : -1;
}

/* Where it belongs; NULL, with the reason: nowhere. */
static int *place_of(struct service_sockets *s, int fd, const char **why)
{
	int type = option_of(fd, SO_TYPE), domain = option_of(fd, SO_DOMAIN);
	int *place = type == SOCK_DGRAM ? &s->datagram : &s->stream;

	*why = NULL;
	if (type < 0)
		*why = "is not a socket";
	else if (domain != AF_INET && domain != AF_INET6)
		*why = "is neither IPv4 nor IPv6";
	else if (type != SOCK_DGRAM && type != SOCK_STREAM)
		*why = "is neither a datagram nor a stream socket";
	else if (type == SOCK_STREAM && option_of(fd, SO_ACCEPTCONN) != 1)
		*why = "is a stream that does not listen";
	else if (*place >= 0)
		*why = "is the second of its kind";
	return *why ? NULL : place;
}

/* The n-th name of LISTEN_FDNAMES, for messages. */
static void name_of(unsigned n, char *name, size_t room)
{
	const char *at = getenv("LISTEN_FDNAMES");

	for (; at && n; n--) {
		at = strchr(at, ':');
		at = at ? at + 1 : NULL;
	}
	snprintf(name, room, "%.*s", at ? (int)strcspn(at, ":") : 0, at ? at : "");
}

static bool take(struct service_sockets *s, unsigned n, char *why, size_t room)
{
	int fd = FIRST_FD + (int)n, *place;
	const char *reason;
	char name[64];

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	place = place_of(s, fd, &reason);
	if (place) {
		*place = fd;
		return true;
	}
	name_of(n, name, sizeof(name));
	snprintf(why, room,
		 "%s, which was passed as descriptor %d, %s; accepted: a datagram socket for "
		 "records, and a listening stream socket for metrics",
		 *name ? name : "a file", fd, reason);
	return false;
}

bool service_take_sockets(struct service_sockets *s, char *why, size_t room)
{
	uint64_t count = number_in("LISTEN_FDS");
	bool well = true;

	*s = (struct service_sockets){ -1, -1 };
	/* For another process, which has passed its environment on. */
	if (number_in("LISTEN_PID") != (uint64_t)getpid())
		return true;
	if (!count || count > FDS_MAX) {
		snprintf(why, room, "LISTEN_FDS=%s: accepted: 1 to %d",
			 getenv("LISTEN_FDS") ? getenv("LISTEN_FDS") : "", FDS_MAX);
		return false;
	}
	for (unsigned n = 0; n < count && well; n++)
		well = take(s, n, why, room);
	unsetenv("LISTEN_PID");
	return well;
}

/* Messages to the service manager */

static int send_to(const char *path, const char *text)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t bytes = strlen(path);
	int fd, error;

	if ((*path != '/' && *path != '@') || bytes >= sizeof(to.sun_path))
		return EAFNOSUPPORT;
	memcpy(to.sun_path, path, bytes);
	/* An abstract name begins with a zero, and has none at its end: unix(7). */
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	error = sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes)) < 0
			? errno
			: 0;
	close(fd);
	return error;
}

void service_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	int error = path && *path ? send_to(path, state) : 0;

	if (error)
		service_log(LOG_WARNING, "NOTIFY_SOCKET=%s: %s", path, strerror(error));
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
	uint64_t pid = number_in("WATCHDOG_PID"), now = monotonic_ns();
	uint64_t period_us = number_in("WATCHDOG_USEC");

	if (!period_us || (pid && pid != (uint64_t)getpid()) || now < next_ns)
		return;
	next_ns = now + period_us * NS_PER_US / 2;
	service_notify("WATCHDOG=1");
}

/* Does standard error lead to the journal? It has the journal's device and inode then. */
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
