/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines, as they stand in a log or a mail between the outputs of two runs. */
#pragma once

/*
 * What a shell was asked to do in this line: behind a prompt "user@host:~#", nothing included; or
 * one of the tools, with what starts it ("sudo taskset -c 1 rtla"), behind "$" or "#" or nothing.
 * Quotation marks of a mail may precede it. NULL: the line is none of these.
 */
const char *tool_prompt_command(const char *line);
