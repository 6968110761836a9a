/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the monitor for the injector, by SMC, with the function in x0 and a number in x1. */
#pragma once

/*
 * Functions in the range that the convention leaves to a machine's maker (Arm DEN0028, table 6-3).
 */
#define MONITOR_TAKE 0xc3000001 /* be the handler of the struct core at that address */
#define MONITOR_ARM  0xc3000002 /* interrupt when the counter is that */
