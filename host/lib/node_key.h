/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The key of one node, made from the fleet's: who has it can sign as that node only. It is the tag
 * of SipHash-2-4-128, a pseudo-random function, under the fleet's key, of a label and the UUID's
 * text in lower case.
 */
#pragma once

#include "core/lib/siphash.h"
#include "core/lib/uuid.h"

#include <stdint.h>

void node_key(const uint8_t fleet[SIPHASH_KEY_BYTES], const uint8_t uuid[UUID_BYTES],
	      uint8_t key[SIPHASH_KEY_BYTES]);
