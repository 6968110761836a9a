/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads memory and the loader's wishes. */
#include "core/lib/mem.h"
#include "device_tree_parts.h"

#include <libfdt.h>

/* Visit the ranges in a node's `reg`, which is in the space of the node above. */
static bool visit_reg(const void *tree, int above, int node, device_tree_visit *visit, void *ctx)
{
	bool no_map = fdt_getprop(tree, node, "no-map", NULL), goes_on = true;
	struct device_tree_list regs;
	struct device_tree_range range;

	if (device_tree_regs(tree, above, node, &regs))
		while (goes_on && device_tree_next(&regs, &range))
			goes_on = visit(ctx, range.from, range.bytes, no_map);
	return goes_on;
}

static bool is_memory(const void *tree, int node)
{
	const char *type = device_tree_string(tree, node, "device_type");

	return type && strcmp(type, "memory") == 0 && device_tree_is_okay(tree, node);
}

bool device_tree_each_memory(const struct device_tree_boot *b, device_tree_visit *visit, void *ctx)
{
	int node;

	fdt_for_each_subnode(node, b->tree, 0)
		if (is_memory(b->tree, node) && !visit_reg(b->tree, 0, node, visit, ctx))
			return false;
	return true;
}

bool device_tree_each_reserved(const struct device_tree_boot *b, device_tree_visit *visit,
			       void *ctx)
{
	int folder = fdt_path_offset(b->tree, "/reserved-memory"), node;
	uint64_t address, bytes;

	for (int n = 0; n < fdt_num_mem_rsv(b->tree); n++)
		if (fdt_get_mem_rsv(b->tree, n, &address, &bytes) == 0 &&
		    !visit(ctx, address, bytes, false))
			return false;
	if (folder < 0)
		return true;
	fdt_for_each_subnode(node, b->tree, folder)
		if (!visit_reg(b->tree, folder, node, visit, ctx))
			return false;
	return true;
}

/* A number of one or two cells; 0: it is missing. */
static uint64_t number_of(const void *tree, int node, const char *name)
{
	int bytes;
	const uint8_t *value = fdt_getprop(tree, node, name, &bytes);

	if (!value || (bytes != 4 && bytes != 8))
		return 0;
	return device_tree_number(&value, (uint32_t)bytes / 4);
}

bool device_tree_boot_open(struct device_tree_boot *b, struct acpi_reader *r, uint64_t address)
{
	const char *command;
	uint64_t end;
	int chosen;

	*b = (struct device_tree_boot){ .command = "", .tree = device_tree_open(r, address) };
	if (!b->tree)
		return false;
	b->bytes = fdt_totalsize(b->tree);
	device_tree_serial(r, b->tree);
	chosen = fdt_path_offset(b->tree, "/chosen");
	if (chosen < 0)
		return true;
	command = device_tree_string(b->tree, chosen, "bootargs");
	b->command = command ? command : "";
	b->initrd = number_of(b->tree, chosen, "linux,initrd-start");
	end = number_of(b->tree, chosen, "linux,initrd-end");
	b->initrd_bytes = end > b->initrd ? end - b->initrd : 0;
	return true;
}
