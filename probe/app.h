/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The application and its parts. There is one, which each part may use; most of those that
 * tests build alone have pointers to what they need.
 */
#pragma once

#include "complaints.h"
#include "door.h"
#include "probe/person/display.h"
#include "machine.h"
#include "probe/net/network.h"
#include "options.h"
#include "probe/save/save.h"
#include "tsc_adjust.h"

#include "core/gaps/platform.h"
#include "core/kinds/fault/fault.h"
#include "core/lib/date.h"
#include "core/report/report.h"
#include "core/run/run.h"
#include "drivers/chipset.h"
#include "drivers/uart.h"
#include "drivers/usb_legacy.h"

#include <stdatomic.h>
#include <stdbool.h>

/* ---- The cores of the run, on any platform ---- */

struct cores {
	struct arch_memory memory;
	uint64_t ring_bytes;
};

/*
 * Number the cores, allocate all that is needed until the end of the run, and fill the platform,
 * except the functions that others provide between windows and stages. False, with a complaint, if
 * memory runs out.
 */
bool cores_prepare(struct cores *c);

/* ---- The clocks that the TSC is compared with ---- */

/* Add the clocks that run to the platform: HPET, PM timer, RTC, the processor's other clock. */
void clocks_find(void);

/* The function for platform.read_clock. */
bool clocks_read(struct platform *p, unsigned n, struct clockwatch_reading *reading);

/* ---- The steps from stage to stage, and the state in which each leaves the platform ---- */

#define STAGES_USB_MAX 480

struct stages {
	struct pci pci;
	struct usb_controllers usb;
	struct chipset chipset;
	/* Texts to which the stage's record points: USB controllers with their owners, and others.
	 */
	struct chipset_texts texts;
	char owners[STAGES_USB_MAX], tsc_adjust[TSC_ADJUST_TEXT_MAX];
	bool pci_open;
	bool looked;
	const char *name; /* name of the stage entered last; NULL: none was */
	unsigned entered; /* the stage that stages_enter() enters */
	uint32_t taken;   /* steps that are done, a bit per stage */
};

/* The function for platform.enter. */
void stages_enter(struct platform *p, struct record_stage *stage);

/* Called between windows: log a watchdog that runs. */
void stages_between(struct stages *s);

/* PCI configuration space, which the first call opens, and the first without firmware once more. */
const struct pci *stages_pci(struct stages *s);

/*
 * ---- The serial port ----
 *
 * It has text for people and the link of records, and is the first that answers of the one that the
 * configuration names, the one that the firmware names, and COM1.
 */

#define OUTPUT_PORTS_MAX 3
#define OUTPUT_NAME_MAX  96

/* A port that was probed, and is not used. */
struct output_tried {
	struct serial_port port;
	const char *why; /* missing requirement */
};

struct output {
	struct uart uart;
	struct record_link link; /* its sid is the run's */
	struct output_tried tried[OUTPUT_PORTS_MAX];
	unsigned ports;             /* number of ports in `tried` */
	bool is_chosen;             /* false: no port answers, or none is wanted */
	char name[OUTPUT_NAME_MAX]; /* name of the chosen port */
};

/* Choose and open a port, and begin the report. Called again when the configuration has changed. */
void output_open(struct output *o);

/* Print the choice on the firmware's console, or log it, and why other ports are not used. */
void output_show(const struct output *o, bool in_log);

/* True if records go to the port, whose link then is the report's first. */
bool output_has_link(const struct output *o);

/* Drop the report's other links, which may need the firmware. */
void output_alone(struct output *o);

/*
 * ---- Last words: the report of a core that cannot go on ----
 *
 * The core itself prints it at once on the serial port and, if it is the boot core, on the screen,
 * by code that allocates nothing, takes no lock and waits for a bounded time. The network and the
 * saved report get it when the boot core goes on.
 */

#define LAST_WORDS_MAX 4 /* faults of a run that are kept; the others are counted */

struct last_words {
	struct last_words_kept {
		struct fault_words words;
		bool printed, sent; /* printed: on the serial port; sent: on the other links */
		atomic_bool whole;
	} kept[LAST_WORDS_MAX];
	_Atomic uint32_t count;
	uint32_t logged; /* the count when last_words_send() last ran */

	uint32_t limit;    /* s that a call may take */
	uint32_t steps;    /* steps_count() at the last tick */
	uint64_t since;    /* when `steps` last changed, ticks of the clock */
	uint32_t ticks;    /* ticks of the firmware's timer since then */
	bool reported;     /* the current wait was reported */
	bool others_watch; /* another core watches the current call */
	bool returned;     /* the boot core goes on after a call that was reported */
};

/*
 * Start to report faults; also the firmware's exceptions, if it lets us handle them, and calls that
 * do not return, if it has a timer that runs on in them, until last_words_unwatch(). Called once.
 */
void last_words_start(struct last_words *w);
void last_words_unwatch(void);

