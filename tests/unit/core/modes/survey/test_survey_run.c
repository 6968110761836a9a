/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mode=survey on a mocked platform: which readings become records, in which form cores are listed,
 * and that nothing is prepared, armed or measured.
 */
#include "core/modes/survey/survey_room.h"
#include "core/lib/letters.h"
#include "core/config/mode.h"
#include "tests/unit/common/test.h"
#include "tests/unit/kept_run.h"

#define CPUS   4
#define PARTS  16
#define TEXT   65536
#define PIECES 512

static struct survey_room room;
static struct survey_core cores[MOCK_CPUS];
static struct survey_reading readings[MOCK_CPUS][SURVEY_READINGS_MAX];
static uint32_t numbers[MOCK_CPUS];
static uint8_t packed[DEFLATE_BYTES_MAX(SURVEY_PART_BYTES)];
static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
static char text[SURVEY_PART_BYTES];

/* Received records. */
static struct {
	struct record_survey first;
	uint32_t came;
	uint8_t data[PIECES * SURVEY_PIECE_BYTES];
	size_t used;
} parts[PARTS];
static unsigned part_count;

static void take_piece(const struct record_survey *r)
{
	size_t count = strlen(r->data);

	if (!r->piece) {
		assert_true(part_count < PARTS);
		parts[part_count].came = 0;
		parts[part_count].used = 0;
		parts[part_count++].first = *r;
	}
	assert_int_equal(parts[part_count - 1].came, r->piece);
	parts[part_count - 1].came++;
	assert_int_equal(
		letters_base45_read(parts[part_count - 1].data + parts[part_count - 1].used,
				    r->data, count),
		count);
	parts[part_count - 1].used += BASE45_BYTES(count);
}

/* The n-th part, inflated. */
static size_t inflate_part(unsigned n, char *to, size_t cap)
{
	size_t bytes;

	assert_int_equal(parts[n].came, parts[n].first.pieces);
	bytes = deflate_unpack(to, cap - 1, parts[n].data, parts[n].used, work);
	assert_int_equal(bytes, parts[n].first.bytes);
	to[bytes] = '\0';
	return bytes;
}

static void add(struct survey_core *c, enum survey_area area, uint32_t number, uint64_t value,
		uint8_t flags)
{
	const struct survey_reading r = {
		.area = (uint8_t)area,
		.number = number,
		.flags = flags,
		.value = { value },
	};

	survey_add(c, &r);
}

static void read_core(struct cpu *cpu, struct survey_core *c)
{
	c->count = 0;
	add(c, SURVEY_CPUID, 1, 0x50657, SURVEY_OWN_ID);
	add(c, SURVEY_MSR, 0x1a0, cpu->index == 2 ? 0 : 0x850089, 0);
	add(c, SURVEY_MSR, 0xe7, cpu->index * 1000, SURVEY_MOVES);
	add(c, SURVEY_MSR, 0x610, 0, SURVEY_FAULTED);
	if (cpu->index != 1)
		add(c, SURVEY_MSR, 0x1fc, 3, 0);
}

static size_t table_bytes;

static void machine(void *ctx, struct survey_parts *p, struct text *t)
{
	static uint8_t table[SURVEY_PART_BYTES + 1];
	uint32_t seed = 3;

	assert_ptr_equal(ctx, &room);
	for (size_t i = 0; i < sizeof(table); i++)
		table[i] = (uint8_t)((seed = seed * 1103515245u + 12345) >> 16);
	survey_parts_add(p, "acpi", "APIC", table, table_bytes);
	text_add(t, "lpc 29188086\n");
	survey_parts_text(p, "chipset", t);
	assert_int_equal(t->len, 0);
	survey_parts_text(p, "nothing", t);
}

static void lay(void)
{
	lay_run(CPUS);
	config.mode = MODE_SURVEY;
	memset(&room, 0, sizeof(room));
	table_bytes = 2000;
	for (unsigned i = 0; i < MOCK_CPUS; i++)
		cores[i].at = readings[i];
	room.core = cores;
	room.number = numbers;
	room.read = read_core;
	room.machine = machine;
	room.ctx = &room;
	room.parts.packed = packed;
	room.parts.work = work;
	text_init(&room.text, text, sizeof(text));
	mock.platform.survey = &room;
}

static void survey(void)
{
	run_prepare(&run);
	run_stage(&run, "firmware");
	run_finish(&run);
	run_judge(&run);
	part_count = 0;
	for (unsigned i = 0; i < links[0].count[RECORD_SURVEY]; i++)
		take_piece(&links[0].survey[i]);
}

/* Set if anything is armed, tried or sampled, which must not happen. */
static bool touched;

static void touch_nmi(const struct cpu *cpu)
{
	(void)cpu;
	touched = true;
}

static void touch_window(struct cpu *cpu, struct platform_window *plan)
{
	(void)cpu, (void)plan;
	touched = true;
}

TEST(test_only_reads)
{
	lay();
	touched = false;
	mock.platform.send_nmi = touch_nmi;
	mock.on_window = touch_window;
	survey();
	assert_int_equal(mock.prepared, 0);
	assert_false(touched);
	assert_int_equal(run.reasons.verdict, VERDICT_NONE);
	assert_int_equal(run.reasons.count, 0);
}

static void assert_part(unsigned n, const char *area, const char *is)
{
	static char whole[TEXT];

	assert_string_equal(parts[n].first.area, area);
	inflate_part(n, whole, sizeof(whole));
	assert_string_equal(whole, is);
}

TEST(test_parts)
{
	lay();
	survey();
	assert_int_equal(part_count, 4);
	assert_part(0, "cpuid", "00000001 0 00050657 00000000 00000000 00000000 0-3 id\n");
	assert_part(1, "msr",
		    "1a0 850089 0-1,3\n"
		    "e7 moves 0-3\n"
		    "610 fault 0-3\n"
		    "1fc 3 0,2-3\n"
		    "1a0 0 2\n");
	assert_string_equal(parts[2].first.area, "acpi");
	assert_string_equal(parts[2].first.name, "APIC");
	assert_int_equal(parts[2].first.bytes, 2000);
	/* Incompressible data is stored as it is. */
	assert_int_equal(parts[2].first.pieces, 2000 / SURVEY_PIECE_BYTES + 1);
	assert_part(3, "chipset", "lpc 29188086\n");
	assert_int_equal(room.cores, CPUS);
}

/* A core that is absent has no readings. */
TEST(test_absent_core)
{
	lay();
	mock.cpu[1].state = CPU_ABSENT;
	survey();
	assert_int_equal(room.cores, 3);
	assert_part(0, "cpuid", "00000001 0 00050657 00000000 00000000 00000000 0,2-3 id\n");
}

TEST(test_too_long)
{
	lay();
	table_bytes = SURVEY_PART_BYTES + 1;
	survey();
	assert_int_equal(part_count, 3);
	assert_non_null(strstr(links[0].log->text, "survey: acpi APIC has 262145 bytes"));
	lay();
	table_bytes = SURVEY_PART_BYTES;
	survey();
	assert_int_equal(part_count, 4);
	assert_int_equal(parts[2].first.bytes, SURVEY_PART_BYTES);
}
