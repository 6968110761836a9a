/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor fleet`. */
#pragma once

#include "host/program/options.h"

extern const struct options_subcommand fleet_list, fleet_status, fleet_export, fleet_import,
	fleet_check, fleet_key;

/* Subcommands that read a store, up to NULL: without SQLite none. The group's summary. */
extern const struct options_subcommand *const fleet_stored[];
extern const char fleet_summary[];

/* list.sql: tables and views of the machines of a store. */
extern const char fleet_list_sql[];

/* The n-th, from 0, as `noisefloor fleet --help` lists them; NULL past the last. */
const struct options_subcommand *fleet_subcommands_at(size_t n);
