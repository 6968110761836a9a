/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out memory for the work kernels, and runs a quantum of one. */
#include "arch/work.h"

#include "clock_now.h"
#include "kernels.h"
#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/work/work.h"

#include <stddef.h>

_Static_assert(offsetof(struct kernel_work, base) == KERNEL_BASE, "kernels.S");
_Static_assert(offsetof(struct kernel_work, limit) == KERNEL_LIMIT, "kernels.S");
_Static_assert(offsetof(struct kernel_work, gaps) == KERNEL_GAPS, "kernels.S");
_Static_assert(offsetof(struct kernel_work, at) == KERNEL_AT, "kernels.S");
_Static_assert(offsetof(struct kernel_work, ring) == KERNEL_RING, "kernels.S");
_Static_assert(offsetof(struct kernel_work, last) == KERNEL_LAST, "kernels.S");
_Static_assert(offsetof(struct kernel_work, chunks) == KERNEL_TO_GO, "kernels.S");
_Static_assert(offsetof(struct kernel_work, kept) == KERNEL_KEPT, "kernels.S");

/* Most bytes of all shared rings together: one ring per core, or as many as fit; at least one. */
#define L2_BYTES  (UINT64_C(1) << 20)
#define LLC_BYTES (UINT64_C(6) << 20)
/* The ring that is larger than all caches: most bytes, and at most this part of the memory. */
#define DRAM_BYTES (UINT64_C(2) << 30)
#define DRAM_SHARE 4

/* A ring beyond all caches, at least, and against the last level of one core. */
#define BEYOND_LEAST (UINT64_C(32) << 20)
#define BEYOND_TIMES UINT64_C(8)

/* Ticks of a quantum, at least: one tick is then at most 122 ppm of it. */
#define QUANTUM_TICKS 8192
#define CHUNK_NS      100
#define CHUNKS_MOST   (64 * KERNEL_CHUNKS)

struct rings {
	char *at;
	uint64_t bytes; /* bytes per ring; 0: the kernel has none */
	uint32_t count;
};

static struct {
	struct rings ring[KERNELS];
	void **at;                 /* per core and kernel: where its next quantum starts */
	struct work_round **round; /* per core: its round of `dram` */
	struct work_round all;     /* shared by cores that were given no other round */
	uint32_t chunks;           /* chunks in a quantum */
	struct work_unit unit[KERNELS];
	void (*count)(struct cpu *cpu, struct evidence *e);
} room;

/* Composition of each kernel's chunk. */
static const struct work_unit units[KERNELS] = {
	[KERNEL_ADDS] = { KERNEL_ADDS_CHUNK, "dependent additions" },
	[KERNEL_L2] = { KERNEL_L2_CHUNK, "loads" },
	[KERNEL_LLC] = { KERNEL_LLC_CHUNK, "loads" },
	[KERNEL_DRAM] = { KERNEL_DRAM_CHUNK, "reads" },
	[KERNEL_FMA] = { KERNEL_FMA_CHUNK, "vector multiply-adds" },
};

static uint64_t (*const kernels[KERNELS])(struct kernel_work *w) = {
	[KERNEL_ADDS] = kernel_adds, [KERNEL_L2] = kernel_l2,   [KERNEL_LLC] = kernel_llc,
	[KERNEL_DRAM] = kernel_dram, [KERNEL_FMA] = kernel_fma,
};

uint64_t caches_beyond(const struct caches *c, uint32_t cpus, uint64_t most)
{
	uint64_t last = c->l3 > c->l2 ? c->l3 : c->l2, bytes = BEYOND_LEAST, times = BEYOND_TIMES;

	if (!last || last > most || bytes > most)
		return 0;
	if (c->l3_bits)
		times = arith_max(times, UINT64_C(2) * (cpus >> c->l3_bits));
	while (bytes / times < last && bytes <= most / 2)
		bytes *= 2;
	return bytes >= last + last / 2 ? bytes : 0;
}

