/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads host bridges with PCI Express configuration space in memory, anywhere in the tree. A bridge
 * is left out unless its devices have the same addresses as for the processor.
 */
#include "device_tree_parts.h"

#include "core/lib/mem.h"
#include "fdt.h"

#define BUS_SHIFT   20
#define BUSES       256
#define PCI_CELLS   3 /* cells of an address: its space, and 64 bits; PCI Bus Binding 2.2.1 */
#define SPACE(word) ((word) >> 24 & 3)
#define SPACE_32    2 /* memory; 3: of 64 bits */

/* True if memory has the same addresses on the bus and for the processor. */
static bool is_one_to_one(const struct fdt_path *p)
{
	uint32_t above = fdt_cell(p->f, p->node[p->depth - 1], "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t sizes = fdt_cell(p->f, p->node[p->depth], "#size-cells", FDT_SIZE_CELLS);
	struct fdt_item ranges;

	if (!fdt_are_cells(above) || !fdt_are_cells(sizes) ||
	    !fdt_property(p->f, p->node[p->depth], "ranges", &ranges))
		return false;
	for (uint32_t one = 4 * (PCI_CELLS + above + sizes); ranges.bytes >= one;
	     ranges.bytes -= one) {
		uint32_t space = SPACE((uint32_t)fdt_number(&ranges.value, 1));
		uint64_t from = fdt_number(&ranges.value, 2), to = fdt_number(&ranges.value, above);

		fdt_number(&ranges.value, sizes);
		if (space >= SPACE_32 && from != to)
			return false;
	}
	return true;
}

/* The buses that fit into `reg`, whose address is that of the first. */
static bool find_buses(const struct fdt_path *p, uint32_t *first, uint32_t *last)
{
	uint32_t above = fdt_cell(p->f, p->node[p->depth - 1], "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t sizes = fdt_cell(p->f, p->node[p->depth - 1], "#size-cells", FDT_SIZE_CELLS);
	struct fdt_item item;
	uint64_t buses;

	if (!fdt_are_cells(above) || !fdt_are_cells(sizes) ||
	    !fdt_property(p->f, p->node[p->depth], "reg", &item) ||
	    item.bytes < 4 * (above + sizes))
		return false;
	fdt_number(&item.value, above);
	buses = fdt_number(&item.value, sizes) >> BUS_SHIFT;
	*first = 0;
	*last = BUSES - 1;
	if (fdt_property(p->f, p->node[p->depth], "bus-range", &item) && item.bytes == 8) {
		*first = (uint32_t)fdt_number(&item.value, 1);
		*last = (uint32_t)fdt_number(&item.value, 1);
	}
	if (!buses || *first > *last || *last >= BUSES)
		return false;
	if (*last - *first >= buses)
		*last = *first + (uint32_t)buses - 1;
	return true;
}

static const char *read_host(struct acpi_reader *r, const struct fdt_path *p)
{
	uint32_t segment = fdt_cell(p->f, p->node[p->depth], "linux,pci-domain",
				    r->info->ecam_count);
	uint32_t first, last;
	uint64_t address;

	if (!fdt_path_address(p, &address) || !find_buses(p, &first, &last) || segment > UINT16_MAX)
		return "has no configuration space that can be reached";
	if (!is_one_to_one(p))
		return "has devices at other addresses than the processor";
	acpi_add_ecam(r, "device tree",
		      &(struct acpi_ecam){ .base = address - ((uint64_t)first << BUS_SHIFT),
					   .segment = (uint16_t)segment,
					   .first_bus = (uint8_t)first,
					   .last_bus = (uint8_t)last });
	return NULL;
}

/* A status other than "okay" means that the device cannot be used (specification, 2.3.4). */
static bool is_usable_host(const struct fdt *f, uint32_t node)
{
	const char *status = fdt_string(f, node, "status");

	return fdt_lists(f, node, "compatible", "pci-host-ecam-generic") &&
	       (!status || strcmp(status, "okay") == 0 || strcmp(status, "ok") == 0);
}

static void look_below(struct acpi_reader *r, struct fdt_path *p)
{
	uint32_t at = p->node[p->depth];
	struct fdt_item item;
	const char *flaw;

	while (p->depth + 1 < FDT_DEPTH_MAX && fdt_next(p->f, &at, &item)) {
		if (!item.is_node)
			continue;
		p->node[++p->depth] = item.inside;
		if (!is_usable_host(p->f, item.inside))
			look_below(r, p);
		else if ((flaw = read_host(r, p)))
			acpi_complain_of(r, "device tree: a pci-host-ecam-generic %s; not used",
					 flaw);
		p->depth--;
	}
}

void device_tree_pci(struct acpi_reader *r, const struct fdt *f)
{
	struct fdt_path p = { .f = f, .node = { f->root } };

	look_below(r, &p);
}
