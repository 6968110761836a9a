/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet` with SQLite: what reads a store. */
#include "fleet.h"

const struct options_subcommand *const fleet_stored[] = {
	&fleet_list, &fleet_status, &fleet_export, &fleet_import, &fleet_check, NULL,
};

const char fleet_summary[] = "the machines of collectors: list, status, export, import, ...";
