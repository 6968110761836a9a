/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring that is larger than any cache: which lines are read, and how large it is. */
#include "arch/arch.h"
#include "arch/work.h"
#include "arch/kernels.h"
#include "arch/x86_64/clock_now.h"
#include "core/work/work.h"

#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define LINES 1024 /* two quanta */

static uint64_t ring[LINES][KERNEL_LINE / sizeof(uint64_t)];
static char *memory;

/* Lay out memory anew for so many cores, with the ring or without it, and with the count. */
static struct work_room *lay(uint32_t cpus, bool with_ring,
			     void (*count)(struct cpu *cpu, struct evidence *e))
{
	struct work_room *s;

	free(memory);
	memory = calloc(1, arch_work_bytes(cpus));
	assert_non_null(memory);
	s = arch_work_lay(memory, cpus, with_ring ? ring : NULL, with_ring ? sizeof(ring) : 0,
			  count);
	arch_work_find(s);
	return s;
}

/* Where a core's next quantum of the kernel begins. */
static uint64_t *next_of(uint32_t position, enum config_kernel kernel)
{
	size_t pages = (sizeof(struct work_room) + 4095) / 4096;

	return (uint64_t *)(void *)(memory + pages * 4096) + position * KERNELS + kernel;
}

static uint64_t after_a_quantum(uint64_t line)
{
	struct kernel_work w = {
		.limit = INT64_MAX,
		.at = (void *)(uintptr_t)line,
		.ring = ring,
		.last = LINES - 1,
		.chunks = KERNEL_CHUNKS,
	};

	assert_true(kernel_dram(&w) > 0);
	return (uintptr_t)w.at;
}

/* The value in a line shifts all later reads: so each line that is read counts. */
TEST(test_each_line_is_read_once_in_a_round)
{
	for (uint64_t start = 0; start < 3; start++) {
		uint64_t half = after_a_quantum(start), seen = 0;

		assert_true(half < LINES && half != start);
		assert_int_equal(after_a_quantum(half), start);
		for (uint64_t line = 0; line < LINES; line++) {
			bool first, second;

			ring[line][0] = 1;
			first = after_a_quantum(start) != half;
			second = after_a_quantum(half) != start;
			ring[line][0] = 0;
			assert_true(first != second);
			seen += first;
		}
		assert_int_equal(seen, LINES / 2);
	}
}

TEST(test_it_is_larger_than_the_caches)
{
	uint64_t bytes = arch_work_ring_bytes(1, UINT64_MAX);
	struct caches c;

	kernels_caches(&c);
	assert_true(!bytes || bytes > c.l1 + c.l2 + c.l3);
	assert_true(bytes <= UINT64_C(2) << 30);
	assert_int_equal(arch_work_ring_bytes(1, 4 * bytes), bytes);
	/* A small machine keeps its memory. */
	assert_true(arch_work_ring_bytes(1, 4 * bytes - 1) <= bytes / 2);
	assert_int_equal(arch_work_ring_bytes(1, 4 * c.l3), 0);
	assert_int_equal(arch_work_ring_bytes(1, 0), 0);
}

/* A quantum is longer if the clock is coarse: a tick is then no more than 1/8192 of it. */
TEST(test_a_quantum_is_long_by_its_clock)
{
	static const struct {
		uint64_t hz;
		uint32_t times;
	} clocks[] = { { 0, 1 },         { 1, 64 },         { 1000000, 64 },  { 5000000, 64 },
		       { 25000000, 13 }, { 62500000, 6 },   { 100000000, 4 }, { 320000000, 1 },
		       { 319000000, 2 }, { 1000000000, 1 }, { UINT64_MAX, 1 } };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		assert_int_equal(kernels_chunks_at(clocks[i].hz), clocks[i].times * KERNEL_CHUNKS);
}

/*
 * A quantum takes at least 30 us, at the clock of the quickest core with two pipes of four cycles.
 */
TEST(test_a_quantum_is_long)
{
	const uint64_t least = 30 * 4000;
	struct work_room *s = lay(1, false, NULL);

	assert_true(s->unit[KERNEL_ADDS].count >= least);
	assert_true(s->unit[KERNEL_FMA].count / 2 >= least);
}

/* Layout of FXSAVE: Intel SDM vol. 1, table 10-2. */
struct fxsave {
	uint8_t before[160], xmm[16][16], behind[96];
} __attribute__((aligned(16)));

/* The firmware that calls the application expects xmm6 to xmm15 as they were (UEFI 2.10, 2.3.4.2).
 */
TEST(test_vector_registers_stay)
{
	struct kernel_work w = { .limit = INT64_MAX, .chunks = KERNEL_CHUNKS };
	static struct fxsave before, after;

	if (!(lay(1, false, NULL)->kernels & 1u << KERNEL_FMA))
		skip();
	_fxsave64(&before);
	for (unsigned i = 0; i < 16 * 16; i++)
		before.xmm[i / 16][i % 16] = (uint8_t)i;
	_fxrstor64(&before);
	kernel_fma(&w);
	_fxsave64(&after);
	for (unsigned i = 6; i < 16; i++)
		assert_memory_equal(after.xmm[i], before.xmm[i], 16);
}

