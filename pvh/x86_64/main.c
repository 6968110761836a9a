/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door of PVH and of Linux's boot protocol. There is no firmware to call: it has no files or
 * clock, and lends no cores. Where a BIOS ran first, its tables are still in memory. Instead of
 * variables, it has a report for a Linux that is started again.
 */
#include "pvh/common.h"
#include "start_info.h"

#include "apic.h"
#include "arch/arch.h"
#include "asm.h"
#include "core/keep/saved_run.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "drivers/deadline.h"
#include "paging.h"
#include "percpu.h"
#include "probe/bios_area.h"
#include "probe/door.h"
#include "probe/options.h"
#include "probe/save/nvram.h"
#include "regs.h"
#include "traps.h"

#define IMAGE_BYTES_MAX 0x200000             /* image.lds checks it */
#define HZ_MIN          UINT64_C(1000000000) /* TSC rate assumed by waits before it is measured */
#define HZ_MAX          UINT64_C(8000000000)
#define INIT_MS         10 /* SDM vol. 3, 9.4.4.1 */

/* The bounds of the image, and whether it may be signed; image.lds defines them. */
extern const char main_image[], main_image_end[];
extern const bool main_is_one_way;

/* Defined in entry.S: two times TABLES pages. */
extern uint8_t early_tables[];

/* Defined in entry.S. `entry` is below 4 GiB. */
void main_enter_payload(uint64_t entry, const void *params) __attribute__((noreturn));

/*
 * entry.S calls these with the physical address of PVH's start info or of Linux's boot_params.
 * Interrupts are masked, and exception handlers are not set up. At least the image is mapped.
 */
void main_enter_pvh(uint32_t start_info) __attribute__((noreturn));
void main_enter_linux(uint64_t params) __attribute__((noreturn));

/* Called by entry.S while the image is where a loader has put it: see map_window(). */
uint64_t main_map_image(uint64_t image, void *tables);

static struct start_info info;
static char door_name[sizeof("linux")]; /* "pvh" or "linux" */

/*
 * ---- The payload: a Linux in the initrd, usually the one that started the probe ----
 *
 * The probe starts it after the run, by Linux's 64-bit boot protocol. The boot_params are those
 * that the probe was given, as they describe the machine. An image that may be signed starts no
 * kernel: nobody has verified the one in a payload.
 */

static struct {
	struct linux_payload parts;
	struct linux_image kernel;
	uint8_t *place; /* the kernel; NULL: there is no payload */
	uint8_t *command;
	struct linux_node node; /* setup_data node, with the report as its value */
	uint8_t value[NVRAM_REPORT_MAX];
	struct saved_memory report;
} payload;

static bool pvh_allocate(struct start_info_reading *r)
{
	const struct linux_image *k = &payload.kernel;
	uint64_t command = payload.parts.bytes[LINUX_PART_COMMAND];

	if (command > k->command_max)
		return REFUSE(r, "the payload's command line has %llu bytes; accepted: at most %u",
			      (unsigned long long)command, k->command_max);
	payload.command = arena_pages(command + 1, GIB4);
	payload.place = arena_aligned(k->run_bytes, GIB4, k->alignment);
	return (payload.command && payload.place) ||
	       REFUSE(r, "there is no room below 4 GiB for the payload's kernel: %llu KiB",
		      (unsigned long long)(k->run_bytes / 1024));
}

/*
 * Look for a payload in the initrd, and allocate what starting it takes. All memory is mapped.
 * False: there is one, and it cannot be started.
 */
static bool payload_open(struct start_info_reading *r)
{
	const uint8_t *at = (const uint8_t *)(uintptr_t)info.initrd;
	struct linux_payload *p = &payload.parts;
	const char *why = "is truncated";

	if (!linux_payload_is(at, info.initrd_bytes))
		return true;
	if (linux_payload_read(p, at, info.initrd_bytes))
		why = linux_payload_kernel(p, &payload.kernel);
	if (!why && payload.kernel.code && main_is_one_way)
		why = "is not verified; accepted by this image: a configuration alone";
	if (why)
		return REFUSE(r, "the kernel in the payload %s", why);
	payload.report = (struct saved_memory){ payload.value, 0, sizeof(payload.value) };
	return !payload.kernel.code || pvh_allocate(r);
}

static bool payload_is_there(void)
{
	return payload.place;
}

