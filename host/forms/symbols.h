/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the addresses of an image, from the symbol table of the ELF file that it was made of. */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* NULL, with the reason on standard error, where it is no ELF file of 64 bits with symbols. */
struct symbols *symbols_read(const char *path);
void symbols_free(struct symbols *s);

/* Append "pci_open+0x12", for the function that has the address. False: none has it. */
bool symbols_print(const struct symbols *s, uint64_t address, struct text *t);
