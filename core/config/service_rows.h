/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services that mode=services calls, a row each: SERVICE(id, name, kind). Those of kind HARMLESS
 * are all that `services=all` means; the others are called where they are named. No include guard.
 */
#ifdef SERVICE
SERVICE(GET_TIME, get_time, HARMLESS)
SERVICE(GET_VARIABLE_ABSENT, get_variable_absent, HARMLESS)
SERVICE(GET_VARIABLE_SMALL, get_variable_small, HARMLESS)
SERVICE(GET_VARIABLE_LARGE, get_variable_large, HARMLESS)
SERVICE(NEXT_VARIABLE, next_variable, HARMLESS)
SERVICE(QUERY_VARIABLES, query_variables, HARMLESS)
SERVICE(QUERY_CAPSULE, query_capsule, HARMLESS)
SERVICE(RTC, rtc, HARMLESS)
SERVICE(KEYBOARD, keyboard, HARMLESS)
SERVICE(PM_TIMER, pm_timer, HARMLESS)
SERVICE(HPET, hpet, HARMLESS)
SERVICE(PCI_CF8, pci_cf8, HARMLESS)
SERVICE(PCI_ECAM, pci_ecam, HARMLESS)
SERVICE(PORT_80, port_80, HARMLESS)
SERVICE(PSCI_VERSION, psci_version, HARMLESS)
SERVICE(SMCCC_VERSION, smccc_version, HARMLESS)
SERVICE(TRNG, trng, HARMLESS)
SERVICE(SET_VARIABLE, set_variable, NAMED_ONLY)
SERVICE(SMI, smi, NAMED_ONLY)
#undef SERVICE
#endif
