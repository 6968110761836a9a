/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door of Linux's boot protocol on AArch64: a device tree describes the machine, and its node
 * /chosen has the command line. There is no firmware to call. Source: Linux,
 * Documentation/arch/arm64/booting.rst.
 */
#include "asm.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "percpu.h"
#include "probe/tree_map.h"
#include "pvh/common.h"
#include "translation.h"
#include "traps.h"

#define TREE_BYTES_MAX (UINT64_C(2) << 20)

/*
 * QEMU's serial port, for a last line where no tree names one. It is probed first. Source: QEMU,
 * hw/arm/virt.c.
 */
#define QEMU_UART 0x09000000

struct rela {
	uint64_t offset, info, addend;
};

/* Defined by image.lds. Hidden, so that their addresses are computed from the program counter. */
#define HIDDEN __attribute__((visibility("hidden")))
extern const char main_image[] HIDDEN, main_image_end[] HIDDEN;
extern const struct rela rela_begin[] HIDDEN, rela_end[] HIDDEN;

/* Called by entry.S with the MMU off, one after the other. */
void main_relocate(void);
void main_start(uint64_t address) __attribute__((noreturn));

static struct percpu boot_core;
static struct tree_map start;

/* No address needs to be checked further: a read of what is not memory ends read_tree(). */
static const void *map_early(void *ctx, uint64_t address, size_t bytes)
{
	(void)ctx;
	return address && address < TRANSLATION_TOP - bytes ? (void *)(uintptr_t)address : NULL;
}

static void read_tree(void *done)
{
	static const struct acpi_memory early = { map_early, NULL };

	*(bool *)done = tree_map_read(&start, &early);
}

/* ---- The door ---- */

static uint64_t table(enum door_table which)
{
	return which == DOOR_DEVICE_TREE ? start.tree : 0;
}

static void read_options(struct options *o)
{
	const struct device_tree_boot *b = &start.boot;

	common_read_options(o, b->command, strlen(b->command), b->initrd_bytes);
}

static const struct door_variables variables = { .memory = NULL };

const struct door door = {
	.name = "linux",
	.image = main_image,
	.pages = arena_pages,
	.pages_at = arena_pages_at,
	.read_map = arena_read,
	.table = table,
	.print = common_print,
	.read_key = common_read_key,
	.read_options = read_options,
	.variable = &variables,
	.leave = common_leave,
	.is_gone = common_is_gone,
};

/* ---- The start ---- */

static void open_console(void *unused)
{
	static const struct serial_port qemu = {
		.kind = SERIAL_PORT_PL011, .mmio = true, .base = QEMU_UART, .stride = 4, .access = 4
	};
	const char *why;

	(void)unused;
	common_console.hz = sysreg_read("cntfrq_el0");
	common_console.port = start.tables.serial.kind ? start.tables.serial : qemu;
	common_console.present = uart_probe(&common_console, &why);
}

static void exit_qemu(void *unused)
{
	(void)unused;
	arch_exit_qemu(COMMON_EXIT_ERROR);
}

/* The MMU is on; only the image and the tree are mapped. */
static void enter(uint64_t address)
{
	TEXT_DEFINE(problem, COMMON_PROBLEM_MAX);
	bool done = false;

	traps_load(&boot_core);
	start.tree = address;
	start.image = (uintptr_t)main_image;
	start.image_end = (uintptr_t)main_image_end;
	start.top = TRANSLATION_TOP;
	start.problem = &problem;
	if (!arch_guard_quietly(read_tree, &done))
		text_add(&problem, "its device tree at 0x%llx cannot be read",
			 (unsigned long long)address);
	translation_fill(memory_map_share, &start.map);
	arch_guard_quietly(open_console, NULL);
	if (done) {
		probe_run();
	} else {
		common_print_refusal(problem.buf);
		arch_guard_quietly(exit_qemu, NULL); /* an exception, except in QEMU */
	}
	arch_halt();
}

void main_relocate(void)
{
	uint64_t base = (uintptr_t)main_image;

	for (const struct rela *r = rela_begin; r < rela_end; r++)
		*(uint64_t *)(base + r->offset) = base + r->addend;
}

void main_start(uint64_t address)
{
	translation_add((uintptr_t)main_image, (uintptr_t)(main_image_end - main_image));
	translation_add(address, TREE_BYTES_MAX);
	translation_start(main_image, main_image_end, enter, address);
}
