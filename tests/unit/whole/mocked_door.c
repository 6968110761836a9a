/* SPDX-License-Identifier: BSD-2-Clause */
/* The door of a mocked machine. The machine has no network card. */
#include "mocked_inside.h"

#include "core/lib/steps.h"
#include "core/modes/services/service_room.h"
#include "probe/door.h"
#include "probe/options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE      4096u
#define CALL_NS   1000 /* a call of the firmware */
#define SPIN_NS   1000
#define WIDTH     800u
#define HEIGHT    600u
#define ABOVE     (UINT64_C(1) << 32)
#define ADDRESSES (UINT64_C(1) << 47)

static void (*lent)(void);

static void hang_if_wanted(void)
{
	const struct mocked_hang *h = &mocked->hang;
	static bool hung;
	uint64_t start = mocked_clock();

	if (!h->wanted || hung || start < mocked_ticks(h->at_ns) || !mocked_at_step(h->step))
		return;
	hung = true;
	while (!h->ns || mocked_clock() - start < mocked_ticks(h->ns))
		mocked_pass(mocked_ticks(MOCKED_MS));
}

/* Count a call as progress, as efi/firmware.c does. */
void mocked_call(void)
{
	steps_go_on();
	mocked_pass(mocked_ticks(CALL_NS));
	hang_if_wanted();
}

/* ---- Memory and tables ---- */

static void *pages(size_t bytes, uint64_t limit)
{
	size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
	void *at = limit ? NULL : aligned_alloc(PAGE, whole);

	return at ? memset(at, 0, whole) : NULL;
}

static void *pages_at(uint64_t address, size_t bytes)
{
	(void)address, (void)bytes;
	return NULL;
}

/* All of it is in use. */
static bool read_map(struct memory_map *map)
{
	static struct memory_range ranges[] = {
		{ .from = PAGE, .end = MOCKED_DEVICES, .kind = MEMORY_USED },
		{ .from = ABOVE, .end = ADDRESSES, .kind = MEMORY_USED },
	};

	*map = (struct memory_map){ .range = ranges, .ranges = 2, .room = sizeof(ranges) };
	return true;
}

static uint64_t table_of(enum door_table table)
{
	return table == DOOR_ACPI_2 ? mocked_tables() : 0;
}

/* ---- The person, and time ---- */

static void print(const char *line)
{
	size_t bytes = strlen(line), at = mocked_shared->console_bytes;

	mocked_call();
	if (at + bytes + 2 > MOCKED_CONSOLE_MAX)
		return;
	memcpy(mocked_shared->console + at, line, bytes);
	mocked_shared->console[at + bytes] = '\n';
	mocked_shared->console_bytes += bytes + 1;
}

static void clear_screen(void)
{
	mocked_call();
}

static bool read_key(char *key)
{
	*key = mocked->key;
	mocked_call();
	return mocked_take_key();
}

static void stall(uint32_t us)
{
	mocked_pass(mocked_ticks(us * UINT64_C(1000)));
}

static bool read_time(struct date *date)
{
	*date = (struct date){ .year = 2031, .month = 5, .day = 6, .hour = 7 };
	mocked_call();
	return true;
}

#define SCREEN_BYTES (WIDTH * HEIGHT * 4)

static uint8_t *screen, *shown; /* the pixels, and a copy from the last window's begin */

static void take_fault(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)screen;

	(void)context;
	if (at < SCREEN_BYTES)
		mocked_end(MOCKED_SCRIBBLED, 0);
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

void mocked_keep_screen(bool begins)
{
	if (!screen)
		return;
	if (begins && memcmp(screen, shown, SCREEN_BYTES) != 0) {
		mocked_shared->paintings++;
		memcpy(shown, screen, SCREEN_BYTES);
	}
	if (mprotect(screen, SCREEN_BYTES, begins ? PROT_READ : PROT_READ | PROT_WRITE))
		abort();
}

void mocked_scribble(void)
{
	*(volatile uint8_t *)screen = screen[0];
}