static void size_ring(struct rings *r, uint64_t bytes, uint64_t most, uint32_t cpus)
{
	r->bytes = bytes / 4096 * 4096;
	r->count = 0;
	if (r->bytes && r->bytes <= most)
		r->count = (uint32_t)arith_min(cpus, most / r->bytes);
	r->bytes = r->count ? r->bytes : 0;
}

/* A ring in the L2 is larger than the L1, one in the last level larger than the L2. */
static struct caches size_rings(uint32_t cpus)
{
	struct caches c;

	kernels_caches(&c);
	size_ring(&room.ring[KERNEL_L2], arith_min(4 * c.l1, c.l2 / 2), L2_BYTES, cpus);
	size_ring(&room.ring[KERNEL_LLC], c.l3 >= 2 * c.l2 ? c.l2 / 2 * 3 : 0, LLC_BYTES, cpus);
	return c;
}

static uint64_t bytes_of(const struct rings *r)
{
	return r->bytes * r->count;
}

/* The kernels for which use_own_rings() can give a core rings of its own. */
static const enum config_kernel chasing[] = { KERNEL_L2, KERNEL_LLC };

/* Bytes of struct work_room, in whole pages. */
#define ROOM_BYTES ((sizeof(struct work_room) + 4095) / 4096 * 4096)

size_t arch_work_bytes(uint32_t cpus)
{
	size_rings(cpus);
	return ROOM_BYTES +
	       (size_t)(bytes_of(&room.ring[KERNEL_L2]) + bytes_of(&room.ring[KERNEL_LLC]) +
			cpus * (sizeof(*room.at) * KERNELS + sizeof(*room.round)));
}

uint64_t arch_work_ring_bytes(uint32_t cpus, uint64_t machine)
{
	struct caches c;

	kernels_caches(&c);
	return caches_beyond(&c, cpus, arith_min(machine / DRAM_SHARE, DRAM_BYTES));
}

/*
 * Link all lines to one cycle in random order, which no prefetcher can predict. The links are in
 * the lines. Source: Sattolo, "An algorithm to generate a random cyclic permutation", 1986.
 */
static void link_ring(char *ring, uint64_t lines)
{
	uint64_t dice = 1;

	for (uint64_t i = 0; i < lines; i++)
		*(void **)(void *)(ring + i * KERNEL_LINE) = ring + i * KERNEL_LINE;
	for (uint64_t i = lines - 1; i > 0; i--) {
		void **a = (void **)(void *)(ring + i * KERNEL_LINE), **b, *t;

		/* Knuth, The Art of Computer Programming, 3.3.4: MMIX */
		dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		b = (void **)(void *)(ring + (dice >> 33) % i * KERNEL_LINE);
		t = *a;
		*a = *b;
		*b = t;
	}
}

/* Link the shared rings of a kernel. Each core begins at a line of its own. */
static void lay_rings(enum config_kernel kernel, char *memory, uint32_t cpus)
{
	struct rings *r = &room.ring[kernel];

	r->at = memory;
	for (uint32_t n = 0; n < r->count; n++)
		link_ring(memory + n * r->bytes, r->bytes / KERNEL_LINE);
	for (uint32_t i = 0; r->count && i < cpus; i++)
		room.at[i * KERNELS + kernel] = memory + i % r->count * r->bytes +
						i / r->count * KERNEL_LINE % r->bytes;
}

static void use_own_rings(uint32_t position, void *own, struct work_round *round)
{
	char *ring = own;

	for (unsigned i = 0; own && i < sizeof(chasing) / sizeof(chasing[0]); i++) {
		uint64_t bytes = room.ring[chasing[i]].bytes;

		if (!bytes)
			continue;
		link_ring(ring, bytes / KERNEL_LINE);
		room.at[position * KERNELS + chasing[i]] = ring;
		ring += bytes;
	}
	if (round)
		room.round[position] = round;
}

/*
 * The line at which the next quantum of `dram` begins, on any core. All cores of a ring share one
 * round, so that none reads what another has just brought into a cache. To skip the quanta before,
 * the step `line * factor + more` is applied `steps` times, by repeated squaring.
 */
