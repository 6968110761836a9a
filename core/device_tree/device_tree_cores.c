/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads cores, and how to call PSCI, which starts them. */
#include "device_tree_parts.h"

#include "core/lib/mem.h"

#define MPIDR_AFFINITY UINT64_C(0xff00ffffff)

struct cores {
	const struct fdt *fdt;
	struct acpi_reader *r;
	uint32_t boot;
	uint32_t cells; /* cells of reg */
	/* Counted, and reported once, since there may be many. */
	uint32_t failed, invalid, again, spin_table, other, no_psci, beyond;
};

/* Read the MPIDR from `reg`, in acpi_cpu's 32 bits. */
static bool read_id(const struct cores *c, uint32_t node, uint32_t *id)
{
	struct fdt_item reg;
	uint64_t mpidr;

	if (!fdt_property(c->fdt, node, "reg", &reg) || reg.bytes != 4 * c->cells)
		return false;
	mpidr = fdt_number(&reg.value, c->cells);
	*id = (uint32_t)((mpidr & 0xffffff) | (mpidr >> 32 & 0xff) << 24);
	return !(mpidr & ~MPIDR_AFFINITY);
}

/* The counter of the reason why a core cannot be started; NULL: it can be. */
static uint32_t *obstacle(struct cores *c, uint32_t node)
{
	const char *method = fdt_string(c->fdt, node, "enable-method");

	if (method && strcmp(method, "spin-table") == 0)
		return &c->spin_table;
	if (!method || strcmp(method, "psci") != 0)
		return &c->other;
	return c->r->info->has_psci ? NULL : &c->no_psci;
}

/*
 * True for status "fail". A core that is "disabled" can be started by its enable-method
 * (specification, 3.8.1; Linux 4fdd0736a3b1).
 */
static bool has_failed(const struct fdt *f, uint32_t node)
{
	const char *status = fdt_string(f, node, "status");

	return status && strlen(status) >= 4 && memcmp(status, "fail", 4) == 0;
}

static void read_core(struct cores *c, uint32_t node)
{
	struct acpi_info *info = c->r->info;
	uint32_t id = 0, *why = NULL;

	if (has_failed(c->fdt, node))
		why = &c->failed;
	else if (!read_id(c, node, &id))
		why = &c->invalid;
	else if (acpi_find_cpu(info, id))
		why = &c->again;
	else if (info->cpu_count == ACPI_CPUS_MAX)
		why = &c->beyond;
	else if (id != c->boot)
		why = obstacle(c, node);
	if (why)
		(*why)++;
	else
		info->cpu[info->cpu_count++].apic_id = id;
}

static bool is_core(const struct fdt *f, const struct fdt_item *item)
{
	return item->is_node &&
	       (fdt_is_named(item, "cpu", 3) || fdt_lists(f, item->inside, "device_type", "cpu"));
}

static void report_count(struct acpi_reader *r, uint32_t count, const char *why)
{
	if (count)
		acpi_complain_of(r, "device tree: cores left out since %s: %u", why, count);
}

void device_tree_cores(struct acpi_reader *r, const struct fdt *f, uint32_t boot)
{
	struct cores c = { .fdt = f, .r = r, .boot = boot };
	struct fdt_item item;
	uint32_t at;

	if (!fdt_child(f, f->root, "cpus", 4, &at)) {
		acpi_complain_of(r, "device tree: no cores; only the boot core is used");
		return;
	}
	c.cells = fdt_cell(f, at, "#address-cells", FDT_ADDRESS_CELLS);
	if (!fdt_are_cells(c.cells)) {
		acpi_complain_of(r,
				 "device tree: cores with addresses of %u cells, valid are 1 "
				 "and 2; only the boot core is used",
				 c.cells);
		return;
	}
	while (fdt_next(f, &at, &item))
		if (is_core(f, &item))
			read_core(&c, item.inside);
	report_count(r, c.failed, "their status is fail");
	report_count(r, c.invalid, "their reg is no MPIDR");
	report_count(r, c.again, "they repeat an MPIDR");
	report_count(r, c.beyond, "they exceed the maximum number of cores");
	report_count(r, c.spin_table, "their enable-method is spin-table, not psci");
	report_count(r, c.other, "their enable-method is not psci");
	report_count(r, c.no_psci, "no PSCI that can be used is described");
	if (!r->info->cpu_count)
		acpi_complain_of(r, "device tree: no usable core; only the boot core is used");
}

/* True for PSCI 0.2 and later, in which all functions have the standard numbers. */
static bool is_psci(const struct fdt *f, const struct fdt_item *item)
{
	return item->is_node && (fdt_lists(f, item->inside, "compatible", "arm,psci-1.0") ||
				 fdt_lists(f, item->inside, "compatible", "arm,psci-0.2"));
}

/* The node is below the root, or in /firmware. */
static bool find_psci(const struct fdt *f, uint32_t folder, uint32_t *node)
{
	struct fdt_item item;

	while (fdt_next(f, &folder, &item)) {
		if (!is_psci(f, &item))
			continue;
		*node = item.inside;
		return true;
	}
	return false;
}

void device_tree_psci(struct acpi_reader *r, const struct fdt *f)
{
	const char *method;
	uint32_t node, firmware;

	if (!find_psci(f, f->root, &node) &&
	    (!fdt_child(f, f->root, "firmware", 8, &firmware) || !find_psci(f, firmware, &node)))
		return;
	method = fdt_string(f, node, "method");
	if (!method || (strcmp(method, "smc") != 0 && strcmp(method, "hvc") != 0)) {
		acpi_complain_of(r, "device tree: PSCI's method is neither smc nor hvc; not used");
		return;
	}
	r->info->has_psci = true;
	r->info->psci_by_hvc = method[0] == 'h';
}
