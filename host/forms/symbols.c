/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols. Source: System V ABI, chapters 4 and 5 (ELF); nothing in the file is trusted. */
#include "symbols.h"

#include "host/lib/memory.h"
#include "host/lib/whole_file.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)64 << 20)

struct symbols {
	uint8_t *file;
	size_t bytes;
	size_t at, count;         /* of the table in the file */
	size_t names, name_bytes; /* of its strings */
};

static bool lies_within(const struct symbols *s, uint64_t offset, uint64_t bytes)
{
	return offset <= s->bytes && bytes <= s->bytes - offset;
}

/* Copies, as nothing in a file is aligned. */
static bool read_section(const struct symbols *s, const Elf64_Ehdr *head, size_t n,
			 Elf64_Shdr *section)
{
	uint64_t at = head->e_shoff + n * sizeof(*section);

	if (n >= head->e_shnum || head->e_shoff > s->bytes || !lies_within(s, at, sizeof(*section)))
		return false;
	memcpy(section, s->file + at, sizeof(*section));
	return section->sh_type == SHT_NOBITS ||
	       lies_within(s, section->sh_offset, section->sh_size);
}

static const char *find_table(struct symbols *s)
{
	Elf64_Shdr table, names;
	Elf64_Ehdr head;

	if (s->bytes < sizeof(head) || memcmp(s->file, ELFMAG, SELFMAG) != 0 ||
	    s->file[EI_CLASS] != ELFCLASS64 || s->file[EI_DATA] != ELFDATA2LSB)
		return "not an ELF file of 64 bits; accepted: noisefloor.so, as the build leaves "
		       "it";
	memcpy(&head, s->file, sizeof(head));
	for (size_t n = 0; n < head.e_shnum; n++) {
		if (!read_section(s, &head, n, &table))
			return "damaged: a section lies outside of the file";
		if (table.sh_type != SHT_SYMTAB)
			continue;
		if (!read_section(s, &head, table.sh_link, &names) || names.sh_type != SHT_STRTAB)
			return "damaged: its symbols have no names";
		s->at = table.sh_offset;
		s->count = table.sh_size / sizeof(Elf64_Sym);
		s->names = names.sh_offset;
		s->name_bytes = names.sh_size;
		return s->count ? NULL : "has no symbols";
	}
	return "has no symbols: it was stripped";
}

struct symbols *symbols_read(const char *path)
{
	struct symbols *s = memory_new(1, sizeof(*s));
	const char *problem;

	s->file = whole_file_read(path, FILE_MAX, &s->bytes);
	problem = s->file ? find_table(s) : strerror(errno);
	if (!problem)
		return s;
	fprintf(stderr, "%s: %s\n", path, problem);
	symbols_free(s);
	return NULL;
}

void symbols_free(struct symbols *s)
{
	if (s)
		free(s->file);
	free(s);
}

static bool has(const Elf64_Sym *symbol, uint64_t address)
{
	/* Those written in assembly have no size. */
	return symbol->st_shndx != SHN_UNDEF && symbol->st_value <= address &&
	       (!symbol->st_size || address - symbol->st_value < symbol->st_size) &&
	       ELF64_ST_TYPE(symbol->st_info) <= STT_FUNC &&
	       ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT;
}

/* Of several the one that begins last; one with a size before one without. */
static bool is_nearer(const Elf64_Sym *a, const Elf64_Sym *b)
{
	if (!a->st_size != !b->st_size)
		return a->st_size;
	return a->st_value >= b->st_value;
}

bool symbols_print(const struct symbols *s, uint64_t address, struct text *t)
{
	Elf64_Sym symbol, best = { 0 };
	const char *name;
	bool found = false;

	for (size_t n = 0; n < s->count; n++) {
		memcpy(&symbol, s->file + s->at + n * sizeof(symbol), sizeof(symbol));
		if (!has(&symbol, address) || symbol.st_name >= s->name_bytes ||
		    (found && !is_nearer(&symbol, &best)))
			continue;
		name = (const char *)s->file + s->names + symbol.st_name;
		if (!*name || !memchr(name, '\0', s->name_bytes - symbol.st_name))
			continue;
		best = symbol;
		found = true;
	}
	if (found)
		text_add(t, "%s+0x%llx", (const char *)s->file + s->names + best.st_name,
			 (unsigned long long)(address - best.st_value));
	return found;
}