static uint64_t next_line(struct work_round *round)
{
	uint64_t factor = KERNEL_DRAM_FACTOR, more = KERNEL_DRAM_MORE, line = 0;
	uint64_t steps = (uint64_t)KERNEL_DRAM_CHUNK * room.chunks *
			 __atomic_fetch_add(&round->quanta, 1, __ATOMIC_RELAXED);

	for (; steps; steps >>= 1) {
		if (steps & 1)
			line = line * factor + more;
		more += more * factor;
		factor *= factor;
	}
	return line;
}

static void run_quantum(struct cpu *cpu, enum config_kernel kernel, uint64_t best,
			uint64_t threshold, struct work_quantum *q)
{
	void **at = &room.at[cpu->position * KERNELS + kernel];
	struct kernel_work w = { .limit = INT64_MAX, .at = *at, .chunks = room.chunks };
	uint64_t start;

	if (best) {
		w.base = (best + room.chunks / 2) / room.chunks;
		w.limit = w.base + threshold;
	}
	if (kernel == KERNEL_DRAM) {
		w.ring = room.round[cpu->position]->ring;
		w.last = room.ring[KERNEL_DRAM].bytes / KERNEL_LINE - 1;
		w.at = (void *)(uintptr_t)(next_line(room.round[cpu->position]) & w.last);
	}
	q->counts.have = 0;
	start = clock_now();
	if (room.count)
		room.count(cpu, &q->counts);
	q->ticks = kernels[kernel](&w);
	if (room.count)
		room.count(cpu, &q->counts);
	q->reads = arith_less(clock_now() - start, q->ticks);
	q->gaps = w.gaps;
	*at = w.at;
}

uint32_t kernels_chunks_at(uint64_t hz)
{
	uint64_t least = arith_times(hz, KERNEL_CHUNKS * CHUNK_NS);
	uint64_t times = least ? (QUANTUM_TICKS * NS_PER_S - 1) / least + 1 : 1;

	return KERNEL_CHUNKS * (uint32_t)arith_min(times, CHUNKS_MOST / KERNEL_CHUNKS);
}

static void size_quantum(void)
{
	room.chunks = kernels_chunks();
	for (unsigned k = 0; k < KERNELS; k++) {
		room.unit[k] = units[k];
		room.unit[k].count *= room.chunks;
	}
}

struct work_room *arch_work_lay(void *memory, uint32_t cpus, void *ring, uint64_t ring_bytes,
				void (*count)(struct cpu *cpu, struct evidence *e))
{
	struct caches c = size_rings(cpus);
	struct work_room *s = memory;

	room.count = count;
	room.at = (void **)(void *)((char *)memory + ROOM_BYTES);
	room.round = (struct work_round **)(void *)(room.at + (uint64_t)cpus * KERNELS);
	lay_rings(KERNEL_L2, (char *)(room.round + cpus), cpus);
	lay_rings(KERNEL_LLC, room.ring[KERNEL_L2].at + bytes_of(&room.ring[KERNEL_L2]), cpus);
	room.ring[KERNEL_DRAM] = (struct rings){ ring, ring_bytes, ring ? 1 : 0 };
	room.all = (struct work_round){ ring, 0 };
	for (uint32_t i = 0; i < cpus; i++)
		room.round[i] = &room.all;
	s->settle = use_own_rings;
	for (unsigned i = 0; i < sizeof(chasing) / sizeof(chasing[0]); i++)
		s->own_bytes += room.ring[chasing[i]].bytes;
	size_quantum();
	s->quantum = run_quantum;
	s->unit = room.unit;
	s->cache_bits = c.l3_bits;
	s->kernels = (1u << KERNELS) - 1;
	if (!ring)
		s->lacks[KERNEL_DRAM] = c.l2 | c.l3 ? "too little memory"
						    : "the caches are not known";
	return s;
}

void arch_work_find(struct work_room *s)
{
	uint32_t has = 1u << KERNEL_ADDS;

	for (unsigned k = 0; k < KERNELS; k++)
		if (room.ring[k].count)
			has |= 1u << k;
	if (kernels_vectors())
		has |= 1u << KERNEL_FMA;
	__atomic_fetch_and(&s->kernels, has, __ATOMIC_RELAXED);
}
