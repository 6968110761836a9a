/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads values of properties, addresses, and then devices: the console's port, virtio devices, and
 * host bridges with PCI Express configuration space in memory. Sources: Linux's bindings serial/,
 * pci/host-generic-pci.yaml and virtio/mmio.yaml.
 */
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "device_tree_parts.h"

#include <libfdt.h>

/* ---- Values ---- */

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

/*
 * ---- Addresses ----
 *
 * A node's address is in its parent's space, and `ranges` lead from there to the processor's.
 * Source: Devicetree Specification 0.4, 2.3.5 to 2.3.8.
 */

#define PCI_CELLS 3 /* cells of an address: its space, and 64 bits; PCI Bus Binding 2.2.1 */

/* Cells of an address and of a size below a node; the specification has the defaults. */
static uint32_t address_cells(const void *tree, int node)
{
	return device_tree_cell(tree, node, "#address-cells", 2);
}

static uint32_t size_cells(const void *tree, int node)
{
	return device_tree_cell(tree, node, "#size-cells", 1);
}

static bool are_cells(uint32_t cells)
{
	return cells == 1 || cells == 2;
}

bool device_tree_regs(const void *tree, int bus, int node, struct device_tree_list *l)
{
	*l = (struct device_tree_list){ .below = address_cells(tree, bus),
					.sizes = size_cells(tree, bus) };
	l->at = fdt_getprop(tree, node, "reg", &l->left);
	return l->at && are_cells(l->below) && are_cells(l->sizes);
}

/* Get a node's `ranges`. False: it has none, or impossible ones. */
static bool get_ranges(const void *tree, int node, struct device_tree_list *l)
{
	l->at = fdt_getprop(tree, node, "ranges", &l->left);
	l->below = address_cells(tree, node);
	l->above = address_cells(tree, fdt_parent_offset(tree, node));
	l->sizes = size_cells(tree, node);
	return l->at && (are_cells(l->below) || l->below == PCI_CELLS) && are_cells(l->above) &&
	       are_cells(l->sizes);
}

bool device_tree_next(struct device_tree_list *l, struct device_tree_range *range)
{
	int bytes = (int)(4 * (l->below + l->above + l->sizes));

	if (l->left < bytes)
		return false;
	l->left -= bytes;
	range->word = bytes_be32(l->at);
	range->from = device_tree_number(&l->at, l->below);
	range->to = device_tree_number(&l->at, l->above);
	range->bytes = device_tree_number(&l->at, l->sizes);
	return true;
}

/* Map an address from the space below a bus to the space of the bus itself. */
static bool map_up(const void *tree, int bus, uint64_t *address)
{
	struct device_tree_list ranges;
	struct device_tree_range range;

	if (!get_ranges(tree, bus, &ranges))
		return false;
	if (!ranges.left)
		return true;
	while (device_tree_next(&ranges, &range)) {
		if (*address < range.from || *address - range.from >= range.bytes)
			continue;
		*address = range.to + (*address - range.from);
		return true;
	}
	return false;
}

/* Get the node's first registers: the processor's address, and their size. */
static bool get_registers(const void *tree, int node, uint64_t *address, uint64_t *bytes)
{
	int bus = fdt_parent_offset(tree, node);
	struct device_tree_list regs;
	struct device_tree_range first;

	if (!device_tree_regs(tree, bus, node, &regs) || !device_tree_next(&regs, &first))
		return false;
	*address = first.from;
	*bytes = first.bytes;
	for (; bus > 0; bus = fdt_parent_offset(tree, bus))
		if (!map_up(tree, bus, address))
			return false;
	return *address && acpi_is_physical(*address);
}

/* ---- The serial port: specification, 3.3 and 3.6 ---- */

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
	if (!get_registers(tree, node, &port.base, &bytes) ||
	    !acpi_is_physical(port.base += device_tree_cell(tree, node, "reg-offset", 0)))
		return "has no address that can be reached";
	info->serial = port;
	return NULL;
}

/* The path of the node, or an alias and a path below it, which libfdt resolves; options follow. */
void device_tree_serial(struct acpi_reader *r, const void *tree)
{
	const char *text = device_tree_string(tree, fdt_path_offset(tree, "/chosen"),
					      "stdout-path");
	const char *options = text ? strchr(text, ':') : NULL, *flaw;
	int node;

	if (!text)
		return;
	node = fdt_path_offset_namelen(tree, text,
				       (int)(options ? (size_t)(options - text) : strlen(text)));
	flaw = node > 0 ? read_port(r->info, tree, node) : "is no node";
	if (flaw)
		acpi_complain_of(r, "device tree: stdout-path %s; not used", flaw);
}

/* ---- PCI and virtio ---- */

#define HOST        "pci-host-ecam-generic"
#define BUS_SHIFT   20
#define BUSES       256
#define SPACE(word) ((word) >> 24 & 3)
#define SPACE_32    2 /* memory; 3: of 64 bits */

/* True if memory has the same addresses on the bus and for the processor. */
static bool is_one_to_one(const void *tree, int node)
{
	struct device_tree_list ranges;
	struct device_tree_range range;

	if (!get_ranges(tree, node, &ranges))
		return false;
	while (device_tree_next(&ranges, &range))
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

	if (!get_registers(tree, node, &address, &bytes) ||
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

/*
 * Find bridges anywhere in the tree. A bridge is left out unless its devices have the same
 * addresses as for the processor. Each bridge costs a walk over the tree, so a tree of nothing but
 * bad ones is given up.
 */
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

/* Nodes past the first ACPI_VIRTIOS_MAX are not looked at. */
static void read_virtio(struct acpi_info *info, const void *tree)
{
	uint64_t address, bytes;
	int node = -1;

	for (unsigned n = 0; n < ACPI_VIRTIOS_MAX; n++) {
		node = fdt_node_offset_by_compatible(tree, node, "virtio,mmio");
		if (node < 0)
			return;
		if (info->virtios < ACPI_VIRTIOS_MAX && device_tree_is_okay(tree, node) &&
		    get_registers(tree, node, &address, &bytes))
			info->virtio[info->virtios++] = address;
	}
}

void device_tree_pci(struct acpi_reader *r, const void *tree)
{
	read_hosts(r, tree);
	read_virtio(r->info, tree);
}
