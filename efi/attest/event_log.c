/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: TCG, EFI Protocol Specification 1.0 rev. 13, 6.5 (GetEventLog). */
#include "event_log.h"

#include "efi/firmware.h"

#include "core/tpm/tpm_log.h"

#define FORMAT_TCG2 2u
#define LAST_MAX    65536u /* bytes of the last event, whose length is in it */

struct tcg2 {
	void *get_capability;
	EFI_STATUS(EFIAPI *get_event_log)
	(struct tcg2 *this, UINT32 format, EFI_PHYSICAL_ADDRESS *first, EFI_PHYSICAL_ADDRESS *last,
	 BOOLEAN *truncated);
};

static EFI_GUID tcg2_guid = {
	0x607f766c, 0x7455, 0x42be, { 0x93, 0x0b, 0xe4, 0xd7, 0x6d, 0xb2, 0x72, 0x0f }
};

unsigned event_log_digests(const struct memory_map *map, unsigned pcr,
			   uint8_t (*digest)[SHA256_BYTES], unsigned most)
{
	EFI_PHYSICAL_ADDRESS first = 0, last = 0;
	BOOLEAN truncated = 0;
	struct tcg2 *tcg2;
	uint64_t more = LAST_MAX;

	if (EFI_ERROR(firmware_boot()->LocateProtocol(&tcg2_guid, NULL, (void **)&tcg2)) ||
	    EFI_ERROR(tcg2->get_event_log(tcg2, FORMAT_TCG2, &first, &last, &truncated)) ||
	    !first || last < first || truncated)
		return 0;
	while (more && !memory_map_covers(map, first, last - first + more))
		more /= 2;
	if (!more)
		return 0;
	return tpm_log_digests((const uint8_t *)(uintptr_t)first, last - first + more, last - first,
			       pcr, digest, most);
}
