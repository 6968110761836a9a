/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads virtio devices, and host bridges with PCI Express configuration space in memory, anywhere
 * in the tree. A bridge is left out unless its devices have the same addresses as for the
 * processor.
 */
#include "device_tree_parts.h"

#include "core/lib/mem.h"

#include <libfdt.h>

#define HOST        "pci-host-ecam-generic"
#define BUS_SHIFT   20
#define BUSES       256
#define SPACE(word) ((word) >> 24 & 3)
#define SPACE_32    2 /* memory; 3: of 64 bits */

/* True if memory has the same addresses on the bus and for the processor. */
static bool is_one_to_one(const void *tree, int node)
{
	struct device_tree_ranges ranges;
	struct device_tree_range range;

	if (!device_tree_ranges(tree, node, &ranges))
		return false;
	while (device_tree_next_range(&ranges, &range))
		if (SPACE(range.word) >= SPACE_32 && range.from != range.to)
			return false;
	return true;
}

/* Find the buses that fit into so many bytes, which begin with the first bus. */
static bool find_buses(const void *tree, int node, uint64_t bytes, uint32_t *first, uint32_t *last)
{
	uint64_t buses = bytes >> BUS_SHIFT;
	int length;
	const uint8_t *range = fdt_getprop(tree, node, "bus-range", &length);

	*first = 0;
	*last = BUSES - 1;
	if (range && length == 8) {
		*first = (uint32_t)device_tree_number(&range, 1);
		*last = (uint32_t)device_tree_number(&range, 1);
	}
	if (!buses || *first > *last || *last >= BUSES)
		return false;
	if (*last - *first >= buses)
		*last = *first + (uint32_t)buses - 1;
	return true;
}

static const char *read_host(struct acpi_reader *r, const void *tree, int node)
{
	uint32_t segment = device_tree_cell(tree, node, "linux,pci-domain", r->info->ecam_count);
	uint64_t address, bytes;
	uint32_t first, last;

	if (!device_tree_reg(tree, node, &address, &bytes) ||
	    !find_buses(tree, node, bytes, &first, &last) || segment > UINT16_MAX)
		return "has no configuration space that can be reached";
	if (!is_one_to_one(tree, node))
		return "has devices at other addresses than the processor";
	acpi_add_ecam(r, "device tree",
		      &(struct acpi_ecam){ .base = address - ((uint64_t)first << BUS_SHIFT),
					   .segment = (uint16_t)segment,
					   .first_bus = (uint8_t)first,
					   .last_bus = (uint8_t)last });
	return NULL;
}

/* Each bridge costs a walk over the tree, so a tree of nothing but bad ones is given up. */
static void read_hosts(struct acpi_reader *r, const void *tree)
{
	const char *flaw;

	for (int node = -1; r->complaints < ACPI_COMPLAINTS_MAX;) {
		node = fdt_node_offset_by_compatible(tree, node, HOST);
		if (node < 0)
			return;
		flaw = device_tree_is_okay(tree, node) ? read_host(r, tree, node) : NULL;
		if (flaw)
			acpi_complain_of(r, "device tree: a " HOST " %s; not used", flaw);
	}
}

/* Linux, bindings virtio/mmio.yaml. Nodes past the first ACPI_VIRTIOS_MAX are not looked at. */
static void read_virtio(struct acpi_info *info, const void *tree)
{
	uint64_t address, bytes;
	int node = -1;

	for (unsigned n = 0; n < ACPI_VIRTIOS_MAX; n++) {
		node = fdt_node_offset_by_compatible(tree, node, "virtio,mmio");
		if (node < 0)
			return;
		if (info->virtios < ACPI_VIRTIOS_MAX && device_tree_is_okay(tree, node) &&
		    device_tree_reg(tree, node, &address, &bytes))
			info->virtio[info->virtios++] = address;
	}
}

void device_tree_pci(struct acpi_reader *r, const void *tree)
{
	read_hosts(r, tree);
	read_virtio(r->info, tree);
}
