/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attestation of a run by the machine's TPM: docs/attestation.md. The TPM is used before the cores
 * are started and after the last window, never in between. Nothing but the extended PCR stays in
 * the TPM. The key is made twice, which takes at most a second on nearly all TPMs, so a firmware or
 * TPM that loses it in between does no harm.
 */
#include "attest.h"

#include "probe/app.h"
#include "probe/door.h"

#include "arch/arch.h"
#include "core/kinds/attest/attest.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "core/tpm/tpm_log.h"
#include "drivers/tpm/tpm.h"

#define LAST_MAX 65536u /* most bytes of the last event, which has its own length */

/* Bytes in the record: digests, the key, the quote and its signature. */
#define ATTEST_DIGESTS (1 + REPORT_LINKS + ATTEST_STARTED_MAX + ATTEST_VALUES)
#define ATTEST_BYTES   (ATTEST_DIGESTS * SHA256_BYTES + TPM_KEY_BYTES + 2 * TPM_RESPONSE_MAX)

struct attest {
	bool ready; /* the run is going to be attested */
	uint64_t sid;
	struct tpm tpm;
	struct record_attest record; /* its strings are in `hex` */
	uint8_t digest[ATTEST_STARTED_MAX][SHA256_BYTES];
	char hex[3 * ATTEST_BYTES]; /* two digits a byte, and a NUL after each string */
	size_t used;
};

/* Allocated when needed: as a static variable it would be zeros in the image. NULL: not needed. */
static struct attest *state;

/* The bytes as a string of the record; NULL: there is no room, as for a TPM that lies. */
static const char *hex_of(struct attest *a, const uint8_t *bytes, size_t count)
{
	char *string = a->hex + a->used;
	struct text t;

	if (2 * count + 1 > sizeof(a->hex) - a->used)
		return NULL;
	text_init(&t, string, 2 * count + 1);
	text_hex(&t, bytes, count);
	a->used += 2 * count + 1;
	return string;
}

/* ---- The key ---- */

static bool create_key(struct tpm *t, uint32_t *handle, struct tpm_bytes *key)
{
	return tpm_run(t, tpm_put_create(t->buffer), TPM_KEY_MS) &&
	       tpm_take_create(t->buffer, t->bytes, handle, key);
}

static void forget_key(struct tpm *t, uint32_t handle)
{
	tpm_run(t, tpm_put_flush(t->buffer, handle), TPM_COMMAND_MS);
}

/* ---- Before the run ---- */

/*
 * Read the firmware's log, from its first event to the end of its last, as tpm_log_digests() has
 * it; 0 also if there is none.
 */
static unsigned read_digests(const struct memory_map *map, uint8_t (*digest)[SHA256_BYTES],
			     unsigned most)
{
	uint64_t first, last, more = LAST_MAX;

	if (!door.event_log || !door.event_log(&first, &last))
		return 0;
	while (more && !memory_map_covers(map, first, last - first + more))
		more /= 2;
	if (!more)
		return 0;
	return tpm_log_digests((const uint8_t *)(uintptr_t)first, last - first + more, last - first,
			       ATTEST_PCR_IMAGE, digest, most);
}

static void read_log(struct attest *a)
{
	unsigned count = read_digests(&app->machine.map, a->digest, ATTEST_STARTED_MAX);

	if (!count || count > ATTEST_STARTED_MAX)
		report_log(
			&app->report, "warning",
			"attest: the firmware has no log of PCR 4, or one of more than %u events: "
			"nobody can check which image was started",
			ATTEST_STARTED_MAX);
	for (unsigned i = 0; count <= ATTEST_STARTED_MAX && i < count; i += ATTEST_PER_STRING) {
		unsigned n = count - i < ATTEST_PER_STRING ? count - i : ATTEST_PER_STRING;

		a->record.started[i / ATTEST_PER_STRING] = hex_of(a, a->digest[i],
								  n * SHA256_BYTES);
	}
}

static bool extend(struct attest *a)
{
	TEXT_DEFINE(t, DESCRIBE_CONFIG_MAX);
	uint8_t digest[SHA256_BYTES];

	config_print(&app->options.config, &t);
	sha256(t.buf, t.len, digest);
	a->record.config = hex_of(a, digest, sizeof(digest));
	return tpm_run(&a->tpm, tpm_put_extend(a->tpm.buffer, ATTEST_PCR_CONFIG, digest),
		       TPM_COMMAND_MS);
}

