/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Boot entries: an EFI_LOAD_OPTION and a device path as the firmware may keep them, in their exact
 * size; and a line of efibootmgr's. The first two bytes are the load option's length.
 */
#include "core/firmware/boot_path.h"
#include "core/lib/bytes.h"
#include "host/boot/boot.h"

#include "tests/fuzz/take.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define SHORT_PATH 200u /* no name in it is too long */

static uint8_t *copy(const uint8_t *from, size_t bytes)
{
	uint8_t *at = malloc(bytes + !bytes);

	insist(at);
	if (bytes)
		memcpy(at, from, bytes);
	return at;
}

/* A load option leads to its own path, if that ends as a path does. */
static void check_own(const uint8_t *option, size_t bytes)
{
	size_t at = 6, length, whole;

	while (at + 2 <= bytes && bytes_le16(option + at))
		at += 2;
	at += 2;
	if (at > bytes)
		return;
	length = bytes_le16(option + 4);
	if (length > bytes - at || length > SHORT_PATH)
		return;
	whole = boot_path_bytes(option + at, length);
	insist(whole <= length);
	if (length - whole < 4 || option[at + whole] == 0x7f)
		insist(boot_path_option_leads(option, bytes, option + at, length, false) &&
		       boot_path_option_leads(option, bytes, option + at, length, true));
}

static void check(const uint8_t *option, size_t option_bytes, const uint8_t *path, size_t bytes)
{
	bool leads = boot_path_option_leads(option, option_bytes, path, bytes, false);

	insist(boot_path_bytes(path, bytes) <= bytes);
	insist(!leads || boot_path_option_leads(option, option_bytes, path, bytes, true));
	check_own(option, option_bytes);
}

static void parse(const uint8_t *text, size_t bytes)
{
	char *line = (char *)copy(text, bytes + 1);
	int number;

	line[bytes] = '\0';
	number = boot_entry_parse(line);
	insist(number == BOOT_ENTRY_NONE || (number >= 0 && number <= 0xffff));
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *option, *path;
	size_t count;

	if (bytes < 2)
		return 0;
	count = bytes_le16(data);
	data += 2;
	bytes -= 2;
	if (count > bytes)
		count = bytes;
	option = copy(data, count);
	path = copy(data + count, bytes - count);
	check(option, count, path, bytes - count);
	if (bytes)
		parse(data, bytes - 1);
	free(option);
	free(path);
	return 0;
}
