/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict of a policy on a stored run, and of the attestation that the policy asks for. */
#pragma once

#include "policy.h"
#include "store/store.h"

/*
 * Judge the run, which has ended: `summary.judged`, and what its lines have of an attestation, if
 * the policy asks for that. Lines that cannot be read leave it incomplete.
 */
void store_judge(const struct policy *p, struct store *s, struct store_run *run);
