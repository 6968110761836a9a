/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree is checked in one walk over all tokens when it is opened; later reads stay within the
 * checked part.
 */
#include "fdt.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define HEADER_BYTES        40
#define HEADER_MAGIC        0
#define HEADER_TOTAL        4
#define HEADER_STRUCTS      8
#define HEADER_STRINGS      12
#define HEADER_VERSION      20
#define HEADER_COMPATIBLE   24
#define HEADER_STRING_BYTES 32
#define HEADER_STRUCT_BYTES 36

#define MAGIC     0xd00dfeedu
#define VERSION   17         /* the first with the size of both blocks; the newest there is */
#define BYTES_MAX (2u << 20) /* Linux on AArch64 takes no more */
#define NAME_MAX  256u       /* bytes of a property's name, with its NUL; 31 are allowed */

#define TOKEN_BYTES  4u
#define TOKEN_BROKEN 0u /* past the end, too */
#define TOKEN_NODE   1u
#define TOKEN_LEAVE  2u
#define TOKEN_PROP   3u
#define TOKEN_NOP    4u

static uint32_t aligned(uint32_t at)
{
	return (at + TOKEN_BYTES - 1) & ~(TOKEN_BYTES - 1);
}

/* Read a node. Its name must end within the block; *at becomes the offset after it. */
static bool read_node(const struct fdt *f, uint32_t *at, struct fdt_item *item)
{
	const uint8_t *name = f->structs + *at;
	const uint8_t *nul = memchr(name, 0, f->struct_bytes - *at);

	if (!nul)
		return false;
	*at = aligned(*at + (uint32_t)(nul - name) + 1);
	*item = (struct fdt_item){ true, (const char *)name, *at, NULL, 0 };
	return true;
}

static bool read_property(const struct fdt *f, uint32_t *at, struct fdt_item *item)
{
	const uint8_t *b = f->structs + *at;
	uint32_t left = f->struct_bytes - *at, bytes, name, names;

	if (left < 8)
		return false;
	bytes = bytes_be32(b);
	name = bytes_be32(b + 4);
	if (bytes > left - 8 || name >= f->string_bytes)
		return false;
	names = f->string_bytes - name;
	if (!memchr(f->strings + name, 0, names < NAME_MAX ? names : NAME_MAX))
		return false;
	*at = aligned(*at + 8 + bytes);
	*item = (struct fdt_item){ false, (const char *)f->strings + name, 0, b + 8, bytes };
	return true;
}

/* Read the token at *at; *at moves behind it. */
static uint32_t read_token(const struct fdt *f, uint32_t *at, struct fdt_item *item)
{
	uint32_t token = TOKEN_NOP;

	while (token == TOKEN_NOP) {
		if (f->struct_bytes - *at < TOKEN_BYTES)
			return TOKEN_BROKEN;
		token = bytes_be32(f->structs + *at);
		*at += TOKEN_BYTES;
	}
	if (token == TOKEN_LEAVE || (token == TOKEN_NODE && read_node(f, at, item)) ||
	    (token == TOKEN_PROP && read_property(f, at, item)))
		return token;
	return TOKEN_BROKEN;
}

/* The flaw of the header, in words; NULL: none. */
static const char *flaw_of(const uint8_t *header)
{
	if (!header)
		return "is not in memory";
	if (bytes_be32(header + HEADER_MAGIC) != MAGIC)
		return "has another magic number";
	if (bytes_be32(header + HEADER_VERSION) < VERSION ||
	    bytes_be32(header + HEADER_COMPATIBLE) > VERSION)
		return "is not of version 17";
	if (bytes_be32(header + HEADER_TOTAL) < HEADER_BYTES ||
	    bytes_be32(header + HEADER_TOTAL) > BYTES_MAX)
		return "has an impossible size";
	return NULL;
}

/* Bytes of a block that are within the tree. */
static uint32_t within(const uint8_t *tree, uint32_t field, uint32_t field_bytes, uint32_t *offset)
{
	uint32_t total = bytes_be32(tree + HEADER_TOTAL), bytes = bytes_be32(tree + field_bytes);

	*offset = bytes_be32(tree + field);
	if (*offset >= total)
		return *offset = 0;
	return bytes < total - *offset ? bytes : total - *offset;
}

/* True if the token is valid at this depth; *depth becomes the depth after it. */
static bool may_follow(uint32_t token, unsigned *depth)
{
	if (token == TOKEN_NODE)
		return (*depth)++ < FDT_DEPTH_MAX;
	if (token == TOKEN_LEAVE && *depth)
		return (*depth)--, true;
	return token == TOKEN_PROP && *depth;
}

/* Walk over the whole tree; returns the offset at which it is malformed, or 0. */
static uint32_t walk(const struct fdt *f)
{
	struct fdt_item item;
	unsigned depth = 0;
	uint32_t at = 0, next = 0;

	do {
		at = next;
		if (!may_follow(read_token(f, &next, &item), &depth))
			return at ? at : UINT32_MAX;
	} while (depth);
	return 0;
}

