/* SPDX-License-Identifier: BSD-2-Clause */
/* From bus to bus up to the root. */
#include "fdt_path.h"

/* From the space below a node to the one that it is in itself. */
static bool map_up(const struct fdt_path *p, unsigned level, uint64_t *address)
{
	uint32_t node = p->node[level];
	uint32_t below = fdt_cell(p->f, node, "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t above = fdt_cell(p->f, p->node[level - 1], "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t sizes = fdt_cell(p->f, node, "#size-cells", FDT_SIZE_CELLS);
	struct fdt_item ranges;

	if (!fdt_are_cells(below) || !fdt_are_cells(above) || !fdt_are_cells(sizes) ||
	    !fdt_property(p->f, node, "ranges", &ranges))
		return false;
	if (!ranges.bytes)
		return true;
	for (uint32_t left = ranges.bytes, one = 4 * (below + above + sizes); left >= one;
	     left -= one) {
		uint64_t from = fdt_number(&ranges.value, below),
			 to = fdt_number(&ranges.value, above);
		uint64_t bytes = fdt_number(&ranges.value, sizes);

		if (*address < from || *address - from >= bytes)
			continue;
		*address = to + (*address - from);
		return true;
	}
	return false;
}

bool fdt_path_address(const struct fdt_path *p, uint64_t *address)
{
	uint32_t cells = fdt_cell(p->f, p->node[p->depth - 1], "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t node = p->node[p->depth];
	struct fdt_item reg;

	if (!fdt_are_cells(cells) || !fdt_property(p->f, node, "reg", &reg) ||
	    reg.bytes < 4 * cells)
		return false;
	*address = fdt_number(&reg.value, cells);
	for (unsigned level = p->depth - 1; level; level--)
		if (!map_up(p, level, address))
			return false;
	return *address && acpi_is_physical(*address);
}
