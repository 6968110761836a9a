/* SPDX-License-Identifier: BSD-2-Clause */
/* Choose the parts of a device tree to read: those that ACPI leaves open. */
#include "device_tree.h"

#include "core/lib/bytes.h"
#include "device_tree_parts.h"

/*
 * The hypervisor, with the identity that a FADT would have. Source: Linux,
 * Documentation/devicetree/bindings/arm/xen.txt; arch/powerpc/kernel/firmware.c.
 */
static void read_hypervisor(struct acpi_info *info, const struct fdt *f)
{
	const char *name = "unknown";
	uint32_t node;

	if (!fdt_child(f, f->root, "hypervisor", 10, &node))
		return;
	if (fdt_lists(f, node, "compatible", "xen,xen"))
		name = "XenVMM\0";
	else if (fdt_lists(f, node, "compatible", "linux,kvm"))
		name = "KVM\0\0\0\0";
	info->hypervisor = bytes_le64((const uint8_t *)name);
}

/*
 * Read the errata of the timer's node, which is a child of the root. Linux, bindings
 * timer/arm,arch_timer.yaml.
 */
static void read_counter_errata(struct acpi_info *info, const struct fdt *f)
{
	static const char *const names[COUNTER_ERRATA] = {
		[COUNTER_A008585] = "fsl,erratum-a008585",
		[COUNTER_161010101] = "hisilicon,erratum-161010101",
		[COUNTER_UNKNOWN1] = "allwinner,erratum-unknown1",
	};
	struct fdt_item node, property;

	for (uint32_t at = f->root; fdt_next(f, &at, &node);) {
		if (!node.is_node || !fdt_lists(f, node.inside, "compatible", "arm,armv8-timer"))
			continue;
		for (unsigned n = 0; n < COUNTER_ERRATA; n++)
			if (fdt_property(f, node.inside, names[n], &property))
				info->counter_errata |= 1u << n;
	}
}

void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx)
{
	struct acpi_reader r = { info, memory, complain, ctx, 0 };
	struct fdt fdt;

	if (!fdt_open(&fdt, &r, address))
		return;
	if (!info->has_fadt)
		device_tree_psci(&r, &fdt);
	if (!info->hypervisor)
		read_hypervisor(info, &fdt);
	read_counter_errata(info, &fdt);
	if (!info->cpu_count)
		device_tree_cores(&r, &fdt, boot);
	if (!info->serials)
		device_tree_serial(&r, &fdt);
	if (!info->ecam_count)
		device_tree_pci(&r, &fdt);
}
