/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads cores, and how to call PSCI, which starts them. */
#include "device_tree_parts.h"

#include "core/lib/mem.h"

#include <libfdt.h>

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

void device_tree_cores(struct acpi_reader *r, const void *tree, uint32_t boot)
{
	int cpus = fdt_path_offset(tree, "/cpus"), node;
	uint32_t cells = device_tree_address_cells(tree, cpus), counts[REASONS] = { 0 };

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

/* PSCI 0.2 and later, in which all functions have the standard numbers. */
static int find_psci(const void *tree)
{
	int node = fdt_node_offset_by_compatible(tree, -1, "arm,psci-1.0");

	return node >= 0 ? node : fdt_node_offset_by_compatible(tree, -1, "arm,psci-0.2");
}

void device_tree_psci(struct acpi_reader *r, const void *tree)
{
	int node = find_psci(tree);
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
