/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor advise`: every row of its table with evidence that calls for it, and with evidence
 * that is nearly that and does not; dumps of four vendors; clean and incomplete runs.
 */
#include "host/advise/advise.h"
#include "host/subcommands.h"

#include "tests/unit/common/test.h"
#include "tests/unit/printed.h"
#include "tests/unit/survey_sent.h"

#define ADVISE(...) RUN(&advise_subcommand, "advise", __VA_ARGS__)

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

#define SERVICES_MADE 2
#define WINDOWS_MADE  5 /* windows of a stage with steps */
#define WINDOW_NS     (100 * S / WINDOWS_MADE)

/* Contents of a run of 100 s on two cores. */
struct made {
	const char *manufacturer, *hypervisor, *arch;
	const char *stage;  /* NULL: handoff */
	const char *before; /* a stage before it, with this many SMIs; NULL: none */
	uint64_t before_smi, smi, smi_out;
	bool smi_unknown;
	const char *usb_owner, *smi_enabled, *log, *other_log;
	struct record_source source;                  /* without cause: none */
	struct record_service service[SERVICES_MADE]; /* without a name: none */
	bool no_cpu;
	uint64_t gap_ns;  /* the longest of SMIs; 0: no record */
	enum cause cause; /* five gaps of this cause */
	bool gaps, cut;   /* has these; has no end */
	bool threads[2];  /* threads are known; CPU 1 is the second thread of a core */
	const char *os, *config;
	const char *registers; /* registers of a survey's cores 0 to 7; NULL: no survey */
	uint64_t clock_ppm;    /* from mode=stretch; 0: not measured */
};

static void send_stage(const struct made *m, const char *name, uint64_t smi)
{
	struct record_cpu cpu = { .stage = name,
				  .exposure_ns = 100 * S,
				  .smi = { smi, !m->smi_unknown },
				  .smi_out = { m->smi_out, !m->smi_unknown },
				  .gaps = m->gaps ? 5 : 0 };

	if (m->gaps)
		cpu.cause[m->cause] = (struct cause_sum){ 5, 5 * MS };
	SEND_STAGE(.stage = name, .chipset = "Intel ICH9", .usb_owner = m->usb_owner,
		   .usb = "xhci 0000:00:14.0 bios", .smi_enabled = m->smi_enabled);
	/* Windows show that SMIs come one by one: the stages of a ladder are compared. */
	for (uint64_t n = 0; m->before && n < WINDOWS_MADE; n++)
		SEND_WINDOW(.stage = name, .n = n, .windows = 1, .start_ns = n * WINDOW_NS,
			    .len_ns = WINDOW_NS,
			    .smi = { 2 * smi / WINDOWS_MADE, !m->smi_unknown });
	for (; cpu.cpu < 2 && !m->no_cpu; cpu.cpu++) {
		cpu.thread = (struct maybe){ cpu.cpu && m->threads[1], m->threads[0] };
		record_send(&capture.link, RECORD_CPU, &cpu);
	}
}

static void send_state(const struct made *m, const char *name)
{
	static const char leaves[] = "00000000 0 0000000d 756e6547 6c65746e 49656e69 0-7\n"
				     "00000006 0 00000002 00000000 00000000 00000000 0-7\n";
	struct record_survey survey = { .stage = name,
					.area = "cpuid",
					.bytes = sizeof(leaves) - 1 };
	const uint64_t course[][2] = { { S, 990000 }, { 2 * S, m->clock_ppm } };

	if (m->registers) {
		survey_send(&capture.link, survey, leaves, 600, UINT32_MAX);
		survey.area = "msr";
		survey.bytes = strlen(m->registers);
		survey_send(&capture.link, survey, m->registers, 600, UINT32_MAX);
	}
	if (m->clock_ppm)
		SEND_STRETCH(.stage = name, .kernel = "adds", .phase = "alone", .cpu = 1,
			     .quanta = 9, .course = { course, 2 });
}

static void send_made(const struct made *m)
{
	const char *name = m->stage ? m->stage : "handoff";
	struct record_source source = m->source;

	source.stage = name;
	SEND_BEGIN(.version = "9.8", .arch = m->arch,
		   .machine = { .vendor = m->manufacturer, .product = "Box" },
		   .hypervisor = m->hypervisor, .os = m->os,
		   .cpus = { .found = 2, .started = 2, .measured = 2 },
		   .clock = { .hz = 1000 * MS },
		   .config = m->config ? m->config : "duration=100s cpus=all");
	if (m->before)
		send_stage(m, m->before, m->before_smi);
	send_stage(m, name, m->smi);
	if (m->gap_ns)
		SEND_GAP(.stage = name, .len_ns = m->gap_ns, .t_ns = S, .cause = "smi",
			 .why = "SMI");
	if (source.cause)
		record_send(&capture.link, RECORD_SOURCE, &source);
	for (unsigned i = 0; i < SERVICES_MADE && m->service[i].service; i++) {
		struct record_service service = m->service[i];

		service.stage = name;
		record_send(&capture.link, RECORD_SERVICE, &service);
	}
	send_state(m, name);
	if (m->log)
		SEND_LOG(.level = "info", .text = m->log);
	if (m->other_log)
		SEND_LOG(.level = "info", .text = m->other_log);
	if (!m->cut)
		SEND_END(.verdict = "none");
}

static void write_made(const struct made *m, unsigned file)
{
	start_again();
	send_made(m);
	save(file);
}

#define NEARLY 4

#define BANK       "cpu 3: machine-check bank 7 holds a new error"
#define LEFT_ALONE "evidence \"instructions\" is in use by the firmware: left alone"

#define TRAIN(of, period, count, timer) \
	.source = { .cause = of, .period_ns = period, .events = count, .origin = timer }

#define LENGTH(ns) .calls = 100, .max_ns = { ns, true }
#define STOPS(name, ns, gap)                                                           \
	{                                                                              \
		.service = name, .others = 3, LENGTH(ns), .stops = true, .stopped = 3, \
		.least_ns = { gap, true }, .longest_ns = {                             \
			gap,                                                           \
			true                                                           \
		}                                                                      \
	}
#define OWN(name, ns)                                    \
	{                                                \
		.service = name, .others = 3, LENGTH(ns) \
	}
#define ALONE(name, ns)                     \
	{                                   \
		.service = name, LENGTH(ns) \
	}

#define PLAIN(...)          __VA_ARGS__
#define KIND(of, made, ...) [ADVISE_##of] = { { PLAIN made }, { __VA_ARGS__ } }

/* For each kind of evidence a run that has it, and runs that nearly have it. */
static const struct kind {
	struct made has, nearly[NEARLY];
} kinds[ADVISE_EVIDENCES] = {
	KIND(USB_STEP, (.before = "acpi", .before_smi = 6400),
	     { .before = "acpi", .before_smi = 6, .smi = 5 },
	     { .before = "acpi", .before_smi = 50, .smi = 6400 },
	     { .before = "bare", .before_smi = 6400, .stage = "acpi" },
	     { .before = "acpi", .before_smi = 6400, .smi_unknown = true }),
	KIND(USB_KEPT, (.smi = 100, .usb_owner = "bios"), { .usb_owner = "bios" },
	     { .smi = 100, .usb_owner = "os" },
	     { .smi = 100, .usb_owner = "bios", .stage = "bare" }, { .smi = 100 }),
	KIND(USB_ENABLED, (.smi = 100, .smi_enabled = "GBL_SMI APMC LEGACY_USB2"),
	     { .smi_enabled = "GBL_SMI LEGACY_USB" },
	     { .smi = 100, .smi_enabled = "GBL_SMI APMC TCO LEGACY_USB3" }, { .smi = 100 }),
	KIND(EMULATION, (.smi_out = 9, .smi_enabled = "SMI_CMD_PORT EMUL60_64"),
	     { .smi_enabled = "SMI_CMD_PORT EMUL60_64" },
	     { .smi = 9, .smi_enabled = "SMI_CMD_PORT" }),
	KIND(TIMER,
	     (.smi = 1562, .gap_ns = MS / 3, TRAIN("smi", 64 * MS, 1562, "SWSMI timer 64 ms")),
	     { .smi = 1562, TRAIN("unknown", 64 * MS, 1562, "SWSMI timer 64 ms") }, { .smi = 1562 },
	     { .smi = 83, TRAIN("smi", 1200 * MS, 83, "TCO timer 1.2 s") }),
	KIND(PERIODIC, (.smi = 2000, TRAIN("smi", 50 * MS, 2000, NULL)),
	     { .smi = 2000, TRAIN("nmi", 50 * MS, 2000, NULL) }, { .smi = 2000 },
	     { .smi = 83, TRAIN("smi", 1200 * MS, 83, "TCO timer 1.2 s") }),
	KIND(TCO_TIMER, (.smi = 83, TRAIN("smi", 1200 * MS, 83, "TCO timer 1.2 s")),
	     { .smi = 83, TRAIN("steal", 1200 * MS, 83, "TCO timer 1.2 s") },
	     { .smi = 83, TRAIN("smi", 64 * MS, 83, "SWSMI timer 64 ms") }),
	KIND(WATCHDOG, (.log = "the chipset's watchdog (TCO) is running, and expires in 9.00 s"),
	     { .log = "watchdog: no driver is running" }, { .smi_enabled = "TCO" }),
	KIND(BUSY, (.smi = 7, .log = LEFT_ALONE),
	     { .smi = 7, .log = "evidence \"instructions\" was found" }, { .log = LEFT_ALONE }),
	KIND(ERROR, (.smi = 7, .log = BANK), { .log = BANK }, { .smi_unknown = true, .log = BANK },
	     { .smi = 7, .log = "cpu 3 has 22 machine-check banks" }),
	KIND(STOPPED, (.gaps = true, .cause = CAUSE_STOPPED),
	     { .gaps = true, .cause = CAUSE_STALL }, { .gaps = true, .cause = CAUSE_UNKNOWN }),
	KIND(HOT, (.log = "cpu 3 throttled: PROCHOT, power limit"),
	     { .log = "cpu 3 throttled: power limit" }, { .log = "cpu 3 is not hot" }),
	KIND(LIMITED, (.log = "cpu 3 throttled: thermal, current limit"),
	     { .log = "cpu 3 throttled: thermal, PROCHOT" }),
	KIND(IOMMU,
	     (.log = "IOMMUs that the firmware has left on: 2; switched off for the network "
		     "card: 2"),
	     { .log = "IOMMUs: none" }),
	KIND(EFI_STOPS, (.service = { STOPS("set_variable", 2 * MS, MS) }),
	     { .service = { OWN("set_variable", 2 * MS) } },
	     { .service = { STOPS("pm_timer", 2 * MS, MS) } },
	     { .service = { ALONE("set_variable", 2 * MS) } },
	     { .service = { { .service = "set_variable", .others = 3, .stops = true } } }),
	KIND(EFI_LONG, (.service = { OWN("query_variables", 10000), OWN("get_time", 9999) }),
	     { .service = { OWN("query_variables", 9999) } },
	     { .service = { ALONE("query_variables", 2 * MS) } },
	     { .service = { OWN("query_variables", 2 * MS), STOPS("set_variable", MS, MS) } },
	     { .service = { OWN("rtc", 2 * MS) } }),
	KIND(EFI_CLOCK, (.arch = "aarch64", .service = { OWN("get_time", 9 * MS) }),
	     { .service = { OWN("get_time", 9 * MS) } },
	     { .arch = "aarch64", .service = { OWN("get_time", 9000) } },
	     { .arch = "aarch64", .service = { OWN("get_variable_large", 9 * MS) } }),
	KIND(KEYBOARD, (.service = { STOPS("keyboard", 38000, 38000) }),
	     { .service = { OWN("keyboard", 1200) } },
	     { .service = { STOPS("rtc", 38000, 38000) } },
	     { .service = { ALONE("keyboard", 38000) } }),
};

#define ACME  "Acme" /* has no rows of its own */
#define SUPER "Super Micro Computer, Inc."

/* A machine of each vendor that has rows, by the name in its SMBIOS. */
static const char *const makers[][2] = {
	{ "Dell", "Dell Inc." },
	{ "HPE", "HPE" },
	{ "HPE", "HP" },
	{ "HPE", "Hewlett-Packard" },
	{ "Lenovo", "LENOVO" },
	{ "Supermicro", SUPER },
	{ "Supermicro", "Supermicro" },
	{ "Intel", "Intel Corporation" },
	{ "RadiSys", "RadiSys Corp." },
	{ NULL, ACME },
	{ NULL, "Intelligent Machines" },
	{ NULL, NULL },
};

#define MAKERS (sizeof(makers) / sizeof(makers[0]))

static int advise_json_of(const struct made *m, const char *manufacturer)
{
	struct made made = *m;
	int code;

	made.manufacturer = manufacturer;
	write_made(&made, 0);
	code = ADVISE("--json", path[0]);
	printed_read();
	return code;
}

static const char *text_at(const char *menu, const char *member)
{
	return json_string_value(printed_at("runs|0|proposals|menu=%s|%s", menu, member));
}

static bool is_named(const char *menu, const char *evidence)
{
	const json_t *list = printed_at("runs|0|proposals|menu=%s|evidence", menu), *one;
	bool is = false;
	size_t i;

	json_array_foreach(list, i, one) is = is || strcmp(json_string_value(one), evidence) == 0;
	return is;
}

/* Check the JSON, and the text in lines of at most 80 columns. */
static void check_called(const struct advise_setting *row, unsigned call, const char *maker)
{
	static const char *const texts[] = { "topic", "to", "effect", "cost", "source", "next" };
	enum advise_evidence_of of = row->call[call].evidence;
	struct made made = kinds[of].has;

	made.arch = row->arch ? row->arch : made.arch;
	made.hypervisor = "KVM";
	assert_int_equal(advise_json_of(&made, maker), 1);
	if (!text_at(row->menu, "sure"))
		fail_msg("`%s` is not proposed by %s: %s", row->menu, advise_evidence_name(of),
			 out);
	assert_string_equal(text_at(row->menu, "sure"), advise_sure_name(row->call[call].sure));
	assert_true(is_named(row->menu, advise_evidence_name(of)));
	assert_true(json_is_false(printed_at("runs|0|proposals|menu=%s|already", row->menu)));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_true(strlen(text_at(row->menu, texts[i])) > 3);
	/* The probe sees nothing of Linux. */
	assert_in(text_at(row->menu, "next"), row->is_linux ? "noisefloor measure" : path[0]);
	assert_int_equal(ADVISE(path[0]), 1);
	assert_in(out, row->menu);
	assert_in(out, "A hypervisor (KVM) is underneath");
	for (const char *line = out; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("wider than 80 columns: %.100s", line);
}

static void check_not_called(const struct advise_setting *row, enum advise_evidence_of of,
			     const char *maker)
{
	static const struct made none;
	const struct made *nearly = kinds[of].nearly;

	for (unsigned i = 0; !i || (i < NEARLY && memcmp(nearly + i, &none, sizeof(none))); i++) {
		advise_json_of(nearly + i, maker);
		if (text_at(row->menu, "sure"))
			fail_msg("`%s` is proposed without %s (%u): %s", row->menu,
				 advise_evidence_name(of), i, out);
		assert_null(strstr(err, "error"));
	}
}

/* For each row each kind of evidence that calls for it; only one kind makes any sure. */
TEST_F(start, teardown, test_each_row)
{
	const struct advise_setting *row;

	for (size_t n = 0; (row = advise_setting_at(n)); n++) {
		size_t maker = 0;

		while (maker < MAKERS && !text_same(makers[maker][0], row->vendor))
			maker++;
		assert_true(maker < MAKERS && n < ADVISE_ROWS_MAX);
		assert_true(row->calls > 0 && row->calls <= ADVISE_CALLS);
		for (unsigned i = 0; i < row->calls; i++) {
			assert_true(!i || row->call[i].sure <= row->call[i - 1].sure);
			assert_int_equal(row->call[i].sure == ADVISE_SURE,
					 row->call[i].evidence == ADVISE_USB_STEP);
			check_called(row, i, makers[maker][1]);
			check_not_called(row, row->call[i].evidence, makers[maker][1]);
		}
	}
}

/* A vendor's rows replace the generic ones of their topic, whatever its name in SMBIOS. */
TEST_F(start, teardown, test_vendors)
{
	for (size_t i = 0; i < MAKERS; i++) {
		bool hpe = text_same(makers[i][0], "HPE");

		advise_json_of(&kinds[ADVISE_BUSY].has, makers[i][1]);
		assert_int_equal(
			text_same(json_string_value(printed_at("runs|0|vendor")), makers[i][0]), 1);
		assert_int_equal(
			text_at("Processor Power and Utilization Monitoring", "sure") != NULL, hpe);
		assert_int_equal(text_at("Power and utilization monitoring", "sure") != NULL, !hpe);
	}
}

/*
 * Each of these kinds of evidence calls for one setting, and for no other: the rest of the table
 * stays silent. Calls that stop all cores have one setting for kernels before 7.4, and another one
 * for later kernels.
 */
TEST_F(start, teardown, test_no_other)
{
	static const enum advise_evidence_of alone[] = {
		ADVISE_USB_STEP,  ADVISE_USB_KEPT, ADVISE_USB_ENABLED, ADVISE_EMULATION,
		ADVISE_TIMER,     ADVISE_PERIODIC, ADVISE_TCO_TIMER,   ADVISE_WATCHDOG,
		ADVISE_BUSY,      ADVISE_ERROR,    ADVISE_STOPPED,     ADVISE_IOMMU,
		ADVISE_EFI_STOPS, ADVISE_EFI_LONG,
	};

	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		advise_json_of(&kinds[alone[i]].has, ACME);
		assert_printed_count("runs|0|proposals", alone[i] == ADVISE_EFI_STOPS ? 2 : 1);
		assert_printed_count("runs|0|evidence", 1);
		assert_in(out, advise_evidence_name(alone[i]));
	}
}

/* On AArch64 the firmware takes the core at exception level 3. */
TEST_F(start, teardown, test_aarch64)
{
	struct made made = { .arch = "aarch64",
			     .smi_unknown = true,
			     .gaps = true,
			     .cause = CAUSE_EL3,
			     TRAIN("el3", 50 * MS, 2000, NULL) };

	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 1);
	assert_in(out, "    evidence  2000 gaps at EL3 every 50.0 ms");
	made.gaps = false;
	made.source.cause = NULL;
	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 0);
	assert_in(out, "Nothing to advise: no gap at EL3 in 100 s");
	made.gaps = true;
	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 0);
	assert_in(out, "Nothing to advise: 5 gaps at EL3 per core were counted");
}

/* ---- Services ---- */

static void advise_services(const struct made *of, int code)
{
	struct made made = *of;

	made.manufacturer = ACME;
	made.smi_unknown = made.no_cpu = true;
	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), code);
}

/* The evidence is the sentence of the worst service; no Redfish name is asked for. */
TEST_F(start, teardown, test_services)
{
	const struct made made = { .service = { STOPS("get_variable_small", MS, MS),
						STOPS("set_variable", MS, 2 * MS) } };

	advise_services(&made, 1);
	assert_in(out, "\n1. Linux, boot parameter efi: noruntime (likely)\n"
		       "    evidence  set_variable stops all 4 cores, 2.00 ms: confining it");
	assert_not_in(out, "Redfish");
	assert_in(out, "\n    kernel    before 7.4\n");
	assert_in(out,
		  "\n2. Linux, dynamic control of EFI runtime services: switched off (likely)\n");
	assert_in(out, "\n    kernel    7.4 or newer\n");
	assert_not_in(out, "\n3. ");
}

/* Linux calls firmware preemptibly on one processor only. */
TEST_F(start, teardown, test_processors)
{
	static const char *const arch[] = { "x86_64", "aarch64" };

	for (size_t i = 0; i < 2; i++) {
		const struct made made = { .arch = arch[i],
					   .service = { OWN("get_variable_small", MS) } };

		advise_services(&made, 1);
		assert_in(out, "Linux, boot parameter workqueue.unbound_cpus");
		(i ? assert_in : assert_not_in)(out, "Linux on arm64: 6.19 or newer");
	}
}

TEST_F(start, teardown, test_services_that_cost_nothing)
{
	const struct made made = { .service = { OWN("set_variable", 9000), OWN("keyboard", 900) } };
	const struct made alone = { .service = { ALONE("set_variable", MS) } };

	advise_services(&made, 0);
	assert_in(out, "Nothing to advise: no call that Linux makes of the firmware was seen to");
	assert_not_in(out, "SMI");
	advise_services(&alone, 0);
	assert_in(out, "Nothing to advise: no other core sampled, so that whom calls stop is not");
}

/* ---- Dumps ---- */

/* The member of the first attribute that was found for a menu's setting. */
static const char *found_at(const char *menu, const char *member)
{
	return json_string_value(printed_at("runs|0|proposals|menu=%s|found|0|%s", menu, member));
}

#define FOUND_MAX 5

/* Settings that runs point at, in the dumps of four vendors; the surest is the first. */
static const struct {
	const char *dump, *vendor;
	struct made made;
	const char *found[FOUND_MAX][3]; /* menu, name, value */
	const char *set;                 /* the menu of one that is as advised, the last */
} dumps[] = {
	{ "dell",
	  "Dell",
	  { .manufacturer = "Dell Inc.",
	    .smi = 7,
	    .other_log = BANK,
	    .gaps = true,
	    .cause = CAUSE_STOPPED,
	    .log = "the chipset's watchdog (TCO) is running" },
	  { { "Correctable Memory ECC SMI", "CorrEccSmi", "Enabled" },
	    { "CPU Power Management", "ProcPwrPerf", "SysDbpm" },
	    { "OS Watchdog Timer", "OsWatchdogTimer", "Disabled" } },
	  "OS Watchdog Timer" },
	{ "hpe",
	  "HPE",
	  { .manufacturer = "HPE",
	    .smi = 7,
	    .other_log = BANK,
	    .log = "cpu 0 throttled: PROCHOT",
	    .gaps = true,
	    .cause = CAUSE_STOPPED },
	  { { "Thermal Configuration", "ThermalConfig", "OptimalCooling" },
	    { "Memory Pre-Failure Notification", "MemPreFailureNotification", "Enabled" },
	    { "Platform RAS Policy", "PlatformRASPolicy", "FirmwareFirst" },
	    { "Power Regulator", "PowerRegulator", "DynamicPowerSavings" },
	    { "Processor Jitter Control", "ProcessorJitterControl", "Disabled" } },
	  NULL },
	{ "lenovo",
	  "Lenovo",
	  { .manufacturer = "Lenovo",
	    .gaps = true,
	    .cause = CAUSE_STOPPED,
	    .log = "IOMMUs that the firmware has left on: 1" },
	  { { "Choose Operating Mode", "OperatingModes_ChooseOperatingMode",
	      "Efficiency_FavorPower" },
	    { "DMA Control Opt-In Flag", "DevicesandIOPorts_DMAControlOptInFlag", "Enabled" } },
	  NULL },
	/* Attributes are found by the name without its number, or by the menu's name. */
	{ "supermicro",
	  "Supermicro",
	  { .manufacturer = "Supermicro",
	    .smi = 7,
	    .smi_enabled = "LEGACY_USB EMUL60_64",
	    .other_log = BANK,
	    .log = "the chipset's watchdog (TCO) is running" },
	  { { "Legacy USB Support", "LegacyUSBSupport_0054", "Enabled" },
	    { "Port 60/64 Emulation", "Port60_64Emulation_0056", "Enabled" },
	    { "EMCA CMCI-SMI Morphing", "EMCACMCI-SMIMorphing_0121", "EMCA gen 2 CSMI" },
	    { "Watch Dog Function", "WatchDogFunction_002E", "Disabled" } },
	  "Watch Dog Function" },
};

TEST_F(start, teardown, test_dumps)
{
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		const char *set = dumps[i].set;
		size_t last;
		char bios[80];

		snprintf(bios, sizeof(bios), "tests/data/bios/%s.json", dumps[i].dump);
		write_made(&dumps[i].made, 0);
		assert_int_equal(ADVISE("--json", "--bios", bios, path[0]), 1);
		assert_string_equal(err, "");
		printed_read();
		assert_printed_is("runs|0|vendor", dumps[i].vendor);
		for (unsigned n = 0; n < FOUND_MAX && dumps[i].found[n][0]; n++) {
			const char *const *of = dumps[i].found[n];

			assert_string_equal(found_at(of[0], "name"), of[1]);
			assert_string_equal(found_at(of[0], "value"), of[2]);
			assert_int_equal(
				json_is_true(printed_at("runs|0|proposals|menu=%s|already", of[0])),
				set && strcmp(of[0], set) == 0);
		}
		/* Settings already made come last; the surest is the first. */
		last = json_array_size(printed_at("runs|0|proposals")) - 1;
		assert_int_equal(json_is_null(printed_at("runs|0|proposals|%zu|next", last)),
				 set != NULL);
		if (strcmp(dumps[i].dump, "hpe") == 0)
			assert_printed_is("runs|0|proposals|0|menu", "Thermal Configuration");
	}
}

/* All suggested settings are in effect already: nothing is proposed, and the text names them. */
TEST_F(start, teardown, test_already_so)
{
	const struct made made = { .manufacturer = "Dell Inc.",
				   .log = "the chipset's watchdog (TCO) is running" };

	write_made(&made, 0);
	assert_int_equal(ADVISE("--bios", "tests/data/bios/dell.json", path[0]), 0);
	assert_in(out, "Already Disabled: OS Watchdog Timer");
	assert_not_in(out, "next");
	assert_not_in(out, "Nothing to advise");
	assert_int_equal(ADVISE(path[0]), 1);
	assert_in(out, "\n1. OS Watchdog Timer: Disabled (maybe)\n");
}

TEST_F(start, teardown, test_dump_without_it)
{
	const struct made made = { .manufacturer = "Dell Inc.", .smi = 7, .log = BANK };

	write_made(&made, 0);
	assert_int_equal(ADVISE("--bios", "tests/data/bios/hpe.json", path[0]), 1);
	assert_in(out, "CorrEccSmi; the dump has no such attribute");
}

/* A setting with a value per processor is already as advised only if all values are. */
TEST_F(start, teardown, test_several_values)
{
	const struct made made = { .manufacturer = "Supermicro",
				   .smi = 7,
				   .smi_enabled = "XHCI_SMI" };
	static const struct {
		const char *first, *second;
		int code;
	} rows[] = { { "\"Disabled\"", "\"Enabled\"", 1 },
		     { "\"Enabled\"", "\"Disabled\"", 1 },
		     { "\"Disabled\"", "null", 1 },
		     { "\"Disabled\"", "\"Disable\"", 0 },
		     { "\"Off\"", "false", 0 } };

	write_made(&made, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char dump[200];

		snprintf(dump, sizeof(dump),
			 "{\"Attributes\":{\"LegacyUSBSupport_0001\":%s,"
			 "\"LegacyUSBSupport#00F2\":%s}}",
			 rows[i].first, rows[i].second);
		save_text(path[1], dump);
		assert_int_equal(ADVISE("--bios", path[1], path[0]), rows[i].code);
	}
}

/* Text from a dump is sanitized for terminals, and invalid values are reported. */
TEST_F(start, teardown, test_hostile_dump)
{
	const struct made made = { .manufacturer = "Dell Inc.", .smi = 7, .log = BANK };
	const struct made clean = { .manufacturer = "Dell Inc." };

	write_made(&made, 0);
	save_text(path[1], "{\"Attributes\":{\"CorrEccSmi\":\"\\u001b]0;x\\u0007\\u009b31m\"}}");
	assert_int_equal(ADVISE("--bios", path[1], path[0]), 1);
	assert_in(out, "CorrEccSmi is ?]0;x???31m");
	for (const char *at = out; *at; at++)
		assert_true(*at == '\n' || (unsigned char)*at >= ' ');
	save_text(path[1], "{\"Attributes\":{\"CorrEccSmi\":[\"Enabled\"],\"X\":{}}}");
	assert_int_equal(ADVISE("--bios", path[1], path[0]), 1);
	assert_in(err, "2 attributes have no value, but an object or a list; ignored");
	assert_in(out, "the dump has no such attribute");
	write_made(&clean, 0);
	assert_int_equal(ADVISE("--bios", path[1], path[0]), 3);
	save_text(path[1], "{\"Attributes\":{\"CorrEccSmi\":\"a\\u0000b\"}}");
	assert_int_equal(ADVISE("--bios", path[1], path[0]), 2);
	assert_string_equal(out, "");
	assert_in(err, path[1]);
}

/*
 * A setting that several kinds of evidence call for is as sure as the surest of them; the text has
 * the evidence of each.
 */
TEST_F(start, teardown, test_several_calls)
{
	const struct made made = { .before = "acpi",
				   .before_smi = 6400,
				   .smi = 5,
				   .usb_owner = "bios",
				   .smi_enabled = "LEGACY_USB" };

	assert_int_equal(advise_json_of(&made, ACME), 1);
	assert_printed_count("runs|0|proposals", 1);
	assert_printed_is("runs|0|proposals|0|sure", "sure");
	assert_int_equal(ADVISE(path[0]), 1);
	assert_in(out,
		  "1. Legacy USB Support: Disabled (sure)\n"
		  "    evidence  acpi to handoff, when USB is handed over: SMIs 64 to 0.05 /s");
	assert_in(out, "    evidence  5 SMIs per core in stage handoff, and the BIOS still owns");
	assert_in(out, "    evidence  5 SMIs per core in stage handoff, and LEGACY_USB is enabled");
}

TEST_F(start, teardown, test_alike)
{
	static const struct {
		const char *a, *b;
		bool alike;
	} rows[] = {
		{ "QuietBoot", "QuietBoot_0027", true },
		{ "Quiet Boot", "QUIETBOOT#00f7", true },
		{ "QuietBoot_0027", "QuietBoot_0028", true },
		{ "QuietBoot", "QuietBoot_00271", false },
		{ "QuietBoot", "QuietBoot_xyzw", false },
		{ "QuietBoot", "QuietBoots", false },
		{ "QuietBoot", "Quiet", false },
		{ "Port 60/64 Emulation", "Port6064Emulation", true },
		{ "", "", false },
		{ "_0027", "_0028", false },
		{ "A", "", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (advise_is_alike(rows[i].a, rows[i].b) != rows[i].alike ||
		    advise_is_alike(rows[i].b, rows[i].a) != rows[i].alike)
			fail_msg("%s and %s", rows[i].a, rows[i].b);
	}
}

/* ---- Not in force ---- */

static int advise_beside(const struct made *m, const char *attributes)
{
	char dump[200];
	int code;

	snprintf(dump, sizeof(dump), "{\"Attributes\":{%s}}", attributes);
	save_text(path[1], dump);
	write_made(m, 0);
	code = ADVISE("--json", "--bios", path[1], path[0]);
	printed_read();
	return code;
}

static const struct made two_threads = { .threads = { true, true } };
static const struct made one_thread = { .threads = { true } };
static const struct made turbo_on = { .registers = "1a0 0 0-7\n", .no_cpu = true };
static const struct made turbo_off = { .registers = "1a0 4000000000 0-7\n", .no_cpu = true };
static const struct made raised = { .clock_ppm = 1250000, .no_cpu = true };
static const struct made shallow = { .registers = "1fc 0 0-7\n", .no_cpu = true };
static const struct made enhanced = { .registers = "1fc 2 0-7\n", .no_cpu = true };
static const struct made usb = { .smi = 5, .smi_enabled = "GBL_SMI LEGACY_USB" };
static const struct made ports = { .smi = 5, .smi_enabled = "EMUL60_64" };

static const struct made part = { .threads = { true }, .config = "cpus=0,1" };
static const struct made linux_os = { .threads = { true }, .os = "Linux 6.12" };
static const struct made guest = { .threads = { true }, .hypervisor = "KVM" };
static const struct made level = { .clock_ppm = 1009999, .no_cpu = true };
static const struct made mixed = { .registers = "1a0 0 0-3\n1a0 4000000000 4-7\n", .no_cpu = true };
static const struct made silent = { .smi_enabled = "LEGACY_USB" };

/*
 * The run contradicts the attribute, which has another name with each vendor. Not reported: values
 * that agree, that mean neither on nor off, or that the run does not show.
 */
TEST_F(start, teardown, test_in_force)
{
	static const struct {
		const struct made *made;
		const char *name, *value, *text; /* NULL: it is in force, or not known */
	} cases[] = {
		{ &one_thread, "LogicalProc", "Enabled", "none of 2 cores has a second thread" },
		{ &two_threads, "LogicalProc", "Disabled", "CPU 1 is thread 1 of its core" },
		{ &two_threads, "Processors_SMTMode", "Disable", "CPU 1 is thread 1 of its core" },
		{ &two_threads, "Hyper-Threading [ALL]#004D", "Disable", "CPU 1 is thread 1" },
		{ &turbo_off, "ProcTurboMode", "Enabled", "the survey has turbo: off" },
		{ &turbo_on, "ProcTurbo", "Disabled", "the survey has turbo: on" },
		{ &raised, "TurboMode_0012", "Disable", "the clock of CPU 1 was at 125 %" },
		{ &shallow, "Processors_CStates", "Enable", "the survey has core-c-states: C1" },
		{ &enhanced, "ProcC1E", "Disabled", "the survey has c1e: on" },
		{ &usb, "LegacyUSBSupport", "Disabled", "LEGACY_USB is enabled as a source" },
		{ &ports, "Port6064Emulation", "false", "EMUL60_64 is enabled as a source" },
		{ &one_thread, "LogicalProc", "Disabled", NULL },
		{ &one_thread, "ProcTurboMode", "Disabled", NULL },
		{ &two_threads, "LogicalProc", "Enabled", NULL },
		{ &two_threads, "ProcSMT", "Auto", NULL },
		{ &two_threads, "LogicalProc", NULL, NULL },
		{ &two_threads, "LogicalProcIdling", "Disabled", NULL },
		{ &part, "LogicalProc", "Enabled", NULL },
		{ &linux_os, "LogicalProc", "Enabled", NULL },
		{ &guest, "LogicalProc", "Enabled", NULL },
		{ &level, "ProcTurboMode", "Disabled", NULL },
		{ &mixed, "ProcTurboMode", "Disabled", NULL },
		{ &turbo_off, "ProcC1E", "Enabled", NULL },
		{ &silent, "LegacyUSBSupport", "Disabled", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *value = cases[i].value, *text = cases[i].text;
		char attributes[120];

		snprintf(attributes, sizeof(attributes),
			 value ? "\"A\": 1, \"%s\": \"%s\"" : "\"A\": 1, \"%s\": null",
			 cases[i].name, value);
		assert_int_equal(advise_beside(cases[i].made, attributes), text != NULL);
		assert_string_equal(err, "");
		assert_printed_count("runs|0|not_in_force", text != NULL);
		if (!text)
			continue;
		assert_printed_is("runs|0|not_in_force|0|name", cases[i].name);
		assert_printed_is("runs|0|not_in_force|0|value", value);
		assert_in(json_string_value(printed_at("runs|0|not_in_force|0|text")), text);
	}
}

/* Names recur in AMI's scripts, by port. */
TEST_F(start, teardown, test_many_not_in_force)
{
	char dump[12288];
	size_t at = 0;

	for (unsigned n = 1; n <= 100; n++)
		at += (size_t)snprintf(dump + at, sizeof(dump) - at,
				       "Setup Question\t= Legacy USB Support\nToken\t=%X\n"
				       "Options\t=*[00]Disabled\n",
				       n);
	assert_true(at < sizeof(dump));
	save_text(path[1], dump);
	write_made(&usb, 0);
	assert_int_equal(ADVISE("--json", "--bios", path[1], path[0]), 1);
	printed_read();
	assert_printed_count("runs|0|not_in_force", 100);
}

/* A setting that is as advised, but not in force, is proposed nevertheless. */
TEST_F(start, teardown, test_proposed_all_the_same)
{
	assert_int_equal(advise_beside(&usb, "\"LegacyUSBSupport\": \"Disabled\""), 1);
	assert_int_equal(ADVISE("--bios", path[1], path[0]), 1);
	assert_in(out, "\nNot in force: LegacyUSBSupport is Disabled in the dump, but 5 SMIs");
	assert_in(out, "\n1. Legacy USB Support: Disabled (maybe)\n");
	assert_in(out, "is Disabled, not in");
	assert_not_in(out, "Already");
}

/* A survey and stretch are no evidence for advice, but a dump is compared with them. */
TEST_F(start, teardown, test_no_gaps)
{
	static const struct made *const runs[] = { &turbo_on, &raised };

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		write_made(runs[i], 0);
		assert_int_equal(ADVISE(path[0]), 2);
		assert_int_equal(advise_beside(runs[i], "\"ProcTurbo\": \"Enabled\""), 0);
		assert_int_equal(ADVISE("--bios", path[1], path[0]), 0);
		assert_in(out, "Nothing to advise: no gaps were looked for.");
	}
}

/* ---- Runs ---- */

TEST_F(start, teardown, test_clean)
{
	struct made made = { .manufacturer = "Dell Inc." };

	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 0);
	/* 3 / 100 s */
	assert_in(out, "Nothing to advise: no SMI in 100 s (with 95 % confidence, fewer than 0.03");
	assert_string_equal(err, "");
	made.smi_unknown = true;
	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 0);
	assert_in(out, "Nothing to advise: SMIs cannot be counted");
	made.smi_unknown = false;
	made.smi = 12;
	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 0);
	assert_in(out, "Nothing to advise: 12 SMIs per core were counted");
	made.cut = true;
	write_made(&made, 0);
	assert_int_equal(ADVISE(path[0]), 3);
}

/* Each file has a run with advice of its own; the exit code is the worst. */
TEST_F(start, teardown, test_several_files)
{
	const struct made clean = { .manufacturer = ACME };

	write_made(&clean, 0);
	write_made(&kinds[ADVISE_TIMER].has, 1);
	assert_int_equal(ADVISE("--json", path[0], path[1]), 1);
	printed_read();
	assert_printed_count("runs", 2);
	assert_printed_count("runs|0|proposals", 0);
	assert_printed_count("runs|1|proposals", 1);
	assert_int_equal(ADVISE(path[0], "/nonexistent"), 2);
	assert_in(out, "Nothing to advise");
	assert_int_equal(ADVISE("--bios", "tests/data/bios/hpe.json", path[0], path[1]), 2);
	assert_in(err, "takes one FILE");
	assert_int_equal(ADVISE("--bios", "-", "-"), 2);
	assert_in(err, "standard input");
	assert_int_equal(ADVISE("--stage", "bare", path[0]), 2);
	assert_in(err, "stage bare was not measured");
}

TEST_GROUP(make_folder, remove_folder);
