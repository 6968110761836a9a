/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores are grouped by node, and each group gets its own memory. */
#include "work_memory.h"

#include "probe/app.h"

#include "arch/work.h"
#include "core/config/mode.h"
#include "core/lib/mem.h"
#include "core/work/work.h"

/* The size of the large pages that map memory. */
#define PLACE_ALIGN (UINT64_C(2) << 20)

#define ANYWHERE 0u /* the group of cores without a node */

/* Cores of a node. */
struct group {
	uint32_t domain; /* the SRAT's number of the node */
	uint32_t cores, settled;
	char *own; /* own rings of the cores, one after the other; NULL: they use the shared ones */
	struct work_round round;
};

struct plan {
	uint64_t ring_bytes; /* bytes of the ring of `dram` in each node */
	uint32_t ranges;
	struct acpi_range range[ACPI_RANGES_MAX];
	uint32_t *of; /* each core's group, by position */
	uint32_t groups;
	struct group group[]; /* the first is ANYWHERE */
};

/* ---- Who belongs together ---- */

/* The group of a domain; p->groups: there is none. */
static uint32_t find_group(const struct plan *p, uint32_t domain)
{
	uint32_t n = ANYWHERE + 1;

	while (n < p->groups && p->group[n].domain != domain)
		n++;
	return n;
}

static uint32_t group_of(struct plan *p, const struct cpu *cpu)
{
	const struct acpi_info *acpi = &app->machine.acpi;
	const struct acpi_cpu *found = acpi_find_cpu(acpi, cpu->apic_id);
	uint32_t domain, n;

	if (!found || !acpi_srat_core(acpi, found, &domain))
		return ANYWHERE;
	n = find_group(p, domain);
	if (n == p->groups)
		p->group[p->groups++].domain = domain;
	return n;
}

/* True if cores have several nodes, or memory has another one than the cores. */
static bool nodes_differ(const struct plan *p)
{
	for (uint32_t i = 0; i < p->ranges; i++)
		if (find_group(p, p->range[i].domain) == p->groups)
			return true;
	return p->groups > ANYWHERE + 2;
}

static void work_memory_gather(struct plan *p)
{
	const struct platform *platform = &app->platform;

	p->ranges = acpi_srat_memory(&app->machine.acpi, p->range);
	p->groups = ANYWHERE + 1;
	for (uint32_t i = 0; i < platform->cpus; i++)
		p->of[i] = group_of(p, &platform->cpu[i]);
	if (!nodes_differ(p))
		memset(p->of, ANYWHERE, platform->cpus * sizeof(p->of[0]));
	for (uint32_t i = 0; i < platform->cpus; i++)
		p->group[p->of[i]].cores++;
}

/* ---- Memory ---- */

static uint64_t free_of(const struct plan *p, uint32_t group)
{
	const struct memory_map *map = &app->machine.map;
	uint64_t bytes = 0;

	if (group == ANYWHERE)
		return memory_map_free(map);
	for (uint32_t i = 0; i < p->ranges; i++)
		if (p->range[i].domain == p->group[group].domain)
			bytes += memory_map_free_in(map, p->range[i].from, p->range[i].end);
	return bytes;
}

/* Start with the last range: the firmware itself may need memory below 4 GiB. */
static void *pages_of(const struct plan *p, uint32_t group, uint64_t bytes)
{
	struct memory_map *map = &app->machine.map;
	void *memory = NULL;

	if (group == ANYWHERE)
		return app_pages((size_t)bytes, 0);
	for (uint32_t i = p->ranges; !memory && i > 0; i--) {
		const struct acpi_range *r = &p->range[i - 1];
		uint64_t at = 0;

		if (r->domain == p->group[group].domain && door.read_map(map))
			at = memory_map_room(map, r->from, r->end, bytes, PLACE_ALIGN);
		if (at)
			memory = door.pages_at(at, (size_t)bytes);
	}
	app->memory_bytes += memory ? bytes : 0;
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
static void *first_ring_in(struct plan *p, uint32_t group)
{
	void *ring = NULL;

	for (uint64_t free = free_of(p, group); !ring && free; free /= 2) {
		p->ring_bytes = bytes_from(p, free);
		ring = p->ring_bytes ? pages_of(p, group, p->ring_bytes) : NULL;
	}
	return ring;
}

/* Allocate the first ring in the boot core's node, or anywhere if that has too little memory. */
static void *first_ring(struct plan *p)
{
	void *ring = first_ring_in(p, p->of[0]);

	return ring ? ring : first_ring_in(p, ANYWHERE);
}

/* Allocate another group's ring, as large as the first. */
static void *ring_of(struct plan *p, uint32_t group)
{
	bool fits = bytes_from(p, free_of(p, group)) >= p->ring_bytes;

	return fits ? pages_of(p, group, p->ring_bytes) : NULL;
}

static void give(struct plan *p, const struct work_room *room, uint32_t group)
{
	struct group *g = &p->group[group], *first = &p->group[p->of[0]];
	uint64_t bytes = g->cores * room->own_bytes;

	if (g != first && first->round.ring)
		g->round.ring = ring_of(p, group);
	if (bytes && bytes <= free_of(p, group) / WORK_OWN_SHARE)
		g->own = pages_of(p, group, bytes);
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
	for (uint32_t n = 0; n < p->groups; n++)
		if (p->group[n].cores)
			give(p, room, n);
	for (uint32_t i = 0; i < app->platform.cpus; i++)
		work_memory_settle(p, room, i);
}

struct work_room *work_memory_lay(void (*count)(struct cpu *cpu, struct evidence *e))
{
	const struct mode *mode = mode_of(&app->options.config);
	uint32_t cpus = app->platform.cpus;
	size_t bytes = arch_work_bytes(cpus);
	char *memory = app_pages(bytes + mode->kept + cpus * mode->kept_of_core, 0);
	struct plan *p = app_pages(
		sizeof(*p) + (cpus + 1) * sizeof(p->group[0]) + cpus * sizeof(p->of[0]), 0);
	struct work_room *room;
	void *ring;

	if (!memory || !p)
		return NULL;
	p->of = (uint32_t *)(void *)&p->group[cpus + 1];
	work_memory_gather(p);
	ring = first_ring(p);
	p->group[p->of[0]].round.ring = ring;
	room = arch_work_lay(memory, cpus, ring, p->ring_bytes, count);
	room->kept = memory + bytes;
	share_out(p, room);
	return room;
}
