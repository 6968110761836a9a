/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interfaces of TPMs, for tpm.c. Source: TCG, PC Client Platform TPM Profile 1.05, 6. Each wait
 * ends with the deadline, which is that of the whole command.
 */
#pragma once

#include "drivers/deadline.h"
#include "tpm.h"

struct tpm_kind {
	const char *name;
	/* Whether it is what the table describes. NULL, or why not. */
	const char *(*look)(struct tpm *t);
	/* Send t->buffer, and start the command. NULL, or what did not happen. */
	const char *(*send)(struct tpm *t, size_t bytes, struct deadline *d);
	/* Wait for its end, and read the response to t->buffer, of t->bytes. */
	const char *(*receive)(struct tpm *t, struct deadline *d);
	/* Give up a command, if there is one, and let it rest. Waits a moment at most. */
	void (*rest)(struct tpm *t, bool gave_up);
};

extern const struct tpm_kind tpm_crb, tpm_fifo;

#define TPM_REST_MS 100u

/* Wait until (register & mask) is `wanted`. False: not before the deadline. */
bool tpm_wait(uint64_t address, uint32_t mask, uint32_t wanted, struct deadline *d);
