/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes settings of Linux's tracing that are changed and restored. Its files hold what the input
 * has, refuse writes, and forget them. Nothing may be changed that could not be restored, and if
 * all is reported as restored, it must be.
 */
#include "host/measure/system_file.h"
#include "host/measure/tracefs.h"

#include "tests/fuzz/input.h"
#include "tests/fuzz/take.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define ROOT   "/nowhere"
#define FILES  40
#define VALUE  (2 * TRACEFS_VALUE_MAX)
#define ORDERS 64

static struct file {
	char name[TRACEFS_NAME_MAX];
	char before[VALUE], now[VALUE]; /* `before`: as it was first read */
} file[FILES];
static unsigned files;
static bool strange; /* a file has not kept what was written to it */

static struct file *find(const char *name)
{
	struct file *f;

	for (unsigned i = 0; i < files; i++)
		if (strcmp(file[i].name, name) == 0)
			return &file[i];
	if (files == FILES)
		return NULL;
	f = &file[files++];
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->now[0] = '\0';
	for (size_t n = 0, count = take_byte() == 255 ? VALUE : take_byte(); n < count; n++) {
		f->now[n] = (char)take_byte();
		f->now[n + (n < VALUE - 1)] = '\0';
	}
	memcpy(f->before, f->now, VALUE);
	return f;
}

static int take_error(void)
{
	static const int errors[] = { ENOENT, EBUSY, EINVAL, EACCES };
	uint8_t how = take_byte();

	return how < 4 && take_more() ? errors[how] : 0;
}

bool system_path(char path[SYSTEM_PATH_MAX], const char *root, const char *name)
{
	int n = snprintf(path, SYSTEM_PATH_MAX, "%s/%s", root, name);

	return n > 0 && n < SYSTEM_PATH_MAX;
}

/* As the real one: no line ends at the end, and what does not fit is an error. */
int system_read(const char *root, const char *name, char *text, size_t cap)
{
	const struct file *f = find(name);
	int error = f ? take_error() : ENOENT;
	size_t bytes = f ? strlen(f->now) : 0;

	(void)root;
	text[0] = '\0';
	if (!error && bytes >= cap)
		error = EFBIG;
	if (error)
		return error;
	while (bytes && f->now[bytes - 1] == '\n')
		bytes--;
	memcpy(text, f->now, bytes);
	text[bytes] = '\0';
	return 0;
}

int system_read_open(int fd, char *text, size_t cap)
{
	(void)fd, (void)cap;
	text[0] = '\0';
	return ENOENT;
}

int system_write(const char *root, const char *name, const char *text)
{
	struct file *f = find(name);
	int error = f ? take_error() : ENOENT;

	(void)root;
	if (error)
		return error;
	insist(strlen(text) < TRACEFS_VALUE_MAX);
	if (take_byte() == 1 && take_more())
		strange = true;
	else
		snprintf(f->now, VALUE, "%s", text);
	return 0;
}

int system_make(const char *root, const char *name)
{
	(void)root, (void)name;
	return take_error();
}

int system_remove(const char *root, const char *name)
{
	(void)root, (void)name;
	return take_error();
}

/* Nobody waits. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time, (void)left;
	return 0;
}

static void complain(void *ctx, const char *text)
{
	unsigned *complaints = ctx;

	insist(*text && strlen(text) < 2 * TRACEFS_VALUE_MAX);
	++*complaints;
}

/* The one of several that is chosen, without a trigger's mark: what can be written back. */
static void chosen(char *value)
{
	char *open = strchr(value, '['), *close = open ? strchr(open, ']') : NULL;
	size_t bytes = strcspn(value, "");

	while (bytes && value[bytes - 1] == '\n')
		value[--bytes] = '\0';
	if (close) {
		*close = '\0';
		memmove(value, open + 1, strlen(open + 1) + 1);
	}
	bytes = strlen(value);
	if (bytes > 1 && value[bytes - 1] == '*')
		value[bytes - 1] = '\0';
}

/* Each file must be as it was, or show the word that was chosen in it. */
static void check_back(void)
{
	for (unsigned i = 0; i < files && !strange; i++) {
		struct file *f = &file[i];

		if (strcmp(f->before, f->now) == 0)
			continue;
		chosen(f->before);
		chosen(f->now);
		insist(strcmp(f->before, f->now) == 0);
	}
}

static void change(struct tracefs *t)
{
	static const char *const names[] = { "current_tracer", "tracing_on", "trace_clock",
					     "events/irq/enable" };
	static const char *const values[] = { "nop", "0", "1", "x86-tsc" };
	uint8_t order = take_byte();

	tracefs_set(t, names[order % 4], values[order / 4 % 4]);
	insist(t->undos <= TRACEFS_UNDO_MAX);
}

static void set_all(void)
{
	static struct tracefs t;
	unsigned complaints = 0;
	char buffer[400];
	struct text why;

	text_init(&why, buffer, sizeof(buffer));
	if (tracefs_open(&t, ROOT, &why))
		for (unsigned n = take_byte() % ORDERS; n; n--)
			change(&t);
	if (tracefs_put_back(&t, complain, &complaints)) {
		insist(!complaints);
		check_back();
	} else {
		insist(complaints);
	}
	insist(!t.undos && !t.instance[0]);
	insist(tracefs_put_back(&t, complain, &complaints));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char root[256], buffer[300];
	struct text why;

	take_from(data, bytes);
	files = 0;
	strange = false;
	text_init(&why, buffer, sizeof(buffer));
	tracefs_find(root, ROOT, &why);
	set_all();
	return 0;
}
