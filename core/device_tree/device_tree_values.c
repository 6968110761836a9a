/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of properties: strings, numbers, and addresses, which are mapped from bus to bus. */
#include "device_tree_parts.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#include <libfdt.h>

#define PCI_CELLS 3 /* cells of an address: its space, and 64 bits; PCI Bus Binding 2.2.1 */

const char *device_tree_string(const void *tree, int node, const char *name)
{
	int bytes;
	const char *text = fdt_getprop(tree, node, name, &bytes);

	return text && memchr(text, 0, (size_t)bytes) ? text : NULL;
}

uint32_t device_tree_cell(const void *tree, int node, const char *name, uint32_t otherwise)
{
	int bytes;
	const uint8_t *value = fdt_getprop(tree, node, name, &bytes);

	return value && bytes == 4 ? bytes_be32(value) : otherwise;
}

bool device_tree_is_okay(const void *tree, int node)
{
	const char *status = device_tree_string(tree, node, "status");

	return !status || strcmp(status, "okay") == 0 || strcmp(status, "ok") == 0;
}

uint64_t device_tree_number(const uint8_t **at, uint32_t cells)
{
	uint64_t value = 0;

	for (; cells; cells--, *at += 4)
		value = value << 32 | bytes_be32(*at);
	return value;
}

uint32_t device_tree_address_cells(const void *tree, int node)
{
	return device_tree_cell(tree, node, "#address-cells", 2);
}

uint32_t device_tree_size_cells(const void *tree, int node)
{
	return device_tree_cell(tree, node, "#size-cells", 1);
}

bool device_tree_are_cells(uint32_t cells)
{
	return cells == 1 || cells == 2;
}

bool device_tree_ranges(const void *tree, int node, struct device_tree_ranges *r)
{
	r->at = fdt_getprop(tree, node, "ranges", &r->left);
	r->below = device_tree_address_cells(tree, node);
	r->above = device_tree_address_cells(tree, fdt_parent_offset(tree, node));
	r->sizes = device_tree_size_cells(tree, node);
	return r->at && (device_tree_are_cells(r->below) || r->below == PCI_CELLS) &&
	       device_tree_are_cells(r->above) && device_tree_are_cells(r->sizes);
}

bool device_tree_next_range(struct device_tree_ranges *r, struct device_tree_range *range)
{
	int bytes = (int)(4 * (r->below + r->above + r->sizes));

	if (r->left < bytes)
		return false;
	r->left -= bytes;
	range->word = bytes_be32(r->at);
	range->from = device_tree_number(&r->at, r->below);
	range->to = device_tree_number(&r->at, r->above);
	range->bytes = device_tree_number(&r->at, r->sizes);
	return true;
}

/* Map an address from the space below a bus to the space of the bus itself. */
static bool map_up(const void *tree, int bus, uint64_t *address)
{
	struct device_tree_ranges ranges;
	struct device_tree_range range;

	if (!device_tree_ranges(tree, bus, &ranges))
		return false;
	if (!ranges.left)
		return true;
	while (device_tree_next_range(&ranges, &range)) {
		if (*address < range.from || *address - range.from >= range.bytes)
			continue;
		*address = range.to + (*address - range.from);
		return true;
	}
	return false;
}

bool device_tree_reg(const void *tree, int node, uint64_t *address, uint64_t *bytes)
{
	int bus = fdt_parent_offset(tree, node), length;
	uint32_t cells = device_tree_address_cells(tree, bus),
		 sizes = device_tree_size_cells(tree, bus);
	const uint8_t *reg = fdt_getprop(tree, node, "reg", &length);

	if (!reg || !device_tree_are_cells(cells) || !device_tree_are_cells(sizes) ||
	    length < (int)(4 * (cells + sizes)))
		return false;
	*address = device_tree_number(&reg, cells);
	*bytes = device_tree_number(&reg, sizes);
	for (; bus > 0; bus = fdt_parent_offset(tree, bus))
		if (!map_up(tree, bus, address))
			return false;
	return *address && acpi_is_physical(*address);
}
