/* SPDX-License-Identifier: BSD-2-Clause */
/* The architecture's name in records, and what it does not have. */
#pragma once

#define ISA_NAME   "x86_64"
#define ISA_NO_SMI false
#define ISA_PORTS  true /* of devices that firmware may emulate */
