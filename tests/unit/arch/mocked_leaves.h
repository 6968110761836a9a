/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID of a mocked processor: leaves that are not listed are zeros. */
#pragma once

#include "arch/x86_64/asm.h"
#include "tests/unit/common/test.h"

#include <string.h>

#define MOCKED_LEAVES 48
#define MOCKED_ANY    UINT32_MAX /* each subleaf */

static struct mocked_leaf {
	uint32_t leaf, sub;
	struct cpuid r;
} mocked_leaf[MOCKED_LEAVES];
static unsigned mocked_leaves;

static inline unsigned mocked_find(uint32_t leaf, uint32_t sub)
{
	unsigned i = 0;

	while (i < mocked_leaves &&
	       (mocked_leaf[i].leaf != leaf ||
		(mocked_leaf[i].sub != sub && mocked_leaf[i].sub != MOCKED_ANY)))
		i++;
	return i;
}

static inline struct cpuid mocked_cpuid(uint32_t leaf, uint32_t sub)
{
	unsigned i = mocked_find(leaf, sub);

	return i < mocked_leaves ? mocked_leaf[i].r : (struct cpuid){ 0 };
}

/* List a leaf, or change it. */
static inline void mocked_set(uint32_t leaf, uint32_t sub, uint32_t eax, uint32_t ebx, uint32_t ecx,
			      uint32_t edx)
{
	unsigned i = mocked_find(leaf, sub);

	assert_true(i < MOCKED_LEAVES);
	mocked_leaf[i] = (struct mocked_leaf){ leaf, sub, { eax, ebx, ecx, edx } };
	mocked_leaves += i == mocked_leaves;
}

/* The processor's name in leaf 0, and a hypervisor's in its first leaf: twelve letters. */
static inline void mocked_vendor(uint32_t highest, const char *name)
{
	uint32_t word[3];

	memcpy(word, name, sizeof(word));
	mocked_set(0, MOCKED_ANY, highest, word[0], word[2], word[1]);
}

static inline void mocked_hypervisor(uint32_t base, uint32_t highest, const char *name)
{
	uint32_t word[3];

	memcpy(word, name, sizeof(word));
	mocked_set(base, MOCKED_ANY, highest, word[0], word[1], word[2]);
}
