/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice on a run as JSON: of the document advise/1, host/documents.json. */
#include "advise.h"

#include "host/lib/json_name.h"

static json_t *evidence_list(const struct advise_evidence *e)
{
	json_t *list = json_array();

	for (unsigned n = 0; n < ADVISE_EVIDENCES; n++)
		if (e->has[n])
			json_array_append_new(list, json_pack("{s:s,s:o}", "kind",
							      advise_evidence_name(n), "text",
							      json_name(e->text[n])));
	return list;
}

static json_t *found_object(const struct bios_dump_attribute *a)
{
	return json_pack("{s:o,s:o}", "name", json_name(a->name), "value",
			 a->value ? json_name(a->value) : json_null());
}

static json_t *calls_list(const struct advise_proposal *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->setting->calls; i++)
		if (p->calls >> i & 1)
			json_array_append_new(list, json_string(advise_evidence_name(
							    p->setting->call[i].evidence)));
	return list;
}

static json_t *unmet_object(const struct advise_unmet *u)
{
	return json_pack("{s:o,s:o,s:o}", "name", json_name(u->attribute->name), "value",
			 json_name(u->attribute->value), "text", json_name(u->text));
}

static json_t *proposal_object(const struct advise *a, const struct advise_proposal *p)
{
	const struct advise_setting *s = p->setting;
	TEXT_DEFINE(next, 4096);
	TEXT_DEFINE(kernels, 40);

	advise_next(a, s, &next);
	advise_kernels(s, &kernels);
	return json_pack("{s:s,s:s,s:s?,s:s,s:s,s:b,s:o,s:o,s:s,s:s,s:s,s:s?,s:o}", "topic",
			 s->topic, "menu", s->menu, "attribute", s->attribute, "to", s->to, "sure",
			 advise_sure_name(p->sure), "already", p->set, "found",
			 JSON_ARRAY(i, i < p->founds, found_object(p->found[i])), "evidence",
			 calls_list(p), "effect", s->effect, "cost", s->cost, "source", s->source,
			 "kernels", kernels.len ? kernels.buf : NULL, "next",
			 p->set ? json_null() : json_name(next.buf));
}

json_t *advise_json(const struct advise *a)
{
	const struct capture_select *s = a->selected;

	return json_pack("{s:o,s:o,s:b,s:o,s:s?,s:o,s:o,s:o,s:o,s:o}", "file",
			 json_name(s->capture.name), "sid", json_sid(s->run->sid), "whole",
			 result_is_whole(s->run), "stage", json_name(a->stage->name), "vendor",
			 a->vendor, "smi", json_maybe(a->evidence.smi), "exposure_ns",
			 json_number(a->evidence.exposure_ns), "evidence",
			 evidence_list(&a->evidence), "not_in_force",
			 JSON_ARRAY(i, i < a->unmets, unmet_object(&a->unmet[i])), "proposals",
			 JSON_ARRAY(i, i < a->count, proposal_object(a, &a->proposal[i])));
}
