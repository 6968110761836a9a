/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /chosen has the path of the console's node, or its alias; that node's address is in its parent's
 * space, and `ranges` lead from there to the processor's. Source: Devicetree Specification 0.4,
 * 2.3.5 to 2.3.8, 3.3, 3.6.
 */
#include "device_tree_serial.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define ADDRESS_CELLS 2 /* where none are given */
#define SIZE_CELLS    1

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

void device_tree_serial(struct acpi_reader *r, const struct fdt *f)
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
