/* SPDX-License-Identifier: BSD-2-Clause */
/* The run as a story: machine, options, take-over, windows, report, leave. */
#include "app.h"
#include "efi/person/countdown.h"
#include "firmware.h"
#include "firmware_exit.h"
#include "efi/save/harvest.h"
#include "leave.h"
#include "measure.h"
#include "efi/platform/platform_bare.h"
#include "efi/platform/platform_firmware.h"
#include "runtime.h"

#include "arch/arch.h"

static void measure_lent(struct app *a, uint32_t stages)
{
	network_start_firmware(&a->network);
	platform_firmware_borrow(&a->platform, &a->report);
	measure_stages(a, stages);
	platform_firmware_leave(&a->platform);
}

/* False: the firmware stays. */
static bool measure_own(struct app *a, uint32_t stages)
{
	network_leave_firmware(&a->network);
	save_leave_firmware(&a->save);
	if (!platform_bare_take(&a->platform, &a->machine.map, &a->begin.record.cpus.bringup_ns)) {
		complaints_add(&a->complaints, "error", "the firmware refuses ExitBootServices");
		return false;
	}
	if (!runtime_map(&a->machine.map))
		complaints_add(&a->complaints, "warning",
			       "not all that the firmware's runtime services use can be mapped");
	if (!display_take_over(&a->display))
		complaints_add(&a->complaints, "info",
			       "the screen cannot be written to after ExitBootServices");
	network_start_own(&a->network, stages_pci(&a->stages));
	measure_stages(a, stages);
	arch_halt_cores(&a->platform);
	return true;
}

/* False: it did not start, or could not go on. */
static bool run(struct app *a)
{
	uint32_t lent = a->options.config.stages & 1u << STAGE_FIRMWARE;
	uint32_t own = a->options.config.stages & ~lent;

	if (a->options.mistakes || !cores_prepare(&a->cores))
		return false;
	clocks_find(&a->clocks, &a->platform, &a->machine.acpi);
	display_wait(&a->display, "The cores are being started.");
	a->platform.begin_tsc = a->platform.now();
	describe_time(&a->begin);
	if (lent)
		measure_lent(a, lent);
	return !own || a->run.over || measure_own(a, own);
}

static void give_up(struct app *a)
{
	if (!firmware_is_gone())
		network_start_firmware(&a->network);
	verdict_reason(&a->run.reasons, "the run did not start");
	a->run.reasons.verdict = VERDICT_ERROR;
}

static void measure_all(struct app *a)
{
	uint64_t sid = a->output.link.sid;

	config_settle(&a->options.config);
	network_open(&a->network, sid);
	a->save.sends = network_needs_firmware(&a->network);
	if (!a->options.mistakes)
		save_open(&a->save, sid);
	complaints_log(&a->complaints, !a->output.uart.present && !a->display.screen);
	if (run(a))
		run_judge(&a->run);
	else
		give_up(a);
	report_end(&a->report, &a->run.reasons);
	display_end(&a->display, &a->run.reasons, sid, a->begun);
	network_finish(&a->network);
	save_finish(&a->save, network_is_delivered(&a->network));
	display_end_again(&a->display);
}

static void ask_and_measure(struct app *a)
{
	describe_machine(&a->begin.record, &a->machine);
	display_open(&a->display);
	if (countdown(a))
		measure_all(a);
	else
		report_end(&a->report, &a->run.reasons);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	struct app *a;

	firmware_init(image, table);
	a = firmware_pages(sizeof(*a), 0);
	if (!a)
		return verdict_exit_code(VERDICT_ERROR);
	app_connect(a);
	machine_look(&a->machine, &a->complaints);
	options_read(&a->options);
	options_check(&a->options);
	output_open(&a->output);
	report_text(&a->report, "noisefloor %s", NF_VERSION);
	if (!harvest(a))
		ask_and_measure(a);
	return leave(a);
}
