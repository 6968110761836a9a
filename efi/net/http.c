/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the configuration over HTTP. Sources: UEFI 2.10, 24.7 (HTTP boot) and 29.6 (HTTP); EDK II,
 * HttpDxe, for the statuses that it returns.
 */
#include "served.h"

#include "http_answer.h"
#include "uri.h"

#include "efi/firmware.h"
#include "probe/options.h"

#include "core/firmware/boot_path.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

#define PAGE_BYTES  4096u
#define URL_MAX     (URI_MAX + CONFIG_NAME_MAX)
#define HEADERS_MAX 256u /* further headers are ignored */
#define ANSWER_MS   5000u

static EFI_GUID binding_guid = {
	0xbdc8e6af, 0xd9bc, 0x4379, { 0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c }
};
static EFI_GUID http_guid = {
	0x7a59b29b, 0x910b, 0x4171, { 0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b }
};
static EFI_GUID load_file_guid = { /* EFI_LOAD_FILE_PROTOCOL: of cards that boot */
				   0x56ec3091,
				   0x954c,
				   0x11d2,
				   { 0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b }
};

/* The firmware's HTTP client, which gnu-efi does not have. Source: UEFI 2.10, 29.6. */

enum http_version { HTTP_VERSION_1_0, HTTP_VERSION_1_1 };
enum http_method { HTTP_GET };

/* EFI_HTTPv4_ACCESS_POINT, EFI_HTTPv6_ACCESS_POINT */
struct http_access_v4 {
	BOOLEAN use_default;
	EFI_IPv4_ADDRESS address, mask;
	UINT16 port;
};
struct http_access_v6 {
	EFI_IPv6_ADDRESS address;
	UINT16 port;
};

/* EFI_HTTP_CONFIG_DATA */
struct http_config {
	UINT32 version; /* enum http_version */
	UINT32 timeout_ms;
	BOOLEAN is_v6;
	void *access; /* struct http_access_v4 or _v6 */
};

/* EFI_HTTP_REQUEST_DATA, EFI_HTTP_RESPONSE_DATA, EFI_HTTP_HEADER */
struct http_request {
	UINT32 method; /* enum http_method */
	CHAR16 *url;
};
struct http_response {
	UINT32 code; /* a number of EFI_HTTP_STATUS_CODE: code_of() */
};
struct http_header {
	CHAR8 *name, *value;
};

/* EFI_HTTP_MESSAGE. Headers of an answer, and their texts, are from AllocatePool(). */
struct http_message {
	void *data; /* struct http_request or _response; NULL: more of the body */
	UINTN headers;
	struct http_header *header;
	UINTN bytes;
	void *body;
};

/* EFI_HTTP_TOKEN */
struct http_token {
	EFI_EVENT event;
	EFI_STATUS status;
	struct http_message *message;
};

/* EFI_HTTP_PROTOCOL */
struct http_protocol {
	EFI_STATUS(EFIAPI *mode)(struct http_protocol *http, struct http_config *config);
	EFI_STATUS(EFIAPI *configure)(struct http_protocol *http, struct http_config *config);
	EFI_STATUS(EFIAPI *request)(struct http_protocol *http, struct http_token *token);
	EFI_STATUS(EFIAPI *cancel)(struct http_protocol *http, struct http_token *token);
	EFI_STATUS(EFIAPI *response)(struct http_protocol *http, struct http_token *token);
	EFI_STATUS(EFIAPI *poll)(struct http_protocol *http);
};

/* EFI_HTTP_ERROR: the server answers with an error, and the code is valid. */
#define HTTP_ERROR EFIERR(35)

/* Files being fetched. Each one has its own instance of the client, and so its own connection. */
struct fetch {
	struct served served;
	struct uri uri;
	EFI_SERVICE_BINDING *binding;
	struct http_config config;
	struct http_access_v4 v4;
	struct http_access_v6 v6;

	EFI_HANDLE child;
	struct http_protocol *http;
	volatile bool done; /* the token's event was signalled */
	struct http_token token;
	struct http_message message;
	struct http_response response;
	struct http_answer answer;
	CHAR16 url[URL_MAX + 1];
};

/* One exchange */

static VOID EFIAPI notified(EFI_EVENT event, VOID *ctx)
{
	struct fetch *f = ctx;

	(void)event;
	f->done = true;
}

/* Wait until the client has finished a call, and return its status; EFI_TIMEOUT: it was late. */
static EFI_STATUS http_finish(struct fetch *f, EFI_STATUS begun)
{
	if (EFI_ERROR(begun))
		return begun;
	while (!f->done && !served_is_late(&f->served))
		f->http->poll(f->http);
	if (f->done)
		return f->token.status;
	f->http->cancel(f->http, &f->token);
	return EFI_TIMEOUT;
}

