/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores are grouped by node, and each group gets its own memory. */
#include "work_memory.h"

#include "probe/app.h"

#include "arch/work.h"
#include "core/config/mode.h"
#include "core/firmware/acpi_srat.h"
#include "core/lib/mem.h"
#include "core/work/work.h"

#define GROUPS (ACPI_NODES_MAX + 1) /* a group per node; the last is for cores without one */

/* The size of the large pages that map memory. */
#define PLACE_ALIGN (UINT64_C(2) << 20)

struct group {
	uint32_t cores, settled;
	char *own; /* own rings of the cores, one after the other; NULL: they use the shared ones */
	struct work_round round;
};

struct plan {
	struct acpi_srat srat;
	uint64_t ring_bytes; /* bytes of the ring of `dram` in each node */
	struct group group[GROUPS];
	uint8_t of[]; /* each core's group, by position */
};

/* ---- Who belongs together ---- */

static uint32_t node_of(const struct plan *p, const struct cpu *cpu)
{
	const struct acpi_cpu *found = acpi_find_cpu(&app->machine.acpi, cpu->apic_id);

	return found ? acpi_srat_core(&p->srat, found) : ACPI_NO_NODE;
}

static void work_memory_gather(struct plan *p)
{
	const struct platform *platform = &app->platform;

	acpi_srat_read(&p->srat, &app->machine.acpi);
	for (uint32_t i = 0; i < platform->cpus; i++)
		p->of[i] = (uint8_t)node_of(p, &platform->cpu[i]);
	/* All cores are one group, unless nodes differ. */
	if (p->srat.nodes < 2)
		memset(p->of, ACPI_NO_NODE, platform->cpus);
	for (uint32_t i = 0; i < platform->cpus; i++)
		p->group[p->of[i]].cores++;
}

/* ---- Memory ---- */

static uint64_t free_of(const struct plan *p, uint32_t node)
{
	const struct memory_map *map = &app->machine.map;
	uint64_t bytes = 0;

	if (node == ACPI_NO_NODE)
		return memory_map_free(map);
	for (uint32_t i = 0; i < p->srat.ranges; i++)
		if (p->srat.range[i].node == node)
			bytes += memory_map_free_in(map, p->srat.range[i].from,
						    p->srat.range[i].end);
	return bytes;
}

/* Start with the last range: the firmware itself may need memory below 4 GiB. */
static void *pages_of(const struct plan *p, uint32_t node, uint64_t bytes)
{
	struct memory_map *map = &app->machine.map;
	void *memory = NULL;

	if (node == ACPI_NO_NODE)
		return door.pages((size_t)bytes, 0);
	for (uint32_t i = p->srat.ranges; !memory && i > 0; i--) {
		const struct acpi_range *r = &p->srat.range[i - 1];
		uint64_t at = 0;

		if (r->node == node && door.read_map(map))
			at = memory_map_room(map, r->from, r->end, bytes, PLACE_ALIGN);
		if (at)
			memory = door.pages_at(at, (size_t)bytes);
	}
	return memory;
}

/*
 * Returns the bytes of the first group's ring of `dram`, if `free` bytes are free; 0: too few are.
 */
static uint64_t bytes_from(const struct plan *p, uint64_t free)
{
	bool wanted = app->options.config.kernels & 1u << KERNEL_DRAM;

	return wanted ? arch_work_ring_bytes(p->group[p->of[0]].cores, free) : 0;
}

/*
 * Allocate the first ring; a smaller one if free memory is fragmented. NULL: there is too little.
 */
static void *first_ring_in(struct plan *p, uint32_t node)
{
	void *ring = NULL;

	for (uint64_t free = free_of(p, node); !ring && free; free /= 2) {
		p->ring_bytes = bytes_from(p, free);
		ring = p->ring_bytes ? pages_of(p, node, p->ring_bytes) : NULL;
	}
	return ring;
}

/* Allocate the first ring in the boot core's node, or anywhere if that has too little memory. */
static void *first_ring(struct plan *p)
{
	void *ring = first_ring_in(p, p->of[0]);

	return ring ? ring : first_ring_in(p, ACPI_NO_NODE);
}

/* Allocate another group's ring, as large as the first. */
static void *ring_of(struct plan *p, uint32_t node)
{
	bool fits = bytes_from(p, free_of(p, node)) >= p->ring_bytes;

	return fits ? pages_of(p, node, p->ring_bytes) : NULL;
}

static void give(struct plan *p, const struct work_room *room, uint32_t node)
{
	struct group *g = &p->group[node], *first = &p->group[p->of[0]];
	uint64_t bytes = g->cores * room->own_bytes;

	if (g != first && first->round.ring)
		g->round.ring = ring_of(p, node);
	if (bytes && bytes <= free_of(p, node) / WORK_OWN_SHARE)
		g->own = pages_of(p, node, bytes);
}

static void work_memory_settle(struct plan *p, const struct work_room *room, uint32_t position)
{
	struct group *g = &p->group[p->of[position]], *first = &p->group[p->of[0]];

	room->settle(position, g->own ? g->own + room->own_bytes * g->settled : NULL,
		     g->round.ring ? &g->round : &first->round);
	g->settled++;
}

/* ---- All of it ---- */

static void share_out(struct plan *p, const struct work_room *room)
{
	for (uint32_t node = 0; node < GROUPS; node++)
		if (p->group[node].cores)
			give(p, room, node);
	for (uint32_t i = 0; i < app->platform.cpus; i++)
		work_memory_settle(p, room, i);
}

struct work_room *work_memory_lay(void (*count)(struct cpu *cpu, struct evidence *e))
{
	const struct mode *mode = mode_of(&app->options.config);
	uint32_t cpus = app->platform.cpus;
	size_t bytes = arch_work_bytes(cpus);
	char *memory = door.pages(bytes + mode->kept + cpus * mode->kept_of_core, 0);
	struct plan *p = door.pages(sizeof(*p) + cpus, 0);
	struct work_room *room;
	void *ring;

	if (!memory || !p)
		return NULL;
	work_memory_gather(p);
	ring = first_ring(p);
	p->group[p->of[0]].round.ring = ring;
	room = arch_work_lay(memory, cpus, ring, p->ring_bytes, count);
	room->kept = memory + bytes;
	share_out(p, room);
	return room;
}
