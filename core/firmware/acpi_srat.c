/* SPDX-License-Identifier: BSD-2-Clause */
/* Affinity of cores and memory. Two entries may claim one core or one address: the first has it. */
#include "acpi_srat.h"

#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define SRAT_ENTRIES 48

#define ENABLED 0x1u /* flags, bit 0, of each type */

/* Up to this revision a domain has eight bits, and what became the others is reserved. */
#define SHORT_DOMAINS 1

/* What is counted and reported once at the end, since there may be thousands. */
struct reading {
	struct acpi_reader r;
	struct acpi_srat *srat;
	uint32_t domain_bits; /* a mask */
	uint32_t short_entries, moved, cores_beyond, empty, impossible, overlapping, ranges_beyond,
		nodes_beyond;
};

/* The domain's node, a new one if need be; ACPI_NO_NODE: there are too many. */
static uint32_t node_of(struct reading *m, uint32_t domain)
{
	struct acpi_srat *s = m->srat;
	uint32_t n = 0;

	while (n < s->nodes && s->domain[n] != domain)
		n++;
	if (n == ACPI_NODES_MAX)
		m->nodes_beyond++;
	else if (n == s->nodes)
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

static void add_core(struct reading *m, uint32_t id, bool is_uid, uint32_t domain, uint32_t flags)
{
	struct acpi_srat *s = m->srat;
	const struct acpi_core *known;
	uint32_t node;

	if (!(flags & ENABLED))
		return;
	domain &= m->domain_bits;
	known = find_core(s, id, is_uid);
	if (known) {
		m->moved += s->domain[known->node] != domain;
		return;
	}
	if (s->cores == ACPI_CPUS_MAX) {
		m->cores_beyond++;
		return;
	}
	node = node_of(m, domain);
	if (node != ACPI_NO_NODE)
		s->core[s->cores++] = (struct acpi_core){ id, is_uid, (uint8_t)node };
}

static bool overlaps(const struct acpi_srat *s, uint64_t from, uint64_t end)
{
	for (uint32_t i = 0; i < s->ranges; i++)
		if (s->range[i].from < end && s->range[i].end > from)
			return true;
	return false;
}

static void add_range(struct reading *m, uint64_t from, uint64_t bytes, uint32_t domain)
{
	struct acpi_srat *s = m->srat;
	uint32_t node;

	if (!bytes)
		m->empty++;
	else if (!acpi_is_physical(from) || !acpi_is_physical(bytes - 1) ||
		 !acpi_is_physical(from + bytes - 1))
		m->impossible++;
	else if (overlaps(s, from, from + bytes))
		m->overlapping++;
	else if (s->ranges == ACPI_RANGES_MAX)
		m->ranges_beyond++;
	else if ((node = node_of(m, domain & m->domain_bits)) != ACPI_NO_NODE)
		s->range[s->ranges++] = (struct acpi_range){ from, from + bytes, node };
}

static void apic(struct reading *m, const uint8_t *e)
{
	uint32_t high = (uint32_t)e[9] << 8 | (uint32_t)e[10] << 16 | (uint32_t)e[11] << 24;

	add_core(m, e[3], false, e[2] | high, bytes_le32(e + 4));
}

static void x2apic(struct reading *m, const uint8_t *e)
{
	add_core(m, bytes_le32(e + 8), false, bytes_le32(e + 4), bytes_le32(e + 12));
}

static void gicc(struct reading *m, const uint8_t *e)
{
	add_core(m, bytes_le32(e + 6), true, bytes_le32(e + 2), bytes_le32(e + 10));
}

static void memory(struct reading *m, const uint8_t *e)
{
	if (bytes_le32(e + 28) & ENABLED)
		add_range(m, bytes_le64(e + 8), bytes_le64(e + 16), bytes_le32(e + 2));
}

/* The entries that are read; devices and interrupt translation are of no use here. */
static const struct entry_kind {
	uint8_t type;
	uint8_t bytes;
	bool is_memory;
	void (*read)(struct reading *m, const uint8_t *entry);
} entry_kinds[] = {
	{ 0, 16, false, apic },   /* section 5.2.16.1 */
	{ 1, 40, true, memory },  /* section 5.2.16.2 */
	{ 2, 24, false, x2apic }, /* section 5.2.16.3 */
	{ 3, 18, false, gicc },   /* section 5.2.16.4 */
};

static void read_entry(struct reading *m, const uint8_t *entry, bool is_memory)
{
	for (size_t i = 0; i < sizeof(entry_kinds) / sizeof(entry_kinds[0]); i++) {
		const struct entry_kind *kind = &entry_kinds[i];

		if (kind->type != entry[0] || kind->is_memory != is_memory)
			continue;
		if (entry[1] < kind->bytes)
			m->short_entries++;
		else
			kind->read(m, entry);
	}
}

/* Returns where the last sound entry ends. */
static uint32_t read_entries(struct reading *m, const struct acpi_table *t, bool is_memory)
{
	uint32_t at = SRAT_ENTRIES;
	const uint8_t *entry;

	while ((entry = acpi_next_entry(&m->r, t, &at)))
		read_entry(m, entry, is_memory);
	return at;
}

static void report(struct reading *m, const struct acpi_table *t)
{
	struct acpi_reader *r = &m->r;

	acpi_complain_count(r, t, m->short_entries, "are shorter than their type");
	acpi_complain_count(r, t, m->moved, "move a core to another domain");
	acpi_complain_count(r, t, m->cores_beyond, "exceed the maximum number of cores");
	acpi_complain_count(r, t, m->empty, "enable memory of no bytes");
	acpi_complain_count(r, t, m->impossible, "enable memory past physical addresses");
	acpi_complain_count(r, t, m->overlapping, "overlap memory of an earlier one");
	acpi_complain_count(r, t, m->ranges_beyond, "exceed the maximum number of ranges");
	acpi_complain_count(r, t, m->nodes_beyond, "exceed the maximum number of domains");
}

bool acpi_srat_read(struct acpi_srat *s, const struct acpi_info *info, acpi_complaint *complain,
		    void *ctx)
{
	struct acpi_table t = { "SRAT", info->srat, info->srat_bytes };
	struct reading m = { .r = { .complain = complain, .ctx = ctx },
			     .srat = s,
			     .domain_bits = UINT32_MAX };

	memset(s, 0, sizeof(*s));
	if (!t.bytes)
		return false;
	if (t.bytes[ACPI_HEADER_REVISION] <= SHORT_DOMAINS)
		m.domain_bits = UINT8_MAX;
	t.length = read_entries(&m, &t, false);
	read_entries(&m, &t, true);
	report(&m, &t);
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
