/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that a person presses, before the run and between its windows. */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>

/* True if a person may be there. Then the run asks before it starts, and waits before it leaves. */
bool keys_person(const struct config *config);

/* Called between windows. True if somebody wants the run to end; *by is the key, if it is known. */
bool keys_stop(const char **by);

/* The live page's line about these keys. */
const char *keys_hint(void);

#define KEYS_POLL_MS 20u

/* Wait KEYS_POLL_MS, between two looks for a key. */
void keys_poll_later(void);

/* Drop all keys pressed so far. The firmware must be alive. */
void keys_drain(void);

/* Wait for a key, at most so many seconds. False: there was none. The firmware must be alive. */
bool keys_wait(unsigned seconds);
