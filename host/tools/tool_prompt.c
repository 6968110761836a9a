/* SPDX-License-Identifier: BSD-2-Clause */
/* Prompts are known by user@host, commands by the tools' names: what a kernel prints has neither.
 */
#include "tool_prompt.h"

#include "host/lib/scan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PROMPT_MAX 80

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static size_t run_of_name(const char *at)
{
	size_t bytes = 0;

	while (is_name(at[bytes]))
		bytes++;
	return bytes;
}

/* "root@rack7:~# ", "[user@rack7 tmp]$": behind it; NULL: no prompt. */
static const char *skip_prompt(const char *at)
{
	const char *from = at + (*at == '[');
	size_t user = run_of_name(from), host, rest;

	if (!user || from[user] != '@')
		return NULL;
	from += user + 1;
	host = run_of_name(from);
	rest = strcspn(from + host, "#$");
	if (!host || !strchr(":] ~", from[host]) || host + rest > PROMPT_MAX || !from[host + rest])
		return NULL;
	from += host + rest + 1;
	return scan_end(from) || *from == ' ' ? from + strspn(from, " ") : NULL;
}

static bool is_word(const char *at, size_t bytes, const char *word)
{
	return strlen(word) == bytes && memcmp(at, word, bytes) == 0;
}

static bool is_one_of(const char *at, size_t bytes, const char *const *words)
{
	while (*words && !is_word(at, bytes, *words))
		words++;
	return *words;
}

/* rtla prints its own name, too, but not like this. */
static bool is_rtla(const char *at)
{
	static const char *const tracers[] = { "osnoise", "timerlat", "hwnoise", NULL };
	static const char *const modes[] = { "top", "hist", NULL };
	size_t bytes;

	at += strspn(at, " ");
	bytes = strcspn(at, " ");
	if (!is_one_of(at, bytes, tracers))
		return false;
	at += bytes + strspn(at + bytes, " ");
	return !*at || *at == '-' || is_one_of(at, strcspn(at, " "), modes);
}

/* Without its folder. */
static const char *base_of(const char *at, size_t bytes)
{
	const char *base = at + bytes;

	while (base > at && base[-1] != '/')
		base--;
	return base;
}

/* One of the tools is run: by itself, or by what precedes it with options and numbers. */
static bool is_run(const char *at)
{
	static const char *const starters[] = { "sudo",    "taskset", "chrt", "time",
						"numactl", "nohup",   "env",  NULL };
	static const char *const tools[] = {
		"cyclictest", "oslat",         "hwlatdetect",      "sysjitter",
		"osnoise",    "timerlat",      "hwnoise",          "trace-cmd",
		"jhiccup",    "detect-detour", "detect-detour.py", NULL
	};
	bool started = false;

	for (size_t bytes; *at; at += bytes + strspn(at + bytes, " ")) {
		const char *base;
		size_t name;

		bytes = strcspn(at, " ");
		base = base_of(at, bytes);
		name = (size_t)(at + bytes - base);
		if (is_word(base, name, "rtla"))
			return is_rtla(at + bytes);
		if (is_one_of(base, name, tools))
			return scan_end(at + bytes) || at[bytes + strspn(at + bytes, " ")] == '-';
		if (is_one_of(base, name, starters))
			started = true;
		else if (!started || (*at != '-' && !isdigit((unsigned char)*at)))
			return false;
	}
	return false;
}

const char *tool_prompt_command(const char *line)
{
	const char *at = line + strspn(line, " >|"), *command = skip_prompt(at);

	if (command)
		return command;
	if ((*at == '#' || *at == '$') && at[1] == ' ')
		at += 2 + strspn(at + 2, " ");
	return is_run(at) ? at : NULL;
}

/* "Linux rack7 6.1.0-56-rt-amd64 #1 SMP": behind the name of the host. */
static const char *find_uname(const char *line)
{
	const char *at = strstr(line, "Linux "), *version;

	if (!at || !strstr(at, " #"))
		return NULL;
	version = at + 6 + strcspn(at + 6, " ");
	return *version && isdigit((unsigned char)version[1]) ? version + 1 : NULL;
}

bool tool_prompt_kernel(const char *line, char *kernel, size_t room)
{
	static const char *const marks[] = { "Linux version ", "kernel version " };
	const char *at = NULL;
	size_t bytes;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !at; i++) {
		at = strstr(line, marks[i]);
		at = at ? at + strlen(marks[i]) : NULL;
	}
	at = at ? at : find_uname(line);
	bytes = at ? strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"._+-~")
		   : 0;
	if (!bytes || !isdigit((unsigned char)*at) || bytes >= room)
		return false;
	memcpy(kernel, at, bytes);
	kernel[bytes] = '\0';
	return true;
}
