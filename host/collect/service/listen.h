/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses to listen on: "[addr]:port", "1.2.3.4:port", ":port". */
#pragma once

#include <stddef.h>

/* What is accepted, for a message. */
#define LISTEN_FORMS "[2001:db8::1]:5514, 192.0.2.1:5514 or, for all addresses, :5514"

/*
 * A bound socket of this type (SOCK_DGRAM; SOCK_STREAM, which listens): without an address, for
 * both IPv6 and IPv4, if the system has both. -1, with the reason in `why`.
 */
int listen_open(const char *text, int type, char *why, size_t room);

/* The port it is bound to; 0: not known. */
unsigned listen_port(int fd);
