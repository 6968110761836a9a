/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings that can be restored. */
#include "tracefs.h"

#include "system_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOP       "nop"
#define TRACER    "current_tracer"
#define INSTANCES "instances"
#define LIST_MAX  65536
#define TRIES     3 /* to put something back */
#define PAUSE_NS  10000000

static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

#define PLACES (sizeof(places) / sizeof(places[0]))

static bool is_there(const char *place, char root[256], int *error)
{
	char *text = malloc(LIST_MAX);

	*error = text ? system_read(place, "available_tracers", text, LIST_MAX) : ENOMEM;
	free(text);
	if (*error || strlen(place) >= 256)
		return false;
	strcpy(root, place);
	return true;
}

bool tracefs_find(char root[256], const char *given, struct text *why)
{
	int error = 0;

	if (given) {
		if (is_there(given, root, &error))
			return true;
		text_add(why, "%s/available_tracers: %s", given,
			 strerror(error ? error : ENAMETOOLONG));
		return false;
	}
	for (size_t i = 0; i < PLACES; i++)
		if (is_there(places[i], root, &error))
			return true;
	text_add(why, "no tracefs at %s or %s (%s)", places[0], places[1], strerror(error));
	return false;
}

/* "instances/x/current_tracer"; false when that is too long. */
static bool name_in(char name[TRACEFS_NAME_MAX], const char *folder, const char *file)
{
	int n = snprintf(name, TRACEFS_NAME_MAX, "%s%s%s", folder, *folder ? "/" : "", file);

	return n > 0 && n < TRACEFS_NAME_MAX;
}

/* Its own files show that it is an instance and not just a folder. */
static bool make_instance(struct tracefs *t)
{
	char name[TRACEFS_NAME_MAX], tracer[80];

	snprintf(t->instance, sizeof(t->instance), INSTANCES "/noisefloor-%ld", (long)getpid());
	if (system_make(t->root, t->instance) == 0) {
		if (name_in(name, t->instance, TRACER) &&
		    system_read(t->root, name, tracer, sizeof(tracer)) == 0)
			return true;
		system_remove(t->root, t->instance);
	}
	t->instance[0] = '\0';
	return false;
}

/* Only a buffer that nobody uses and that is empty can be given back as it was. */
static bool is_free(const struct tracefs *t, struct text *why)
{
	char tracer[80], on[80];
	int error = system_read(t->root, TRACER, tracer, sizeof(tracer));

	if (!error)
		error = system_read(t->root, "tracing_on", on, sizeof(on));
	if (error) {
		text_add(why,
			 "no instance can be made in %s, and its own buffer cannot be read: %s",
			 t->root, strerror(error));
		return false;
	}
	if (strcmp(tracer, NOP) == 0)
		return true;
	text_add(why, "no instance can be made in %s, and its own buffer is used by tracer %s",
		 t->root, tracer);
	return false;
}

bool tracefs_open(struct tracefs *t, const char *root, struct text *why)
{
	*t = (struct tracefs){ .undos = 0 };
	snprintf(t->root, sizeof(t->root), "%s", root);
	return make_instance(t) || is_free(t, why);
}

/* Of "none [round-robin] per-cpu" the word in brackets; of "0*", which a trigger holds, the 0. */
static void take_chosen(char *value)
{
	char *open = strchr(value, '['), *close = open ? strchr(open, ']') : NULL;
	size_t bytes;

	if (close) {
		*close = '\0';
		memmove(value, open + 1, strlen(open + 1) + 1);
	}
	bytes = strlen(value);
	if (bytes > 1 && value[bytes - 1] == '*')
		value[bytes - 1] = '\0';
}

static int get(const struct tracefs *t, const char *name, char *value, size_t cap)
{
	int error = system_read(t->root, name, value, cap);

	if (!error)
		take_chosen(value);
	return error;
}

static bool is_known(const struct tracefs *t, const char *name)
{
	for (unsigned i = 0; i < t->undos; i++)
		if (strcmp(t->undo[i].name, name) == 0)
			return true;
	return false;
}

/* How it is put back is noted before anything changes. */
static int change(struct tracefs *t, const char *name, const char *before, const char *value)
{
	struct tracefs_undo *undo = &t->undo[t->undos];
	int error;

	if (is_known(t, name))
		return system_write(t->root, name, value);
	if (t->undos == TRACEFS_UNDO_MAX)
		return ENOSPC;
	snprintf(undo->name, sizeof(undo->name), "%s", name);
	snprintf(undo->value, sizeof(undo->value), "%s", before);
	t->undos++;
	error = system_write(t->root, name, value);
	if (error)
		t->undos--;
	return error;
}

int tracefs_set(struct tracefs *t, const char *file, const char *value)
{
	char name[TRACEFS_NAME_MAX], before[TRACEFS_VALUE_MAX];
	int error;

	if (!name_in(name, t->instance, file))
		return ENAMETOOLONG;
	error = get(t, name, before, sizeof(before));
	if (error || strcmp(before, value) == 0)
		return error;
	return change(t, name, before, value);
}

void tracefs_enlarge(const struct tracefs *t, const char *kb)
{
	char name[TRACEFS_NAME_MAX];

	if (t->instance[0] && name_in(name, t->instance, "buffer_size_kb"))
		system_write(t->root, name, kb);
}

FILE *tracefs_trace(const struct tracefs *t)
{
	char path[SYSTEM_PATH_MAX], name[TRACEFS_NAME_MAX];

	if (name_in(name, t->instance, "trace") && system_path(path, t->root, name))
		return fopen(path, "re");
	errno = ENAMETOOLONG;
	return NULL;
}

static bool is_back(const struct tracefs *t, const struct tracefs_undo *undo, char *found)
{
	return get(t, undo->name, found, TRACEFS_VALUE_MAX) == 0 && strcmp(found, undo->value) == 0;
}

static bool put_one_back(const struct tracefs *t, const struct tracefs_undo *undo,
			 tracefs_complaint *complain, void *ctx)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	char text[2 * TRACEFS_VALUE_MAX], found[TRACEFS_VALUE_MAX] = "";
	int error = 0;

	/* It may be busy for a moment, while a tracer's threads end. */
	for (unsigned i = 0; i < TRIES; i++) {
		if (i)
			nanosleep(&pause, NULL);
		error = system_write(t->root, undo->name, undo->value);
		if (!error && is_back(t, undo, found))
			return true;
	}
	snprintf(text, sizeof(text), "%s/%s was \"%.200s\" and could not be put back: %s%.200s",
		 t->root, undo->name, undo->value, error ? "" : "now it is ",
		 error ? strerror(error) : found);
	complain(ctx, text);
	return false;
}

static bool remove_instance(struct tracefs *t, tracefs_complaint *complain, void *ctx)
{
	char text[SYSTEM_PATH_MAX + 200];
	int error = t->instance[0] ? system_remove(t->root, t->instance) : 0;

	if (error) {
		snprintf(text, sizeof(text), "%s/%s could not be removed: %s", t->root, t->instance,
			 strerror(error));
		complain(ctx, text);
	}
	t->instance[0] = '\0';
	return !error;
}

bool tracefs_put_back(struct tracefs *t, tracefs_complaint *complain, void *ctx)
{
	bool all = true;

	while (t->undos)
		all = put_one_back(t, &t->undo[--t->undos], complain, ctx) && all;
	return remove_instance(t, complain, ctx) && all;
}
