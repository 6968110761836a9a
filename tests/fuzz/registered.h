/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included by the compiler's command line before all else in a fuzz target that is built for its
 * seeds: one program has many, so LLVMFuzzerTestOneInput is a macro there, the target's name. It
 * includes nothing: what a target defines for the C library comes later.
 */
#pragma once

#define REGISTERED_TEXT(name)    REGISTERED_TEXT_OF(name)
#define REGISTERED_TEXT_OF(name) #name

int LLVMFuzzerTestOneInput(const __UINT8_TYPE__ *data, __SIZE_TYPE__ bytes);

/* tests/fuzz/driver.c */
void registered_add(const char *file, const char *name,
		    int (*run)(const __UINT8_TYPE__ *data, __SIZE_TYPE__ bytes));

static __attribute__((constructor)) void registered_here(void)
{
	registered_add(__BASE_FILE__, REGISTERED_TEXT(LLVMFuzzerTestOneInput),
		       LLVMFuzzerTestOneInput);
}
