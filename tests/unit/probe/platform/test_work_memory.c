/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels' memory, on machines with and without nodes. The arena hands out real memory at
 * chosen addresses, and mocks of the kernels note what they get.
 */
#include "probe/app.h"
#include "probe/arena.h"
#include "probe/platform/work_memory.h"

#include "arch/work.h"
#include "core/work/work.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/common/test.h"
#include "tests/unit/srat.h"

#define MIB   (UINT64_C(1) << 20)
#define BASE  UINT64_C(0x200000000000) /* addresses that no process uses */
#define NODE  (1024 * MIB)             /* bytes of addresses per node */
#define NODES 4
#define RING  (32 * MIB)
#define OWN   MIB
#define CPUS  8

static bool refuses; /* requests for memory at an address fail */
static struct memory_range pieces[ARENA_PIECES_MAX];
static struct memory_map given;

static struct cpu cpu[CPUS];
static struct platform platform = { .cpu = cpu };

/* The requests to the functions of arch/work.h. */
static struct {
	void *ring;
	struct settled {
		char *own;
		struct work_round *round;
	} core[CPUS];
	unsigned settled;
	uint64_t own_bytes;
	uint64_t most, bytes; /* bytes of a ring: the most, and as given */
	uint32_t cpus;
} kernels;

/* ---- Kernels ---- */

size_t arch_work_bytes(uint32_t cpus)
{
	return sizeof(struct work_room) + cpus * sizeof(void *);
}

uint64_t arch_work_ring_bytes(uint32_t cpus, uint64_t machine)
{
	assert_in_range(cpus, 1, CPUS);
	kernels.cpus = cpus;
	for (uint64_t bytes = kernels.most; bytes >= RING; bytes /= 2)
		if (machine / 4 >= bytes)
			return bytes;
	return 0;
}

static void settle(uint32_t position, void *own, struct work_round *round)
{
	kernels.core[position] = (struct settled){ own, round };
	kernels.settled++;
}

struct work_room *arch_work_lay(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
				void (*count)(struct cpu *cpu, struct evidence *e))
{
	struct work_room *s = memory;

	(void)count;
	assert_int_equal(cpus, platform.cpus);
	kernels.bytes = ring_bytes;
	kernels.ring = ring;
	s->settle = settle;
	s->own_bytes = kernels.own_bytes;
	return s;
}

void arch_work_find(struct work_room *s)
{
	(void)s;
}

/* ---- Firmware ---- */

static void *pages_at(uint64_t at, size_t bytes)
{
	return refuses ? NULL : arena_pages_at(at, bytes);
}

const struct door door = { .pages = arena_pages, .pages_at = pages_at, .read_map = arena_read };

static void add_free(uint64_t from, uint64_t bytes)
{
	assert_true(arena_add(&given, from, bytes, MEMORY_FREE));
}

/* ---- The machine under test ---- */

static uint64_t node_at(uint32_t node)
{
	return BASE + node * NODE;
}

