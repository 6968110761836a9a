/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UDP socket that a thread of its own empties into memory, so that nothing is lost while
 * the disk works: up to MAILBOX_SLOTS datagrams, beyond which the system drops them.
 */
#ifndef HOST_MAILBOX_H
#define HOST_MAILBOX_H

#include "receiver.h"

#include <stddef.h>
#include <stdint.h>

#define MAILBOX_SLOTS 65536

struct mailbox;

/* Of a datagram that is longer than any of ours, only that is kept. */
struct letter {
	struct place from;
	size_t bytes;
	uint8_t data[DATAGRAM_MAX + 1];
};

/* Takes over the socket. NULL, with errno. */
struct mailbox *mailbox_new(int fd);
void mailbox_free(struct mailbox *m);

/* Wait until there are letters or it is woken, at most so long. Returns how many. */
size_t mailbox_wait(struct mailbox *m, uint64_t ns);

/* From any thread: who waits, or waits next, waits no longer. */
void mailbox_wake(struct mailbox *m);

/* The oldest letter, until mailbox_done() of it; NULL: none. */
const struct letter *mailbox_next(struct mailbox *m);
void mailbox_done(struct mailbox *m);

/* An answer: from the address that was written to. What cannot be sent is lost. */
void mailbox_send(struct mailbox *m, const struct place *to, const uint8_t *bytes, size_t count);

/* Datagrams that the system dropped because nobody fetched them, as far as it tells. */
uint64_t mailbox_dropped(const struct mailbox *m);

/* "192.0.2.1" or "2001:db8::1", without the port. */
void mailbox_place(const struct place *place, char *text, size_t room);

#endif
