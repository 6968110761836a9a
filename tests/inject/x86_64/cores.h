/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's cores by APIC id, and how to send one an SMI. */
#pragma once

#include <stdint.h>

/*
 * APIC ids of the enabled cores, the boot core first, then in MP Services' order.
 * Returns how many; 0 when there are more than `max`, when one has an APIC id of
 * 255 or more, or when the boot core is in x2APIC mode: the injector only speaks
 * xAPIC.
 */
uint32_t cores_list(uint8_t *apic_id, uint32_t max);

/* Send an SMI to one core. Returns before it is taken. */
void cores_send_smi(uint8_t apic_id);
