/* SPDX-License-Identifier: BSD-2-Clause */
/* TPMs with both interfaces: good ones, slow ones, and ones that get stuck anywhere. */
#include "drivers/tpm/tpm.h"

#include "core/lib/bytes.h"
#include "isa.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/hex_bytes.h"
#include "tests/unit/tpm_answers.h"

#include <stdlib.h>

#define BASE    UINT64_C(0xfed40000)
#define PAGE    4096u
#define CONTROL 0x40u
#define BUFFER  0x80u
#define REAL_HZ UINT64_C(1000000000) /* waits are as long as they are called */

enum stuck {
	WORKS,
	NO_LOCALITY,
	NOT_READY,
	TAKES_NOTHING, /* a FIFO's */
	NO_ANSWER,
	BROKEN,     /* a command buffer's */
	BREAKS_OFF, /* a FIFO's */
	STUCKS
};

static struct {
	uint8_t page[PAGE];
	bool is_fifo;
	enum stuck stuck;
	const char *answer; /* hex digits */
	unsigned retries;   /* times that the TPM answers TPM_RC_RETRY */
	unsigned slow;      /* polls of its state before there is an answer */
	unsigned burst;
	uint8_t command[TPM_COMMAND_MAX];
	size_t command_bytes;
	uint8_t out[TPM_RESPONSE_MAX];
	size_t out_bytes, out_at;
	unsigned looks, started, idled, cancelled;
	bool runs;
} m;

static struct acpi_info acpi;

static void put(unsigned reg, uint32_t value)
{
	fake_put(m.page + reg, value, 4);
}

static void prepare_answer(void)
{
	const char *retry = "80010000000a00000922";
	const char *digits = m.retries ? retry : m.answer;

	m.retries -= m.retries != 0;
	m.out_bytes = hex_bytes(m.out, sizeof(m.out), digits);
	m.out_at = 0;
}

static void start(void)
{
	m.started++;
	m.runs = true;
	m.looks = 0;
}

static void answer_crb(void)
{
	if (!m.runs || m.stuck == NO_ANSWER || m.looks++ < m.slow)
		return;
	m.runs = false;
	prepare_answer();
	memcpy(m.page + BUFFER, m.out, m.out_bytes);
	put(CONTROL + 0x0c, 0);
}

static void write_crb(unsigned reg, uint32_t value)
{
	if (reg == 0x08 && m.stuck != NO_LOCALITY)
		put(0, 0x82);
	if (reg == CONTROL && (value == 2 || m.stuck != NOT_READY)) {
		put(CONTROL, 0);
		m.idled += value == 2;
	}
	if (reg == CONTROL + 0x08)
		m.cancelled += value;
	if (reg == CONTROL + 0x0c && value) {
		m.command_bytes = bytes_be32(m.page + BUFFER + 2);
		assert_true(m.command_bytes <= sizeof(m.command));
		memcpy(m.command, m.page + BUFFER, m.command_bytes);
		start();
	}
}

static void status_fifo(void)
{
	uint32_t burst = m.burst << 8;

	if (m.runs) {
		if (m.stuck == NO_ANSWER || m.looks++ < m.slow)
			return;
		m.runs = false;
		prepare_answer();
	}
	if (m.out_bytes) {
		if (m.stuck == BREAKS_OFF && m.out_at > 12)
			burst = 0;
		put(0x18, 0x80 | (m.out_at < m.out_bytes ? 0x10 | burst : 0));
	}
}

static void write_fifo(unsigned reg, uint32_t value)
{
	bool whole;

	if (reg == 0 && m.stuck != NO_LOCALITY)
		m.page[0] = 0xa0;
	if (reg == 0x18 && value & 0x40) {
		m.idled += m.out_bytes != 0;
		m.command_bytes = m.out_bytes = 0;
		m.runs = false;
		put(0x18, m.stuck == NOT_READY       ? 0
			  : m.stuck == TAKES_NOTHING ? 0xc0
						     : 0xc0 | m.burst << 8);
	}
	if (reg == 0x18 && value & 0x1000000)
		m.cancelled++;
	if (reg == 0x18 && value & 0x20) {
		put(0x18, 0x80);
		start();
	}
	if (reg != 0x24)
		return;
	assert_true(m.command_bytes < sizeof(m.command));
	m.command[m.command_bytes++] = (uint8_t)value;
	whole = m.command_bytes >= 6 && m.command_bytes == bytes_be32(m.command + 2);
	put(0x18, 0x80 | (whole ? 0 : 0x08) | m.burst << 8);
}

static void before_read(uint64_t address, unsigned bytes)
{
	unsigned reg = (unsigned)(address - BASE);

	(void)bytes;
	if (m.is_fifo && reg == 0x24) {
		m.page[reg] = m.out_at < m.out_bytes ? m.out[m.out_at] : 0xff;
		m.out_at++;
	} else if (m.is_fifo && reg == 0x18) {
		status_fifo();
	} else if (reg == CONTROL + 0x0c) {
		answer_crb();
	}
}

