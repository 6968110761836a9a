/* SPDX-License-Identifier: BSD-2-Clause */
/* Affinity of cores and memory. If two entries claim one core or one address, the first counts. */
#include "acpi_srat.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define SRAT_ENTRIES 48

#define ENABLED 0x1u /* bit 0 of the flags, in entries of all types */

/* Up to this revision a domain has eight bits; the bits of its later extension are reserved. */
#define SHORT_DOMAINS 1

/* Reasons to ignore entries. Entries are counted by reason, since there may be thousands. */
enum {
	MOVED = ACPI_REASONS,
	CORES_BEYOND,
	EMPTY,
	IMPOSSIBLE,
	OVERLAPPING,
	RANGES_BEYOND,
	NODES_BEYOND,
	REASONS
};

static const char *const why[] = {
	"move a core to another domain",
	"exceed the maximum number of cores",
	"enable memory of no bytes",
	"enable memory past physical addresses",
	"overlap memory of an earlier one",
	"exceed the maximum number of ranges",
	"exceed the maximum number of domains",
};

struct reading {
	struct acpi_srat *srat;
	uint32_t domain_bits; /* a mask */
};

/* The domain's node, which is added if it is new. ACPI_NO_NODE: there are too many. */
static uint32_t node_of(struct acpi_srat *s, uint32_t domain)
{
	uint32_t n = 0;

	while (n < s->nodes && s->domain[n] != domain)
		n++;
	if (n == s->nodes && n < ACPI_NODES_MAX)
		s->domain[s->nodes++] = domain;
	return n;
}

static const struct acpi_core *find_core(const struct acpi_srat *s, uint32_t id, bool is_uid)
{
	for (uint32_t i = 0; i < s->cores; i++)
		if (s->core[i].id == id && s->core[i].is_uid == is_uid)
			return &s->core[i];
	return NULL;
}

static unsigned add_core(struct reading *m, uint32_t id, bool is_uid, uint32_t domain,
			 uint32_t flags)
{
	struct acpi_srat *s = m->srat;
	const struct acpi_core *known;
	uint32_t node;

	if (!(flags & ENABLED))
		return ACPI_SOUND;
	domain &= m->domain_bits;
	known = find_core(s, id, is_uid);
	if (known)
		return s->domain[known->node] == domain ? ACPI_SOUND : MOVED;
	if (s->cores == ACPI_CPUS_MAX)
		return CORES_BEYOND;
	node = node_of(s, domain);
	if (node == ACPI_NO_NODE)
		return NODES_BEYOND;
	s->core[s->cores++] = (struct acpi_core){ id, is_uid, (uint8_t)node };
	return ACPI_SOUND;
}

static bool overlaps(const struct acpi_srat *s, uint64_t from, uint64_t end)
{
	for (uint32_t i = 0; i < s->ranges; i++)
		if (s->range[i].from < end && s->range[i].end > from)
			return true;
	return false;
}

static unsigned add_range(struct reading *m, uint64_t from, uint64_t bytes, uint32_t domain)
{
	struct acpi_srat *s = m->srat;
	uint32_t node;

	if (!bytes)
		return EMPTY;
	if (!acpi_is_physical(from) || !acpi_is_physical(bytes - 1) ||
	    !acpi_is_physical(from + bytes - 1))
		return IMPOSSIBLE;
	if (overlaps(s, from, from + bytes))
		return OVERLAPPING;
	if (s->ranges == ACPI_RANGES_MAX)
		return RANGES_BEYOND;
	node = node_of(s, domain & m->domain_bits);
	if (node == ACPI_NO_NODE)
		return NODES_BEYOND;
	s->range[s->ranges++] = (struct acpi_range){ from, from + bytes, node };
	return ACPI_SOUND;
}

static unsigned apic(void *m, const uint8_t *e)
{
	uint32_t high = (uint32_t)e[9] << 8 | (uint32_t)e[10] << 16 | (uint32_t)e[11] << 24;

	return add_core(m, e[3], false, e[2] | high, bytes_le32(e + 4));
}

static unsigned x2apic(void *m, const uint8_t *e)
{
	return add_core(m, bytes_le32(e + 8), false, bytes_le32(e + 4), bytes_le32(e + 12));
}

static unsigned gicc(void *m, const uint8_t *e)
{
	return add_core(m, bytes_le32(e + 6), true, bytes_le32(e + 2), bytes_le32(e + 10));
}

static unsigned memory(void *m, const uint8_t *e)
{
	if (!(bytes_le32(e + 28) & ENABLED))
		return ACPI_SOUND;
	return add_range(m, bytes_le64(e + 8), bytes_le64(e + 16), bytes_le32(e + 2));
}

/* The entries that are read; devices and interrupt translation are not needed. */
static const struct acpi_entry_kind cores[] = {
	{ 0, 16, apic },   /* section 5.2.16.1 */
	{ 2, 24, x2apic }, /* section 5.2.16.3 */
	{ 3, 18, gicc },   /* section 5.2.16.4 */
	{ 0, 0, NULL },
};
static const struct acpi_entry_kind memories[] = {
	{ 1, 40, memory }, /* section 5.2.16.2 */
	{ 0, 0, NULL },
};

bool acpi_srat_read(struct acpi_srat *s, const struct acpi_info *info, acpi_complaint *complain,
		    void *ctx)
{
	struct acpi_table t = { "SRAT", info->srat, info->srat_bytes };
	struct acpi_reader r = { .complain = complain, .ctx = ctx };
	struct reading m = { .srat = s, .domain_bits = UINT32_MAX };
	uint32_t at = SRAT_ENTRIES, counts[REASONS] = { 0 };

	memset(s, 0, sizeof(*s));
	if (!t.bytes)
		return false;
	if (t.bytes[ACPI_HEADER_REVISION] <= SHORT_DOMAINS)
		m.domain_bits = UINT8_MAX;
	acpi_read_entries(&r, &t, &at, cores, &m, counts);
	t.length = at; /* where the last sound entry ends */
	at = SRAT_ENTRIES;
	acpi_read_entries(&r, &t, &at, memories, &m, counts);
	acpi_complain_counts(&r, &t, counts, why, REASONS);
	return true;
}

uint32_t acpi_srat_core(const struct acpi_srat *s, const struct acpi_cpu *cpu)
{
	const struct acpi_core *core = find_core(s, cpu->apic_id, false);

	if (!core)
		core = find_core(s, cpu->uid, true);
	return core ? core->node : ACPI_NO_NODE;
}

uint32_t acpi_srat_memory(const struct acpi_srat *s, uint64_t address)
{
	for (uint32_t i = 0; i < s->ranges; i++)
		if (s->range[i].from <= address && address < s->range[i].end)
			return s->range[i].node;
	return ACPI_NO_NODE;
}
