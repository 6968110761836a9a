/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /chosen has the path of the console's node, or its alias. Source: Devicetree Specification 0.4,
 * 3.3, 3.6.
 */
#include "device_tree_parts.h"

#include "core/lib/mem.h"
#include "fdt.h"

static const struct kind {
	const char *compatible, *name;
	enum serial_port_kind kind;
} kinds[] = {
	{ "arm,pl011", "PL011", SERIAL_PORT_PL011 },
	{ "arm,sbsa-uart", "SBSA UART", SERIAL_PORT_PL011 },
	{ "ns16550a", "16550", SERIAL_PORT_16550 },
	{ "ns16550", "16550", SERIAL_PORT_16550 },
	{ "snps,dw-apb-uart", "16550", SERIAL_PORT_16550 },
};

static const struct kind *kind_of(const struct fdt *f, uint32_t node)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fdt_lists(f, node, "compatible", kinds[i].compatible))
			return &kinds[i];
	return NULL;
}

/* Number of characters before one of `ends`. */
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

/* The path of an alias; NULL: there is none. */
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
	struct serial_port port = { .from = "the device tree", .mmio = true, .is_set_up = true };

	if (!kind)
		return "is no 16550 or PL011";
	port.kind = kind->kind;
	port.name = kind->name;
	port.stride = port.access = kind->kind == SERIAL_PORT_PL011 || shift ? 4 : 1;
	if (kind->kind == SERIAL_PORT_16550 && shift != 0 && shift != 2)
		return "has registers neither 1 nor 4 bytes apart";
	if (!fdt_path_address(p, &port.base) ||
	    !acpi_is_physical(port.base += fdt_cell(p->f, node, "reg-offset", 0)))
		return "has no address that can be reached";
	acpi_add_serial(info, &port);
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