static void after_write(uint64_t address, unsigned bytes, uint32_t value)
{
	(void)bytes;
	(m.is_fifo ? write_fifo : write_crb)((unsigned)(address - BASE), value);
}

static void lay(bool is_fifo)
{
	memset(&m, 0, sizeof(m));
	m.is_fifo = is_fifo;
	m.answer = TPM_ANSWER_QUOTE;
	m.burst = 7;
	m.page[0] = 0x80;
	put(0x30, is_fifo ? 0 : 1);
	if (!is_fifo) {
		put(CONTROL + 0x18, PAGE - BUFFER);
		put(CONTROL + 0x1c, (uint32_t)BASE + BUFFER);
		put(CONTROL + 0x24, PAGE - BUFFER);
		put(CONTROL + 0x28, (uint32_t)BASE + BUFFER);
	}
	fake_reset();
	fake_memory(BASE, m.page, sizeof(m.page));
	fake.on_memory_read = before_read;
	fake.on_memory_write = after_write;
	acpi = (struct acpi_info){ .tpm_start = is_fifo ? 6 : 7,
				   .tpm_address = is_fifo ? BASE : BASE + CONTROL };
}

/* In a block of its own: the sanitizer sees what goes past it. */
static struct tpm *new_tpm(void)
{
	struct tpm *t = malloc(sizeof(*t));

	assert_non_null(t);
	return t;
}

static bool quote(struct tpm *t, uint64_t ms)
{
	static const uint8_t data[SHA256_BYTES] = { [0 ... SHA256_BYTES - 1] = 0xab };

	return tpm_run(t, tpm_put_quote(t->buffer, 0x80000000u, data, 0x80ff), ms);
}

static void assert_quoted(const struct tpm *t)
{
	uint8_t expected[TPM_RESPONSE_MAX];
	size_t bytes = hex_bytes(expected, sizeof(expected), TPM_ANSWER_QUOTE);

	assert_int_equal(t->bytes, bytes);
	assert_memory_equal(t->buffer, expected, bytes);
	bytes = hex_bytes(expected, sizeof(expected), TPM_SENT_QUOTE);
	assert_int_equal(m.command_bytes ? m.command_bytes : bytes, bytes);
	assert_memory_equal(m.command, expected, bytes);
}

TEST(test_command)
{
	for (unsigned is_fifo = 0; is_fifo < 2; is_fifo++) {
		struct tpm *t = new_tpm();

		lay(is_fifo);
		assert_true(tpm_open(t, &acpi, REAL_HZ));
		assert_string_equal(t->kind->name, is_fifo ? "fifo" : "crb");
		assert_int_equal(fake.memory_writes, 0);
		for (unsigned i = 1; i <= 2; i++) {
			assert_true(quote(t, TPM_COMMAND_MS));
			assert_quoted(t);
			assert_int_equal(m.idled, i);
		}
		free(t);
	}
}

/* A FIFO takes three bytes at a time, and its answer takes a while. */
TEST(test_slow)
{
	for (unsigned is_fifo = 0; is_fifo < 2; is_fifo++) {
		struct tpm *t = new_tpm();

		lay(is_fifo);
		m.burst = 3;
		m.slow = 5000;
		assert_true(tpm_open(t, &acpi, REAL_HZ));
		assert_true(quote(t, TPM_KEY_MS));
		assert_quoted(t);
		free(t);
	}
}

static const char *problem_of(enum stuck stuck, bool is_fifo)
{
	static const char *const crb[STUCKS] = { [NO_LOCALITY] = "it does not grant locality 0",
						 [NOT_READY] = "it does not become ready",
						 [NO_ANSWER] = "it does not answer",
						 [BROKEN] = "it reports an error of its own" };
	static const char *const fifo[STUCKS] = { [NO_LOCALITY] = "it does not grant locality 0",
						  [NOT_READY] = "it does not become ready",
						  [TAKES_NOTHING] = "it takes no command",
						  [NO_ANSWER] = "it does not answer",
						  [BREAKS_OFF] = "its response breaks off" };

	return is_fifo ? fifo[stuck] : crb[stuck];
}

/* A stuck TPM is waited for once, and not touched again. */
TEST(test_stuck)
{
	for (unsigned n = 0; n < 2 * STUCKS; n++) {
		enum stuck stuck = (enum stuck)(n / 2);
		const char *problem = problem_of(stuck, n % 2);
		struct tpm *t;
		unsigned reads;

		if (!problem)
			continue;
		t = new_tpm();
		lay(n % 2);
		m.stuck = stuck;
		if (stuck == BROKEN)
			put(CONTROL + 4, 1);
		assert_true(tpm_open(t, &acpi, FAKE_HZ));
		assert_false(quote(t, TPM_COMMAND_MS));
		assert_string_equal(t->problem, problem);
		assert_int_equal(m.cancelled, 1);
		reads = fake.memory_reads;
		assert_false(quote(t, TPM_COMMAND_MS));
		assert_int_equal(fake.memory_reads, reads);
		assert_string_equal(t->problem, problem);
		free(t);
	}
}

