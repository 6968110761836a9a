/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UDP socket that a separate thread empties into memory, so that nothing is lost while the disk
 * is busy: up to UDP_QUEUE_SLOTS datagrams, beyond which the system drops them.
 */
#pragma once

#include "receiver.h"

#include <stddef.h>
#include <stdint.h>

#define UDP_QUEUE_SLOTS 65536

struct udp_queue;

/* Of a datagram longer than any valid one, only the length matters. */
struct udp_queue_datagram {
	struct rx_address from;
	size_t bytes;
	uint8_t data[DATAGRAM_MAX + 1];
};

/* Takes ownership of the socket. NULL, with errno. */
struct udp_queue *udp_queue_new(int fd);
void udp_queue_free(struct udp_queue *m);

/* Wait until there are datagrams, or until woken, at most `ns`. Returns how many there are. */
size_t udp_queue_wait(struct udp_queue *m, uint64_t ns);

/* From any thread: end the current wait, or else the next one. */
void udp_queue_wake(struct udp_queue *m);

/* The oldest datagram, valid until udp_queue_done(); NULL: none. */
const struct udp_queue_datagram *udp_queue_next(struct udp_queue *m);
void udp_queue_done(struct udp_queue *m);

/* An answer: from the address the datagram was sent to. What cannot be sent is lost. */
void udp_queue_send(struct udp_queue *m, const struct rx_address *to, const uint8_t *bytes,
		    size_t count);

/*
 * Datagrams that the system dropped because they were not fetched in time, as far as it reports
 * them.
 */
uint64_t udp_queue_dropped(const struct udp_queue *m);

/* "192.0.2.1" or "2001:db8::1", without the port. */
void udp_queue_print_address(const struct rx_address *address, char *text, size_t room);

/* The other way; all zero, and false, if it is no address. */
bool udp_queue_parse_address(const char *text, struct rx_address *address);
