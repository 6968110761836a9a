/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The services that mode=services measures: UEFI's runtime services here, the others in
 * probe/runtime.h. SetVirtualAddressMap is never called, so addresses are physical. Source:
 * UEFI 2.10, chapter 8.
 */
#include "firmware.h"

#include "probe/app.h"
#include "probe/platform/platform_firmware.h"
#include "probe/runtime.h"
#include "probe/save/nvram.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/modes/services/service_room.h"

#define NAME_CHARS  256u
#define NAMES_MAX   4096u       /* a bound, since firmware may never end its list */
#define VALUE_BYTES (64u << 10) /* size of the largest variable that is read */
#define OWN_ROOM    4096u       /* bytes of the store that must stay free after all writes */
#define OWN_BYTES   128u        /* bytes that a write adds to the store's log: head, name, value */
#define ERROR       ((UINT64_C(1) << 63)) /* the error bit of an EFI_STATUS */
#define OWN_NAME    L"NoisefloorService"

struct variable {
	CHAR16 name[NAME_CHARS];
	EFI_GUID guid;
	UINTN bytes;
};

struct services {
	struct app *app;
	struct service_room *room;
	struct variable small, large, at; /* at: the place in the list of names */
	uint8_t *value;                   /* VALUE_BYTES */
	uint64_t written;
	const char *broken; /* why no runtime service is called any more: one took an exception */
	/* Arguments of the current call, for functions that take only a context. */
	enum config_service service;
	struct service_call *call;
};

static struct services services;

/* ---- Runtime services ---- */

static EFI_STATUS get_time(struct services *s)
{
	EFI_TIME time;

	(void)s;
	return firmware_runtime()->GetTime(&time, NULL);
}

static EFI_STATUS firmware_services_get(struct services *s, struct variable *v)
{
	UINTN bytes = VALUE_BYTES;

	return firmware_runtime()->GetVariable(v->name, &v->guid, NULL, &bytes, s->value);
}

