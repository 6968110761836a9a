/* SPDX-License-Identifier: BSD-2-Clause */
/* A run in a process of its own, and what came out of it. */
#include "mocked_inside.h"

#include "probe/door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

const struct mocked *mocked;
struct mocked_shared *mocked_shared;

/* End the process, without freeing memory. */
void mocked_end(enum mocked_end end, unsigned code)
{
	mocked_shared->end = end;
	mocked_shared->code = code;
	mocked_shared->ended_ns = mocked_clock() / (MOCKED_HZ / MOCKED_S);
	mocked_storage_end(end == MOCKED_RETURNED);
	_exit(0);
}

/* The signals that cmocka handles. */
static const int deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };

static void __attribute__((noreturn)) run_child(const struct mocked *m)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		signal(deadly[i], SIG_DFL);
	mocked = m;
	mocked_power_on();
	mocked_storage_start();
	mocked_end(MOCKED_RETURNED, probe_run());
}

static char *copy(const char *from, size_t bytes)
{
	char *to = malloc(bytes + 1);
	size_t n = 0;

	assert_non_null(to);
	for (size_t i = 0; i < bytes; i++)
		if (from[i] != '\r')
			to[n++] = from[i];
	to[n] = '\0';
	return to;
}

/* Members of a record that differ between links. */
static const char *const frame[] = { "seq", "crc", "part", "more" };

static void add_part(json_t *whole, json_t *part)
{
	const char *name;
	json_t *value;

	json_object_foreach(part, name, value)
	{
		json_t *before = json_object_get(whole, name);

		if (json_is_array(before))
			json_array_extend(before, value);
		else if (json_is_object(before))
			json_object_update(before, value);
		else
			json_object_set(whole, name, value);
	}
}

void mocked_add_record(json_t *records, json_t *record)
{
	json_t *before = json_array_get(records, json_array_size(records) - 1);
	bool is_part = json_integer_value(json_object_get(record, "part")) > 0;

	for (unsigned i = 0; i < 4; i++)
		json_object_del(record, frame[i]);
	if (!is_part) {
		json_array_append_new(records, record);
		return;
	}
	assert_string_equal(mocked_string(before, "type"), mocked_string(record, "type"));
	add_part(before, record);
	json_decref(record);
}

static json_t *read_records(const char *text)
{
	json_t *records = json_array();

	for (const char *line = text; *line;) {
		size_t bytes = strcspn(line, "\n");
		json_t *record = *line == '{' ? json_loadb(line, bytes, 0, NULL) : NULL;

		if (record)
			mocked_add_record(records, record);
		line += bytes + (line[bytes] == '\n');
	}
	return records;
}

/* The run that was started so many runs ago, emptied. */
static struct mocked_run *oldest_run(void)
{
	static struct mocked_run runs[MOCKED_RUNS];
	static unsigned started;
	struct mocked_run *r = &runs[started++ % MOCKED_RUNS];

	json_decref(r->records);
	free(r->text);
	free(r->console);
	return r;
}

const struct mocked_run *mocked_start(const struct mocked *m)
{
	struct mocked_shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct mocked_run *r = oldest_run();
	int status;
	pid_t pid;

	assert_true(s != MAP_FAILED);
	mocked_shared = s;
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_child(m);
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	*r = (struct mocked_run){ .end = s->end,
				  .code = s->code,
				  .text = copy(s->serial, s->bytes),
				  .console = copy(s->console, s->console_bytes),
				  .ended_ns = s->ended_ns,
				  .left = s->left,
				  .paintings = s->paintings };
	r->records = read_records(r->text);
	munmap(s, sizeof(*s));
	if (getenv("MOCKED_SHOW"))
		fprintf(stderr, "%send %d code %u\n", r->text, r->end, r->code);
	if (status || r->end == MOCKED_CRASHED)
		fail_msg("the run crashed, with status %d, after:\n%s", status, r->text);
	return r;
}

static bool is_of_type(const json_t *record, const char *type)
{
	const char *is = json_string_value(json_object_get(record, "type"));

	return is && !strcmp(is, type);
}

json_t *mocked_lend(json_t *array)
{
	static json_t *lent;

	if (!lent)
		lent = json_array();
	json_array_append_new(lent, array);
	return array;
}

json_t *mocked_of_type(const json_t *records, const char *type)
{
	json_t *found = mocked_lend(json_array()), *record;
	size_t i;

	json_array_foreach(records, i, record) if (is_of_type(record, type))
		json_array_append(found, record);
	return found;
}

size_t mocked_count(const struct mocked_run *r, const char *type)
{
	return json_array_size(mocked_of_type(r->records, type));
}

const json_t *mocked_record(const struct mocked_run *r, const char *type, size_t n)
{
	const json_t *record = json_array_get(mocked_of_type(r->records, type), n);

	if (!record)
		fail_msg("no %s record %zu in:\n%s", type, n, r->text);
	return record;
}

int64_t mocked_number(const json_t *record, const char *name)
{
	const json_t *value = json_object_get(record, name);

	if (!json_is_integer(value))
		fail_msg("\"%s\" is no number", name);
	return json_integer_value(value);
}

const char *mocked_string(const json_t *record, const char *name)
{
	const char *value = json_string_value(json_object_get(record, name));

	if (!value)
		fail_msg("\"%s\" is no string", name);
	return value;
}

bool mocked_logged(const struct mocked_run *r, const char *part)
{
	json_t *record;
	size_t i;

	json_array_foreach(r->records, i,
			   record) if (is_of_type(record, "log") &&
				       strstr(mocked_string(record, "text"), part)) return true;
	return false;
}

bool mocked_reason(const struct mocked_run *r, const char *part)
{
	const json_t *reasons = json_object_get(mocked_record(r, "end", 0), "reasons");
	json_t *reason;
	size_t i;

	json_array_foreach(reasons, i,
			   reason) if (strstr(json_string_value(reason), part)) return true;
	return false;
}