/* With a ring, and without: then no quantum of it runs. */
TEST(test_without_memory_it_is_missing)
{
	struct work_room *s = lay(2, true, NULL);

	assert_true(s->kernels & 1u << KERNEL_DRAM);
	assert_null(s->lacks[KERNEL_DRAM]);
	s = lay(2, false, NULL);
	assert_true(s->kernels & 1u << KERNEL_ADDS && !(s->kernels & 1u << KERNEL_DRAM));
	assert_non_null(s->lacks[KERNEL_DRAM]);
}

/*
 * Cores share one round: a core goes on where another one was, and reads none of its lines again.
 */
TEST(test_cores_share_a_round)
{
	struct work_room *s = lay(2, true, NULL);
	uint64_t half = after_a_quantum(0);
	struct cpu cpu = { .position = 1 };
	struct work_quantum q;

	/* The address at which each quantum ended. */
	for (unsigned i = 0; i < 3; i++) {
		s->quantum(&cpu, KERNEL_DRAM, 0, 1, &q);
		assert_true(q.ticks > 0);
		assert_int_equal(*next_of(cpu.position, KERNEL_DRAM), i % 2 ? 0 : half);
		cpu.position = i % 2;
	}
}

/* Checked by the address at which each quantum ended, and by all addresses that can follow. */
TEST(test_a_core_has_rings_of_its_own)
{
	static const enum config_kernel chasing[] = { KERNEL_L2, KERNEL_LLC };
	struct work_room *s = lay(2, false, NULL);
	struct work_quantum q;
	char *own;

	own = aligned_alloc(4096, s->own_bytes + 4096);
	assert_non_null(own);
	memset(own, 0, s->own_bytes);
	s->settle(1, own, NULL);
	for (unsigned i = 0; i < 2; i++) {
		struct cpu cpu[] = { { .position = 0 }, { .position = 1 } };
		enum config_kernel kernel = chasing[i];

		if (!(s->kernels & 1u << kernel))
			continue;
		for (unsigned n = 0; n < 3; n++) {
			s->quantum(&cpu[0], kernel, 0, 1, &q);
			s->quantum(&cpu[1], kernel, 0, 1, &q);
			assert_true(*next_of(1, kernel) - (uintptr_t)own < s->own_bytes);
			assert_true(*next_of(0, kernel) - (uintptr_t)own >= s->own_bytes);
		}
	}
	/* All lines, once in a round. */
	for (uint64_t n = 0, lines = 0; s->own_bytes && n < s->own_bytes;
	     n += lines * KERNEL_LINE) {
		char *line = own + n;

		lines = 0;
		do {
			assert_true(line >= own + n && line < own + s->own_bytes);
			line = *(char **)(void *)line;
			lines++;
		} while (line != own + n);
		assert_true(lines > 0 && lines * KERNEL_LINE % 4096 == 0);
	}
	free(own);
}

/* Each core has a round of its own, in its own memory. */
TEST(test_rounds_are_parted)
{
	static uint64_t other[LINES][KERNEL_LINE / sizeof(uint64_t)];
	static struct work_round round = { .ring = other };
	uint64_t half = after_a_quantum(0);
	struct cpu cpu[] = { { .position = 0 }, { .position = 1 } };
	struct work_room *s = lay(2, true, NULL);
	struct work_quantum q;

	s->settle(1, NULL, &round);
	s->quantum(&cpu[1], KERNEL_DRAM, 0, 1, &q);
	assert_int_equal(round.quanta, 1);
	/* A ring's own lines shift its reads, and no other ring's do. */
	memset(other, 0xff, sizeof(other));
	s->quantum(&cpu[0], KERNEL_DRAM, 0, 1, &q);
	assert_int_equal(*next_of(0, KERNEL_DRAM), half);
	s->quantum(&cpu[1], KERNEL_DRAM, 0, 1, &q);
	assert_int_equal(round.quanta, 2);
	assert_int_not_equal(*next_of(1, KERNEL_DRAM), 0);
}

#define SLOW 20000 /* ticks of one read */

static void count_slowly(struct cpu *cpu, struct evidence *e)
{
	uint64_t start = clock_now();

	(void)cpu;
	e->have = EVIDENCE(CYCLES);
	while (clock_now() - start < SLOW)
		clock_relax();
}

/* Both reads of the counters are timed, and are not of the quantum. */
TEST(test_reads_are_timed)
{
	struct work_room *s = lay(1, false, count_slowly);
	struct cpu cpu = { .position = 0 };
	struct work_quantum q;
	uint64_t start, all;

	start = clock_now();
	s->quantum(&cpu, KERNEL_ADDS, 0, 1, &q);
	all = clock_now() - start;
	assert_true(q.reads >= 2 * SLOW);
	assert_true(q.reads + q.ticks <= all);
	assert_int_equal(q.counts.have, EVIDENCE(CYCLES));
}
