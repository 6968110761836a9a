/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress of a long step, on standard error: once a second from its first second on, if
 * standard error is a terminal, or on request. On a terminal it is one line, which is erased when
 * the step ends; elsewhere each is a line of its own.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Show progress even if standard error is no terminal: --verbose. */
void progress_ask(void);

/* Show no progress: --quiet, or standard output goes to the same terminal. */
void progress_forbid(void);

/* A step begins. `name` must live until it ends; `total` bytes, 0: not known. */
void progress_start(const char *what, const char *name, uint64_t total);

/* progress_start() for reading a file from its current position. */
void progress_start_file(const char *name, int fd);

/* `bytes` more are done. */
void progress_add(size_t bytes);

/* Something else is about to be written to standard error. */
void progress_hide(void);

/* The step has ended; without one, does nothing. */
void progress_stop(void);
