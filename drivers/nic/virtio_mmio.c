/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio with its registers in memory. Source: VIRTIO 1.2, 4.2.2, and 4.2.4 for version 1. */
#include "virtio.h"

#include "arch/arch.h"

#define MAGIC   0x000u
#define VERSION 0x004u
#define DEVICE  0x008u
#define NOTIFY  0x050u
#define STATUS  0x070u
#define CONFIG  0x100u

#define MAGIC_VALUE    0x74726976u /* "virt" */
#define VERSION_LEGACY 1u
#define VERSION_MODERN 2u
#define DEVICE_NETWORK 1u /* 5.1 */

static const struct virtio_transport virtio_mmio = {
	.reg = {
		[VIRTIO_OFFER] = { 0x10, 4 },
		[VIRTIO_OFFER_SELECT] = { 0x14, 4 },
		[VIRTIO_ACCEPT] = { 0x20, 4 },
		[VIRTIO_ACCEPT_SELECT] = { 0x24, 4 },
		[VIRTIO_PAGE_BYTES] = { 0x28, 4 },
		[VIRTIO_QUEUE] = { 0x30, 4 },
		[VIRTIO_QUEUE_MOST] = { 0x34, 4 },
		[VIRTIO_QUEUE_SIZE] = { 0x38, 4 },
		[VIRTIO_QUEUE_ALIGN] = { 0x3c, 4 },
		[VIRTIO_QUEUE_PAGE] = { 0x40, 4 },
		[VIRTIO_QUEUE_ENABLE] = { 0x44, 4 },
		[VIRTIO_STATUS] = { STATUS, 4 },
		[VIRTIO_DESCRIPTORS] = { 0x80, 4 },
		[VIRTIO_AVAILABLE] = { 0x90, 4 },
		[VIRTIO_USED] = { 0xa0, 4 },
		[VIRTIO_GENERATION] = { 0xfc, 4 }, /* reserved in version 1 */
	},
	.notify_bytes = 4,
};

bool virtio_mmio_is_card(uint64_t address)
{
	return arch_map_device(address, NICS_VIRTIO_BYTES) &&
	       arch_mmio_read32(address + MAGIC) == MAGIC_VALUE &&
	       arch_mmio_read32(address + DEVICE) == DEVICE_NETWORK;
}

void virtio_mmio_stop(uint64_t address)
{
	arch_mmio_write32(address + STATUS, 0);
}

void virtio_mmio_find(struct nic *n, struct virtio *v)
{
	uint64_t base = v->setup.mmio;
	uint32_t version;

	if (!virtio_mmio_is_card(base)) {
		nic_fail(n, "it is no virtio network card any more");
		return;
	}
	version = arch_mmio_read32(base + VERSION);
	if (version != VERSION_LEGACY && version != VERSION_MODERN) {
		nic_fail(n, "it has version %u of the registers; known are 1 and 2", version);
		return;
	}
	v->is_legacy = version == VERSION_LEGACY;
	v->transport = &virtio_mmio;
	v->common = base;
	v->notify = base + NOTIFY;
	v->notify_bytes = virtio_mmio.notify_bytes;
	v->config = base + CONFIG;
	v->config_bytes = NICS_VIRTIO_BYTES - CONFIG;
}
