/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of a trace buffer of Linux, which are changed for a while and then restored. The buffer
 * is an instance of our own if Linux gives one, else the root's. Source: Linux,
 * Documentation/trace/ftrace.rst.
 */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdio.h>

#define TRACEFS_NAME_MAX  128
#define TRACEFS_VALUE_MAX 1200
#define TRACEFS_UNDO_MAX  32

struct tracefs {
	char root[256];
	char instance[TRACEFS_NAME_MAX]; /* "instances/...": ours; "": the buffer is the root's */
	struct tracefs_undo {
		char name[TRACEFS_NAME_MAX]; /* under the root */
		char value[TRACEFS_VALUE_MAX];
	} undo[TRACEFS_UNDO_MAX];
	unsigned undos;
};

/* Receives what could not be restored. */
typedef void tracefs_complaint(void *ctx, const char *text);

/*
 * Where tracefs is: `given`, or where it always is. False, with `why`: not there, or
 * not readable.
 */
bool tracefs_find(char root[256], const char *given, struct text *why);

/*
 * A buffer to trace into: an instance, or the root's own where there can be none and
 * nobody uses it. False, with `why`. tracefs_put_back() is due in any case.
 */
bool tracefs_open(struct tracefs *t, const char *root, struct text *why);

/* Set it, once it is known how to put it back. 0, or an errno, and then nothing has changed. */
int tracefs_set(struct tracefs *t, const char *file, const char *value);

/*
 * A bigger buffer, per core, where it is ours and goes away with the instance: what stands in
 * the file before ("7 (expanded: 1408)") cannot be written back. Best effort.
 */
void tracefs_enlarge(const struct tracefs *t, const char *kb);

/* The buffer's text, to be read; NULL with errno. */
FILE *tracefs_trace(const struct tracefs *t);

/*
 * Restore all, the last first, whatever fails on the way; remove the instance. True:
 * all is as it was found. Idempotent.
 */
bool tracefs_put_back(struct tracefs *t, tracefs_complaint *complain, void *ctx);
