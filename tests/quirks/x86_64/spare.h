/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core that no table lists, and that sends SMIs to the boot core for as long as the machine is
 * on, as other agents of a real machine do.
 */
#pragma once

#define SPARE_PAGE        0x50000
#define SPARE_PERIOD      10000000 /* ticks of the TSC from one SMI to the next */
#define SMI_DEFAULT_ENTRY 0x38000  /* SDM vol. 3, 32.4: after RESET */
#define SMI_COUNTS        10000    /* rounds of a loop in the handler */
#define SMI_COUNT         0x38ff0  /* where the handler counts, at its end */

#ifndef __ASSEMBLER__
#include <efi.h>

#include <stdint.h>

/*
 * Give the boot core an SMI handler that takes a while, and start the core with that APIC id, which
 * is in xAPIC mode as the boot core is. It is to be started before anybody else starts cores.
 */
EFI_STATUS spare_start(uint8_t apic_id);

/* Install only the handler, on all cores. */
EFI_STATUS spare_handle_smis(void);

/* Send an SMI, in xAPIC mode. */
void spare_send_smi(uint8_t apic_id);
#endif
