/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a device tree, and reads what ACPI leaves open. Sources: Linux's bindings arm/cpus.yaml
 * and arm/psci.yaml.
 */
#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "device_tree_parts.h"

#include <libfdt.h>

/* ---- The tree ---- */

#define VERSION        17         /* the first with the size of both blocks; the newest there is */
#define BYTES_MAX      (2u << 20) /* Linux on AArch64 takes no more */
#define NAME_MAX       255
#define DEPTH_MAX      32
#define RESERVED_ALIGN 8 /* by the specification; libfdt does not check it */

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
	else if (fdt_check_header(tree) != 0 || fdt_off_mem_rsvmap(tree) % RESERVED_ALIGN)
		flaw = "has an invalid header";
	else
		flaw = map_tree(r->memory, address, &tree);
	if (!flaw)
		return tree;
	acpi_complain_of(r, "device tree at 0x%llx %s; not used", (unsigned long long)address,
			 flaw);
	return NULL;
}

/* ---- PSCI and cores ---- */

/*
 * Read whether PSCI exists, and which instruction calls it. From version 0.2 on, all functions have
 * the standard numbers.
 */
static void read_psci(struct acpi_reader *r, const void *tree)
{
	int newer = fdt_node_offset_by_compatible(tree, -1, "arm,psci-1.0");
	int node = newer >= 0 ? newer : fdt_node_offset_by_compatible(tree, -1, "arm,psci-0.2");
	const char *method = device_tree_string(tree, node, "method");

	if (node < 0 || !device_tree_string(tree, node, "compatible"))
		return;
	if (!method || (strcmp(method, "smc") != 0 && strcmp(method, "hvc") != 0)) {
		acpi_complain_of(r, "device tree: PSCI's method is neither smc nor hvc; not used");
		return;
	}
	r->info->has_psci = true;
	r->info->psci_by_hvc = method[0] == 'h';
}

#define MPIDR_AFFINITY UINT64_C(0xff00ffffff)

/* Reasons to leave out a core. Cores are counted by reason, since there may be many. */
enum { USED, FAILED, INVALID, AGAIN, BEYOND, SPIN_TABLE, OTHER, NO_PSCI, REASONS };

static const char *const why[REASONS] = {
	[FAILED] = "their status is fail",
	[INVALID] = "their reg is no MPIDR",
	[AGAIN] = "they repeat an MPIDR",
	[BEYOND] = "they exceed the maximum number of cores",
	[SPIN_TABLE] = "their enable-method is spin-table, not psci",
	[OTHER] = "their enable-method is not psci",
	[NO_PSCI] = "no PSCI that can be used is described",
};

/* Read the MPIDR from `reg`, of so many cells, in acpi_cpu's 32 bits. */
static bool read_id(const void *tree, int node, uint32_t cells, uint32_t *id)
{
	int bytes;
	const uint8_t *reg = fdt_getprop(tree, node, "reg", &bytes);
	uint64_t mpidr;

	if (!reg || bytes != (int)(4 * cells))
		return false;
	mpidr = device_tree_number(&reg, cells);
	*id = (uint32_t)((mpidr & 0xffffff) | (mpidr >> 32 & 0xff) << 24);
	return !(mpidr & ~MPIDR_AFFINITY);
}

/* The reason why a core cannot be started; USED: it can be. */
static unsigned obstacle(const struct acpi_info *info, const void *tree, int node)
{
	const char *method = device_tree_string(tree, node, "enable-method");

	if (method && strcmp(method, "spin-table") == 0)
		return SPIN_TABLE;
	if (!method || strcmp(method, "psci") != 0)
		return OTHER;
	return info->has_psci ? USED : NO_PSCI;
}

/*
 * True for status "fail". A core that is "disabled" can be started by its enable-method
 * (specification, 3.8.1; Linux 4fdd0736a3b1).
 */
static bool has_failed(const void *tree, int node)
{
	const char *status = device_tree_string(tree, node, "status");

	return status && strlen(status) >= 4 && memcmp(status, "fail", 4) == 0;
}

static unsigned read_core(struct acpi_info *info, const void *tree, int node, uint32_t cells,
			  uint32_t boot)
{
	unsigned reason = USED;
	uint32_t id = 0;

	if (has_failed(tree, node))
		return FAILED;
	if (!read_id(tree, node, cells, &id))
		return INVALID;
	if (acpi_find_cpu(info, id))
		return AGAIN;
	if (info->cpu_count == ACPI_CPUS_MAX)
		return BEYOND;
	if (id != boot)
		reason = obstacle(info, tree, node);
	if (reason == USED)
		info->cpu[info->cpu_count++].apic_id = id;
	return reason;
}

static bool is_core(const void *tree, int node)
{
	const char *type = device_tree_string(tree, node, "device_type");
	int length;
	const char *name = fdt_get_name(tree, node, &length);

	return (type && strcmp(type, "cpu") == 0) ||
	       (length >= 3 && !memcmp(name, "cpu", 3) && (name[3] == '\0' || name[3] == '@'));
}

/* Read the cores that run or can be started; `boot` is the running core. PSCI was read before. */
static void read_cores(struct acpi_reader *r, const void *tree, uint32_t boot)
{
	int cpus = fdt_path_offset(tree, "/cpus"), node;
	uint32_t cells = device_tree_cell(tree, cpus, "#address-cells", 2), counts[REASONS] = { 0 };

	if (cpus < 0) {
		acpi_complain_of(r, "device tree: no cores; only the boot core is used");
		return;
	}
	if (cells != 1 && cells != 2) {
		acpi_complain_of(r,
				 "device tree: cores with addresses of %u cells, valid are 1 "
				 "and 2; only the boot core is used",
				 cells);
		return;
	}
	fdt_for_each_subnode(node, tree, cpus)
		if (is_core(tree, node))
			counts[read_core(r->info, tree, node, cells, boot)]++;
	for (unsigned n = USED + 1; n < REASONS; n++)
		if (counts[n])
			acpi_complain_of(r, "device tree: cores left out since %s: %u", why[n],
					 counts[n]);
	if (!r->info->cpu_count)
		acpi_complain_of(r, "device tree: no usable core; only the boot core is used");
}

/* ---- Hypervisor, counter ---- */

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

void device_tree_read(struct acpi_info *info, const struct acpi_memory *memory, uint64_t address,
		      uint32_t boot, acpi_complaint *complain, void *ctx)
{
	struct acpi_reader r = { info, memory, complain, ctx, 0 };
	const void *tree = device_tree_open(&r, address);

	if (!tree)
		return;
	if (!info->has_fadt)
		read_psci(&r, tree);
	if (!info->hypervisor)
		read_hypervisor(info, tree);
	read_counter_errata(&r, tree);
	if (!info->cpu_count)
		read_cores(&r, tree, boot);
	if (!info->serial.kind)
		device_tree_serial(&r, tree);
	if (!info->ecam_count)
		device_tree_pci(&r, tree);
}
