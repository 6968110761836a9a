/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The services that mode=services measures: UEFI's runtime services here, the others in
 * probe/runtime.h. SetVirtualAddressMap is never called, so addresses are physical. Source:
 * UEFI 2.10, chapter 8.
 */
#include "firmware.h"

#include "probe/app.h"
#include "probe/runtime.h"
#include "probe/save/nvram.h"

#define NAME_CHARS  256u
#define NAMES_MAX   4096u       /* a bound, since firmware may never end its list */
#define VALUE_BYTES (64u << 10) /* size of the largest variable that is read */
#define OWN_ROOM    4096u       /* bytes of the store that must stay free after all writes */
#define OWN_BYTES   128u        /* bytes that a write adds to the store's log: head, name, value */
#define OWN_NAME    L"NoisefloorService"

struct variable {
	CHAR16 name[NAME_CHARS];
	EFI_GUID guid;
	UINTN bytes;
};

static struct {
	struct variable small, large, at; /* at: the place in the list of names */
	uint8_t *value;                   /* VALUE_BYTES */
	uint64_t written;
} services;

/* ---- Runtime services ---- */

static EFI_STATUS get_time(void)
{
	EFI_TIME time;

	return firmware_runtime()->GetTime(&time, NULL);
}

static EFI_STATUS firmware_services_get(struct variable *v)
{
	UINTN bytes = VALUE_BYTES;

	return firmware_runtime()->GetVariable(v->name, &v->guid, NULL, &bytes, services.value);
}

static EFI_STATUS get_absent(void)
{
	UINTN bytes = VALUE_BYTES;
	EFI_STATUS status = firmware_runtime()->GetVariable(L"NoisefloorAbsent", &firmware_own_guid,
							    NULL, &bytes, services.value);

	return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

static EFI_STATUS get_small(void)
{
	return firmware_services_get(&services.small);
}

static EFI_STATUS get_large(void)
{
	return firmware_services_get(&services.large);
}

static EFI_STATUS firmware_services_next(struct variable *at)
{
	UINTN bytes = sizeof(at->name);

	return firmware_runtime()->GetNextVariableName(&bytes, at->name, &at->guid);
}

/* Go through the list of names to its end. */
static EFI_STATUS list(void)
{
	EFI_STATUS status = EFI_SUCCESS;

	services.at.name[0] = 0;
	for (unsigned n = 0; n < NAMES_MAX && status == EFI_SUCCESS; n++)
		status = firmware_services_next(&services.at);
	return status == EFI_NOT_FOUND ? EFI_SUCCESS : status;
}

static EFI_STATUS query_variables(void)
{
	UINT64 store, left, most;

	return firmware_runtime()->QueryVariableInfo(FIRMWARE_PERSISTENT, &store, &left, &most);
}

static EFI_STATUS query_capsule(void)
{
	EFI_CAPSULE_HEADER capsule = { .CapsuleGuid = firmware_own_guid,
				       .HeaderSize = sizeof(capsule),
				       .CapsuleImageSize = sizeof(capsule) };
	EFI_CAPSULE_HEADER *all[] = { &capsule };
	UINT64 most;
	EFI_RESET_TYPE reset;

	return firmware_runtime()->QueryCapsuleCapabilities(all, 1, &most, &reset);
}

/* Write a new value each time: firmware may skip the write of an unchanged one. */
static EFI_STATUS set_variable(void)
{
	services.written++;
	return firmware_runtime()->SetVariable(OWN_NAME, &firmware_own_guid, FIRMWARE_PERSISTENT,
					       sizeof(services.written), &services.written);
}

/* ---- Before and after ---- */

static void services_prepare(void)
{
	services.value = firmware_pages(VALUE_BYTES, 0);
}

static void look_at_one(struct variable *at)
{
	at->bytes = 0;
	if (firmware_runtime()->GetVariable(at->name, &at->guid, NULL, &at->bytes, NULL) !=
		    EFI_BUFFER_TOO_SMALL ||
	    at->bytes > VALUE_BYTES)
		return;
	if (!services.small.bytes || at->bytes < services.small.bytes)
		services.small = *at;
	if (at->bytes > services.large.bytes)
		services.large = *at;
}

/* Find the smallest and the largest variable that can be read in this stage. */
static void find_variables(void *at)
{
	services.small.bytes = services.large.bytes = 0;
	services.at.name[0] = 0;
	for (unsigned n = 0; n < NAMES_MAX && firmware_services_next(at) == EFI_SUCCESS; n++)
		look_at_one(at);
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

static const char *open_writes(void)
{
	const struct config *c = &app->options.config;
	uint64_t left = 0, most = c->service_writes.value;
	EFI_STATUS status;

	if (most > c->service_calls.value)
		most = c->service_calls.value;
	if (!runtime_call(ask_left, &left) || left < OWN_ROOM + most * OWN_BYTES)
		return "there is no room for a variable, or it is not known";
	report_log(&app->report, "info",
		   "set_variable: NoisefloorService is written %u times, and deleted: %u writes "
		   "to flash memory",
		   (unsigned)most, (unsigned)most + 1);
	/*
	 * Delete what an interrupted run may have left: writing the same value again would be no
	 * write.
	 */
	return runtime_call(delete_own, &status) ? NULL : "an exception ended its deletion";
}

static const char *services_open(enum config_service service)
{
	bool is_2_0 = firmware_runtime()->Hdr.Revision >= FIRMWARE_UEFI_2_0;

	if (!services.value)
		return "there is no memory for it";
	if (!is_2_0 && (service == SERVICE_QUERY_VARIABLES || service == SERVICE_QUERY_CAPSULE))
		return "the firmware is older than UEFI 2.0";
	if (service == SERVICE_SET_VARIABLE)
		return open_writes();
	if (service != SERVICE_GET_VARIABLE_SMALL && service != SERVICE_GET_VARIABLE_LARGE)
		return NULL;
	if (!runtime_call(find_variables, &services.at))
		return "an exception ended a look at all variables";
	return services.large.bytes ? NULL : "there is no variable that can be read";
}

static void services_close(enum config_service service, bool is_broken)
{
	EFI_STATUS status = EFI_SUCCESS;

	if (service != SERVICE_SET_VARIABLE)
		return;
	if (is_broken || !runtime_call(delete_own, &status) || EFI_ERROR(status))
		report_log(&app->report, "warning",
			   "set_variable: NoisefloorService could not be deleted");
}

const struct door_services firmware_services = {
	.call = {
		[SERVICE_GET_TIME] = get_time,
		[SERVICE_GET_VARIABLE_ABSENT] = get_absent,
		[SERVICE_GET_VARIABLE_SMALL] = get_small,
		[SERVICE_GET_VARIABLE_LARGE] = get_large,
		[SERVICE_NEXT_VARIABLE] = list,
		[SERVICE_QUERY_VARIABLES] = query_variables,
		[SERVICE_QUERY_CAPSULE] = query_capsule,
		[SERVICE_SET_VARIABLE] = set_variable,
	},
	.prepare = services_prepare,
	.open = services_open,
	.close = services_close,
};
