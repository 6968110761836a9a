/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's identity, from registers that tests can play. Those that are not the owner of the
 * machine have no rdmsr and wrmsr.
 */
#pragma once

#include "arch/arch.h"
#include "regs.h"

/* arch_identify() */
void identify(const struct regs *regs, struct arch_identity *id);

/* Fill in the microcode's revision, where it can be known. */
void identify_microcode(const struct regs *regs, struct arch_identity *id);

/* arch_sealed(): no register is read that might fault. */
const char *identify_sealed(const struct regs *regs);

/* KVM's features, EAX of its second leaf, which may follow other interfaces; 0: no such guest. */
uint32_t identify_kvm_features(const struct regs *regs);

/* arch_clock_sources() */
unsigned identify_clock(const struct regs *regs, struct tsc_rate_source source[ARCH_CLOCK_SOURCES]);

/* arch_topology(), of the core that these registers are of. */
void identify_topology(const struct regs *regs, struct topology *t);
