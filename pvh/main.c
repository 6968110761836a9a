/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door of PVH and of Linux's boot protocol. There is no firmware to call: it has no files or
 * clock, and lends no cores. Where a BIOS ran first, its tables are still in memory. Its only
 * variable is the report for a Linux that is started again (payload.c).
 */
#include "arena.h"
#include "bios_area.h"
#include "console.h"
#include "payload.h"
#include "start_info.h"

#include "arch/arch.h"
#include "asm.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "paging.h"
#include "percpu.h"
#include "probe/device_services.h"
#include "probe/door.h"
#include "probe/options.h"
#include "traps.h"

#define GIB             (UINT64_C(1) << 30)
#define GIB4            (4 * GIB)
#define PROBLEM_MAX     240
#define IMAGE_BYTES_MAX 0x200000 /* image.lds checks it */
#define EXIT_ERROR      2        /* the exit code of a run that could not start */

#define LEAF_VERSION   1u
#define ECX_HYPERVISOR (1u << 31)

/* The bounds of the image; image.lds defines them. */
extern const char main_image[], main_image_end[];

/* In entry.S: two times TABLES pages. */
extern uint8_t early_tables[];

/*
 * entry.S calls these with the physical address of PVH's start info or of Linux's boot_params.
 * Interrupts are masked, and exception handlers are not set up. At least the image is mapped.
 */
void main_enter_pvh(uint32_t start_info) __attribute__((noreturn));
void main_enter_linux(uint64_t params) __attribute__((noreturn));

/* For entry.S, while the image is where a loader has put it: see map_window(). */
uint64_t main_map_image(uint64_t image, void *tables);

static struct start_info info;
static char door_name[sizeof("linux")]; /* "pvh" or "linux" */
static bool gone;

/* ---- The door ---- */

static uint64_t table(enum door_table which)
{
	switch (which) {
	case DOOR_ACPI_2:
		return info.rsdp ? info.rsdp : bios_area_rsdp();
	case DOOR_SMBIOS_3:
	case DOOR_SMBIOS:
		return bios_area_smbios(which == DOOR_SMBIOS_3);
	default:
		return 0;
	}
}

static bool event_log(uint64_t *first, uint64_t *last)
{
	*first = *last = 0;
	return false;
}

static void nothing(void)
{
}

/* No watchdog: nothing calls firmware, which might hang. */
static void no_watch(void (*tick)(void))
{
	(void)tick;
}

static bool no_time(struct date *date)
{
	(void)date;
	return false;
}

static bool find_screen(struct framebuffer *f, bool *paints)
{
	*f = info.screen;
	*paints = false;
	return framebuffer_check(f);
}

static void read_options(struct options *o)
{
	static const struct config_source source = { .name = "command line", .one_line = true };
	static const struct config_source own = { .name = "the payload's configuration" };
	size_t bytes;
	const char *text = payload_config(&bytes);

	o->mistakes += config_apply(&o->config, &source, info.command, info.command_bytes,
				    options_complain, o->complaints);
	o->mistakes += config_apply(&o->config, &own, text, bytes, options_complain, o->complaints);
	if (info.modules && !payload_is_there())
		complaints_warn(o->complaints, "modules and initrds are not used: the "
					       "configuration is read from the command line "
					       "alone");
}

static bool find_volume(enum boot_path_medium *medium, bool *read_only)
{
	(void)medium, (void)read_only;
	return false;
}

static enum door_status open_file(void *in, const char *name, enum door_mode mode, void **file)
{
	(void)in, (void)name, (void)mode, (void)file;
	return DOOR_NONE;
}

/* Ports reach segment 0 only; virtual machines have no cards in other segments. */
static const struct pci by_ports = { .ports = true };

static bool list_card(void *ctx, const struct pci_address *at, uint32_t class)
{
	if (class >> 16 == PCI_CLASS_NETWORK)
		nics_add(ctx, at, pci_read32(&by_ports, at, PCI_ID));
	return true;
}

static void network_cards(struct nics *cards)
{
	cards->count = 0;
	pci_scan(&by_ports, list_card, cards);
}

static bool network_booted(struct pci_address *at)
{
	(void)at;
	return false;
}

static bool network_open(struct nic *n, const struct nic_setup *s)
{
	(void)s;
	n->problem[0] = '\0';
	return false;
}

static const char *open_service(void *ctx, enum config_service service)
{
	if (service < SERVICE_RTC || service == SERVICE_SET_VARIABLE)
		return "there is no firmware that has runtime services";
	return device_services_open(ctx, service);
}

static void call_service(void *ctx, enum config_service service, struct service_call *out)
{
	device_services_call(ctx, service, out);
}

static void close_service(void *ctx, enum config_service service)
{
	(void)ctx, (void)service;
}

static void fill_services(void *ctx, struct service_room *room)
{
	room->open = open_service;
	room->call = call_service;
	room->close = close_service;
	room->ctx = ctx;
}

/* Install our own exception handlers at once: there is no firmware with handlers. */
static void take_faults(void)
{
	uint8_t *memory = arena_pages(TRAPS_BYTES + sizeof(struct percpu), 0);

	if (!memory)
		return;
	traps_init(memory);
	traps_load_borrowed((struct percpu *)(void *)(memory + TRAPS_BYTES));
}

