/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts the payload by Linux's 64-bit boot protocol. The boot_params are those that the probe was
 * given, as they describe the machine.
 */
#include "payload.h"

#include "apic.h"
#include "arena.h"
#include "asm.h"
#include "console.h"
#include "core/keep/saved_store.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "paging.h"
#include "probe/save/nvram.h"

#define GIB4      (UINT64_C(1) << 32)
#define STORE     (UINT64_C(1) << 30) /* bytes; large, so that no checkpoint is left out */
#define INIT_US   10000               /* SDM vol. 3, 9.4.4.1 */
#define VALUE_MAX NVRAM_REPORT_MAX

/* In entry.S. `entry` is below 4 GiB. */
void payload_enter(uint64_t entry, const void *params) __attribute__((noreturn));

/* A node of setup_data. */
struct report {
	struct linux_node node;
	uint8_t value[VALUE_MAX];
};

static struct {
	struct linux_payload parts;
	struct linux_image kernel;
	uint8_t *place; /* of the kernel; NULL: there is no payload */
	uint8_t *params;
	uint8_t *command;
	struct report *report;
} payload;

static bool allocate(struct text *problem)
{
	const struct linux_image *k = &payload.kernel;
	uint64_t command = payload.parts.bytes[LINUX_PART_COMMAND];

	if (command > k->command_max) {
		text_add(problem, "the payload's command line has %llu bytes; accepted: at most %u",
			 (unsigned long long)command, k->command_max);
		return false;
	}
	payload.params = arena_pages(LINUX_PARAMS_BYTES + command + 1, GIB4);
	payload.report = arena_pages(sizeof(*payload.report), GIB4);
	payload.place = arena_aligned(k->run_bytes, GIB4, k->alignment);
	if (payload.params && payload.report && payload.place)
		return true;
	text_add(problem, "there is no room below 4 GiB for the payload's kernel: %llu KiB",
		 (unsigned long long)(k->run_bytes / 1024));
	return false;
}

bool payload_open(const struct start_info *info, struct text *problem)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)info->initrd;
	struct linux_payload *p = &payload.parts;
	const char *why = "is truncated";

	if (!linux_payload_is(at, info->initrd_bytes))
		return true;
	if (linux_payload_read(p, at, info->initrd_bytes))
		why = linux_image_read(&payload.kernel, p->part[LINUX_PART_KERNEL],
				       p->bytes[LINUX_PART_KERNEL]);
	if (why) {
		text_add(problem, "the kernel in the payload %s", why);
		return false;
	}
	if (!allocate(problem))
		return false;
	payload.command = payload.params + LINUX_PARAMS_BYTES;
	memcpy(payload.params, info->params, LINUX_PARAMS_BYTES);
	memcpy(payload.command, p->part[LINUX_PART_COMMAND], p->bytes[LINUX_PART_COMMAND]);
	return true;
}

bool payload_is_there(void)
{
	return payload.place;
}

const char *payload_config(size_t *bytes)
{
	*bytes = payload_is_there() ? payload.parts.bytes[LINUX_PART_CONFIG] : 0;
	return (const char *)payload.parts.part[LINUX_PART_CONFIG];
}

/* ---- The report ---- */

static bool is_report(enum door_owner owner, const char *name)
{
	return payload_is_there() && owner == DOOR_OURS && !strcmp(name, SAVED_NAME "0");
}

enum door_status payload_get(enum door_owner owner, const char *name, void *value, size_t *bytes)
{
	size_t cap = *bytes;

	if (!is_report(owner, name) || !payload.report->node.bytes)
		return DOOR_NONE;
	*bytes = payload.report->node.bytes;
	if (*bytes > cap)
		return DOOR_REFUSED;
	memcpy(value, payload.report->value, *bytes);
	return DOOR_OK;
}

enum door_status payload_set(enum door_owner owner, const char *name, enum door_lasting lasting,
			     const void *value, size_t bytes)
{
	(void)lasting;
	if (!is_report(owner, name))
		return DOOR_UNSUPPORTED;
	if (bytes > VALUE_MAX)
		return DOOR_FULL;
	memcpy(payload.report->value, value, bytes);
	payload.report->node.bytes = (uint32_t)bytes;
	return DOOR_OK;
}

bool payload_room(uint64_t *store, uint64_t *left, uint64_t *most)
{
	*store = *left = *most = STORE;
	return payload_is_there();
}

/* ---- The start ---- */

void payload_start(void)
{
	const struct linux_payload *p = &payload.parts;
	struct linux_node *node = &payload.report->node;
	uint64_t nodes = bytes_le64(payload.params + LINUX_SETUP_DATA);
	const struct linux_start start = {
		.command = (uintptr_t)payload.command,
		.initrd = (uintptr_t)p->part[LINUX_PART_INITRD],
		.initrd_bytes = p->bytes[LINUX_PART_INITRD],
		.setup_data = node->bytes ? (uintptr_t)node : nodes,
	};

	/* A halted core would go on after an SMI, in code that Linux overwrites. */
	apic_stop_others();
	console_stall(INIT_US);
	/* Linux reads the BIOS's data area there before it has page tables of its own. */
	paging_map_page_0(paging_kind_here(), read_cr3(), true);
	write_cr3(read_cr3());
	node->type = LINUX_NODE_REPORT;
	node->next = nodes;
	linux_params_set(payload.params, &payload.kernel, &start);
	memcpy(payload.place, payload.kernel.code, payload.kernel.code_bytes);
	payload_enter((uintptr_t)payload.place + LINUX_ENTRY, payload.params);
}
