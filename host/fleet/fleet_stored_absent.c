/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet` without SQLite. */
#include "fleet.h"

const struct options_subcommand *const fleet_stored[] = { NULL };

const char fleet_summary[] = "a node's key, and what a TPM has signed: this program has no SQLite";
