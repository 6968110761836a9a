/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for a mode's pieces of work. If an SRAT describes several nodes, each core's memory is in
 * its own node, so that cores do not compete for a memory controller that they do not share.
 */
#pragma once

#include "core/gaps/cpu.h"

/*
 * Lay out the room. A node with too little memory uses that of the boot core. The memory map is
 * read again before each allocation in a node. NULL: there is no memory even for the room.
 */
struct work_room *work_memory_lay(void (*count)(struct cpu *cpu, struct evidence *e));