TEST(test_patience)
{
	for (unsigned is_fifo = 0; is_fifo < 2; is_fifo++) {
		struct tpm *t = new_tpm();

		lay(is_fifo);
		m.retries = 3;
		assert_true(tpm_open(t, &acpi, REAL_HZ));
		assert_true(quote(t, TPM_COMMAND_MS));
		assert_quoted(t);
		assert_int_equal(m.started, 4);
		free(t);
		t = new_tpm();
		lay(is_fifo);
		m.retries = UINT32_MAX;
		assert_true(tpm_open(t, &acpi, FAKE_HZ));
		assert_false(quote(t, TPM_COMMAND_MS));
		assert_string_equal(t->problem, "it answers with code 0x922");
		free(t);
	}
}

/* A command that it refuses does not close it. */
TEST(test_refused)
{
	struct tpm *t = new_tpm();

	lay(false);
	m.answer = "80010000000a00000910";
	assert_true(tpm_open(t, &acpi, REAL_HZ));
	assert_false(quote(t, TPM_COMMAND_MS));
	assert_string_equal(t->problem, "it answers with code 0x910");
	m.answer = TPM_ANSWER_QUOTE;
	assert_true(quote(t, TPM_COMMAND_MS));
	free(t);
}

/* Lengths that no response has: shorter than its head, longer than is read, than the buffer. */
TEST(test_lengths)
{
	static const char *const answers[] = { "80010000000900000000", "80010000040100000000",
					       "8001ffffffff00000000", "00000000000a00000000",
					       "ffffffffffffffffffff" };

	for (unsigned n = 0; n < 2 * sizeof(answers) / sizeof(answers[0]); n++) {
		struct tpm *t = new_tpm();

		lay(n % 2);
		m.answer = answers[n / 2];
		assert_true(tpm_open(t, &acpi, FAKE_HZ));
		assert_false(quote(t, TPM_COMMAND_MS));
		assert_string_equal(t->problem, "its response has no plausible length");
		free(t);
	}
}

static void assert_absent(const char *problem)
{
	struct tpm *t = new_tpm();

	assert_false(tpm_open(t, &acpi, FAKE_HZ));
	assert_string_equal(t->problem, problem);
	assert_null(t->kind);
	assert_false(quote(t, TPM_COMMAND_MS));
	assert_int_equal(fake.memory_writes, 0);
	free(t);
}

TEST(test_absent)
{
	lay(false);
	acpi.tpm_start = 0;
	assert_absent("there is no ACPI table TPM2");
	acpi.tpm_start = 2;
	assert_absent("start method 2 of the table TPM2 is not known; known are 6 and 7");
	lay(false);
	acpi.tpm_address = 0xfec00040;
	assert_absent("its registers at 0xfec00040 cannot be reached");
	lay(false);
	acpi.tpm_address = BASE + 0x42;
	assert_absent("its registers at 0xfed40042 cannot be reached");
	lay(true);
	acpi.tpm_address = BASE + 0x40;
	assert_absent("its registers at 0xfed40040 cannot be reached");
	lay(true);
	put(0, UINT32_MAX);
	assert_absent("nothing answers at its address");
	lay(true);
	put(0x30, 1);
	assert_absent("it has no FIFO, against the table TPM2");
	lay(false);
	put(0x30, 0);
	assert_absent("it has no command buffer, against the table TPM2");
	lay(false);
	put(CONTROL + 0x18, 16);
	assert_absent("its buffers have no plausible length");
	lay(false);
	put(CONTROL + 0x24, UINT32_MAX);
	assert_absent("its buffers have no plausible length");
	lay(false);
	put(CONTROL + 0x28, 0x1000);
	assert_absent("its buffers cannot be reached");
}

/* On PCs a FIFO is found without a table. */
TEST(test_no_address)
{
	struct tpm *t = new_tpm();

	lay(true);
	acpi.tpm_address = 0;
	if (isa_tpm_fifo) {
		assert_true(tpm_open(t, &acpi, FAKE_HZ));
		assert_int_equal(t->locality, BASE);
	} else {
		assert_absent("neither the table TPM2 nor its device has its registers' address");
	}
	free(t);
}

/* A firmware's TPM has its control area in memory, and no localities. */
TEST(test_no_locality)
{
	struct tpm *t = new_tpm();

	lay(false);
	memmove(m.page + 0x100, m.page + CONTROL, 0x30);
	acpi.tpm_address = BASE + 0x100;
	put(0x30, UINT32_MAX);
	assert_true(tpm_open(t, &acpi, FAKE_HZ));
	assert_int_equal(t->locality, 0);
	assert_int_equal(t->control, BASE + 0x100);
	free(t);
}
