/* SPDX-License-Identifier: BSD-2-Clause */
/* The architecture's name in records, and what it does not have. */
#pragma once

#define ISA_NAME   "aarch64"
#define ISA_NO_SMI true
#define ISA_PORTS  false