static bool attest_prepare(struct attest *a)
{
	struct tpm *t = &a->tpm;
	struct tpm_bytes key;
	uint32_t handle;

	if (!tpm_open(t, &app->machine.acpi, app->machine.clock.hz) ||
	    !create_key(t, &handle, &key))
		return false;
	a->record.key = hex_of(a, key.at, key.bytes);
	a->record.tpm = t->kind->name;
	forget_key(t, handle);
	return extend(a);
}

static void log_problem(const struct attest *a, const char *level, const char *key)
{
	report_log(&app->report, level, "%s: no TPM attests this run: %s", key,
		   a->tpm.problem[0] ? a->tpm.problem : "it does not answer as specified");
}

/* No event of the firmware may run between a command and its response. */
static bool prepare_alone(struct attest *a)
{
	bool masked = arch_interrupts_masked(), done;

	arch_mask_interrupts();
	done = attest_prepare(a);
	arch_mask_as(masked);
	return done;
}

/* ---- At its end ---- */

static void add_lines(struct attest *a)
{
	const struct report *r = &app->report;
	unsigned n = 0;

	for (unsigned i = 0; i < r->links; i++) {
		struct sha256 so_far = r->link[i].to->lines;
		uint8_t digest[SHA256_BYTES];

		if (!r->link[i].to->hashed)
			continue;
		sha256_end(&so_far, digest);
		a->record.lines[n++] = hex_of(a, digest, sizeof(digest));
	}
	a->record.lines[n] = NULL;
}

static bool quote(struct attest *a, uint32_t key)
{
	struct tpm *t = &a->tpm;
	struct tpm_bytes text, signature;
	uint8_t data[SHA256_BYTES];

	attest_data(a->sid, a->record.lines, data);
	if (!tpm_run(t, tpm_put_quote(t->buffer, key, data, ATTEST_PCRS), TPM_COMMAND_MS) ||
	    !tpm_take_quote(t->buffer, t->bytes, &text, &signature))
		return false;
	a->record.quote = hex_of(a, text.at, text.bytes);
	a->record.signature = hex_of(a, signature.at, signature.bytes);
	return true;
}

/* A response has at most eight values. */
static bool read_values(struct attest *a)
{
	uint8_t value[TPM_PCRS][SHA256_BYTES];
	struct tpm *t = &a->tpm;
	uint32_t left = ATTEST_PCRS, got, rest;
	unsigned n = 0;

	while (left) {
		if (!tpm_run(t, tpm_put_read(t->buffer, left), TPM_COMMAND_MS) ||
		    !tpm_take_read(t->buffer, t->bytes, &got, value) || got & ~left)
			return false;
		/* A TPM returns the lowest of the requested PCRs first. */
		rest = left & ~got;
		if (rest && (rest & -rest) < got)
			return false;
		for (unsigned i = 0; got; got &= got - 1, i++)
			a->record.values[n++] = hex_of(a, value[i], SHA256_BYTES);
		left = rest;
	}
	return true;
}

static void make_quote(void *done)
{
	struct attest *a = state;
	struct tpm_bytes key;
	uint32_t handle;
	bool quoted;

	if (!create_key(&a->tpm, &handle, &key))
		return;
	quoted = quote(a, handle);
	forget_key(&a->tpm, handle);
	*(bool *)done = quoted && read_values(a);
}

static void send_quote(void *ctx)
{
	struct attest *a = ctx;
	bool masked = arch_interrupts_masked(), done = false;

	if (!a->ready)
		return;
	a->ready = false;
	a->tpm.problem[0] = '\0';
	a->record.pcrs = ATTEST_PCRS_TEXT;
	add_lines(a);
	arch_mask_interrupts();
	arch_guard(make_quote, &done);
	if (!door.is_gone())
		arch_mask_as(masked);
	if (done)
		report_record(&app->report, RECORD_ATTEST, &a->record);
	else
		log_problem(a, "error", "attest");
}

bool attest_begin(uint64_t sid)
{
	enum config_switch wanted = app->options.config.attest;
	struct attest *a;

	if (wanted == SWITCH_NO ||
	    (wanted == SWITCH_AUTO && app->options.config.mode == MODE_SURVEY))
		return true;
	steps_note("looking for a TPM");
	if (!state)
		state = door.pages(sizeof(*state), 0);
	if (!state) {
		report_log(&app->report, "error", "attest: no memory for it is left");
		return wanted != SWITCH_YES;
	}
	a = state;
	a->sid = sid;
	a->used = 0;
	app->report.before_end = send_quote;
	app->report.before_end_ctx = a;
	a->ready = prepare_alone(a);
	if (a->ready)
		read_log(a);
	else if (wanted == SWITCH_YES)
		log_problem(a, "error", "attest=yes");
	else
		log_problem(a, "info", "attest");
	return a->ready || wanted != SWITCH_YES;
}
