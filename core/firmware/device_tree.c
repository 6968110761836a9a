/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores, PSCI and the serial port out of a device tree. */
#include "device_tree.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "fdt.h"

#define MPIDR_AFFINITY UINT64_C(0xff00ffffff)

#define ADDRESS_CELLS 2 /* where none are given */
#define SIZE_CELLS    1

struct cores {
	const struct fdt *fdt;
	struct acpi_reader *r;
	uint32_t boot;
	uint32_t cells; /* of reg */
	/* Counted, and reported once, since there may be many. */
	uint32_t failed, invalid, again, spin_table, other, no_psci, beyond;
};

static bool is_known(const struct acpi_info *info, uint32_t id)
{
	for (uint32_t i = 0; i < info->cpu_count; i++)
		if (info->cpu[i].apic_id == id)
			return true;
	return false;
}

/* A number of one or two cells, which are stepped over. */
static uint64_t number(const uint8_t **at, uint32_t cells)
{
	uint64_t value = 0;

	for (; cells; cells--, *at += 4)
		value = value << 32 | bytes_be32(*at);
	return value;
}

static bool are_cells(uint32_t cells)
{
	return cells == 1 || cells == 2;
}

/* MPIDR out of `reg`, in acpi_cpu's 32 bits. */
static bool read_id(const struct cores *c, uint32_t node, uint32_t *id)
{
	struct fdt_item reg;
	uint64_t mpidr;

	if (!fdt_property(c->fdt, node, "reg", &reg) || reg.bytes != 4 * c->cells)
		return false;
	mpidr = number(&reg.value, c->cells);
	*id = (uint32_t)((mpidr & 0xffffff) | (mpidr >> 32 & 0xff) << 24);
	return !(mpidr & ~MPIDR_AFFINITY);
}

/* What keeps a core from being started; NULL: nothing. */
static uint32_t *obstacle(struct cores *c, uint32_t node)
{
	const char *method = fdt_string(c->fdt, node, "enable-method");

	if (method && strcmp(method, "spin-table") == 0)
		return &c->spin_table;
	if (!method || strcmp(method, "psci") != 0)
		return &c->other;
	return c->r->info->has_psci ? NULL : &c->no_psci;
}

/*
 * Only "fail" is for good: a core that is "disabled" waits for its enable-method (specification,
 * 3.8.1; Linux 4fdd0736a3b1).
 */
static bool has_failed(const struct fdt *f, uint32_t node)
{
	const char *status = fdt_string(f, node, "status");

	return status && strlen(status) >= 4 && memcmp(status, "fail", 4) == 0;
}

static void read_core(struct cores *c, uint32_t node)
{
	struct acpi_info *info = c->r->info;
	uint32_t id = 0, *why = NULL;

	if (has_failed(c->fdt, node))
		why = &c->failed;
	else if (!read_id(c, node, &id))
		why = &c->invalid;
	else if (is_known(info, id))
		why = &c->again;
	else if (info->cpu_count == ACPI_CPUS_MAX)
		why = &c->beyond;
	else if (id != c->boot)
		why = obstacle(c, node);
	if (why)
		(*why)++;
	else
		info->cpu[info->cpu_count++].apic_id = id;
}

static bool is_core(const struct fdt *f, const struct fdt_item *item)
{
	return item->is_node &&
	       (fdt_is_named(item, "cpu", 3) || fdt_lists(f, item->inside, "device_type", "cpu"));
}

static void report_count(struct acpi_reader *r, uint32_t count, const char *why)
{
	if (count)
		acpi_complain_of(r, "device tree: cores left out since %s: %u", why, count);
}