static void http_prepare(struct fetch *f, void *data)
{
	f->done = false;
	f->token.status = EFI_NOT_READY;
	f->token.message = &f->message;
	memset(&f->message, 0, sizeof(f->message));
	f->message.data = data;
}

static EFI_STATUS request(struct fetch *f, const char *name)
{
	struct http_header header[] = {
		{ (CHAR8 *)"Host", (CHAR8 *)f->uri.host },
		{ (CHAR8 *)"User-Agent", (CHAR8 *)"noisefloor" },
		{ (CHAR8 *)"Accept", (CHAR8 *)"*/*" },
	};
	struct http_request get = { HTTP_GET, f->url };
	TEXT_DEFINE(url, URL_MAX + 1);

	text_add(&url, "%s%s", f->uri.base, name);
	firmware_widen(f->url, URL_MAX + 1, url.buf);
	http_prepare(f, &get);
	f->message.headers = sizeof(header) / sizeof(header[0]);
	f->message.header = header;
	return http_finish(f, f->http->request(f->http, &f->token));
}

static void take_headers(struct fetch *f)
{
	struct http_message *m = &f->message;

	for (UINTN i = 0; m->header && i < m->headers; i++) {
		struct http_header *h = &m->header[i];

		if (i < HEADERS_MAX && h->name && h->value)
			http_answer_header(&f->answer, (char *)h->name, (char *)h->value);
		firmware_boot()->FreePool(h->name);
		firmware_boot()->FreePool(h->value);
	}
	if (m->header)
		firmware_boot()->FreePool(m->header);
}

/* Receive the first line and the headers. EFI_SUCCESS also for an answer with an error code. */
static EFI_STATUS answer(struct fetch *f)
{
	EFI_STATUS status;

	http_prepare(f, &f->response);
	status = http_finish(f, f->http->response(f->http, &f->token));
	if (status == HTTP_ERROR)
		status = EFI_SUCCESS;
	if (!EFI_ERROR(status))
		take_headers(f);
	return status;
}

/* Receive the body, f->answer.bytes of it, as the text. */
static EFI_STATUS body(struct fetch *f)
{
	EFI_STATUS status = EFI_SUCCESS;
	UINTN used = 0, left;

	while ((left = f->answer.bytes - used) && !EFI_ERROR(status)) {
		http_prepare(f, NULL);
		f->message.body = f->served.text + used;
		f->message.bytes = left;
		status = http_finish(f, f->http->response(f->http, &f->token));
		if (!EFI_ERROR(status) && f->message.bytes <= left)
			used += f->message.bytes;
		if (served_is_late(&f->served) && used < f->answer.bytes)
			status = EFI_TIMEOUT;
	}
	return status;
}

/* The meaning of an answer */

/* The HTTP code of a number of EFI_HTTP_STATUS_CODE, whose order the table has; 0: unknown. */
static uint16_t code_of(UINT32 status)
{
	static const uint16_t code[] = {
		0,   100, 101, 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304,
		305, 307, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412,
		413, 414, 415, 416, 417, 500, 501, 502, 503, 504, 505, 308, 429, 511,
	};

	return status < sizeof(code) / sizeof(code[0]) ? code[status] : 0;
}

/* True if there is no such file. Object stores that may not be listed answer 403 then. */
static bool is_absent(uint16_t code)
{
	return code == 403 || code == 404 || code == 410;
}

static void blame_code(struct fetch *f, const char *name, uint16_t code)
{
	bool redirects = code >= 300 && code < 400;
	TEXT_DEFINE(what, 120);

	if (!code)
		text_add(&what, "the server answers with a status that is not known");
	else
		text_add(&what, "the server answers with status %u%s", code,
			 redirects ? ", a redirection, which is not followed: the file has to be "
				     "where the image is"
				   : "");
	served_blame(&f->served, name, what.buf);
}

static void take_body(struct fetch *f, const char *name)
{
	const char *problem = http_answer_problem(&f->answer);
	EFI_STATUS status = EFI_BUFFER_TOO_SMALL;

	if (!problem && f->answer.bytes <= CONFIG_TEXT_MAX)
		status = body(f);
	if (problem)
		served_blame(&f->served, name, problem);
	else if (EFI_ERROR(status))
		served_blame_status(&f->served, name, status);
	else
		served_apply(&f->served, name, f->answer.bytes);
}

static bool exchange(struct fetch *f, const char *name)
{
	EFI_STATUS status;
	uint16_t code;

	f->response.code = 0;
	status = request(f, name);
	f->answer = (struct http_answer){ .bytes = 0 };
	if (!EFI_ERROR(status))
		status = answer(f);
	code = code_of(f->response.code);
	if (is_absent(code))
		return false;
	/* The code is valid even if the client refuses the rest of the answer, such as its body. */
	f->served.is_there = code || !EFI_ERROR(status);
	if (EFI_ERROR(status))
		served_blame_status(&f->served, name, status);
	else if (code == 200)
		take_body(f, name);
	else
		blame_code(f, name, code);
	return true;
}

