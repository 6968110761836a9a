/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's TPM 2.0, by its registers: the same driver while the firmware is there and once it
 * is gone. Found by the ACPI table TPM2 (TCG, ACPI Specification 1.3, 8). It is used between the
 * firmware's own commands, at locality 0, and left as the firmware leaves it: idle, and the
 * locality not given up.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/tpm/tpm_command.h"
#include "drivers/deadline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long a command may take. To make a key is what takes longest: seconds, on old ones. */
#define TPM_KEY_MS     60000u
#define TPM_COMMAND_MS 10000u

#define TPM_PROBLEM_MAX 96u

struct tpm_kind; /* below */

struct tpm {
	const struct tpm_kind *kind; /* NULL: it is not open */
	uint64_t hz;                 /* of the TSC */
	uint64_t locality;           /* registers of locality 0; 0: none */
	uint64_t control;            /* a command buffer's control area */
	uint64_t command, response;  /* its buffers, and how long they are */
	uint32_t command_bytes, response_bytes;
	char problem[TPM_PROBLEM_MAX]; /* why the last call failed */
	uint8_t buffer[TPM_RESPONSE_MAX];
	size_t bytes; /* of the last response, which is in it */
};

/* "crb" "fifo", by its interface. */
const char *tpm_kind_name(const struct tpm *t);

/*
 * Find it, and let it be reached from now on, after arch_take_over() too. No command is sent.
 * False, with t->problem: there is none, or of an interface that is not known.
 */
bool tpm_open(struct tpm *t, const struct acpi_info *acpi, uint64_t hz);

/*
 * The command of so many bytes, at most TPM_COMMAND_MAX, in t->buffer, becomes its response there.
 * A TPM that asks for patience is asked again, until `ms` are over. False, with t->problem: no
 * response, or none of success. One that did not answer is closed: it is not waited for again.
 */
bool tpm_run(struct tpm *t, size_t bytes, uint64_t ms);

/*
 * The interfaces of TPMs, for tpm.c. Source: TCG, PC Client Platform TPM Profile 1.05, 6. Each wait
 * ends with the deadline, which is that of the whole command.
 */
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
