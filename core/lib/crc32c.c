/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C for the EFI application, which has to be small; host/lib/crc32c.c is quicker. */
#include "crc32c.h"

uint32_t crc32c(const void *data, size_t bytes)
{
	return crc32c_plain(data, bytes);
}