/* The client */

static EFI_STATUS open_client(struct fetch *f)
{
	EFI_STATUS status;

	f->child = NULL;
	status = f->binding->CreateChild(f->binding, &f->child);
	if (EFI_ERROR(status))
		return status;
	f->http = firmware_protocol(f->child, &http_guid);
	return f->http ? f->http->configure(f->http, &f->config) : EFI_UNSUPPORTED;
}

static void close_client(struct fetch *f)
{
	if (f->http)
		f->http->configure(f->http, NULL);
	if (f->child)
		f->binding->DestroyChild(f->binding, f->child);
	f->http = NULL;
	f->child = NULL;
}

static bool http_ask(struct served *served, const char *name)
{
	struct fetch *f = (struct fetch *)(void *)served;
	EFI_STATUS status = open_client(f);
	bool over = true;

	if (EFI_ERROR(status))
		served_blame_status(served, name, status);
	else
		over = exchange(f, name);
	close_client(f);
	return over;
}

static void set_address(struct fetch *f, const struct boot_path_server *from)
{
	f->config = (struct http_config){ .version = HTTP_VERSION_1_1, .timeout_ms = ANSWER_MS };
	f->config.is_v6 = from->address.family == IPADDR_V6;
	f->config.access = f->config.is_v6 ? (void *)&f->v6 : &f->v4;
	memcpy(&f->v6.address, from->address.bytes, sizeof(f->v6.address));
	f->v4.use_default = from->address.family != IPADDR_V4 || from->mask.family != IPADDR_V4;
	memcpy(&f->v4.address, from->address.bytes, sizeof(f->v4.address));
	memcpy(&f->v4.mask, from->mask.bytes, sizeof(f->v4.mask));
}

static void http_fetch(struct fetch *f, const struct boot_path_server *from)
{
	struct options *o = f->served.options;
	struct config_names names;

	f->served.protocol = f->uri.scheme;
	f->served.server = f->uri.host;
	f->served.ask = http_ask;
	set_address(f, from);
	if (EFI_ERROR(firmware_boot()->CreateEvent(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, notified, f,
						   &f->token.event))) {
		complaints_add("warning", "http: the firmware makes no event");
		return;
	}
	config_names(&names, "", &o->machine->smbios, from->mac);
	served_fetch(&f->served, &names);
	firmware_boot()->CloseEvent(f->token.event);
}

/* Source of the image */

static size_t path_of(EFI_HANDLE device, const uint8_t **path)
{
	*path = firmware_protocol(device, &firmware_path_guid);
	return *path ? boot_path_bytes(*path, BOOT_PATH_MAX) : 0;
}

static bool names_server(EFI_HANDLE device, void *from)
{
	const uint8_t *path;
	size_t bytes = path_of(device, &path);

	return bytes && boot_path_server(path, bytes, from);
}

static bool is_ram_disk(EFI_HANDLE device)
{
	const uint8_t *path;
	size_t bytes = path_of(device, &path);

	return bytes && boot_path_medium(path, bytes) == BOOT_PATH_RAM_DISK;
}

static void read_from(struct options *o, EFI_HANDLE card, const struct boot_path_server *from)
{
	struct fetch *f = firmware_pages(sizeof(*f), 0);

	if (!f) {
		complaints_add("warning", "http: no memory for a configuration");
		return;
	}
	f->served.options = o;
	f->binding = firmware_protocol_above(card, &binding_guid);
	if (!uri_read(&f->uri, from->uri, from->uri_bytes)) {
		complaints_add("warning", "booted from a URI that is neither http nor https, or is "
					  "no URI: no configuration is fetched from there");
	} else {
		o->boot_server = f->uri.address;
		if (f->binding)
			http_fetch(f, from);
		else
			complaints_add("warning", "booted from a URI, but the firmware has no HTTP "
						  "client for programs: no configuration is "
						  "fetched from there");
	}
	firmware_boot()->FreePages((uintptr_t)f, (sizeof(*f) + PAGE_BYTES - 1) / PAGE_BYTES);
}

void served_by_http(struct options *o, EFI_HANDLE device)
{
	struct boot_path_server from;

	/* EDK II puts the URI of a RAM disk into the boot path of the card that has fetched it. */
	if (!names_server(device, &from))
		device = is_ram_disk(device) ? firmware_find(&load_file_guid, names_server, &from)
					     : NULL;
	if (device)
		read_from(o, device, &from);
}
