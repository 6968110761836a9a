/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the configuration comes from. */
#include "options.h"

#include "firmware.h"
#include "efi/net/pxe.h"
#include "serial_choice.h"
#include "threshold.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

#define CONFIG_FILE L"noisefloor.conf"
#define PATH_CHARS  256

static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static EFI_GUID file_info_guid = EFI_FILE_INFO_ID;

void options_complain(void *ctx, const char *source, unsigned line, const char *text)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	if (line)
		text_add(&t, "%s:%u: %s", source, line, text);
	else
		text_add(&t, "%s: %s", source, text);
	complaints_add(ctx, "error", t.buf);
}

static uint64_t file_bytes(EFI_FILE_HANDLE file)
{
	/* The structure ends with the file's name, of any length. */
	uint64_t buffer[(sizeof(EFI_FILE_INFO) + 2 * PATH_CHARS) / 8 + 1];
	UINTN size = sizeof(buffer);

	if (EFI_ERROR(file->GetInfo(file, &file_info_guid, &size, buffer)))
		return 0;
	return ((const EFI_FILE_INFO *)(const void *)buffer)->FileSize;
}

static void apply_file(struct options *o, EFI_FILE_HANDLE file)
{
	static const struct config_source source = { .name = "noisefloor.conf" };
	uint64_t bytes = file_bytes(file);
	/* One byte more than the limit: a longer file shows. */
	UINTN size = bytes < CONFIG_TEXT_MAX + 1 ? (UINTN)bytes : CONFIG_TEXT_MAX + 1;
	char *text = firmware_pages(CONFIG_TEXT_MAX + 1, 0);

	if (!text || EFI_ERROR(file->Read(file, &size, text))) {
		options_complain(o->complaints, source.name, 0,
				 "the file is there but cannot be read");
		o->mistakes++;
	} else {
		o->mistakes += config_apply(&o->config, &source, text,
					    size > CONFIG_TEXT_MAX ? (size_t)bytes : size,
					    options_complain, o->complaints);
	}
	if (text)
		firmware_boot()->FreePages((uintptr_t)text, (CONFIG_TEXT_MAX + 4096) / 4096);
}

/* The image's own folder, with its last backslash, from its device path; "" when it is no file. */
static void image_folder(const EFI_LOADED_IMAGE *image, CHAR16 *folder)
{
	const EFI_DEVICE_PATH *node = image->FilePath;
	size_t n = 0, end = 0;

	for (; node && !IsDevicePathEnd(node); node = NextDevicePathNode(node)) {
		const CHAR16 *name = ((const FILEPATH_DEVICE_PATH *)(const void *)node)->PathName;

		size_t bytes = (size_t)DevicePathNodeLength(node);

		if (bytes < sizeof(*node))
			break;
		if (DevicePathType(node) != MEDIA_DEVICE_PATH ||
		    DevicePathSubType(node) != MEDIA_FILEPATH_DP)
			continue;

		size_t chars = (bytes - sizeof(*node)) / sizeof(CHAR16);

		for (size_t i = 0; i < chars && name[i] && n < PATH_CHARS - 32; i++) {
			folder[n++] = name[i];
			if (name[i] == L'\\')
				end = n;
		}
	}
	folder[end] = 0;
}

static bool open_in(EFI_FILE_HANDLE root, CHAR16 *folder, EFI_FILE_HANDLE *file)
{
	static const CHAR16 name[] = CONFIG_FILE;
	size_t n = 0;

	while (folder[n])
		n++;
	memcpy(folder + n, name, sizeof(name));
	return root->Open(root, file, folder, EFI_FILE_MODE_READ, 0) == EFI_SUCCESS;
}

static void read_file(struct options *o, const EFI_LOADED_IMAGE *image)
{
	EFI_FILE_IO_INTERFACE *volume;
	EFI_FILE_HANDLE root, file;
	CHAR16 beside[PATH_CHARS], top[PATH_CHARS] = L"\\";

	if (!image->DeviceHandle ||
	    EFI_ERROR(firmware_boot()->HandleProtocol(image->DeviceHandle, &file_system_guid,
						      (void **)&volume)) ||
	    EFI_ERROR(volume->OpenVolume(volume, &root)))
		return;
	image_folder(image, beside);
	if (open_in(root, beside, &file) || open_in(root, top, &file)) {
		apply_file(o, file);
		file->Close(file);
	}
	root->Close(root);
}

