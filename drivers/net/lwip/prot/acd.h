/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Found before the header of this name in lwIP 2.2: its times, which are not options. By RFC 5227,
 * a host looks for conflicts for 6 to 9 s before it takes the address that DHCP offers, but a run
 * waits only 10 s for an address. One probe, and an announcement a second later, is the behaviour
 * of lwIP 2.1, which has no such header.
 */
#pragma once

#if __has_include_next(<lwip/prot/acd.h>)
#include_next <lwip/prot/acd.h>
#endif

#undef PROBE_NUM
#undef ANNOUNCE_NUM
#undef ANNOUNCE_WAIT
#define PROBE_NUM     1
#define ANNOUNCE_NUM  1
#define ANNOUNCE_WAIT 1 /* s */
