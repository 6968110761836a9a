/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a configuration may choose of the machine's ports. It is not signed, wherever it comes from,
 * and a serial port is an address that is written to.
 */
#pragma once

#include "machine.h"

#include "core/config/config.h"

/*
 * The number of mistakes, each reported. `serial` must not be memory; with Secure Boot, which
 * promises that only signed code decides what is done, it is one that PCs have, and
 * `then=qemu-exit` is for virtual machines. A refused port is not opened: c->serial is `auto` then.
 */
unsigned serial_choice_check(struct config *c, const struct machine *m, config_complaint *complain,
			     void *ctx);
