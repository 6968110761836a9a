/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet attest`. */
#pragma once

#include "host/program/options.h"

extern const struct options_subcommand attest_subcommand;