static void read_cores(struct acpi_reader *r, const struct fdt *f, uint32_t boot)
{
	struct cores c = { .fdt = f, .r = r, .boot = boot };
	struct fdt_item item;
	uint32_t at;

	if (!fdt_child(f, f->root, "cpus", 4, &at)) {
		acpi_complain_of(r, "device tree: no cores; only the boot core is used");
		return;
	}
	c.cells = fdt_cell(f, at, "#address-cells", ADDRESS_CELLS);
	if (!are_cells(c.cells)) {
		acpi_complain_of(r,
				 "device tree: cores with addresses of %u cells, valid are 1 "
				 "and 2; only the boot core is used",
				 c.cells);
		return;
	}
	while (fdt_next(f, &at, &item))
		if (is_core(f, &item))
			read_core(&c, item.inside);
	report_count(r, c.failed, "their status is fail");
	report_count(r, c.invalid, "their reg is no MPIDR");
	report_count(r, c.again, "they repeat an MPIDR");
	report_count(r, c.beyond, "they exceed the maximum number of cores");
	report_count(r, c.spin_table, "their enable-method is spin-table, not psci");
	report_count(r, c.other, "their enable-method is not psci");
	report_count(r, c.no_psci, "no PSCI that can be used is described");
	if (!r->info->cpu_count)
		acpi_complain_of(r, "device tree: no usable core; only the boot core is used");
}

/* From version 0.2 on all functions have the numbers that we know. */
static bool is_psci(const struct fdt *f, const struct fdt_item *item)
{
	return item->is_node && (fdt_lists(f, item->inside, "compatible", "arm,psci-1.0") ||
				 fdt_lists(f, item->inside, "compatible", "arm,psci-0.2"));
}

/* The node is below the root, or in /firmware. */
static bool find_psci(const struct fdt *f, uint32_t folder, uint32_t *node)
{
	struct fdt_item item;

	while (fdt_next(f, &folder, &item)) {
		if (!is_psci(f, &item))
			continue;
		*node = item.inside;
		return true;
	}
	return false;
}

static void read_psci(struct acpi_reader *r, const struct fdt *f)
{
	const char *method;
	uint32_t node, firmware;

	if (!find_psci(f, f->root, &node) &&
	    (!fdt_child(f, f->root, "firmware", 8, &firmware) || !find_psci(f, firmware, &node)))
		return;
	method = fdt_string(f, node, "method");
	if (!method || (strcmp(method, "smc") != 0 && strcmp(method, "hvc") != 0)) {
		acpi_complain_of(r, "device tree: PSCI's method is neither smc nor hvc; not used");
		return;
	}
	r->info->has_psci = true;
	r->info->psci_by_hvc = method[0] == 'h';
}

/* ---- The serial port ---- */

/*
 * /chosen has the path of the console's node, or its alias; that node's address is in its parent's
 * space, and `ranges` lead from there to the processor's. Source: Devicetree Specification 0.4,
 * 2.3.5 to 2.3.8, 3.3, 3.6.
 */

/* A node and those above it, from the root. */
struct path {
	const struct fdt *f;
	uint32_t node[FDT_DEPTH_MAX];
	unsigned depth; /* of the last */
};

static const struct kind {
	const char *compatible;
	bool pl011;
} kinds[] = {
	{ "arm,pl011", true }, { "arm,sbsa-uart", true },     { "ns16550a", false },
	{ "ns16550", false },  { "snps,dw-apb-uart", false },
};

static const struct kind *kind_of(const struct fdt *f, uint32_t node)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fdt_lists(f, node, "compatible", kinds[i].compatible))
			return &kinds[i];
	return NULL;
}

/* Up to a character of `ends`. */
static size_t span(const char *text, const char *ends)
{
	size_t n = 0;

	while (text[n] && text[n] != ends[0] && text[n] != ends[1])
		n++;
	return n;
}

/* Options follow a colon. */
static bool descend(struct path *p, const char *text)
{
	while (*text == '/') {
		size_t bytes = span(++text, "/:");

		if (p->depth + 1 == FDT_DEPTH_MAX ||
		    !fdt_child(p->f, p->node[p->depth], text, bytes, &p->node[p->depth + 1]))
			return false;
		p->depth++;
		text += bytes;
	}
	return p->depth && (*text == '\0' || *text == ':');
}

