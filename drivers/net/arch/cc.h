/* SPDX-License-Identifier: BSD-2-Clause */
/* lwIP's needs of compiler and C library; there is no C library here. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LWIP_NO_CTYPE_H    1
#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_LIMITS_H   1
#define LWIP_NO_UNISTD_H   1

#define X8_F  "x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "zu"

#define SSIZE_MAX INTPTR_MAX
typedef ptrdiff_t ssize_t;

/* The block of memory: MEM_SIZE bytes, and a little for lwIP's own book-keeping. */
extern unsigned char *net_heap;

/* The tag of frames that are sent; -1: none. */
int32_t net_vlan(void);

/* The configured next hop to an IPv6 address (both ip6_addr_t); NULL: unknown. */
const void *net_next_hop(const void *to);

/* Random numbers, for ports and transaction numbers that must not be predictable. */
uint32_t net_random(void);
#define LWIP_RAND() net_random()

/*
 * A check of lwIP's own has failed: lwIP is abandoned, and the position is stored. The texts of
 * checks would be 3 KB of the image.
 */
void net_broken(const char *file, unsigned line) __attribute__((noreturn));
#define LWIP_PLATFORM_ASSERT(text) net_broken(__FILE_NAME__, __LINE__)
#define LWIP_PLATFORM_DIAG(words)  ((void)0)
