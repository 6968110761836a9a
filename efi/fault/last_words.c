/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last words. The firmware's exceptions: PI 1.8 vol. 2, 12.9 (EFI_CPU_ARCH_PROTOCOL); its timer:
 * UEFI 2.10, 7.1.
 */
#include "last_words.h"

#include "efi/firmware.h"
#include "efi/firmware_exit.h"

#include "arch/arch.h"
#include "core/lib/lines.h"
#include "core/lib/steps.h"
#include "core/records/record_kind.h"

/* By the linker: where the image begins. */
extern const char ImageBase[] __attribute__((visibility("hidden")));

static struct last_words *all;

static void put_line(void *ctx, const char *line, size_t bytes)
{
	struct uart *uart = ctx;

	uart_write(uart, line, bytes);
	uart_write(uart, "\r\n", 2);
}

/* The port may be in the middle of a line, which is lost. */
static void print_serial(struct last_words *w, struct last_words_kept *k)
{
	struct lines lines;

	if (k->printed || !output_has_link(w->output))
		return;
	k->printed = true;
	uart_write(&w->output->uart, "\r\n", 2);
	lines_init(&lines, put_line, &w->output->uart);
	record_kind_of(RECORD_FAULT)->text(&lines, &k->words.record, &(struct record_context){ 0 });
	record_send(&w->output->link, RECORD_FAULT, &k->words.record);
}

static void report_fault(const struct record_fault *f)
{
	uint32_t n = atomic_fetch_add(&all->count, 1);
	struct last_words_kept *k;

	if (n >= LAST_WORDS_MAX)
		return;
	k = &all->kept[n];
	k->words.record = *f;
	k->words.record.stage = *all->stage;
	k->words.record.image = (struct maybe){ (uintptr_t)ImageBase, f->pc.known };
	fault_take_steps(&k->words);
	print_serial(all, k);
	if (!f->cpu.known || f->cpu.value == 0)
		display_fault(all->display, &k->words.record);
	atomic_store(&k->whole, true);
}

static void send(struct last_words *w, struct last_words_kept *k)
{
	print_serial(w, k);
	for (unsigned i = 0; i < w->report->links; i++)
		if (w->report->link[i].to != &w->output->link)
			record_send(w->report->link[i].to, RECORD_FAULT, &k->words.record);
}

void last_words_send(struct last_words *w)
{
	uint32_t count = atomic_load(&w->count);

	for (uint32_t n = 0; n < count && n < LAST_WORDS_MAX; n++) {
		struct last_words_kept *k = &w->kept[n];

		if (k->sent || !atomic_load(&k->whole))
			continue;
		k->sent = true;
		send(w, k);
	}
	if (count > LAST_WORDS_MAX && count != w->logged)
		report_log(w->report, "error", "%u faults; the first %u are listed",
			   (unsigned)count, LAST_WORDS_MAX);
	w->logged = count;
	if (w->returned)
		report_log(w->report, "warning",
			   "the firmware has returned from the call that was waited for in vain");
	w->returned = false;
}

/* A call of the firmware that does not return */

#define TICK_100NS UINT64_C(10000000)
#define LIMIT      60

static void begin_wait(void)
{
	all->steps = steps_count();
	all->since = clock_now();
	all->ticks = 0;
	all->reported = false;
}

/*
 * The firmware is in the middle of something, and is called for nothing. Its timer stands still
 * while interrupts are masked, as in windows, and some makes up for that at once: only what both
 * clocks have seen has passed.
 */
static VOID EFIAPI on_tick(EFI_EVENT event, VOID *context)
{
	static const struct record_fault fault = {
		.kind = "wait",
		.what = "the firmware to return from a call",
		.cpu = { 0, true },
	};

	(void)event, (void)context;
	if (all->steps != steps_count() || all->others_watch)
		begin_wait();
	all->ticks++;
	if (all->reported || all->ticks <= all->limit ||
	    clock_now() - all->since < all->limit * all->output->machine->clock.hz)
		return;
	all->reported = true;
	if (!all->report->line)
		output_open(all->output);
	report_fault(&fault);
	all->lost(all->ctx);
	/* To be logged by the boot core, which is no sooner there. What is printed is no step. */
	all->returned = true;
	all->steps = steps_count();
}

/*
 * Drivers wait at TPL_NOTIFY, such as EDK II's of variables and of USB. It takes events of up to
 * its own highest level but one; other firmware those of the specification only.
 */
static bool create_timer(struct last_words *w)
{
	static const EFI_TPL levels[] = { TPL_HIGH_LEVEL - 1, TPL_NOTIFY };

	for (unsigned n = 0; n < sizeof(levels) / sizeof(levels[0]); n++)
		if (!EFI_ERROR(firmware_boot()->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL,
							    levels[n], on_tick, NULL, &w->timer)))
			return true;
	w->timer = NULL;
	return false;
}

static void watch(struct last_words *w)
{
	w->limit = LIMIT;
	if (create_timer(w))
		firmware_boot()->SetTimer(w->timer, TimerPeriodic, TICK_100NS);
}

void last_words_unwatch(struct last_words *w)
{
	if (w->timer)
		firmware_boot()->CloseEvent(w->timer);
	w->timer = NULL;
}

/* The firmware's exceptions */

typedef VOID(EFIAPI *fault_handler)(INTN vector, void *context);

struct cpu_arch {
	VOID *flush, *enable, *disable, *get_state, *init;
	EFI_STATUS(EFIAPI *handle)(struct cpu_arch *self, INTN vector, fault_handler handler);
};

static struct cpu_arch *cpu_arch;
static uint32_t boot_core;
static uint32_t handled; /* bits, by the place in arch_firmware_faults[] */

/* EFI_SYSTEM_CONTEXT is a union of pointers. */
static VOID EFIAPI on_fault(INTN vector, void *context)
{
	arch_firmware_fault((unsigned)vector, context, arch_apic_id() == boot_core);
}

void last_words_start(struct last_words *w)
{
	static EFI_GUID guid = {
		0x26baccb1, 0x6f42, 0x11d4, { 0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 }
	};

	all = w;
	boot_core = arch_apic_id();
	arch_last_words(report_fault);
	watch(w);
	if (EFI_ERROR(firmware_boot()->LocateProtocol(&guid, NULL, (void **)&cpu_arch)))
		return;
	for (unsigned n = 0; arch_firmware_faults[n] >= 0; n++)
		if (!EFI_ERROR(cpu_arch->handle(cpu_arch, arch_firmware_faults[n], on_fault)))
			handled |= 1u << n;
}

void last_words_stop(struct last_words *w)
{
	if (!firmware_is_gone())
		last_words_unwatch(w);
	for (unsigned n = 0; !firmware_is_gone() && arch_firmware_faults[n] >= 0; n++)
		if (handled & 1u << n)
			cpu_arch->handle(cpu_arch, arch_firmware_faults[n], NULL);
}
