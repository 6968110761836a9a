/* SPDX-License-Identifier: BSD-2-Clause */
/* Names are alike if their letters and digits are. */
#include "advise_match.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char *advise_vendor(const char *manufacturer)
{
	/* By the words that the name begins with. */
	static const char *const known[][2] = {
		{ "Dell", "Dell" },        { "HPE", "HPE" },       { "HP", "HPE" },
		{ "Hewlett", "HPE" },      { "Lenovo", "Lenovo" }, { "Supermicro", "Supermicro" },
		{ "Super", "Supermicro" }, { "IBM", "IBM" },       { "Intel", "Intel" },
		{ "RadiSys", "RadiSys" },  { "NVIDIA", "NVIDIA" },
	};
	size_t bytes = manufacturer ? strcspn(manufacturer, " -,") : 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (bytes == strlen(known[i][0]) &&
		    strncasecmp(manufacturer, known[i][0], bytes) == 0)
			return known[i][1];
	return NULL;
}

bool advise_setting_fits(const struct advise_setting *setting, const char *vendor)
{
	const struct advise_setting *row;

	if (setting->vendor)
		return vendor && strcmp(setting->vendor, vendor) == 0;
	for (size_t n = 0; vendor && (row = advise_setting_at(n)); n++)
		if (row->vendor && strcmp(row->vendor, vendor) == 0 &&
		    strcmp(row->topic, setting->topic) == 0)
			return false;
	return true;
}

/* Supermicro appends four hexadecimal digits: "QuietBoot_0027", "IPv4HTTPSupport#00F7". */
static size_t stem(const char *name)
{
	size_t bytes = strlen(name), digits = 0;

	while (digits < bytes && isxdigit((unsigned char)name[bytes - 1 - digits]))
		digits++;
	if (digits != 4 || bytes < 6 || !strchr("_#", name[bytes - 5]))
		return bytes;
	return bytes - 5;
}

/* The next letter or digit from *at on, in lower case; 0 past the last. */
static int next(const char *text, size_t bytes, size_t *at)
{
	while (*at < bytes && !isalnum((unsigned char)text[*at]))
		++*at;
	return *at < bytes ? tolower((unsigned char)text[(*at)++]) : 0;
}

bool advise_is_alike(const char *a, const char *b)
{
	size_t a_bytes = stem(a), b_bytes = stem(b), a_at = 0, b_at = 0;
	int c;

	do {
		c = next(a, a_bytes, &a_at);
		if (c != next(b, b_bytes, &b_at))
			return false;
	} while (c);
	return a_bytes && b_bytes;
}

static bool is_one_of(const char *const words[4], const char *value)
{
	for (size_t i = 0; i < 4; i++)
		if (advise_is_alike(words[i], value))
			return true;
	return false;
}

bool advise_is_off(const char *value)
{
	static const char *const words[] = { "Disabled", "Disable", "false", "Off" };

	return is_one_of(words, value);
}

bool advise_is_on(const char *value)
{
	static const char *const words[] = { "Enabled", "Enable", "true", "On" };

	return is_one_of(words, value);
}

bool advise_is_set(const struct advise_setting *setting, const char *value)
{
	return advise_is_alike(setting->to, value) ||
	       (strcmp(setting->to, "Disabled") == 0 && advise_is_off(value));
}
