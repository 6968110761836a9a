/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's variables. Source: UEFI 2.10, 8.2 (variable services) and 3.3 (BootCurrent,
 * BootNext).
 */
#include "nvram.h"

#include "probe/door.h"

#include "core/firmware/boot_path.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"

#define VARIABLE_SPARE 256u /* bytes of a variable's name and head, which some firmware counts */
#define REPORT_LEAST   512u
#define STORE_KEEPS    4u    /* 1/STORE_KEEPS of the store stays free */
#define OPTION_MAX     4096u /* bytes of a boot entry, with its optional data */

static enum door_status nvram_get(enum door_owner owner, const char *name, void *value,
				  size_t *bytes)
{
	steps_note("reading a variable");
	return door.variable->get ? door.variable->get(owner, name, value, bytes) : DOOR_NONE;
}

static bool get_whole(enum door_owner owner, const char *name, void *value, size_t bytes)
{
	size_t count = bytes;

	return nvram_get(owner, name, value, &count) == DOOR_OK && count == bytes;
}

static enum door_status nvram_set(enum door_owner owner, const char *name,
				  enum door_lasting lasting, const void *value, size_t bytes)
{
	steps_note("writing a variable");
	return door.variable->set ? door.variable->set(owner, name, lasting, value, bytes)
				  : DOOR_UNSUPPORTED;
}

static struct saved_memory *memory(void)
{
	return door.variable->memory ? door.variable->memory() : NULL;
}

static bool ask_room(uint64_t *store, uint64_t *left, uint64_t *most)
{
	return door.variable->room && door.variable->room(store, left, most);
}

static uint64_t usable(uint64_t all, uint64_t left)
{
	return arith_less(left, all / STORE_KEEPS);
}

bool nvram_left(uint64_t *left)
{
	uint64_t store, free, most;

	if (!ask_room(&store, &free, &most))
		return false;
	*left = usable(store, free);
	return true;
}

size_t nvram_room(void)
{
	const struct saved_memory *m = memory();
	uint64_t store, left, most;

	if (m)
		return m->cap;
	if (!ask_room(&store, &left, &most) || most < REPORT_LEAST + VARIABLE_SPARE ||
	    usable(store, left) < REPORT_LEAST)
		return 0;
	return (size_t)arith_min(arith_min(most - VARIABLE_SPARE, usable(store, left)),
				 NVRAM_REPORT_MAX);
}

enum saved_state nvram_read(void *report, size_t cap, size_t *bytes)
{
	enum door_status status;

	*bytes = cap;
	status = nvram_get(DOOR_OURS, SAVED_NAME, report, bytes);
	if (*bytes > cap)
		return SAVED_STATE_DAMAGED;
	if (status == DOOR_NONE || status == DOOR_UNSUPPORTED)
		return SAVED_STATE_NONE;
	return status == DOOR_OK ? SAVED_STATE_OK : SAVED_STATE_UNREAD;
}

static const char *explain(enum door_status status)
{
	if (status == DOOR_UNSUPPORTED)
		return "the firmware takes no variables after ExitBootServices";
	if (status == DOOR_FULL)
		return "the firmware's store is full";
	return "the firmware does not take the variable";
}

const char *nvram_write(const void *report, size_t bytes, void *back, bool *full)
{
	struct saved_memory *m = memory();
	enum door_status status;

	*full = false;
	if (m) {
		memcpy(m->value, report, bytes);
		m->bytes = bytes;
		return NULL;
	}
	status = nvram_set(DOOR_OURS, SAVED_NAME, DOOR_PERSISTENT, report, bytes);
	*full = status == DOOR_FULL;
	if (status != DOOR_OK)
		return explain(status);
	if (!get_whole(DOOR_OURS, SAVED_NAME, back, bytes) || memcmp(back, report, bytes))
		return "the firmware took the variable and has lost it";
	return NULL;
}

bool nvram_remove(void)
{
	enum door_status status = nvram_set(DOOR_OURS, SAVED_NAME, DOOR_PERSISTENT, NULL, 0);

	return status == DOOR_OK || status == DOOR_NONE;
}

bool nvram_entry(uint16_t *number)
{
	return get_whole(DOOR_FIRMWARES, "BootCurrent", number, sizeof(*number));
}

bool nvram_entry_is_ours(uint16_t number)
{
	uint8_t *option = door.pages(OPTION_MAX, 0), path[DOOR_PATH_MAX];
	char name[] = "Boot0000";
	size_t bytes = OPTION_MAX;
	bool by_shim;
	size_t count = door.variable->image_path(path, &by_shim);

	for (unsigned i = 0; i < 4; i++)
		name[4 + i] = "0123456789ABCDEF"[number >> (12 - 4 * i) & 15];
	return option && count && nvram_get(DOOR_FIRMWARES, name, option, &bytes) == DOOR_OK &&
	       boot_path_option_leads(option, bytes, path, count, by_shim);
}

static bool get_boot_next(uint16_t *number)
{
	return get_whole(DOOR_FIRMWARES, "BootNext", number, sizeof(*number));
}

static bool set_boot_next(const uint16_t *number)
{
	return nvram_set(DOOR_FIRMWARES, "BootNext", DOOR_PERSISTENT, number,
			 number ? sizeof(*number) : 0) == DOOR_OK;
}

bool nvram_boot_next(uint16_t number, unsigned *writes)
{
	uint16_t next;

	++*writes;
	return set_boot_next(&number) && get_boot_next(&next) && next == number;
}

unsigned nvram_pending(void)
{
	uint8_t runs;

	return get_whole(DOOR_OURS, "NoisefloorPending", &runs, sizeof(runs)) ? runs : 0;
}

bool nvram_set_pending(unsigned runs, unsigned *writes)
{
	const uint8_t value = (uint8_t)runs;

	if (runs == nvram_pending())
		return true;
	++*writes;
	nvram_set(DOOR_OURS, "NoisefloorPending", DOOR_BOOT, &value, runs != 0);
	return nvram_pending() == runs;
}

void nvram_clear_boot_next(void)
{
	uint16_t next, current;

	if (get_boot_next(&next) && nvram_entry(&current) && next == current)
		set_boot_next(NULL);
}

bool nvram_is_marked(void)
{
	uint8_t mark;

	return get_whole(DOOR_OURS, "NoisefloorHarvested", &mark, sizeof(mark));
}

void nvram_mark(void)
{
	const uint8_t mark = 1;

	nvram_set(DOOR_OURS, "NoisefloorHarvested", DOOR_VOLATILE, &mark, sizeof(mark));
}
