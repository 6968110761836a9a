/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /chosen has the path of the console's node, or its alias. Source: Devicetree Specification 0.4,
 * 3.3, 3.6.
 */
#include "device_tree_parts.h"

#include "core/lib/mem.h"
#include "fdt_path.h"

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
static bool descend(struct fdt_path *p, const char *text)
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

static const char *read_port(struct acpi_info *info, const struct fdt_path *p)
{
	uint32_t node = p->node[p->depth], shift = fdt_cell(p->f, node, "reg-shift", 0);
	const struct kind *kind = kind_of(p->f, node);
	uint64_t address = 0;

	if (!kind)
		return "is no 16550 or PL011";
	if (!kind->pl011 && shift != 0 && shift != 2)
		return "has registers neither 1 nor 4 bytes apart";
	if (!fdt_path_address(p, &address) ||
	    !acpi_is_physical(address += fdt_cell(p->f, node, "reg-offset", 0)))
		return "has no address that can be reached";
	info->has_spcr = true;
	info->spcr_is_pl011 = kind->pl011;
	info->spcr_base = (struct acpi_gas){ .address = address };
	info->spcr_base.access = kind->pl011 || shift ? ACPI_ACCESS_DWORD : ACPI_ACCESS_BYTE;
	return NULL;
}

void device_tree_serial(struct acpi_reader *r, const struct fdt *f)
{
	struct fdt_path p = { .f = f, .node = { f->root } };
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
