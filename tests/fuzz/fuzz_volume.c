/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's file system that lies, where the configuration comes from and records are saved;
 * and its load options. The input has the answers.
 *
 * Whatever they are, all that was opened is closed, no records of another run are lost, a
 * configuration that did not come whole is reported, and a file of which nothing is reported holds
 * what was written to it.
 */
#include "efi/firmware.h"
#include "probe/save/volume.h"
#include "probe/options.h"

#include "tests/fuzz/file_system.h"

#define ORDERS_MAX 64
#define ADDED_MAX  16384u /* most bytes that fit although no flush has confirmed them */
#define SID        UINT64_C(0x0123456789abcdef)

enum asked { ASK_OPTIONS, ASK_VOLUME, ASKED };

static struct {
	EFI_LOADED_IMAGE image;
	bool no_volume;
} fw;

/* The sampling loop is not tested here. */
unsigned options_check_threshold(const struct config *config, uint64_t hz,
				 config_complaint *complain, void *ctx)
{
	(void)config, (void)hz, (void)complain, (void)ctx;
	return 0;
}

const struct door door = {
	.pages = firmware_pages,
	.read_options = firmware_options_read,
	.file = &firmware_files,
	.variable = &firmware_variables,
};

/* ---- What is asked ---- */

static EFI_STATUS handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **interface)
{
	(void)handle;
	if (is_guid(guid, (EFI_GUID)EFI_LOADED_IMAGE_PROTOCOL_GUID))
		*interface = &fw.image;
	else if (is_guid(guid, (EFI_GUID)EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID) && !fw.no_volume)
		*interface = &fs.volume;
	else if (is_guid(guid, (EFI_GUID)EFI_DEVICE_PATH_PROTOCOL_GUID))
		*interface = take_path();
	else
		return EFI_UNSUPPORTED;
	return EFI_SUCCESS;
}

static void ignore(void *ctx, const char *source, unsigned line, const char *text)
{
	(void)ctx, (void)source, (void)line, (void)text;
}

/* If nothing was reported, all of the file was applied. */
static void check_applied(const struct config *got, const struct file *file)
{
	static const struct config_source source = { .name = "expected" };
	struct config want;

	config_defaults(&want);
	if (file && !fw.no_volume)
		config_apply(&want, &source, (const char *)file->data, file->bytes, ignore, NULL);
	insist(got->duration_ns == want.duration_ns && got->threshold_ns == want.threshold_ns &&
	       got->stages == want.stages && got->save == want.save && got->then == want.then);
}

/* The probe knows no other size of load options, so a false size has to be an impossible one. */
static void lay_load_options(void)
{
	size_t bytes = take_number(2);
	uint8_t *at = bytes ? services_allocate(bytes) : NULL;

	take_bytes(at, bytes);
	fw.image.LoadOptions = at;
	fw.image.LoadOptionsSize = (UINT32)bytes;
	if (at && services.flags & SIZES_LIE && take_byte() & 1)
		fw.image.LoadOptionsSize = UINT32_MAX - take_byte();
}

static void ask_options(void)
{
	static struct options o;
	uint8_t given = take_byte();

	fw.no_volume = given & 1;
	fw.image.FilePath = given & 2 ? take_path() : NULL;
	if (given & 4)
		lay_file(L"noisefloor.conf", true);
	if (given & 8)
		lay_load_options();
	memset(&o, 0, sizeof(o));
	o.machine = &services.machine;
	options_read(&o);
	insist(!o.mistakes || services.complained);
	if (!services.complained && !fw.image.LoadOptions)
		check_applied(&o.config, find(L"noisefloor.conf"));
	services.machine.clock.hz = 1;
	options_check(&o);
}

static bool is_ours(const struct file *f)
{
	return f->bytes >= 31 && memcmp(f->data + 15, "0123456789abcdef", 16) == 0;
}

/* Bytes added so far. */
static struct {
	uint8_t bytes[FILE_BYTES];
	size_t count;
} want;

static void add(struct volume_file *f)
{
	size_t count = take_number(2) % (ADDED_MAX + 1);
	uint8_t *bytes;

	if (count > FILE_BYTES - want.count)
		return;
	bytes = services_allocate(count + !count);
	memset(bytes, take_byte(), count);
	memcpy(want.bytes + want.count, bytes, count);
	want.count += count;
	if (volume_add(f, bytes, count))
		volume_flush(f);
	services_free(bytes);
}

static void write_file(struct volume_file *f)
{
	for (unsigned i = 0; i < ORDERS_MAX && f->handle && take_more(); i++) {
		uint8_t order = take_byte() % 4;

		if (order == 3)
			break;
		if (order < 2)
			add(f);
		else
			volume_flush(f);
	}
}

static void check_problem(const struct volume *v)
{
	insist(v->problem);
	insist_showable(v->problem, 80);
}

static void save(struct volume *v, struct text *name)
{
	struct volume_file f = { .volume = NULL };
	CHAR16 wide[32] = { 0 };
	const struct file *file;

	want.count = 0;
	if (!volume_create(v, &f, name->buf)) {
		check_problem(v);
		return;
	}
	write_file(&f);
	if (!volume_close(&f)) {
		check_problem(v);
		return;
	}
	for (size_t i = 0; i < name->len; i++)
		wide[i] = (CHAR16)name->buf[i];
	file = find(wide);
	insist(file && file->bytes == want.count &&
	       memcmp(file->data, want.bytes, want.count) == 0);
}

static void ask_volume(void)
{
	static const CHAR16 *const names[] = { L"a.jsonl", L"a-2.jsonl" };
	struct volume v = { .folder = NULL };
	unsigned runs;
	TEXT_DEFINE(name, 32);
	bool kept;

	for (unsigned i = 0, count = take_byte() % 3; i < count; i++)
		lay_file(names[i], true);
	if (take_byte() & 1)
		lay_file(L"pending", false);
	for (unsigned i = 0; i < FILES; i++)
		fs.file[i].foreign &= !is_ours(&fs.file[i]);
	text_add(&name, "a");
	if (!volume_open(&v)) {
		check_problem(&v);
		return;
	}
	if (volume_choose(&v, &name, SID))
		save(&v, &name);
	else
		check_problem(&v);
	runs = take_byte();
	kept = volume_set_pending(&v, runs);
	door.file->close(v.folder);
	services.flags = 0;
	insist(!kept || volume_pending() == (runs > 9 ? 9 : runs));
}

static EFI_BOOT_SERVICES boot = {
	.AllocatePages = allocate_pages,
	.FreePages = free_pages,
	.LocateHandleBuffer = no_handles,
	.LocateDevicePath = no_device,
	.HandleProtocol = handle_protocol,
	.SetWatchdogTimer = set_watchdog,
};

static EFI_STATUS get_variable(CHAR16 *name, EFI_GUID *guid, UINT32 *attributes, UINTN *bytes,
			       void *value)
{
	(void)name, (void)guid, (void)attributes, (void)bytes, (void)value;
	return EFI_NOT_FOUND;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable };

FUZZ(0, SIZE_MAX)
{
	static void (*const ask[ASKED])(void) = { ask_options, ask_volume };
	static EFI_SYSTEM_TABLE table = { .BootServices = &boot, .RuntimeServices = &runtime };

	memset(&fw, 0, sizeof(fw));
	fw.image.DeviceHandle = &fw;
	file_system_start();
	services_start(data, bytes, &fw, &table);
	ask[services.flags % ASKED]();
	file_system_end();
	services_end();
}