static bool leave(struct memory_map *map)
{
	gone = true;
	return arena_read(map);
}

static bool is_gone(void)
{
	return gone;
}

static const char *reset_problem(void)
{
	return "is missing";
}

/* After a fault, a card of ours may still do DMA, in memory that Linux is about to use. */
static void __attribute__((noreturn)) resume(void)
{
	static const struct nics none = { .count = 0 };

	nics_stop_dma(&by_ports, &none);
	payload_start();
}

/* Left out: what needs a file, a boot entry, a screen to paint, or firmware that resets. */
const struct door door = {
	.name = door_name,
	.image = main_image,
	.pages = arena_pages,
	.pages_at = arena_pages_at,
	.read_map = arena_read,
	.table = table,
	.event_log = event_log,
	.print = console_print,
	.clear_screen = nothing,
	.read_key = console_read_key,
	.stall = console_stall,
	.time = no_time,
	.find_screen = find_screen,
	.read_options = read_options,
	.file = { .find = find_volume, .open = open_file },
	.variable = { .get = payload_get, .set = payload_set, .room = payload_room },
	.network = {
		.cards = network_cards,
		.booted = network_booted,
		.connect = nothing,
		.open = network_open,
	},
	.services = fill_services,
	.recover = nothing,
	.watch = no_watch,
	.unwatch = nothing,
	.take_faults = take_faults,
	.give_faults = nothing,
	.leave = leave,
	.is_gone = is_gone,
	.reset_problem = reset_problem,
	.can_resume = payload_is_there,
	.resume = resume,
};

/* ---- The start ---- */

/*
 * Print why, and stop. Only a guest writes to QEMU's exit port: on hardware, a device may have that
 * port.
 */
static void __attribute__((noreturn)) refuse(const char *why)
{
	TEXT_DEFINE(line, PROBLEM_MAX + 40);

	text_add(&line, "noisefloor: cannot start: %s", why);
	console_print("");
	console_print(line.buf);
	if (cpuid(LEAF_VERSION, 0).ecx & ECX_HYPERVISOR)
		arch_exit_qemu(EXIT_ERROR);
	/* Linux is not there any more: without a reset, nobody would have the machine back. */
	if (info.modules)
		arch_reset();
	arch_halt();
}

/* ---- Before all memory is mapped: the first 4 GiB, and a window above ---- */

/* Pages: 5 levels, 4 GiB, the PT of page 0, 2 directories of the window, and the rest PDPTs. */
#define TABLES     16u
#define WINDOW_TOP ((TABLES - 9) * 512 * GIB)
_Static_assert(WINDOW_TOP == START_INFO_TOP, "a message has this limit");

struct window {
	uint64_t from, end;
};

static enum arch_share window_share(const void *window, uint64_t from, uint64_t end)
{
	const struct window *w = window;

	return from < w->end && w->from < end ? ARCH_ALL : ARCH_NONE;
}

/* Build TABLES pages, and return their CR3. `end` is at most WINDOW_TOP. */
static uint64_t map_window(uint64_t from, uint64_t end, void *tables)
{
	const struct window window = { from, end };
	const struct paging_memory memory = { paging_kind_here(), end > GIB4 ? end : GIB4,
					      window_share, &window };

	return paging_build(&memory, tables);
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

	second = !second;
	write_cr3(map_window(from, end, early_tables + (second ? TABLES * 4096 : 0)));
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
	const struct paging_memory memory = { paging_kind_here(), memory_map_top(&info.map),
					      memory_map_share, &info.map };
	void *tables = arena_pages(paging_bytes(memory.kind, memory.top), GIB4);

	if (!tables)
		refuse("there is no room for page tables below 4 GiB");
	write_cr3(paging_build(&memory, tables));
}

typedef bool read_function(struct start_info *, const struct acpi_memory *, uint64_t, uint64_t,
			   uint64_t, struct text *);

static void __attribute__((noreturn)) run(const char *by, read_function *read, uint64_t address)
{
	static const struct acpi_memory early = { map_early, NULL };
	TEXT_DEFINE(problem, PROBLEM_MAX);

	memcpy(door_name, by, strlen(by));
	if (!read(&info, &early, address, (uintptr_t)main_image, (uintptr_t)main_image_end,
		  &problem))
		refuse(problem.buf);
	arena_open(&info.map, (uintptr_t)main_image, (uintptr_t)main_image_end);
	for (unsigned n = 0; info.modules && n < info.kept; n++)
		arena_keep(info.keep[n].address, info.keep[n].bytes);
	map_memory();
	if (!payload_open(&info, &problem))
		refuse(problem.buf);
	probe_run();
	if (payload_is_there())
		resume();
	arch_halt();
}

void main_enter_pvh(uint32_t start_info)
{
	run("pvh", start_info_read, start_info);
}

void main_enter_linux(uint64_t params)
{
	/* The tables that entry.S has built may be in memory that is about to be used. */
	switch_window(0, 0);
	run("linux", start_info_read_linux, params);
}
