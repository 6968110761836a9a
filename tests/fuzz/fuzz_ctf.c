/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as traces: each folder is read back by the layout that host/forms/show_ctf.c gives its
 * events, and nothing may be left over. Lines are signed on their way in.
 */
#include "host/forms/show_form.h"

#include "tests/fuzz/signed.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define INPUT_MAX    ((size_t)1 << 15)
#define FILE_MAX     ((size_t)1 << 20)
#define HEADER_BYTES 40

static char folder[64];

/* What is left of a file. */
struct rest {
	const char *at, *end;
};

static void insist(bool is_so)
{
	if (!is_so)
		abort();
}

static void remove_folder(void)
{
	rmdir(folder);
}

/* Names and numbers are looked at; what is complained of goes nowhere. */
static void start(void)
{
	snprintf(folder, sizeof(folder), "%s/fuzz_ctf.XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	insist(mkdtemp(folder));
	rmdir(folder); /* the form makes it */
	atexit(remove_folder);
	stderr = fopen("/dev/null", "w");
	insist(stderr);
}

static void ignore(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static uint64_t number(struct rest *r, unsigned bytes)
{
	uint64_t value = 0;

	insist((size_t)(r->end - r->at) >= bytes);
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)(uint8_t)*r->at++ << 8 * i;
	return value;
}

static bool showable(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at < ' ' || *at > '~')
			return false;
	}
	return true;
}

static void string(struct rest *r)
{
	const char *zero = memchr(r->at, '\0', (size_t)(r->end - r->at));

	insist(zero && showable(r->at, zero));
	r->at = zero + 1;
}

static void sequence(struct rest *r)
{
	for (uint64_t count = number(r, 1); count; count--)
		number(r, 8);
}

static uint64_t event(struct rest *r, bool has_smi)
{
	uint64_t id = number(r, 1), t_ns = number(r, 8);

	insist(id <= 2);
	string(r);
	insist(t_ns + number(r, 8) >= t_ns);
	if (id)
		string(r);
	if (id == 1) {
		string(r);
		for (unsigned i = 0; i < 3; i++)
			number(r, 4);
		number(r, 8);
	} else if (id == 2) {
		number(r, 4);
		for (unsigned i = 0; i < (has_smi ? 3 : 1); i++)
			sequence(r);
	}
	return t_ns;
}

/* One packet that is the file, its events by time. */
static void check_stream(struct rest r, bool has_smi)
{
	uint64_t bits = (uint64_t)(r.end - r.at) * 8, last, end;

	insist(bits >= HEADER_BYTES * 8 && number(&r, 4) == 0xc1fc1fc1 && !number(&r, 4));
	last = number(&r, 8);
	end = number(&r, 8);
	insist(number(&r, 8) == bits && number(&r, 8) == bits);
	while (r.at < r.end) {
		uint64_t t_ns = event(&r, has_smi);

		insist(t_ns >= last);
		last = t_ns;
	}
	insist(last == end);
}

/* Each line ends outside a string, and each brace is closed. */
static void check_metadata(struct rest r)
{
	bool quoted = false;
	int depth = 0;

	for (; r.at < r.end; r.at++) {
		insist(*r.at == '\n' || *r.at == '\t' || showable(r.at, r.at + 1));
		insist(*r.at != '\n' || !quoted);
		if (quoted && *r.at == '\\')
			insist(*++r.at == '"' || *r.at == '\\');
		else if (*r.at == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (*r.at == '{') - (*r.at == '}');
		insist(depth >= 0);
	}
	insist(r.at == r.end && !depth && !quoted);
}

static struct rest take_file(const char *trace, const char *name, char *text)
{
	char path[512];
	size_t bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, trace, name);
	f = fopen(path, "rb");
	insist(f);
	bytes = fread(text, 1, FILE_MAX, f);
	insist(bytes < FILE_MAX);
	text[bytes] = '\0';
	fclose(f);
	unlink(path);
	return (struct rest){ text, text + bytes };
}

static void check_trace(const char *trace)
{
	static char text[FILE_MAX + 1];
	struct rest metadata = take_file(trace, "metadata", text);
	char path[512];
	bool has_smi = strstr(text, "smi_counted") != NULL;

	check_metadata(metadata);
	check_stream(take_file(trace, "stream", text), has_smi);
	snprintf(path, sizeof(path), "%s/%s", folder, trace);
	insist(rmdir(path) == 0);
}

static void check_traces(const struct capture *c)
{
	for (size_t n = 0; n < c->runs; n++) {
		char name[17];

		snprintf(name, sizeof(name), "%016" PRIx64, c->run[n]->sid);
		check_trace(name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct capture_want want = { .keep = show_form_ctf.keep,
					   .record = show_form_ctf.record,
					   .complain = ignore };
	const struct show_options o = { .has_began = true, .output = folder };
	static struct capture c;
	char *lines;

	if (bytes > INPUT_MAX)
		return 0;
	if (!*folder)
		start();
	lines = malloc(signed_room((const char *)data, bytes));
	insist(lines);
	capture_begin(&c, "fuzz", &want);
	capture_feed(&c, lines, signed_lines((const char *)data, bytes, lines));
	capture_end(&c);
	insist(show_form_capture(&show_form_ctf, &o, &c));
	check_traces(&c);
	capture_close(&c);
	free(lines);
	return 0;
}
