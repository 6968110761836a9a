/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a long step is, on standard error: once a second from its first second on, where
 * standard error is a terminal, or where it is asked for. A terminal has one line of it, which
 * is gone when the step is over; elsewhere each is a line of its own.
 */
#ifndef HOST_PROGRESS_H
#define HOST_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

/* --progress: even where standard error is no terminal. */
void progress_ask(void);

/* Never: standard output goes to the same terminal meanwhile. */
void progress_forbid(void);

/* A step begins. `name` stays the caller's until it ends; `total` bytes, 0: not known. */
void progress_start(const char *what, const char *name, uint64_t total);

/* The same for reading a file from where it stands. */
void progress_start_file(const char *name, FILE *file);

/* So many bytes more are done. */
void progress_add(size_t bytes);

/* Something else is about to be written to standard error. */
void progress_hide(void);

/* The step is over; without one, nothing happens. */
void progress_stop(void);

#endif