/* Map the memory of all nodes. There are CPUS cores, and no node has cores or memory yet. */
static void setup(void)
{
	void *at = mmap((void *)BASE, NODES * NODE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	assert_int_equal((uintptr_t)at, BASE);
	refuses = false;
	given = (struct memory_map){ .range = pieces, .room = sizeof(pieces) };
	/* The room itself and the plan come from here, the highest memory. */
	add_free(node_at(NODES) - MIB, MIB);
	memset(&kernels, 0, sizeof(kernels));
	kernels.own_bytes = OWN;
	kernels.most = RING;
	srat_begin();
	platform.cpus = CPUS;
	srat_info.cpu_count = CPUS;
	for (uint32_t i = 0; i < CPUS; i++) {
		cpu[i] = (struct cpu){ .position = i, .index = i, .apic_id = 0x100 + i };
		srat_info.cpu[i] = (struct acpi_cpu){ 0x100 + i, i };
	}
}

static void teardown(void)
{
	entries_end();
	assert_int_equal(munmap((void *)BASE, NODES * NODE), 0);
}

/* Put core i into node i % nodes. */
static void add_cores(uint32_t nodes)
{
	for (uint32_t i = 0; i < CPUS; i++)
		srat_x2apic(0x100 + i, 10 + i % nodes, SRAT_ENABLED);
}

static void add_node(uint32_t node, uint64_t free)
{
	srat_memory(node_at(node), NODE, 10 + node, SRAT_ENABLED);
	add_free(node_at(node), free);
}

static void add_two_nodes(void)
{
	add_cores(2);
	add_node(0, 512 * MIB);
	add_node(1, 512 * MIB);
}

static struct app machine;
struct app *app = &machine;

static uint64_t lay(bool dram)
{
	machine.platform = platform;
	machine.machine.acpi = srat_info;
	machine.options.config.kernels = dram ? 1u << KERNEL_DRAM : 0;
	machine.memory_bytes = 0;
	arena_open(&given);
	assert_true(door.read_map(&machine.machine.map));
	assert_non_null(work_memory_lay(NULL));
	assert_int_equal(kernels.settled, platform.cpus);
	return machine.memory_bytes;
}

/* The node of `bytes` bytes at `memory`, which must be allocated, and in one node. */
static uint32_t node_of(const void *memory, uint64_t bytes)
{
	uint64_t at = (uintptr_t)memory;

	assert_int_equal(memory_map_usable(&given, at, at + bytes), bytes);
	assert_int_equal(memory_map_free_in(&given, at, at + bytes), 0);
	assert_int_equal((at - BASE) / NODE, (at + bytes - 1 - BASE) / NODE);
	return (uint32_t)((at - BASE) / NODE);
}

static void assert_own(uint32_t position, uint32_t node)
{
	char *own = kernels.core[position].own;

	assert_non_null(own);
	assert_int_equal((uintptr_t)own % 4096, 0);
	assert_int_equal(node_of(own, OWN), node);
	for (uint32_t i = 0; i < position; i++)
		assert_true(kernels.core[i].own >= own + OWN || own >= kernels.core[i].own + OWN ||
			    !kernels.core[i].own);
}

static void assert_dram(uint32_t position, uint32_t node)
{
	assert_int_equal(node_of(kernels.core[position].round->ring, kernels.bytes), node);
	assert_int_equal(kernels.core[position].round->quanta, 0);
	for (uint32_t i = 0; i < position; i++)
		assert_int_equal(kernels.core[i].round == kernels.core[position].round,
				 kernels.core[i].round->ring == kernels.core[position].round->ring);
}

#define NOWHERE UINT32_MAX

/*
 * Check on which nodes the cores from `from` on have their blocks: core i on own[i % nodes], and so
 * on.
 */
static void assert_blocks(uint32_t from, uint32_t nodes, const uint32_t own[],
			  const uint32_t dram[])
{
	for (uint32_t i = from; i < platform.cpus; i++) {
		if (own[i % nodes] == NOWHERE)
			assert_null(kernels.core[i].own);
		else
			assert_own(i, own[i % nodes]);
		if (dram[i % nodes] == NOWHERE)
			assert_null(kernels.core[i].round->ring);
		else
			assert_dram(i, dram[i % nodes]);
	}
}

static const uint32_t in_place[] = { 0, 1, 2 }, nowhere[] = { NOWHERE, NOWHERE };

/* ---- Tests ---- */

TEST_F(setup, teardown, test_nodes)
{
	add_two_nodes();
	lay(true);
	assert_blocks(0, 2, in_place, in_place);
	assert_ptr_equal(kernels.ring, kernels.core[0].round->ring);
	assert_int_equal(kernels.bytes, RING);
}

/*
 * All rings are as large as the boot core's. A node without room for a ring of that size has none,
 * and its cores use one elsewhere.
 */
TEST_F(setup, teardown, test_rings_of_one_size)
{
	static const struct {
		uint64_t first, second, bytes;
		uint32_t node; /* node of the ring of the second node's cores */
	} rows[] = {
		{ 1000 * MIB, 530 * MIB, 4 * RING, 1 },
		{ 1000 * MIB, 511 * MIB, 4 * RING, 0 },
		{ 511 * MIB, 1000 * MIB, 2 * RING, 1 },
		{ 140 * MIB, 1000 * MIB, RING, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		teardown();
		setup();
		kernels.most = 4 * RING;
		add_cores(2);
		add_node(0, rows[i].first);
		add_node(1, rows[i].second);
		lay(true);
		assert_int_equal(kernels.bytes, rows[i].bytes);
		assert_int_equal(kernels.cpus, CPUS / 2);
		assert_dram(0, 0);
		assert_dram(1, rows[i].node);
	}
}

/* There is much free memory, but only in small pieces. */
TEST_F(setup, teardown, test_memory_in_pieces)
{
	kernels.most = 4 * RING;
	srat_info.srat = (struct acpi_table){ 0 };
	for (uint64_t at = 0; at < 10; at++)
		add_free(node_at(0) + 100 * at * MIB, 80 * MIB);
	lay(true);
	assert_int_equal(kernels.bytes, 2 * RING);
	assert_int_equal(kernels.cpus, CPUS);
	assert_dram(0, 0);
}

/* The count of bytes has all allocations. */
TEST_F(setup, teardown, test_bytes)
{
	uint64_t before, counted;

	add_two_nodes();
	before = memory_map_free(&given);
	counted = lay(true);
	/* Allocations are rounded up to pages. */
	assert_in_range(before - memory_map_free(&given) - counted, 1, 5 * 4096);
}

/* Without nodes that differ, all cores share one block, of the highest memory; so do cores that the
 * SRAT lacks. */
TEST_F(setup, teardown, test_one_block)
{
	static const struct {
		bool has_srat;
		uint32_t first; /* the first core in the SRAT; those after it are, too */
		unsigned memories;
	} rows[] = {
		{ false, CPUS, 2 },
		{ true, 0, 1 },
		{ true, 1, 1 },
		{ true, CPUS, 2 },
	};

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		teardown();
		setup();
		if (!rows[row].has_srat)
			srat_info.srat = (struct acpi_table){ 0 };
		for (uint32_t i = rows[row].first; i < CPUS; i++)
			srat_x2apic(0x100 + i, 10, SRAT_ENABLED);
		for (uint32_t node = 0; node < rows[row].memories; node++) {
			if (rows[row].has_srat)
				srat_memory(node_at(node), NODE, 10 + node, SRAT_ENABLED);
			add_free(node_at(node), 512 * MIB);
		}
		lay(true);
		assert_blocks(0, 1, &in_place[rows[row].memories - 1],
			      &in_place[rows[row].memories - 1]);
		assert_ptr_equal(kernels.ring, kernels.core[0].round->ring);
	}
}

/* `cpus` leaves out all cores of one node: the measured cores use memory of their own node. */
TEST_F(setup, teardown, test_cores_of_one_node)
{
	add_two_nodes();
	for (uint32_t i = 0; i < CPUS / 2; i++)
		cpu[i] =
			(struct cpu){ .position = i, .index = 2 * i + 1, .apic_id = 0x101 + 2 * i };
	platform.cpus = CPUS / 2;
	lay(true);
	assert_blocks(0, 1, &in_place[1], &in_place[1]);
}

/* A node without memory, as a Supermicro H8DGU has two (tests/data/acpi). */
TEST_F(setup, teardown, test_a_node_without_memory)
{
	static const uint32_t own[] = { 0, NOWHERE, 2 }, dram[] = { 0, 0, 2 };

	add_cores(3);
	add_node(0, 512 * MIB);
	add_node(2, 512 * MIB);
	lay(true);
	assert_blocks(0, 3, own, dram);
}

/* The boot core's node has no memory: its ring is anywhere, and other rings are in their nodes. */
TEST_F(setup, teardown, test_a_boot_core_without_memory)
{
	static const uint32_t own[] = { NOWHERE, 1 }, dram[] = { 3, 1 };

	add_cores(2);
	srat_memory(node_at(0), NODE, 10, SRAT_ENABLED);
	add_free(node_at(3), 512 * MIB);
	add_node(1, 512 * MIB);
	lay(true);
	assert_blocks(0, 2, own, dram);
}

TEST_F(setup, teardown, test_a_core_without_a_node)
{
	for (uint32_t i = 1; i < CPUS; i++)
		srat_x2apic(0x100 + i, 10 + i % 2, SRAT_ENABLED);
	add_node(0, 512 * MIB);
	add_node(1, 512 * MIB);
	/* A core that the MADT does not list. */
	srat_info.cpu[1].apic_id = 7;
	lay(true);
	assert_blocks(2, 2, in_place, in_place);
	assert_ptr_equal(kernels.core[0].round, kernels.core[1].round);
	assert_ptr_equal(kernels.core[0].round->ring, kernels.ring);
}

/* A ring takes at most a quarter of a node's free memory; four cores' own blocks, an eighth. */
TEST_F(setup, teardown, test_shares)
{
	static const struct {
		uint64_t free;
		bool ring, own;
	} rows[] = {
		{ 128 * MIB, true, true }, { 127 * MIB, false, true }, { 64 * MIB, false, true },
		{ 32 * MIB, false, true }, { 31 * MIB, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		teardown();
		setup();
		add_cores(2);
		add_node(0, 512 * MIB);
		add_node(1, rows[i].free);
		lay(true);
		assert_dram(1, rows[i].ring);
		if (rows[i].own)
			assert_own(1, 1);
		else
			assert_null(kernels.core[1].own);
	}
}

TEST_F(setup, teardown, test_no_dram)
{
	add_two_nodes();
	lay(false);
	assert_null(kernels.ring);
	assert_blocks(0, 2, in_place, nowhere);
}

/* A processor whose caches are not known. */
TEST_F(setup, teardown, test_no_rings)
{
	add_two_nodes();
	kernels.own_bytes = 0;
	lay(false);
	assert_blocks(0, 2, nowhere, nowhere);
}

/* The firmware does not give memory that the map has as free. */
TEST_F(setup, teardown, test_refusal)
{
	add_two_nodes();
	refuses = true;
	lay(true);
	assert_blocks(0, 1, nowhere, &in_place[1]);
}

/* Memory comes from a node's ranges, the last one first, and is never outside of them. */
TEST_F(setup, teardown, test_ranges)
{
	add_cores(2);
	srat_memory(node_at(0), 300 * MIB, 10, SRAT_ENABLED);
	srat_memory(node_at(0) + 300 * MIB, NODE - 300 * MIB, 11, SRAT_ENABLED);
	srat_memory(node_at(1), 40 * MIB, 10, SRAT_ENABLED);
	srat_memory(node_at(1) + 40 * MIB, NODE - 40 * MIB, 11, SRAT_ENABLED);
	add_free(node_at(0), NODE);
	add_free(node_at(1), NODE);
	lay(true);
	assert_int_equal((uintptr_t)kernels.core[0].round->ring, node_at(1) + 8 * MIB);
	assert_int_equal((uintptr_t)kernels.core[0].own, node_at(1) + 8 * MIB - 4 * OWN);
	assert_int_equal((uintptr_t)kernels.core[1].round->ring, node_at(2) - RING);
	assert_int_equal((uintptr_t)kernels.core[1].own, node_at(2) - RING - 4 * OWN);
}

/* Memory that two nodes claim is the first one's. */
TEST_F(setup, teardown, test_memory_of_two_nodes)
{
	add_two_nodes();
	srat_memory(node_at(1), NODE, 10, SRAT_ENABLED);
	lay(true);
	assert_own(0, 0);
	assert_own(1, 1);
}
