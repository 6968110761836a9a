/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP asks of a compiler and of a C library, of which there is none here. */
#ifndef DRIVERS_LWIP_ARCH_CC_H
#define DRIVERS_LWIP_ARCH_CC_H

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

/* Random where predictable ports and transaction numbers would do no good. */
uint32_t net_random(void);
#define LWIP_RAND() net_random()

/* lwIP's own checks: the text goes to the report, and the stack is not used again. */
void net_broken(const char *text);
#define LWIP_PLATFORM_ASSERT(text) net_broken(text)
#define LWIP_PLATFORM_DIAG(words)  ((void)0)

#endif
