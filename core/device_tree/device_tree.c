/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks a device tree, and chooses the parts of it to read: those that ACPI leaves open. */
#include "device_tree.h"

#include "core/lib/bytes.h"
#include "device_tree_parts.h"

#include <libfdt.h>

#define VERSION   17         /* the first with the size of both blocks; the newest there is */
#define BYTES_MAX (2u << 20) /* Linux on AArch64 takes no more */
#define NAME_MAX  255
#define DEPTH_MAX 32

/*
 * The hypervisor, with the identity that a FADT would have. Source: Linux,
 * Documentation/devicetree/bindings/arm/xen.txt; arch/powerpc/kernel/firmware.c.
 */
static void read_hypervisor(struct acpi_info *info, const void *tree)
{
	int node = fdt_path_offset(tree, "/hypervisor");
	const char *name = "unknown";

	if (node < 0)
		return;
	if (fdt_node_check_compatible(tree, node, "xen,xen") == 0)
		name = "XenVMM\0";
	else if (fdt_node_check_compatible(tree, node, "linux,kvm") == 0)
		name = "KVM\0\0\0\0";
	info->hypervisor = bytes_le64((const uint8_t *)name);
}

/* Read the errata of the timer's node. Linux, bindings timer/arm,arch_timer.yaml. */
static void read_counter_errata(struct acpi_reader *r, const void *tree)
{
	static const char *const errata[][2] = {
		{ "fsl,erratum-a008585", "A-008585 of Freescale" },
		{ "hisilicon,erratum-161010101", "161010101 of HiSilicon" },
		{ "allwinner,erratum-unknown1", "UNKNOWN1 of Allwinner" },
	};
	int node = fdt_node_offset_by_compatible(tree, -1, "arm,armv8-timer");

	for (size_t n = 0; n < sizeof(errata) / sizeof(errata[0]); n++)
		if (fdt_getprop(tree, node, errata[n][0], NULL))
			acpi_complain_counter(r, "device tree", errata[n][1]);
}

/* Libfdt's time is quadratic in the depth, and in the length of a property's name. */
static const char *check_names(const void *tree)
{
	const char *names = (const char *)tree + fdt_off_dt_strings(tree);
	uint32_t length = 0;

	for (uint32_t i = 0; i < fdt_size_dt_strings(tree); i++) {
		length = names[i] ? length + 1 : 0;
		if (length > NAME_MAX)
			return "has a name that is too long";
	}
	return NULL;
}

static const char *check_depth(const void *tree)
{
	for (int node = 0, depth = 0; node >= 0; node = fdt_next_node(tree, node, &depth))
		if (depth >= DEPTH_MAX)
			return "is too deep";
	return NULL;
}

/* Map all of the tree, of which the header is there. Returns its flaw, in words; NULL: none. */
static const char *map_tree(const struct acpi_memory *memory, uint64_t address, const void **tree)
{
	uint32_t bytes = fdt_totalsize(*tree);
	const char *flaw;

	if (fdt_version(*tree) < VERSION || fdt_last_comp_version(*tree) > VERSION)
		return "is not of version 17";
	if (bytes > BYTES_MAX)
		return "has an impossible size";
	*tree = acpi_memory_map(memory, address, bytes);
	if (!*tree)
		return "extends beyond memory";
	flaw = check_names(*tree);
	if (!flaw && fdt_check_full(*tree, bytes) != 0)
		flaw = "is malformed";
	return flaw ? flaw : check_depth(*tree);
}

const void *device_tree_open(struct acpi_reader *r, uint64_t address)
{
	const void *tree = acpi_memory_map(r->memory, address, FDT_V17_SIZE);
	const char *flaw = NULL;

	if (!tree)
		flaw = "is not in memory";
	else if (fdt_check_header(tree) != 0)
		flaw = "has an invalid header";
	else
		flaw = map_tree(r->memory, address, &tree);
	if (!flaw)
		return tree;
	acpi_complain_of(r, "device tree at 0x%llx %s; not used", (unsigned long long)address,
			 flaw);
	return NULL;
}

void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx)
{
	struct acpi_reader r = { info, memory, complain, ctx, 0 };
	const void *tree = device_tree_open(&r, address);

	if (!tree)
		return;
	if (!info->has_fadt)
		device_tree_psci(&r, tree);
	if (!info->hypervisor)
		read_hypervisor(info, tree);
	read_counter_errata(&r, tree);
	if (!info->cpu_count)
		device_tree_cores(&r, tree, boot);
	if (!info->serial.kind)
		device_tree_serial(&r, tree);
	if (!info->ecam_count)
		device_tree_pci(&r, tree);
}