/* The path that an alias stands for; NULL: it does not. */
static const char *path_of(const struct fdt *f, const char *alias)
{
	size_t bytes = span(alias, "::");
	struct fdt_item item;
	uint32_t at;

	if (alias[0] == '/')
		return alias;
	if (!fdt_child(f, f->root, "aliases", 7, &at))
		return NULL;
	while (fdt_next(f, &at, &item))
		if (!item.is_node && strlen(item.name) == bytes &&
		    memcmp(item.name, alias, bytes) == 0)
			return item.bytes && memchr(item.value, 0, item.bytes)
				       ? (const char *)item.value
				       : NULL;
	return NULL;
}

/* From the space below a node to the one that it is in itself. */
static bool map_up(const struct path *p, unsigned level, uint64_t *address)
{
	uint32_t node = p->node[level];
	uint32_t below = fdt_cell(p->f, node, "#address-cells", ADDRESS_CELLS);
	uint32_t above = fdt_cell(p->f, p->node[level - 1], "#address-cells", ADDRESS_CELLS);
	uint32_t sizes = fdt_cell(p->f, node, "#size-cells", SIZE_CELLS);
	struct fdt_item ranges;

	if (!are_cells(below) || !are_cells(above) || !are_cells(sizes) ||
	    !fdt_property(p->f, node, "ranges", &ranges))
		return false;
	if (!ranges.bytes)
		return true;
	for (uint32_t left = ranges.bytes, one = 4 * (below + above + sizes); left >= one;
	     left -= one) {
		uint64_t from = number(&ranges.value, below), to = number(&ranges.value, above);
		uint64_t bytes = number(&ranges.value, sizes);

		if (*address < from || *address - from >= bytes)
			continue;
		*address = to + (*address - from);
		return true;
	}
	return false;
}

/* Where the last node's registers are to the processor. */
static bool find_address(const struct path *p, uint64_t *address)
{
	uint32_t cells = fdt_cell(p->f, p->node[p->depth - 1], "#address-cells", ADDRESS_CELLS);
	uint32_t node = p->node[p->depth];
	struct fdt_item reg;

	if (!are_cells(cells) || !fdt_property(p->f, node, "reg", &reg) || reg.bytes < 4 * cells)
		return false;
	*address = number(&reg.value, cells);
	for (unsigned level = p->depth - 1; level; level--)
		if (!map_up(p, level, address))
			return false;
	*address += fdt_cell(p->f, node, "reg-offset", 0);
	return *address && acpi_is_physical(*address);
}

static const char *read_port(struct acpi_info *info, const struct path *p)
{
	uint32_t node = p->node[p->depth], shift = fdt_cell(p->f, node, "reg-shift", 0);
	const struct kind *kind = kind_of(p->f, node);
	uint64_t address = 0;

	if (!kind)
		return "is no 16550 or PL011";
	if (!kind->pl011 && shift != 0 && shift != 2)
		return "has registers neither 1 nor 4 bytes apart";
	if (!find_address(p, &address))
		return "has no address that can be reached";
	info->has_spcr = true;
	info->spcr_is_pl011 = kind->pl011;
	info->spcr_base = (struct acpi_gas){ .address = address };
	info->spcr_base.access = kind->pl011 || shift ? ACPI_ACCESS_DWORD : ACPI_ACCESS_BYTE;
	return NULL;
}

/* Fills in what SPCR would: nothing where none is chosen; what cannot be used is reported. */
static void read_serial(struct acpi_reader *r, const struct fdt *f)
{
	struct path p = { .f = f, .node = { f->root } };
	const char *text = NULL, *flaw;
	uint32_t chosen;

	if (fdt_child(f, f->root, "chosen", 6, &chosen))
		text = fdt_string(f, chosen, "stdout-path");
	if (!text)
		return;
	text = path_of(f, text);
	flaw = text && descend(&p, text) ? read_port(r->info, &p) : "is no node";
	if (flaw)
		acpi_complain_of(r, "device tree: stdout-path %s; not used", flaw);
}

void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx)
{
	struct acpi_reader r = { info, memory, complain, ctx, 0 };
	struct fdt fdt;

	if (!fdt_open(&fdt, &r, address))
		return;
	if (!info->has_fadt)
		read_psci(&r, &fdt);
	if (!info->cpu_count)
		read_cores(&r, &fdt, boot);
	if (!info->has_spcr)
		read_serial(&r, &fdt);
}