/*
 * Rest a core in a run after which an OS is started again: one core spins and watches the boot
 * core, the others rest as arch_resting() has it. If the boot core makes no progress for long, it
 * gets an exception, and continues at the end of the run. Cores that have left the team do not
 * watch.
 */
void last_words_rest(const struct cpu *self);

/* Give the firmware its exceptions back, before it goes on without us. */
void last_words_stop(void);

/*
 * Called on the boot core when it goes on: print the last words not printed yet, and send all to
 * the other links.
 */
void last_words_send(struct last_words *w);

/* ---- The begin record, which describes what is measured ---- */

#define DESCRIBE_CONFIG_MAX 800

/* The begin record and the strings it points to. */
struct describe_begin {
	struct record_begin record;
	const char *busy[RECORD_STRINGS]; /* evidence that the firmware uses; ends with NULL */
	char apic_ids[400];
	char config[DESCRIBE_CONFIG_MAX];
	char began[DATE_TEXT_MAX];
};

/* Fill in what is known before the cores are prepared. */
void describe_machine(void);

/* Fill in the wall time, as long as the firmware can be asked. */
void describe_time(void);

/*
 * Begin the report, once the cores are prepared: fill in the rest, and log memory, and the evidence
 * that is left alone because the firmware uses it.
 */
void describe_begin(void);

/* ---- The application ---- */

struct survey_parts; /* core/modes/survey/survey_room.h */

struct app {
	struct complaints complaints;
	struct machine machine;
	struct options options;
	struct output output;
	struct display display;
	struct network network;
	struct save save;
	struct cores cores;
	struct stages stages;
	struct platform platform;
	struct describe_begin begin;
	struct report report;
	struct run run;
	struct last_words last_words;
	uint64_t memory_bytes; /* allocated, but for rings, the display and a harvest */
	unsigned ended;        /* steps of the run's end that are done: leave.c */
	bool begun;            /* the begin record is out */
	bool harvested; /* this start has dealt with an earlier run's report: save_harvest() */
};

/* The application, from app_connect() on. It was zeroed, and is not moved afterwards. */
extern struct app *app;
void app_connect(struct app *a);

/* Allocate by door.pages(), and count the bytes for the report, which has gap rings apart. */
static inline void *app_pages(size_t bytes, uint64_t limit)
{
	void *pages = door.pages(bytes, limit);

	app->memory_bytes += pages ? bytes : 0;
	return pages;
}

/* End the run here with the reason `why`: incomplete, or an error if it has not begun. */
void app_cut_short(struct app *a, const char *why);

/* ---- Steps of the run that have a file of their own ---- */

/*
 * Show the configuration, which a person may change. Returns false if the person wants to leave.
 * Nothing is asked if nobody may be there.
 */
bool app_countdown(struct app *a);

/*
 * Send tables, memory map, PCI functions, IOMMUs, chipset and clocks as parts; nothing is written.
 * Called on the boot core, while the firmware is alive. `ctx` is the struct app; `t` is empty.
 */
void app_survey(void *ctx, struct survey_parts *parts, struct text *t);

/* ---- Keys that a person presses, before the run and between its windows ---- */

/* True if a person may be there. Then the run asks before it starts, and waits before it leaves. */
bool keys_person(const struct config *config);

/* The function for platform.stop_requested; p->stopped_by is the key, if it is known. */
bool keys_stop(struct platform *p);

/* The live page's line about these keys. */
const char *keys_hint(void);

#define KEYS_POLL_MS 20u

/* Wait KEYS_POLL_MS, between two looks for a key. */
void keys_poll_later(void);

/* Drop all keys pressed so far. The firmware must be alive. */
void keys_drain(void);

/* Wait for a key, at most so many seconds. False: there was none. The firmware must be alive. */
bool keys_wait(unsigned seconds);

/*
 * ---- The end of a run, and of the machine ----
 *
 * Each step of the end is done even if the run, or the step before it, has faulted. Then the
 * machine ends as the key `then` has it.
 */

/* True if the run ends in the firmware, and not by a halt or reset of the machine. */
bool leave_returns(const struct config *c);

/*
 * Called while the firmware does not return to the boot core: on the boot core by an event, or on
 * another core. Ends the report with the reason `why` (NULL: it has one). Then resets the machine,
 * switches it off or ends QEMU, if `then` asks for that; else returns, as the boot core may still
 * come back.
 */
void leave_lost(struct app *app, const char *why);

/* True if the run ends by starting an OS again. */
bool leave_resumes(const struct app *app);

/* End the report, the display, the network and the files, each once. `app` is the struct app. */
void leave_run(void *app);

/* Called after a fault has ended the run: report what was measured before it. */
void leave_early(struct app *a);

/*
 * Do what `then` asks for; without the firmware if it takes an exception. Returns the run's exit
 * code, to go back to the firmware through probe_run().
 */
unsigned leave_guarded(struct app *a);
