/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a door that no processor changes: there is no firmware. */
#pragma once

#include "drivers/uart.h"
#include "probe/door.h"
#include "probe/options.h"

#define COMMON_PROBLEM_MAX 240
#define COMMON_EXIT_ERROR  2 /* the exit code of a run that could not start */

/*
 * The console until the probe has chosen its serial port, with the rate and the format that the
 * loader or the BIOS has set. Its FIFO may be off: each byte is waited for.
 */
extern struct uart common_console;

/* Print "noisefloor: cannot start: ", and why. */
void common_print_refusal(const char *why);

/* Apply the loader's command line, for door.read_options(); warn of an initrd that is not used. */
void common_read_options(struct options *o, const char *command, size_t bytes, bool has_initrd);

/* These implement the functions of those names in probe/door.h. */
void common_print(const char *line);
bool common_read_key(char *key);
bool common_leave(struct memory_map *map);
bool common_is_gone(void);
