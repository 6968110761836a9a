/* SPDX-License-Identifier: BSD-2-Clause */
/* The console, the command line, and leaving, of doors without firmware. */
#include "common.h"

#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "probe/arena.h"

struct uart common_console;

static bool gone;

void common_print(const char *line)
{
	steps_go_on();
	for (; *line; line++)
		uart_write(&common_console, *line >= ' ' && *line <= '~' ? line : "?", 1);
	uart_write(&common_console, "\r", 1);
	uart_write(&common_console, "\n", 1);
}

void common_print_refusal(const char *why)
{
	TEXT_DEFINE(line, COMMON_PROBLEM_MAX + 40);

	text_add(&line, "noisefloor: cannot start: %s", why);
	common_print("");
	common_print(line.buf);
}

bool common_read_key(char *key)
{
	return uart_read(&common_console, (uint8_t *)key);
}

void common_read_options(struct options *o, const char *command, size_t bytes, bool has_initrd)
{
	static const struct config_source source = { .name = "command line", .one_line = true };

	o->mistakes += config_apply(&o->config, &source, command, bytes, options_complain, NULL);
	if (has_initrd)
		complaints_warn(NULL, "the initrd is not used: the configuration is read "
				      "from the command line alone");
}

bool common_leave(struct memory_map *map)
{
	gone = true;
	return arena_read(map);
}

bool common_is_gone(void)
{
	return gone;
}
