/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UDP socket that a separate thread empties into memory, so that nothing is lost while the disk
 * is busy: up to MAILBOX_SLOTS datagrams, beyond which the system drops them.
 */
#ifndef HOST_MAILBOX_H
#define HOST_MAILBOX_H

#include "receiver.h"

#include <stddef.h>
#include <stdint.h>

#define MAILBOX_SLOTS 65536

struct mailbox;

/* Of a datagram longer than any valid one, only the length matters. */
struct letter {
	struct place from;
	size_t bytes;
	uint8_t data[DATAGRAM_MAX + 1];
};

/* Takes ownership of the socket. NULL, with errno. */
struct mailbox *mailbox_new(int fd);
void mailbox_free(struct mailbox *m);

/* Wait until there are datagrams, or until woken, at most `ns`. Returns how many there are. */
size_t mailbox_wait(struct mailbox *m, uint64_t ns);

/* From any thread: end the current wait, or else the next one. */
void mailbox_wake(struct mailbox *m);

/* The oldest datagram, valid until mailbox_done(); NULL: none. */
const struct letter *mailbox_next(struct mailbox *m);
void mailbox_done(struct mailbox *m);

/* An answer: from the address the datagram was sent to. What cannot be sent is lost. */
void mailbox_send(struct mailbox *m, const struct place *to, const uint8_t *bytes, size_t count);

/*
 * Datagrams that the system dropped because they were not fetched in time, as far as it reports
 * them.
 */
uint64_t mailbox_dropped(const struct mailbox *m);

/* "192.0.2.1" or "2001:db8::1", without the port. */
void mailbox_place(const struct place *place, char *text, size_t room);

#endif
