/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Service manager interface of the collector: sd_listen_fds(3), sd_notify(3),
 * sd_watchdog_enabled(3), sd-daemon(3). Without a service manager all of it does nothing, and
 * sockets are opened by listen.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <syslog.h>

/* Sockets that were passed; -1: none of this kind. */
struct service_sockets {
	int datagram, stream;
};

/*
 * Take them. False, with the reason in `why`, if what was passed is something else: not of IPv4 or
 * IPv6, a stream that does not listen, or two of a kind.
 */
bool service_take_sockets(struct service_sockets *s, char *why, size_t room);

/* Accepted forms, for a message. */
#define SERVICE_LISTEN_FORMS "[2001:db8::1]:5514, 192.0.2.1:5514 or, for all addresses, :5514"

/*
 * A bound socket of this type (SOCK_DGRAM; SOCK_STREAM, which listens): without an address, for
 * both IPv6 and IPv4, if the system has both. -1, with the reason in `why`.
 */
int service_listen(const char *text, int type, char *why, size_t room);

/* The port it is bound to; 0: not known. */
unsigned service_port(int fd);

/* "READY=1", "STOPPING=1" and others of sd_notify(3). What cannot be sent is logged. */
void service_notify(const char *state);

/* Report that the configuration is being read again, until the next "READY=1". */
void service_notify_reloading(void);

/* Call this at least once a second: it reports in time that the process is alive. */
void service_watchdog(void);

/*
 * A message on standard error, after "noisefloor-collect: ". In the journal it has this priority,
 * LOG_ERR to LOG_INFO.
 */
__attribute__((format(printf, 2, 3))) void service_log(int priority, const char *format, ...);
