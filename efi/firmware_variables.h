/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables. Source: UEFI 2.10, 8.2 (variable services). */
#pragma once

#include "probe/door.h"

/* Implement the functions of struct door_variables. */
enum door_status firmware_variable_get(enum door_owner owner, const char *name, void *value,
				       size_t *bytes);
enum door_status firmware_variable_set(enum door_owner owner, const char *name,
				       enum door_lasting lasting, const void *value, size_t bytes);
bool firmware_variable_room(uint64_t *store, uint64_t *left, uint64_t *most);

/* Implements door.image_path(). */
size_t firmware_variable_image(uint8_t path[DOOR_PATH_MAX], bool *by_shim);
