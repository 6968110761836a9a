/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration, in the order in which it is read: defaults, noisefloor.conf, the boot server's
 * files, load options.
 */
#pragma once

#include "complaints.h"
#include "machine.h"
#include "core/config/config.h"
#include "core/config/config_names.h"

struct options {
	const struct machine *machine;
	struct config config;
	unsigned mistakes;         /* in the configuration; with any, the run does not start */
	bool may_write;            /* `serial` has been checked, and may be written to */
	struct ipaddr boot_server; /* IPADDR_NONE: no boot server, or its name alone is known */
	char served_source[CONFIG_NAME_MAX + sizeof("https:")]; /* origin of the configuration */
};

/* Fill in the configuration and the boot server, and count mistakes. */
void options_read(struct options *o);

/* Check what depends on the machine: cores, and the threshold against the loop's own interval. */
void options_check(struct options *o);

/*
 * Check the same at any time, and that `report` names a peer. Each mistake is reported to
 * `complain`. Returns their number.
 */
unsigned options_verify(struct options *o, config_complaint *complain, void *ctx);

/* A config_complaint; ctx is not used. */
void options_complain(void *ctx, const char *source, unsigned line, const char *text);

/*
 * Time the loop on the boot core; `hz` is the clock's rate. Returns the number of complaints: 0 or
 * 1. A test build replaces this.
 */
unsigned options_check_threshold(const struct config *config, uint64_t hz,
				 config_complaint *complain, void *ctx);
