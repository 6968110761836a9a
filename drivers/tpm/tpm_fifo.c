/* SPDX-License-Identifier: BSD-2-Clause */
/* The FIFO interface, also called TIS: TCG, PC Client Platform TPM Profile 1.05, 6.5.2. */
#include "tpm.h"

#include "arch/arch.h"

#define ACCESS    0x00u /* 8 bits */
#define STATUS    0x18u
#define FIFO      0x24u /* 8 bits */
#define INTERFACE 0x30u

#define ACCESS_VALID  0x80u
#define ACCESS_ACTIVE 0x20u
#define ACCESS_USE    0x02u

#define STATUS_VALID  0x80u
#define STATUS_READY  0x40u
#define STATUS_GO     0x20u
#define STATUS_DATA   0x10u
#define STATUS_EXPECT 0x08u
#define STATUS_BURST  0x00ffff00u
#define BURST_SHIFT   8u
#define STATUS_CANCEL 0x01000000u

#define IS_FIFO 0x0u
#define IS_TIS  0xfu /* the older specification's, which has no such register */

static const char *tpm_fifo_look(struct tpm *t)
{
	uint32_t is = arch_mmio_read32(t->locality + INTERFACE) & 0xf;

	return is == IS_FIFO || is == IS_TIS ? NULL : "it has no FIFO, against the table TPM2";
}

static bool take_locality(struct tpm *t, struct deadline *d)
{
	const uint32_t mask = ACCESS_VALID | ACCESS_ACTIVE;

	if ((arch_mmio_read8(t->locality + ACCESS) & mask) == mask)
		return true;
	arch_mmio_write8(t->locality + ACCESS, ACCESS_USE);
	while ((arch_mmio_read8(t->locality + ACCESS) & mask) != mask)
		if (deadline_passed(d))
			return false;
	return true;
}

/* Number of bytes that the TPM takes or has at once; 0: none before the deadline. */
static uint32_t wait_burst(struct tpm *t, struct deadline *d)
{
	uint32_t burst;

	while (!(burst = arch_mmio_read32(t->locality + STATUS) & STATUS_BURST))
		if (deadline_passed(d))
			return 0;
	return burst >> BURST_SHIFT;
}

static const char *tpm_fifo_send(struct tpm *t, size_t bytes, struct deadline *d)
{
	if (!take_locality(t, d))
		return "it does not grant locality 0";
	arch_mmio_write32(t->locality + STATUS, STATUS_READY);
	if (!deadline_until(t->locality + STATUS, STATUS_READY, STATUS_READY, d))
		return "it does not become ready";
	for (size_t i = 0; i < bytes;) {
		uint32_t burst = wait_burst(t, d);

		if (!burst)
			return "it takes no command";
		for (; burst && i < bytes; burst--)
			arch_mmio_write8(t->locality + FIFO, t->buffer[i++]);
	}
	if (!deadline_until(t->locality + STATUS, STATUS_VALID | STATUS_EXPECT, STATUS_VALID, d))
		return "it takes no command";
	arch_mmio_write32(t->locality + STATUS, STATUS_GO);
	return NULL;
}

/* Read up to `end`, after the bytes that have been read so far. */
static bool read_to(struct tpm *t, size_t end, struct deadline *d)
{
	while (t->bytes < end) {
		uint32_t burst = wait_burst(t, d);

		if (!burst)
			return false;
		for (; burst && t->bytes < end; burst--)
			t->buffer[t->bytes++] = arch_mmio_read8(t->locality + FIFO);
	}
	return true;
}

static const char *tpm_fifo_receive(struct tpm *t, struct deadline *d)
{
	size_t size;

	t->bytes = 0;
	if (!deadline_until(t->locality + STATUS, STATUS_VALID | STATUS_DATA,
			    STATUS_VALID | STATUS_DATA, d))
		return "it does not answer";
	if (!read_to(t, TPM_HEAD, d))
		return "its response breaks off";
	size = tpm_size(t->buffer);
	if (!size || size > sizeof(t->buffer))
		return "its response has no plausible length";
	return read_to(t, size, d) ? NULL : "its response breaks off";
}

/* "Ready" ends a command, and empties the FIFO. */
static void tpm_fifo_rest(struct tpm *t, bool gave_up)
{
	if (gave_up)
		arch_mmio_write32(t->locality + STATUS, STATUS_CANCEL);
	arch_mmio_write32(t->locality + STATUS, STATUS_READY);
}

const struct tpm_kind tpm_fifo = {
	.name = "fifo",
	.look = tpm_fifo_look,
	.send = tpm_fifo_send,
	.receive = tpm_fifo_receive,
	.rest = tpm_fifo_rest,
};