/*
 * Some firmware hands each boot entry a GUID or other data of its own. What holds
 * no '=' cannot hold a key.
 */
static bool may_hold_keys(const EFI_LOADED_IMAGE *image)
{
	return image->LoadOptions && image->LoadOptionsSize &&
	       memchr(image->LoadOptions, '=', image->LoadOptionsSize);
}

static void read_load_options(struct options *o, const EFI_LOADED_IMAGE *image)
{
	static const struct config_source source = { .name = "load options", .one_line = true };
	char *text = firmware_pages(CONFIG_TEXT_MAX, 0);
	size_t bytes = 0;

	if (!text || !may_hold_keys(image))
		return;
	if (!config_options_are_text(image->LoadOptions, image->LoadOptionsSize)) {
		complaints_add(o->complaints, "warning",
			       "load options: they are not text; ignored");
		return;
	}
	o->mistakes += config_from_options(&source, image->LoadOptions, image->LoadOptionsSize,
					   text, CONFIG_TEXT_MAX, &bytes, options_complain,
					   o->complaints);
	o->mistakes += config_apply(&o->config, &source, text, bytes, options_complain,
				    o->complaints);
}

/* `report` may name the boot server without its address: from here on it has one, or is none. */
static unsigned find_boot_server(struct options *o, config_complaint *complain, void *ctx)
{
	struct config *c = &o->config;
	struct config_place place = config_where(c, "report");
	bool is_named = c->report.kind == REPORT_AUTO || c->report.kind == REPORT_UDP;
	bool is_needed = c->report.kind == REPORT_UDP;

	if (!is_named || c->report.host.family != IPADDR_NONE)
		return 0;
	if (o->lease.server.family != IPADDR_NONE) {
		c->report.kind = REPORT_UDP;
		c->report.host = o->lease.server;
		return 0;
	}
	c->report.kind = REPORT_NONE;
	if (is_needed)
		complain(ctx, place.source, place.line,
			 "report=udp is the PXE boot server, and there is none; accepted: "
			 "report=udp://address:port, or report=auto where it may be missing");
	return is_needed;
}

void options_read(struct options *o)
{
	EFI_LOADED_IMAGE *image;

	config_defaults(&o->config);
	o->config.no_smi = ISA_NO_SMI;
	if (EFI_ERROR(firmware_boot()->HandleProtocol(firmware_image(), &loaded_image_guid,
						      (void **)&image)))
		return;
	read_file(o, image);
	pxe_read(o, image->DeviceHandle);
	read_load_options(o, image);
}

unsigned options_verify(struct options *o, config_complaint *complain, void *ctx)
{
	uint32_t found = o->machine->acpi.cpu_count ? o->machine->acpi.cpu_count : 1;
	unsigned mistakes = find_boot_server(o, complain, ctx) +
			    serial_choice_check(&o->config, o->machine, complain, ctx);
	uint64_t hz = o->machine->clock.hz;

	mistakes += config_check(&o->config, found, complain, ctx);
	return mistakes + (hz ? threshold_check(&o->config, hz, complain, ctx) : 0);
}

static void refuse_sealed(struct options *o)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t,
		 "this is an %s guest, whose memory and cores cannot be taken over: measure in a "
		 "guest without it, or on its host",
		 o->machine->sealed);
	complaints_add(o->complaints, "error", t.buf);
	o->mistakes++;
}

void options_check(struct options *o)
{
	if (o->machine->sealed) {
		o->mistakes += serial_choice_check(&o->config, o->machine, options_complain,
						   o->complaints);
		refuse_sealed(o);
		return;
	}
	o->mistakes += options_verify(o, options_complain, o->complaints);
	if (o->machine->clock.hz)
		return;
	complaints_add(o->complaints, "error",
		       "the TSC's rate is unknown: no CPUID leaf 15h or 16h, no hypervisor that "
		       "reports it, no HPET, no PM timer, no RTC");
	o->mistakes++;
}
