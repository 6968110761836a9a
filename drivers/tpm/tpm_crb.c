/* SPDX-License-Identifier: BSD-2-Clause */
/* The command response buffer interface: TCG, PC Client Platform TPM Profile 1.05, 6.5.3. */
#include "tpm.h"

#include "arch/arch.h"

/* Offsets from the locality's registers. */
#define LOC_STATE    0x00u
#define LOC_CONTROL  0x08u
#define INTERFACE    0x30u
#define LOC_ASSIGNED 0x02u
#define LOC_ACTIVE   0x1cu
#define LOC_VALID    0x80u
#define LOC_REQUEST  0x01u
#define IS_CRB       1u

/* Offsets from the control area. */
#define REQUEST          0x00u
#define STATUS           0x04u
#define CANCEL           0x08u
#define START            0x0cu
#define COMMAND_BYTES    0x18u
#define COMMAND_LOW      0x1cu
#define COMMAND_HIGH     0x20u
#define RESPONSE_BYTES   0x24u
#define RESPONSE_LOW     0x28u
#define RESPONSE_HIGH    0x2cu
#define REQUEST_READY    0x01u
#define REQUEST_IDLE     0x02u
#define STATUS_IS_BROKEN 0x01u
#define BUFFER_MAX       0x10000u /* no TPM has a longer one */
#define REST_MS          100u

static uint32_t tpm_crb_get(const struct tpm *t, uint32_t reg)
{
	return arch_mmio_read32(t->control + reg);
}

static uint64_t get_address(const struct tpm *t, uint32_t low, uint32_t high)
{
	return tpm_crb_get(t, low) | (uint64_t)tpm_crb_get(t, high) << 32;
}

static bool can_reach(uint64_t address, uint32_t bytes)
{
	return address && address <= UINT64_MAX - bytes && arch_map_device(address, bytes);
}

static const char *tpm_crb_look(struct tpm *t)
{
	if (t->locality && (arch_mmio_read32(t->locality + INTERFACE) & 0xf) != IS_CRB)
		return "it has no command buffer, against the table TPM2";
	t->command = get_address(t, COMMAND_LOW, COMMAND_HIGH);
	t->command_bytes = tpm_crb_get(t, COMMAND_BYTES);
	t->response = get_address(t, RESPONSE_LOW, RESPONSE_HIGH);
	t->response_bytes = tpm_crb_get(t, RESPONSE_BYTES);
	if (t->command_bytes < TPM_COMMAND_MAX || t->command_bytes > BUFFER_MAX ||
	    t->response_bytes < TPM_HEAD || t->response_bytes > BUFFER_MAX)
		return "its buffers have no plausible length";
	if (!can_reach(t->command, t->command_bytes) || !can_reach(t->response, t->response_bytes))
		return "its buffers cannot be reached";
	return NULL;
}

static bool take_locality(struct tpm *t, struct deadline *d)
{
	if (!t->locality)
		return true;
	arch_mmio_write32(t->locality + LOC_CONTROL, LOC_REQUEST);
	return deadline_until(t->locality + LOC_STATE, LOC_VALID | LOC_ASSIGNED | LOC_ACTIVE,
			      LOC_VALID | LOC_ASSIGNED, d);
}

static const char *tpm_crb_send(struct tpm *t, size_t bytes, struct deadline *d)
{
	if (!take_locality(t, d))
		return "it does not grant locality 0";
	arch_mmio_write32(t->control + REQUEST, REQUEST_READY);
	if (!deadline_until(t->control + REQUEST, REQUEST_READY, 0, d))
		return "it does not become ready";
	if (tpm_crb_get(t, STATUS) & STATUS_IS_BROKEN)
		return "it reports an error of its own";
	for (size_t i = 0; i < bytes; i++)
		arch_mmio_write8(t->command + i, t->buffer[i]);
	arch_mmio_write32(t->control + START, 1);
	return NULL;
}

static const char *tpm_crb_receive(struct tpm *t, struct deadline *d)
{
	size_t size, read = TPM_HEAD;

	if (!deadline_until(t->control + START, 1, 0, d))
		return "it does not answer";
	if (tpm_crb_get(t, STATUS) & STATUS_IS_BROKEN)
		return "it reports an error of its own";
	for (size_t i = 0; i < read; i++) {
		t->buffer[i] = arch_mmio_read8(t->response + i);
		if (i + 1 != TPM_HEAD)
			continue;
		size = tpm_size(t->buffer);
		if (!size || size > sizeof(t->buffer) || size > t->response_bytes)
			return "its response has no plausible length";
		read = size;
	}
	t->bytes = read;
	return NULL;
}

static void tpm_crb_rest(struct tpm *t, bool gave_up)
{
	struct deadline d = deadline_in(REST_MS, t->hz);

	if (gave_up) {
		arch_mmio_write32(t->control + CANCEL, 1);
		deadline_until(t->control + START, 1, 0, &d);
		arch_mmio_write32(t->control + CANCEL, 0);
	}
	arch_mmio_write32(t->control + REQUEST, REQUEST_IDLE);
	deadline_until(t->control + REQUEST, REQUEST_IDLE, 0, &d);
}

const struct tpm_kind tpm_crb = {
	.name = "crb",
	.look = tpm_crb_look,
	.send = tpm_crb_send,
	.receive = tpm_crb_receive,
	.rest = tpm_crb_rest,
};
