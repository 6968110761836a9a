/* SPDX-License-Identifier: BSD-2-Clause */
/* A boot server's configuration for this machine. */
#include "served.h"

#include "efi/firmware.h"
#include "probe/options.h"

#include "core/lib/text.h"

#define TICKS_PER_S 10000000u /* 100 ns, the unit of the firmware's timers */
#define PAGE_BYTES  4096u

static void served_complain(const struct served *s, const char *level, const char *name,
			    const char *what)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t, "%s %.80s: %s: %s", s->protocol, s->server, name, what);
	complaints_add(level, t.buf);
}

bool served_is_late(struct served *s)
{
	/* An event that was looked at is no longer signalled. */
	s->late = s->late || firmware_boot()->CheckEvent(s->deadline) == EFI_SUCCESS;
	return s->late;
}

void served_apply(struct served *s, const char *name, uint64_t bytes)
{
	struct options *o = s->options;
	struct config_source source = { .name = o->served_source };
	TEXT_DEFINE(what, 32);
	struct text t;

	text_add(&what, "%llu bytes", (unsigned long long)bytes);
	served_complain(s, "info", name, what.buf);
	text_init(&t, o->served_source, sizeof(o->served_source));
	text_add(&t, "%s:%s", s->protocol, name);
	o->mistakes += config_apply(&o->config, &source, s->text, (size_t)bytes, options_complain,
				    NULL);
}

void served_blame(struct served *s, const char *name, const char *what)
{
	served_complain(s, s->is_there ? "error" : "warning", name, what);
	s->options->mistakes += s->is_there;
}

void served_blame_status(struct served *s, const char *name, EFI_STATUS status)
{
	TEXT_DEFINE(what, 64);

	if (status == EFI_BUFFER_TOO_SMALL)
		text_add(&what, "longer than 65536 bytes, the most accepted");
	else if (s->late)
		text_add(&what, "not complete within 10 s");
	else
		text_add(&what, "%s (EFI status %llu)",
			 s->is_there ? "the transfer ended early" : "no answer",
			 (unsigned long long)(status & ~EFI_ERROR_MASK));
	served_blame(s, name, what.buf);
}

_Static_assert(CONFIG_TEXT_MAX == 65536 && SERVED_SECONDS == 10, "served_blame_status() prints "
								 "both");

static void complain_none(const struct served *s, const struct config_names *names)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t, "%s %.80s: no configuration file there; tried", s->protocol, s->server);
	for (unsigned i = 0; i < names->count; i++)
		text_add(&t, "%s %s", i ? "," : "", names->name[i]);
	complaints_add("info", t.buf);
}

static void ask_first(struct served *s, const struct config_names *names)
{
	for (unsigned i = 0; i < names->count; i++) {
		s->is_there = false;
		if (served_is_late(s)) {
			served_complain(s, "warning", names->name[i],
					"not requested: 10 s are over");
			return;
		}
		if (s->ask(s, names->name[i]))
			return;
	}
	complain_none(s, names);
}

static bool start_deadline(struct served *s)
{
	return !EFI_ERROR(firmware_boot()->CreateEvent(EVT_TIMER, 0, NULL, NULL, &s->deadline)) &&
	       !EFI_ERROR(firmware_boot()->SetTimer(s->deadline, TimerRelative,
						    (UINT64)SERVED_SECONDS * TICKS_PER_S));
}

void served_fetch(struct served *s, const struct config_names *names)
{
	s->text = firmware_pages(SERVED_ROOM, 0);
	if (s->text && start_deadline(s))
		ask_first(s, names);
	else
		served_complain(s, "warning", names->name[0],
				"not requested: the firmware has no memory or no timer for it");
	if (s->deadline)
		firmware_boot()->CloseEvent(s->deadline);
	if (s->text)
		firmware_boot()->FreePages((uintptr_t)s->text,
					   (SERVED_ROOM + PAGE_BYTES - 1) / PAGE_BYTES);
}