/* 800x600, blue in the lowest byte. */
static bool find_screen(struct framebuffer *f, bool *paints)
{
	static const struct sigaction on_fault = { .sa_sigaction = take_fault,
						   .sa_flags = SA_SIGINFO };

	mocked_call();
	if (!mocked->screen)
		return false;
	*f = (struct framebuffer){
		.bytes = SCREEN_BYTES, .width = WIDTH, .height = HEIGHT, .stride = WIDTH
	};
	screen = pages(f->bytes, 0);
	shown = pages(f->bytes, 0);
	if (sigaction(SIGSEGV, &on_fault, NULL))
		return false;
	f->address = (uintptr_t)screen;
	*paints = false;
	return framebuffer_check(f);
}

static void paint(const struct framebuffer_area *a, const uint32_t *pixels, bool one_colour)
{
	(void)a, (void)pixels, (void)one_colour;
}

/* ---- The configuration ---- */

static void read_options(struct options *o)
{
	static const struct config_source source = { .name = "noisefloor.conf" };
	size_t bytes = mocked->config_bytes;

	if (mocked->config && !bytes)
		bytes = strlen(mocked->config);
	if (mocked->config)
		o->mistakes += config_apply(&o->config, &source, mocked->config, bytes,
					    options_complain, NULL);
	/* Another source would follow, such as the boot server's file. */
	mocked_call();
}

static bool network_booted(struct pci_address *at)
{
	(void)at;
	return false;
}

static void network_connect(void)
{
	mocked_call();
}

static const struct door_network network = {
	.booted = network_booted,
	.connect = network_connect,
};

/* ---- Cores ---- */

static void run_lent(uint32_t core)
{
	(void)core;
	lent();
}

static bool lend(void (*procedure)(void), uint32_t *others)
{
	*others = 0;
	lent = procedure;
	mocked_call();
	for (uint32_t core = 1; core < mocked->cores; core++) {
		if (mocked->absent >> core & 1)
			continue;
		++*others;
		mocked_run_on(core, run_lent);
	}
	return true;
}

static bool is_lent(void)
{
	mocked_call();
	for (uint32_t core = 1; core < mocked->cores; core++)
		if (!mocked_is_off(core))
			return true;
	return false;
}

static void end_loan(void)
{
	mocked_call();
}

static const struct door_loan loan = { .lend = lend, .is_lent = is_lent, .end = end_loan };

/* ---- Faults, and the end ---- */

static bool can_resume(void)
{
	return mocked->resumes;
}

static void __attribute__((noreturn)) resume(void)
{
	mocked_end(MOCKED_RESUMED, 0);
}

static void unwatch(void)
{
	mocked_watch(NULL);
}

static bool leave(struct memory_map *map)
{
	mocked_call();
	if (mocked->no_exit)
		return false;
	mocked_shared->left = true;
	return read_map(map);
}

static bool is_gone(void)
{
	return mocked_shared->left;
}

static const char *reset_problem(void)
{
	return mocked->reset_problem;
}

static void reset(bool off)
{
	mocked_call();
	switch (mocked->reset) {
	case MOCKED_RESETS:
		mocked_end(off ? MOCKED_OFF : MOCKED_RESET, 0);
	case MOCKED_RETURNS:
		return;
	case MOCKED_FAULTS:
		mocked_trap();
	case MOCKED_SPINS:
		break;
	}
	for (;;)
		mocked_pass(mocked_ticks(SPIN_NS));
}

static bool is_after_linux(void)
{
	return mocked->after_linux;
}

const struct door door = {
	.name = "mocked",
	.image = (const void *)MOCKED_IMAGE,
	.pages = pages,
	.pages_at = pages_at,
	.read_map = read_map,
	.table = table_of,
	.print = print,
	.clear_screen = clear_screen,
	.read_key = read_key,
	.stall = stall,
	.time = read_time,
	.find_screen = find_screen,
	.paint = paint,
	.read_options = read_options,
	.is_after_linux = is_after_linux,
	.file = &mocked_door_files,
	.variable = &mocked_door_variables,
	.network = &network,
	.loan = &loan,
	.watch = mocked_watch,
	.unwatch = unwatch,
	.leave = leave,
	.is_gone = is_gone,
	.reset_problem = reset_problem,
	.reset = reset,
	.can_resume = can_resume,
	.resume = resume,
};