static struct saved_memory *payload_report(void)
{
	return payload_is_there() ? &payload.report : NULL;
}

static void __attribute__((noreturn)) payload_start(void)
{
	/* Ports reach segment 0 only; virtual machines have no cards in other segments. */
	static const struct pci by_ports = { .ports = true };
	const struct linux_payload *p = &payload.parts;
	uint64_t nodes = bytes_le64(info.params + LINUX_SETUP_DATA);
	const struct linux_start start = {
		.command = (uintptr_t)payload.command,
		.initrd = (uintptr_t)p->part[LINUX_PART_INITRD],
		.initrd_bytes = p->bytes[LINUX_PART_INITRD],
		.setup_data = payload.report.bytes ? (uintptr_t)&payload.node : nodes,
	};

	/* After a fault, a card of ours may still do DMA, in memory that Linux is about to use. */
	nics_stop_dma(&by_ports, NULL);
	/* A halted core would go on after an SMI, in code that Linux overwrites. */
	apic_stop_others();
	deadline_sleep(INIT_MS, HZ_MAX);
	/* Linux reads the BIOS's data area there before it has page tables of its own. */
	paging_map_page_0(paging_levels(), read_cr3(), true);
	write_cr3(read_cr3());
	payload.node = (struct linux_node){ nodes, LINUX_NODE_REPORT,
					    (uint32_t)payload.report.bytes };
	linux_params_set(info.params, &payload.kernel, &start);
	memcpy(payload.command, p->part[LINUX_PART_COMMAND], p->bytes[LINUX_PART_COMMAND]);
	memcpy(payload.place, payload.kernel.code, payload.kernel.code_bytes);
	main_enter_payload((uintptr_t)payload.place + LINUX_ENTRY, info.params);
}

/* ---- The door ---- */

static uint64_t table(enum door_table which)
{
	return which == DOOR_ACPI_2 && info.rsdp ? info.rsdp : bios_area_find(which);
}

static bool find_screen(struct framebuffer *f, bool *paints)
{
	*f = info.screen;
	*paints = false;
	return framebuffer_check(f);
}

static void read_options(struct options *o)
{
	static const struct config_source own = { .name = "the payload's configuration" };
	const char *text = (const char *)payload.parts.part[LINUX_PART_CONFIG];
	size_t bytes = payload.parts.bytes[LINUX_PART_CONFIG];

	common_read_options(o, info.command, info.command_bytes, info.initrd_bytes && !text);
	o->mistakes += config_apply(&o->config, &own, text, bytes, options_complain, NULL);
}

static bool is_after_linux(void)
{
	return info.params[LINUX_LOADER] >> 4 == LINUX_BY_KEXEC;
}

/* Install our own exception handlers at once: there is no firmware with handlers. */
static void take_faults(void)
{
	uint8_t *memory = arena_pages(TRAPS_BYTES + sizeof(struct percpu), 0);
	struct arch_borrowed loaders;

	if (!memory)
		return;
	traps_init(memory);
	traps_borrow((struct percpu *)(void *)(memory + TRAPS_BYTES), &loaders);
}

static const struct door_variables variables = { .memory = payload_report };

const struct door door = {
	.name = door_name,
	.image = main_image,
	.pages = arena_pages,
	.pages_at = arena_pages_at,
	.read_map = arena_read,
	.table = table,
	.print = common_print,
	.read_key = common_read_key,
	.find_screen = find_screen,
	.read_options = read_options,
	.is_after_linux = is_after_linux,
	.is_verified = &main_is_one_way,
	.variable = &variables,
	.take_faults = take_faults,
	.leave = common_leave,
	.is_gone = common_is_gone,
	.can_resume = payload_is_there,
	.resume = payload_start,
};

/* ---- The start ---- */

/*
 * Print why, and stop. Only a guest writes to QEMU's exit port: on hardware, a device may have that
 * port.
 */
static void __attribute__((noreturn)) pvh_refuse(const char *why)
{
	common_print_refusal(why);
	if (regs_is_guest(&regs_real))
		arch_exit_qemu(COMMON_EXIT_ERROR);
	/* Linux is not there any more: without a reset, nobody would have the machine back. */
	if (info.initrd_bytes)
		arch_reset();
	arch_halt();
}

/* ---- Before all memory is mapped: the first 4 GiB, and a window above ---- */

