/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands in a log or a mail beside the outputs: command lines, and the kernel that ran. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * What a shell was asked to do in this line: behind a prompt "user@host:~#", nothing included; or
 * one of the tools, with what starts it ("sudo taskset -c 1 rtla"), behind "$" or "#" or nothing.
 * Quotation marks of a mail may precede it. NULL: the line is none of these.
 */
const char *tool_prompt_command(const char *line);

/* The kernel's version, of its first line or of `uname -a`. False: the line has none. */
bool tool_prompt_kernel(const char *line, char *kernel, size_t room);
