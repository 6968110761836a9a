/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks which of the machine's ports a configuration may choose. A configuration is not signed,
 * and a serial port is an address that is written to.
 */
#pragma once

#include "machine.h"

#include "core/config/config.h"

/*
 * Report mistakes, and return their number. `serial` must not be memory. With Secure Boot, which
 * promises that only signed code decides what is done, `serial` must be a port that PCs have, `smi`
 * must not be set, and `then=qemu-exit` needs a virtual machine. A refused key is reset: `serial`
 * and `then` to auto, `smi` to none.
 */
unsigned serial_choice_check(struct config *c, const struct machine *m, config_complaint *complain,
			     void *ctx);
