/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /chosen has the path of the console's node, or its alias. Source: Devicetree Specification 0.4,
 * 3.3, 3.6.
 */
#include "device_tree_parts.h"

#include "core/lib/mem.h"

#include <libfdt.h>

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

static const struct kind *kind_of(const void *tree, int node)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (fdt_node_check_compatible(tree, node, kinds[i].compatible) == 0)
			return &kinds[i];
	return NULL;
}

/*
 * The node of a path, or of the alias of one; options follow a colon. An alias of an alias is none:
 * it might lead to itself.
 */
static int find_node(const void *tree, const char *text)
{
	const char *colon = strchr(text, ':');
	int bytes = (int)(colon ? (size_t)(colon - text) : strlen(text));

	if (text[0] != '/') {
		text = fdt_getprop_namelen(tree, fdt_path_offset(tree, "/aliases"), text, bytes,
					   &bytes);
		if (!text || !memchr(text, 0, (size_t)bytes) || text[0] != '/')
			return -1;
		bytes = (int)strlen(text);
	}
	return fdt_path_offset_namelen(tree, text, bytes);
}

static const char *read_port(struct acpi_info *info, const void *tree, int node)
{
	uint32_t shift = device_tree_cell(tree, node, "reg-shift", 0);
	const struct kind *kind = kind_of(tree, node);
	struct serial_port port = { .from = "the device tree", .mmio = true, .is_set_up = true };
	uint64_t bytes;

	if (!kind)
		return "is no 16550 or PL011";
	port.kind = kind->kind;
	port.name = kind->name;
	port.stride = port.access = kind->kind == SERIAL_PORT_PL011 || shift ? 4 : 1;
	if (kind->kind == SERIAL_PORT_16550 && shift != 0 && shift != 2)
		return "has registers neither 1 nor 4 bytes apart";
	if (!device_tree_reg(tree, node, &port.base, &bytes) ||
	    !acpi_is_physical(port.base += device_tree_cell(tree, node, "reg-offset", 0)))
		return "has no address that can be reached";
	info->serial = port;
	return NULL;
}

void device_tree_serial(struct acpi_reader *r, const void *tree)
{
	const char *text = device_tree_string(tree, fdt_path_offset(tree, "/chosen"),
					      "stdout-path");
	int node = text ? find_node(tree, text) : -1;
	const char *flaw = node > 0 ? read_port(r->info, tree, node) : "is no node";

	if (text && flaw)
		acpi_complain_of(r, "device tree: stdout-path %s; not used", flaw);
}
