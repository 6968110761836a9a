/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of a device tree's parts are read: those that ACPI has left open. */
#include "device_tree.h"

#include "core/lib/bytes.h"
#include "device_tree_parts.h"

/*
 * By the names that FADTs have. Source: Linux, Documentation/devicetree/bindings/arm/xen.txt;
 * arch/powerpc/kernel/firmware.c.
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
	if (!info->cpu_count)
		device_tree_cores(&r, &fdt, boot);
	if (!info->serials)
		device_tree_serial(&r, &fdt);
	if (!info->ecam_count)
		device_tree_pci(&r, &fdt);
}
