/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings of Linux's tracing, changed for a while and then restored.
 * What belongs to one trace buffer is set in an instance of our own, where Linux
 * gives one; some files are there once for all: those are the ones to restore. Source:
 * Linux, Documentation/trace/ftrace.rst, hwlat_detector.rst, osnoise-tracer.rst.
 */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdio.h>

#define TRACEFS_NAME_MAX  128
#define TRACEFS_VALUE_MAX 1200 /* a mask of 4096 cores has 1152 characters */
#define TRACEFS_UNDO_MAX  32

/* A file of the buffer that we use, or one that there is once. */
enum tracefs_where { TRACEFS_BUFFER, TRACEFS_GLOBAL };

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

/* Is the tracer in the kernel? */
bool tracefs_has(const char *root, const char *tracer);

/*
 * Does somebody use one of the tracers that exclude each other? Then `who` names where
 * ("hwlat in instances/x").
 */
bool tracefs_in_use(const char *root, struct text *who);

/*
 * A buffer to trace into: an instance, or the root's own where there can be none and
 * nobody uses it. False, with `why`. tracefs_put_back() is due in any case.
 */
bool tracefs_open(struct tracefs *t, const char *root, struct text *why);

/* The present value, as it would be written, in `cap` bytes. 0, or an errno. */
int tracefs_get(const struct tracefs *t, enum tracefs_where where, const char *file, char *value,
		size_t cap);

/* Set it, once it is known how to put it back. 0, or an errno, and then nothing has changed. */
int tracefs_set(struct tracefs *t, enum tracefs_where where, const char *file, const char *value);

/*
 * A bigger buffer, per core, where it is ours and goes away with the instance: what stands in
 * the file before ("7 (expanded: 1408)") cannot be written back. Best effort.
 */
void tracefs_enlarge(const struct tracefs *t, const char *kb);

/*
 * A file of words, each of which may stand there with or without "NO_": set one, which is
 * given as it shall stand there. A word that is not in the file is ENOENT.
 */
int tracefs_set_word(struct tracefs *t, const char *file, const char *word);

/* The buffer's text, to be read; NULL with errno. */
FILE *tracefs_trace(const struct tracefs *t);

/* Append the buffer's text to `out`: bytes, or -1 with errno. */
long tracefs_copy(const struct tracefs *t, FILE *out);

/*
 * Restore all, the last first, whatever fails on the way; remove the instance. True:
 * all is as it was found. Idempotent.
 */
bool tracefs_put_back(struct tracefs *t, tracefs_complaint *complain, void *ctx);
