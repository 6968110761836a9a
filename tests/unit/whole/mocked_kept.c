/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what runs left on the volume and in the variables. */
#include "mocked_inside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/common/test.h"

struct mocked_storage *mocked_storage_new(void)
{
	struct mocked_storage *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(s != MAP_FAILED);
	return s;
}

void mocked_storage_free(struct mocked_storage *s)
{
	munmap(s, sizeof(*s));
}

void mocked_storage_copy(struct mocked_storage *to, const struct mocked_storage *from)
{
	memcpy(to, from, offsetof(struct mocked_storage, file));
	for (unsigned i = 0; i < MOCKED_FILES; i++) {
		mocked_content_copy(&to->file[i].now, &from->file[i].now);
		mocked_content_copy(&to->file[i].kept, &from->file[i].kept);
		to->file[i].changed_from = from->file[i].changed_from;
		to->file[i].is_written = from->file[i].is_written;
	}
	for (unsigned i = 0; i < MOCKED_VARIABLES; i++) {
		to->variable[i].is_there = from->variable[i].is_there;
		if (from->variable[i].is_there)
			to->variable[i] = from->variable[i];
	}
}

static bool ends_with(const struct mocked_content *c, const char *ending)
{
	size_t all = strlen(c->name), bytes = strlen(ending);

	return c->is_there && !c->is_folder && all >= bytes &&
	       !strcmp(c->name + all - bytes, ending);
}

size_t mocked_files(const struct mocked_storage *s, const char *ending)
{
	size_t count = 0;

	for (unsigned i = 0; i < MOCKED_FILES; i++)
		count += ends_with(&s->file[i].kept, ending);
	return count;
}

const struct mocked_content *mocked_file(const struct mocked_storage *s, const char *ending)
{
	const struct mocked_content *found = NULL;

	assert_int_equal(mocked_files(s, ending), 1);
	for (unsigned i = 0; i < MOCKED_FILES; i++)
		if (ends_with(&s->file[i].kept, ending))
			found = &s->file[i].kept;
	return found;
}

char *mocked_file_text(const struct mocked_content *file)
{
	char *text = malloc(file->bytes + 1);

	assert_non_null(text);
	memcpy(text, file->data, file->bytes);
	text[file->bytes] = '\0';
	return text;
}

json_t *mocked_file_records(const struct mocked_content *file, bool is_torn)
{
	char *text = mocked_file_text(file), *line = text;
	json_t *records = mocked_lend(json_array());
	int64_t lines = 0;

	while (*line) {
		size_t bytes = strcspn(line, "\n");
		json_t *record = json_loadb(line, bytes, 0, NULL);

		if (is_torn && (!record || line[bytes] != '\n')) {
			json_decref(record);
			break;
		}
		if (!record || line[bytes] != '\n')
			fail_msg("%s has a line that is no record: %.200s", file->name, line);
		assert_int_equal(mocked_number(record, "seq"), lines++);
		mocked_add_record(records, record);
		line += bytes + 1;
	}
	free(text);
	return records;
}

struct mocked_variable *mocked_variable(struct mocked_storage *s, const char *name)
{
	for (unsigned i = 0; i < MOCKED_VARIABLES; i++)
		if (s->variable[i].is_there && !strcmp(s->variable[i].name, name))
			return &s->variable[i];
	return NULL;
}

bool mocked_is_clean(const struct mocked_storage *s)
{
	for (unsigned i = 0; i < MOCKED_VARIABLES; i++)
		if (s->variable[i].is_there && s->variable[i].lasting != DOOR_VOLATILE)
			return false;
	return true;
}

/* ---- Records ---- */

static bool has_record(const json_t *records, const json_t *wanted)
{
	json_t *record;
	size_t i;

	json_array_foreach(records, i, record) if (json_equal(record, wanted)) return true;
	return false;
}

void mocked_check_within(const json_t *part, const json_t *all, const char *type)
{
	json_t *some = mocked_of_type(part, type), *of = mocked_of_type(all, type), *record;
	size_t i;

	json_array_foreach(some, i, record) if (!has_record(of, record))
		fail_msg("a %s record is in the one only: %s", type, json_dumps(record, 0));
}

void mocked_check_same(const json_t *a, const json_t *b, const char *type)
{
	mocked_check_within(a, b, type);
	mocked_check_within(b, a, type);
}

void mocked_check_totals(const json_t *records)
{
	json_t *ends = mocked_of_type(records, "end"), *total;
	const char *type;

	assert_int_equal(json_array_size(ends), 1);
	json_object_foreach(json_object_get(json_array_get(ends, 0), "records"), type, total)
	{
		assert_int_equal(json_array_size(mocked_of_type(records, type)),
				 json_integer_value(total));
	}
}
