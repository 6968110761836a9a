/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UDP socket. What arrives while nobody reads it waits in the system's buffer, which
 * service/listen.c asks to be large; what has no room there is dropped, and its node sends it
 * again.
 */
#pragma once

#include "receiver.h"

#include <stddef.h>
#include <stdint.h>

struct udp_socket;

/* A received datagram. Of one longer than any valid one, only the length matters. */
struct udp_socket_datagram {
	struct rx_address from;
	size_t bytes;
	uint8_t data[DATAGRAM_MAX + 1];
};

/* Takes ownership of the socket. NULL, with errno. */
struct udp_socket *udp_socket_new(int fd);
void udp_socket_free(struct udp_socket *u);

/* Wait until there are datagrams, or until woken, at most `ns`. */
void udp_socket_wait(struct udp_socket *u, uint64_t ns);

/* End the current wait, or else the next one. May be called by any thread. */
void udp_socket_wake(struct udp_socket *u);

/* The oldest datagram, valid until the next call; NULL: none is there. */
const struct udp_socket_datagram *udp_socket_next(struct udp_socket *u);

/* Send an answer, from the address that the datagram was sent to. What cannot be sent is lost. */
void udp_socket_send(struct udp_socket *u, const struct rx_address *to, const uint8_t *bytes,
		     size_t count);

/*
 * Datagrams that the system dropped because they were not fetched in time, as far as it reports
 * them.
 */
uint64_t udp_socket_dropped(const struct udp_socket *u);

/* "192.0.2.1" or "2001:db8::1", without the port. */
void udp_socket_print_address(const struct rx_address *address, char *text, size_t room);

/* The reverse: an address from its text, as IPv6; all zero if it is none. */
void udp_socket_parse_address(const char *text, struct rx_address *address);
