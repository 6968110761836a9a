/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's TPM 2.0, by its registers: the same driver with and without the firmware. Found by
 * the ACPI table TPM2 (TCG, ACPI Specification 1.3, 8). It is used between the firmware's own
 * commands, at locality 0, and left as by the firmware: idle, with the locality kept.
 */
#pragma once

#include "core/firmware/acpi.h"
#include "core/tpm/tpm_command.h"
#include "drivers/deadline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Time limits of commands. Making a key takes longest: seconds, on old TPMs. */
#define TPM_KEY_MS     60000u
#define TPM_COMMAND_MS 10000u

#define TPM_PROBLEM_MAX 96u

struct tpm_kind; /* below */

struct tpm {
	const struct tpm_kind *kind; /* NULL: it is not open */
	uint64_t hz;                 /* TSC rate */
	uint64_t locality;           /* registers of locality 0; 0: none */
	uint64_t control;            /* control area of a command buffer */
	uint64_t command, response;  /* the buffers, and their lengths */
	uint32_t command_bytes, response_bytes;
	char problem[TPM_PROBLEM_MAX]; /* why the last call failed */
	uint8_t buffer[TPM_RESPONSE_MAX];
	size_t bytes; /* length of the last response, in `buffer` */
};

/*
 * Find the TPM, and make it accessible from now on, also after arch_take_over(). No command is
 * sent. False, with t->problem: there is none, or its interface is unknown.
 */
bool tpm_open(struct tpm *t, const struct acpi_info *acpi, uint64_t hz);

/*
 * Run the command in t->buffer, of at most TPM_COMMAND_MAX bytes; its response replaces it. If the
 * TPM asks to retry, the command is repeated until `ms` are over. False, with t->problem: no
 * response, or an error. A TPM that did not answer is closed, and not waited for again.
 */
bool tpm_run(struct tpm *t, size_t bytes, uint64_t ms);

/*
 * The interfaces of TPMs, for tpm.c. Source: TCG, PC Client Platform TPM Profile 1.05, 6. Each wait
 * ends with the deadline, which is that of the whole command.
 */
struct tpm_kind {
	const char *name; /* "crb" "fifo" */
	/* Check that the interface is what the table describes. Returns NULL, or the problem. */
	const char *(*look)(struct tpm *t);
	/* Send t->buffer, and start the command. Returns NULL, or the step that failed. */
	const char *(*send)(struct tpm *t, size_t bytes, struct deadline *d);
	/* Wait for its end, and read the response to t->buffer, of t->bytes. */
	const char *(*receive)(struct tpm *t, struct deadline *d);
	/* Give up a command, if there is one, and make the TPM idle. Waits for a moment at most. */
	void (*rest)(struct tpm *t, bool gave_up);
};

extern const struct tpm_kind tpm_crb, tpm_fifo;