static EFI_STATUS get_absent(struct services *s)
{
	UINTN bytes = VALUE_BYTES;
	EFI_STATUS status = firmware_runtime()->GetVariable(L"NoisefloorAbsent", &firmware_own_guid,
							    NULL, &bytes, s->value);

	return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

static EFI_STATUS get_small(struct services *s)
{
	return firmware_services_get(s, &s->small);
}

static EFI_STATUS get_large(struct services *s)
{
	return firmware_services_get(s, &s->large);
}

static EFI_STATUS firmware_services_next(struct variable *at)
{
	UINTN bytes = sizeof(at->name);

	return firmware_runtime()->GetNextVariableName(&bytes, at->name, &at->guid);
}

/* Go through the list of names to its end. */
static EFI_STATUS list(struct services *s)
{
	EFI_STATUS status = EFI_SUCCESS;

	s->at.name[0] = 0;
	for (unsigned n = 0; n < NAMES_MAX && status == EFI_SUCCESS; n++)
		status = firmware_services_next(&s->at);
	return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

static EFI_STATUS query_variables(struct services *s)
{
	UINT64 store, left, most;

	(void)s;
	return firmware_runtime()->QueryVariableInfo(FIRMWARE_PERSISTENT, &store, &left, &most);
}

static EFI_STATUS query_capsule(struct services *s)
{
	EFI_CAPSULE_HEADER capsule = { .CapsuleGuid = firmware_own_guid,
				       .HeaderSize = sizeof(capsule),
				       .CapsuleImageSize = sizeof(capsule) };
	EFI_CAPSULE_HEADER *all[] = { &capsule };
	UINT64 most;
	EFI_RESET_TYPE reset;

	(void)s;
	return firmware_runtime()->QueryCapsuleCapabilities(all, 1, &most, &reset);
}

/* Write a new value each time: firmware may skip the write of an unchanged one. */
static EFI_STATUS set_variable(struct services *s)
{
	s->written++;
	return firmware_runtime()->SetVariable(OWN_NAME, &firmware_own_guid, FIRMWARE_PERSISTENT,
					       sizeof(s->written), &s->written);
}

static EFI_STATUS (*const runtime[SERVICES])(struct services *s) = {
	[SERVICE_GET_TIME] = get_time,
	[SERVICE_GET_VARIABLE_ABSENT] = get_absent,
	[SERVICE_GET_VARIABLE_SMALL] = get_small,
	[SERVICE_GET_VARIABLE_LARGE] = get_large,
	[SERVICE_NEXT_VARIABLE] = list,
	[SERVICE_QUERY_VARIABLES] = query_variables,
	[SERVICE_QUERY_CAPSULE] = query_capsule,
	[SERVICE_SET_VARIABLE] = set_variable,
};

/* ---- One call ---- */

static void call_now(void *ctx)
{
	struct services *s = ctx;

	s->call->start = clock_now();
	s->call->status = runtime[s->service](s) & ~ERROR;
	s->call->end = clock_now();
}

static void firmware_services_call(void *ctx, enum config_service service, struct service_call *out)
{
	struct services *s = ctx;

	if (!runtime[service]) {
		runtime_device_call(s->app, service, out);
		return;
	}
	s->service = service;
	s->call = out;
	/* Live firmware handles its timer during the call, and needs its own state of the core. */
	if (!firmware_is_gone()) {
		s->app->last_words.others_watch = s->room->watched;
		platform_firmware_call(call_now, s);
		s->app->last_words.others_watch = false;
		return;
	}
	if (!runtime_call(call_now, s)) {
		out->end = clock_now();
		out->fault = arch_fault_text(&s->app->platform.cpu[0]);
		s->broken = "an exception ended an earlier call of a runtime service";
	}
	arch_mask_interrupts();
}

/* ---- Before and after ---- */

static void look_at_one(struct services *s)
{
	UINTN bytes = 0;

	if (firmware_runtime()->GetVariable(s->at.name, &s->at.guid, NULL, &bytes, NULL) !=
		    EFI_BUFFER_TOO_SMALL ||
	    bytes > VALUE_BYTES)
		return;
	s->at.bytes = bytes;
	if (!s->small.bytes || bytes < s->small.bytes)
		s->small = s->at;
	if (bytes > s->large.bytes)
		s->large = s->at;
}

/* Find the smallest and the largest variable that can be read in this stage. */
static void find_variables(void *ctx)
{
	struct services *s = ctx;

	s->small.bytes = s->large.bytes = 0;
	s->at.name[0] = 0;
	for (unsigned n = 0; n < NAMES_MAX && firmware_services_next(&s->at) == EFI_SUCCESS; n++)
		look_at_one(s);
}

static void delete_own(void *ctx)
{
	EFI_STATUS *status = ctx;

	*status = firmware_runtime()->SetVariable(OWN_NAME, &firmware_own_guid, FIRMWARE_PERSISTENT,
						  0, NULL);
}

static void ask_left(void *ctx)
{
	uint64_t *left = ctx;

	if (!nvram_left(left))
		*left = 0;
}

static bool outside(void (*what)(void *ctx), void *ctx)
{
	if (firmware_is_gone())
		return runtime_call(what, ctx);
	platform_firmware_call(what, ctx);
	return true;
}

static const char *open_writes(struct services *s)
{
	const struct config *c = &s->app->options.config;
	uint64_t left = 0, most = c->service_writes.value;
	EFI_STATUS status;

	if (most > c->service_calls.value)
		most = c->service_calls.value;
	if (!outside(ask_left, &left) || left < OWN_ROOM + most * OWN_BYTES)
		return "there is no room for a variable, or it is not known";
	report_log(&s->app->report, "info",
		   "set_variable: NoisefloorService is written %u times, and deleted: %u writes "
		   "to flash memory",
		   (unsigned)most, (unsigned)most + 1);
	/*
	 * Delete what an interrupted run may have left: writing the same value again would be no
	 * write.
	 */
	return outside(delete_own, &status) ? NULL : "an exception ended its deletion";
}

static const char *open_runtime(struct services *s, enum config_service service)
{
	bool is_2_0 = firmware_runtime()->Hdr.Revision >= FIRMWARE_UEFI_2_0;

	if (s->broken)
		return s->broken;
	if (!s->value)
		return "there is no memory for it";
	if (!is_2_0 && (service == SERVICE_QUERY_VARIABLES || service == SERVICE_QUERY_CAPSULE))
		return "the firmware is older than UEFI 2.0";
	if (service == SERVICE_SET_VARIABLE)
		return open_writes(s);
	if (service != SERVICE_GET_VARIABLE_SMALL && service != SERVICE_GET_VARIABLE_LARGE)
		return NULL;
	if (!outside(find_variables, s))
		return "an exception ended a look at all variables";
	return s->large.bytes ? NULL : "there is no variable that can be read";
}

static const char *open(void *ctx, enum config_service service)
{
	struct services *s = ctx;

	return runtime[service] ? open_runtime(s, service) : runtime_device_open(s->app, service);
}

static void close(void *ctx, enum config_service service)
{
	struct services *s = ctx;
	EFI_STATUS status = EFI_SUCCESS;

	if (service != SERVICE_SET_VARIABLE)
		return;
	if (s->broken || !outside(delete_own, &status) || EFI_ERROR(status))
		report_log(&s->app->report, "warning",
			   "set_variable: NoisefloorService could not be deleted");
}

static void lost(void *ctx)
{
	struct services *s = ctx;

	leave_lost(s->app, NULL);
}

void firmware_services(void *ctx, struct service_room *room)
{
	services.app = ctx;
	services.room = room;
	services.value = firmware_pages(VALUE_BYTES, 0);
	room->open = open;
	room->call = firmware_services_call;
	room->close = close;
	room->lost = lost;
	room->ctx = &services;
}
