/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's HTTP client, which gnu-efi does not have. Source: UEFI 2.10, 29.6. */
#pragma once

#include <efi.h>

#define HTTP_BINDING_GUID                                              \
	{                                                              \
		0xbdc8e6af, 0xd9bc, 0x4379,                            \
		{                                                      \
			0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c \
		}                                                      \
	}
#define HTTP_PROTOCOL_GUID                                             \
	{                                                              \
		0x7a59b29b, 0x910b, 0x4171,                            \
		{                                                      \
			0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b \
		}                                                      \
	}

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
	UINT32 code; /* a number of UEFI's own: http_status_number() */
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

/* The answer is an error's: its code is valid. */
#define HTTP_ERROR EFIERR(35)
