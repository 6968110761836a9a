/* SPDX-License-Identifier: BSD-2-Clause */
/* Mails as they are transferred and archived (RFC 2045): what is encoded in them, decoded. */
#pragma once

#include <stddef.h>

/*
 * The text of mails, in which the bodies of parts that are quoted-printable or base64 are decoded
 * and all else is as it was. Lines of quoted-printable keep their number. `to` has room for
 * `bytes` + 1. How many there are; 0: nothing in it is encoded.
 */
size_t tool_mail_decode(const char *text, size_t bytes, char *to);
