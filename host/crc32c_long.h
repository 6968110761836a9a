/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C as core/crc32c.h has it, eight bytes a step: for files rather than lines. */
#ifndef HOST_CRC32C_LONG_H
#define HOST_CRC32C_LONG_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c_long(const void *data, size_t bytes);

#endif