bool fdt_open(struct fdt *f, struct acpi_reader *r, uint64_t address)
{
	const uint8_t *b = acpi_memory_map(r->memory, address, HEADER_BYTES);
	const char *flaw = flaw_of(b);
	uint32_t structs, strings, broken;
	struct fdt_item root;

	if (!flaw && !(b = acpi_memory_map(r->memory, address, bytes_be32(b + HEADER_TOTAL))))
		flaw = "extends beyond memory";
	if (flaw) {
		acpi_complain_of(r, "device tree at 0x%llx %s; not used",
				 (unsigned long long)address, flaw);
		return false;
	}
	f->struct_bytes = within(b, HEADER_STRUCTS, HEADER_STRUCT_BYTES, &structs);
	f->string_bytes = within(b, HEADER_STRINGS, HEADER_STRING_BYTES, &strings);
	f->structs = b + structs;
	f->strings = b + strings;
	f->struct_bytes &= ~(TOKEN_BYTES - 1);
	broken = walk(f);
	if (broken == UINT32_MAX) {
		acpi_complain_of(r, "device tree at 0x%llx has no root; not used",
				 (unsigned long long)address);
		return false;
	}
	if (broken) {
		acpi_complain_of(r,
				 "device tree at 0x%llx: cut or broken at offset %u of its "
				 "structure; what follows is ignored",
				 (unsigned long long)address, broken);
		f->struct_bytes = broken;
	}
	f->root = 0;
	read_token(f, &f->root, &root);
	return true;
}

static void fdt_skip(const struct fdt *f, uint32_t *at)
{
	struct fdt_item item;

	for (unsigned depth = 1; depth;) {
		uint32_t token = read_token(f, at, &item);

		if (token == TOKEN_BROKEN)
			return;
		depth += token == TOKEN_NODE;
		depth -= token == TOKEN_LEAVE;
	}
}

bool fdt_next(const struct fdt *f, uint32_t *at, struct fdt_item *item)
{
	uint32_t token = read_token(f, at, item);

	if (token == TOKEN_NODE)
		fdt_skip(f, at);
	return token == TOKEN_NODE || token == TOKEN_PROP;
}

bool fdt_property(const struct fdt *f, uint32_t node, const char *name, struct fdt_item *item)
{
	while (fdt_next(f, &node, item))
		if (!item->is_node && strcmp(item->name, name) == 0)
			return true;
	return false;
}

bool fdt_is_named(const struct fdt_item *node, const char *name, size_t bytes)
{
	return strlen(node->name) >= bytes && memcmp(node->name, name, bytes) == 0 &&
	       (node->name[bytes] == '\0' || node->name[bytes] == '@');
}

bool fdt_child(const struct fdt *f, uint32_t node, const char *name, size_t bytes, uint32_t *child)
{
	struct fdt_item item;

	while (fdt_next(f, &node, &item)) {
		if (!item.is_node || !fdt_is_named(&item, name, bytes))
			continue;
		*child = item.inside;
		return true;
	}
	return false;
}

bool fdt_lists(const struct fdt *f, uint32_t node, const char *name, const char *text)
{
	size_t bytes = strlen(text) + 1;
	struct fdt_item item;

	if (!fdt_property(f, node, name, &item))
		return false;
	while (item.bytes >= bytes) {
		const uint8_t *nul = memchr(item.value, 0, item.bytes);

		if (!nul)
			return false;
		if (memcmp(item.value, text, bytes) == 0)
			return true;
		item.bytes -= (uint32_t)(nul + 1 - item.value);
		item.value = nul + 1;
	}
	return false;
}

const char *fdt_string(const struct fdt *f, uint32_t node, const char *name)
{
	struct fdt_item item;

	if (!fdt_property(f, node, name, &item) || !memchr(item.value, 0, item.bytes))
		return NULL;
	return (const char *)item.value;
}

uint32_t fdt_cell(const struct fdt *f, uint32_t node, const char *name, uint32_t otherwise)
{
	struct fdt_item item;

	return fdt_property(f, node, name, &item) && item.bytes == 4 ? bytes_be32(item.value)
								     : otherwise;
}

uint64_t fdt_number(const uint8_t **at, uint32_t cells)
{
	uint64_t value = 0;

	for (; cells; cells--, *at += 4)
		value = value << 32 | bytes_be32(*at);
	return value;
}

bool fdt_are_cells(uint32_t cells)
{
	return cells == 1 || cells == 2;
}

/* Map an address from the space below a node to the space of the node itself. */
static bool map_up(const struct fdt_path *p, unsigned level, uint64_t *address)
{
	uint32_t node = p->node[level];
	uint32_t below = fdt_cell(p->f, node, "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t above = fdt_cell(p->f, p->node[level - 1], "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t sizes = fdt_cell(p->f, node, "#size-cells", FDT_SIZE_CELLS);
	struct fdt_item ranges;

	if (!fdt_are_cells(below) || !fdt_are_cells(above) || !fdt_are_cells(sizes) ||
	    !fdt_property(p->f, node, "ranges", &ranges))
		return false;
	if (!ranges.bytes)
		return true;
	for (uint32_t left = ranges.bytes, one = 4 * (below + above + sizes); left >= one;
	     left -= one) {
		uint64_t from = fdt_number(&ranges.value, below),
			 to = fdt_number(&ranges.value, above);
		uint64_t bytes = fdt_number(&ranges.value, sizes);

		if (*address < from || *address - from >= bytes)
			continue;
		*address = to + (*address - from);
		return true;
	}
	return false;
}

bool fdt_path_address(const struct fdt_path *p, uint64_t *address)
{
	uint32_t cells = fdt_cell(p->f, p->node[p->depth - 1], "#address-cells", FDT_ADDRESS_CELLS);
	uint32_t node = p->node[p->depth];
	struct fdt_item reg;

	if (!fdt_are_cells(cells) || !fdt_property(p->f, node, "reg", &reg) ||
	    reg.bytes < 4 * cells)
		return false;
	*address = fdt_number(&reg.value, cells);
	for (unsigned level = p->depth - 1; level; level--)
		if (!map_up(p, level, address))
			return false;
	return *address && acpi_is_physical(*address);
}
