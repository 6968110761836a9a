/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of records: series have tags, and totals are what they state. */
#include "core/records/record_field.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define S UINT64_C(1000000000)

/* Series need a tag that names their subject. */
TEST(test_series_have_a_tag)
{
	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		unsigned tags = 0, fields = 0;

		for (const struct record_field *f = record_fields((enum record_type)type);
		     f->kind != FIELD_END; f++) {
			tags += f->role == FIELD_ROLE_TAG;
			fields += f->role > FIELD_ROLE_TAG;
		}
		if (fields)
			assert_true(tags > 0);
	}
}

static const struct record_field *field_of(enum record_type type, const char *name)
{
	const struct record_field *f = record_fields(type);

	while (f->kind != FIELD_END && (!f->name || strcmp(f->name, name) != 0))
		f++;
	assert_int_not_equal(f->kind, FIELD_END);
	return f;
}

TEST(test_numbers)
{
	const struct record_cpu cpu = { .stage = "bare",
					.cpu = UINT32_MAX,
					.gaps = UINT64_MAX,
					.smi = { 3, true },
					.nmi = { 3, false } };
	const struct record_pause pause = { .forward = true };
	struct maybe m;

	m = record_field_number(field_of(RECORD_CPU, "cpu"), &cpu);
	assert_true(m.known && m.value == UINT32_MAX);
	m = record_field_number(field_of(RECORD_CPU, "gaps"), &cpu);
	assert_true(m.known && m.value == UINT64_MAX);
	m = record_field_number(field_of(RECORD_CPU, "smi"), &cpu);
	assert_true(m.known && m.value == 3);
	assert_false(record_field_number(field_of(RECORD_CPU, "nmi"), &cpu).known);
	assert_false(record_field_number(field_of(RECORD_CPU, "stage"), &cpu).known);
	m = record_field_number(field_of(RECORD_PAUSE, "forward"), &pause);
	assert_true(m.known && m.value == 1);
	assert_string_equal(record_field_string(field_of(RECORD_CPU, "stage"), &cpu), "bare");
}

TEST(test_total)
{
	const struct record_cpu cpu[] = {
		{ .cpu = 4,
		  .apic_id = 8,
		  .exposure_ns = 10 * S,
		  .noise_ns = UINT64_MAX,
		  .max_ns = 70,
		  .gaps = 2,
		  .smi = { 1, true },
		  .nmi = { 1, true },
		  .smi_out = { 5, true },
		  .interval_p50 = 30,
		  .cause = { [CAUSE_SMI] = { 2, 90 } } },
		{ .cpu = 5,
		  .exposure_ns = 11 * S,
		  .noise_ns = 1,
		  .max_ns = 60,
		  .gaps = 3,
		  .dropped = 4,
		  .smi = { 2, true },
		  .nmi = { 0, false },
		  .smi_out = { 6, true },
		  .cause = { [CAUSE_SMI] = { 1, 5 }, [CAUSE_NMI] = { 1, UINT64_MAX } } },
	};
	struct record_cpu total = { .cpu = 99 };

	record_total_start(RECORD_CPU, &total);
	assert_true(total.smi.known && total.mce.known && !total.package.known);
	record_total_add(RECORD_CPU, &total, &cpu[0]);
	record_total_add(RECORD_CPU, &total, &cpu[1]);
	assert_int_equal(total.cpu, 99);
	assert_int_equal(total.apic_id, 0);
	assert_int_equal(total.interval_p50, 0);
	assert_int_equal(total.exposure_ns, 21 * S);
	assert_true(total.noise_ns == UINT64_MAX);
	assert_int_equal(total.max_ns, 70);
	assert_int_equal(total.gaps, 5);
	assert_int_equal(total.dropped, 4);
	assert_true(total.smi.known && total.smi.value == 3);
	assert_false(total.nmi.known);
	assert_true(total.smi_out.known && total.smi_out.value == 11);
	assert_false(total.mce.known);
	assert_int_equal(total.cause[CAUSE_SMI].gaps, 3);
	assert_int_equal(total.cause[CAUSE_SMI].ns, 95);
	assert_true(total.cause[CAUSE_NMI].ns == UINT64_MAX);
}
