/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decode surveyed machines with the probe's code: decode FILE... prints a JSON object a line for
 * each file that tests/machines/survey_form.py made. tests/dumps/expected.py has the expected
 * results.
 */
#define _GNU_SOURCE /* basename() */
#include "counters/counters.h"
#include "identify.h"
#include "survey/survey.h"
#include "work/caches.h"
#include "host/kinds/survey/readiness.h"
#include "tests/unit/survey_file.h"

#include <jansson.h>

static struct survey_file file;

static struct cpuid leaf_of(uint32_t leaf, uint32_t sub)
{
	return survey_file_leaf(&file, leaf, sub);
}

static bool msr_of(uint32_t number, uint64_t *value)
{
	return survey_file_msr(&file, number, value);
}

/* Every register can be read: the leaves alone decide which counters exist. */
static bool any_msr(uint32_t number, uint64_t *value)
{
	survey_file_msr(&file, number, value);
	return true;
}

static uint32_t no_mmio(uint64_t address)
{
	(void)address;
	return 0;
}

static const struct regs regs = { .cpuid = leaf_of, .rdmsr = msr_of };
static const struct regs all_regs = { .cpuid = leaf_of, .rdmsr = any_msr };

static void set_number(json_t *to, const char *key, uint64_t value)
{
	json_object_set_new(to, key, json_integer((json_int_t)value));
}

static json_t *identity(const struct arch_identity *id)
{
	return json_pack("{ss sb si si si}", "vendor", id->vendor, "invariant", id->clock_invariant,
			 "family", (int)id->family, "model", (int)id->model, "stepping",
			 (int)id->stepping);
}

static json_t *rates(void)
{
	struct tsc_rate_source source[ARCH_CLOCK_SOURCES];
	unsigned n = identify_clock(&regs, source);
	json_t *found = json_object();

	for (unsigned i = 0; i < n; i++)
		set_number(found, source[i].name, source[i].hz);
	return found;
}

static json_t *caches(void)
{
	struct caches c;

	caches_read(&c, leaf_of);
	return json_pack("[IIIi]", (json_int_t)c.l1, (json_int_t)c.l2, (json_int_t)c.l3,
			 (int)c.l3_bits);
}

static json_t *counters(const struct arch_identity *id)
{
	static struct counters c;
	const char *names[COUNTER_ROWS_MAX];
	json_t *found = json_array();
	size_t n;

	memset(&c, 0, sizeof(c));
	counters_detect(&c, &all_regs, id, 1000000000, NULL);
	n = counters_names(&c, COUNTER_FOUND, names, COUNTER_ROWS_MAX);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(found, json_string(names[i]));
	return found;
}

/* No local APIC is played: nobody has dumped one. */
static json_t *settings(void)
{
	static struct survey_reading readings[SURVEY_READINGS_MAX];
	const struct survey_source source = { &regs, no_mmio, 0 };
	struct survey_core c = { .at = readings };
	struct readiness_values values;
	json_t *found = json_object();

	survey_read(&source, &c);
	readiness_x86(&c, &values);
	for (unsigned i = 0; i < READINESS_ITEMS; i++)
		if (i != READINESS_THERMAL && values.of[i].known)
			set_number(found, readiness_item_name((enum readiness_item)i),
				   values.of[i].value);
	return found;
}

static json_t *processor(void)
{
	struct arch_identity id;

	identify(&regs, &id);
	return json_pack("{so so so so so}", "identity", identity(&id), "rates", rates(), "caches",
			 caches(), "counters", counters(&id), "settings", settings());
}

static struct acpi_info info;

static json_t *gas(const struct acpi_gas *g)
{
	return json_pack("[iI]", g->space, (json_int_t)g->address);
}

static void complain(void *ctx, const char *text)
{
	json_array_append_new(ctx, json_string(text));
}

static json_t *cores(void)
{
	json_t *found = json_array();

	for (uint32_t i = 0; i < info.cpu_count; i++)
		json_array_append_new(found, json_pack("[II]", (json_int_t)info.cpu[i].apic_id,
						       (json_int_t)info.cpu[i].uid));
	return found;
}

static json_t *nmis(void)
{
	json_t *found = json_array();

	for (uint32_t i = 0; i < info.nmi_count; i++)
		json_array_append_new(found,
				      json_pack("[bIi]", info.nmi[i].all_cpus,
						(json_int_t)info.nmi[i].uid, info.nmi[i].lint));
	return found;
}

static json_t *ecams(void)
{
	json_t *found = json_array();

	for (uint32_t i = 0; i < info.ecam_count; i++)
		json_array_append_new(found, json_pack("[Iiii]", (json_int_t)info.ecam[i].base,
						       info.ecam[i].segment, info.ecam[i].first_bus,
						       info.ecam[i].last_bus));
	return found;
}

static json_t *iommus(void)
{
	json_t *found = json_array();

	for (uint32_t i = 0; i < info.iommu_count; i++)
		json_array_append_new(found, json_pack("[Ib]", (json_int_t)info.iommu[i].base,
						       info.iommu[i].amd));
	return found;
}

static json_t *fadt(void)
{
	json_t *found = json_pack("{sI si si sb sb sb}", "smi_cmd", (json_int_t)info.smi_cmd, "on",
				  info.acpi_enable, "off", info.acpi_disable, "has_8042",
				  info.has_8042, "pm_timer_32bit", info.pm_timer_32bit,
				  "hw_reduced", info.hw_reduced);

	json_object_set_new(found, "pm1a_evt", gas(&info.pm1a_evt));
	json_object_set_new(found, "pm1b_evt", gas(&info.pm1b_evt));
	json_object_set_new(found, "pm1a_cnt", gas(&info.pm1a_cnt));
	json_object_set_new(found, "pm1b_cnt", gas(&info.pm1b_cnt));
	json_object_set_new(found, "pm_timer", gas(&info.pm_timer));
	json_object_set_new(found, "gpe0", gas(&info.gpe[0]));
	json_object_set_new(found, "gpe1", gas(&info.gpe[1]));
	json_object_set_new(found, "reset",
			    info.has_reset_reg ? gas(&info.reset_reg) : json_null());
	return found;
}

/* NULL: it has no tables, or, with a complaint, none that can be read. */
static json_t *tables(json_t *complaints)
{
	static struct physical memory;
	struct acpi_memory from = physical_memory(&memory);
	uint64_t rsdp = survey_file_tables(&file, &memory);
	json_t *found;

	if (!rsdp || !acpi_read(&info, &from, rsdp, complain, complaints))
		return NULL;
	found = json_pack("{so so so so sI}", "cores", cores(), "nmis", nmis(), "ecams", ecams(),
			  "iommus", iommus(), "hpet", (json_int_t)info.hpet_address);
	if (info.has_fadt)
		json_object_set_new(found, "fadt", fadt());
	return found;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		json_t *found = json_object(), *complaints = json_array(), *acpi;

		survey_file_load(&file, argv[i]);
		json_object_set_new(found, "name", json_string(basename(argv[i])));
		if (file.leaves)
			json_object_set_new(found, "processor", processor());
		acpi = tables(complaints);
		if (acpi)
			json_object_set_new(found, "acpi", acpi);
		json_object_set_new(found, "complaints", complaints);
		json_dumpf(found, stdout, JSON_COMPACT | JSON_SORT_KEYS);
		printf("\n");
		json_decref(found);
	}
	return 0;
}
