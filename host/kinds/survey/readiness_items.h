/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings that readiness knows, a row each. No include guard.
 *
 * ITEM(id, name, low, high, same): value 0 is printed as `low`, 1 as `high`; NULL: as a number in
 * hexadecimal. same: what counts is that all cores have the same.
 */
#ifdef ITEM
ITEM(TURBO, "turbo", "off", "on", false)
ITEM(EFFICIENT_TURBO, "energy-efficient-turbo", "off", "on", false)
ITEM(SPEEDSTEP, "speedstep", "off", "on", false)
ITEM(HWP, "hwp", "off", "on", false)
ITEM(BIAS, "energy-perf-bias", "performance", NULL, false)
ITEM(PACKAGE_C, "package-c-state-limit", "C0/C1", NULL, false)
ITEM(CORE_C, "core-c-states", "C1 only", "deeper", false)
ITEM(C1E, "c1e", "off", "on", false)
ITEM(SMT, "smt", "off", "on", false)
ITEM(THERMAL, "thermal-interrupt", "not an SMI", "an SMI", false)
ITEM(TSC_ADJUST, "tsc-adjust", NULL, NULL, true)
ITEM(MICROCODE, "microcode", NULL, NULL, true)
ITEM(PREFETCH, "prefetchers", "all on", NULL, false)
ITEM(PROCHOT, "prochot-input", "off", "on", false)
ITEM(FREEZE, "freeze-on-smi", "off", "on", false)
ITEM(USB, "usb-legacy", "off", "on", false)
ITEM(FIRMWARE_FIRST, "firmware-first", "off", "on", false)
ITEM(LOCKS, "locked", "none", NULL, false)
#undef ITEM
#endif