/* Pages: 5 levels, 4 GiB, the PT of page 0, 2 directories of the window, and the rest PDPTs. */
#define TABLES     16u
#define WINDOW_TOP ((TABLES - 9) * 512 * GIB)
_Static_assert(WINDOW_TOP == START_INFO_TOP, "a message has this limit");

/* The linker makes a global function's address absolute; the image may be elsewhere. */
static enum arch_share pvh_share(const void *map, uint64_t from, uint64_t end)
{
	return memory_map_share(map, from, end);
}

static struct paging_memory memory_of(const struct memory_map *map)
{
	return (struct paging_memory){ paging_levels(), memory_map_top(map), pvh_share, map };
}

/* Build TABLES pages, and return their CR3. `end` is at most WINDOW_TOP. */
static uint64_t map_window(uint64_t from, uint64_t end, void *tables)
{
	struct memory_range gibs = { .from = from & ~(GIB - 1),
				     .end = (end + GIB - 1) & ~(GIB - 1) };
	const struct memory_map window = { &gibs, 1, sizeof(gibs) };
	const struct paging_memory memory = memory_of(&window);

	return paging_build(&memory, &(struct paging_spare){ tables, TABLES });
}

uint64_t main_map_image(uint64_t image, void *tables)
{
	if (image >= WINDOW_TOP - IMAGE_BYTES_MAX)
		arch_halt();
	return map_window(image, image + IMAGE_BYTES_MAX, tables);
}

/* The tables in use cannot be rebuilt: there are two sets, of which the first was in use first. */
static void switch_window(uint64_t from, uint64_t end)
{
	static bool second;
	uint64_t root = map_window(from, end, early_tables + (second ? 0 : TABLES * 4096));

	second = !second;
	/* A loader may have left data in page 0. */
	paging_map_page_0(paging_levels(), root, true);
	write_cr3(root);
}

static const void *map_early(void *ctx, uint64_t address, size_t bytes)
{
	(void)ctx;
	if (address > WINDOW_TOP - bytes)
		return NULL;
	if (address + bytes > GIB4)
		switch_window(address, address + bytes);
	return (const void *)(uintptr_t)address;
}

/*
 * Identity-map all memory; only the first 4 GiB have been mapped. Above them, a GiB in which the
 * memory map has nothing stays unmapped.
 */
static void map_memory(void)
{
	const struct paging_memory memory = memory_of(&info.map);
	size_t bytes = paging_bytes(&memory);
	struct paging_spare tables = { arena_pages(bytes, GIB4), bytes / 4096 };

	if (!tables.next)
		pvh_refuse("there is no room for page tables below 4 GiB");
	write_cr3(paging_build(&memory, &tables));
}

static void __attribute__((noreturn))
pvh_run(const char *by, bool (*read)(struct start_info_reading *), uint64_t address)
{
	static const struct acpi_memory early = { map_early, NULL };
	TEXT_DEFINE(problem, COMMON_PROBLEM_MAX);
	struct start_info_reading reading = {
		&info, &early, address, (uintptr_t)main_image, (uintptr_t)main_image_end, &problem
	};

	common_console = (struct uart){
		.port = { .kind = SERIAL_PORT_16550, .base = SERIAL_PORT_COM1, .stride = 1 },
		.hz = HZ_MIN,
		.present = true,
	};
	memcpy(door_name, by, strlen(by));
	if (!read(&reading))
		pvh_refuse(problem.buf);
	/* Older kernels leave their cores in a loop, in memory that is about to be used. */
	if (is_after_linux()) {
		apic_init(rdmsr(MSR_APIC_BASE), HZ_MAX);
		if (!apic_stop_others())
			pvh_refuse("not on the boot core: INIT for the others resets the machine");
	}
	arena_keep(reading.image, reading.image_end - reading.image, MEMORY_USED);
	map_memory();
	if (!payload_open(&reading))
		pvh_refuse(problem.buf);
	probe_run();
	if (payload_is_there())
		payload_start();
	arch_halt();
}

void main_enter_pvh(uint32_t start_info)
{
	pvh_run("pvh", start_info_read, start_info);
}

void main_enter_linux(uint64_t params)
{
	/* The tables that entry.S has built may be in memory that is about to be used. */
	switch_window(0, 0);
	pvh_run("linux", start_info_read_linux, params);
}
