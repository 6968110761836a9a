/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C (Castagnoli), as in RFC 3720 appendix B.4: each record ends with it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32C of `bytes` bytes. The CRC of "123456789" is 0xe3069283. */
uint32_t crc32c(const void *data, size_t bytes);

/* crc32c() without special instructions. In the EFI application, crc32c() calls this. */
uint32_t crc32c_plain(const void *data, size_t bytes);
