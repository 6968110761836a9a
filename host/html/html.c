/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Style sheet, head and foot, cells. Colours are Okabe and Ito's, which are safe for the
 * colour-blind.
 */
#include "html.h"

#include "host/lib/markup.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#5a636e;--line:#d5dae0;"
	"--soft:#f3f5f7;--bar:#4477aa;--red:#d55e00;--blue:#0072b2;--pink:#cc79a7;--steal:#e69f00;"
	"--stopped:#009e73;--stall:#56b4e9;--unknown:#767676;--watched:#c3cad2}\n"
	"@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--dim:#9aa4ae;"
	"--line:#363c43;--soft:#1d2125;--bar:#77aadd;--red:#ff7f32;--unknown:#a3a3a3;"
	"--stopped:#2cc29a;--blue:#a08cff;--watched:#4a525b}}\n"
	"body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif;"
	"overflow-wrap:break-word}\n"
	"main{max-width:1140px;margin:0 auto;padding:1em 1.2em 4em}\n"
	"h1{font-size:1.5em}h2{margin-top:2em;font-size:1.25em}section:only-of-type>h2{display:"
	"none}"
	"h3{margin-top:1.8em;border-bottom:1px solid var(--line)}h4{margin:1.4em 0 .4em}\n"
	"p,figcaption{max-width:75em}figure{margin:.6em 0}figcaption,.dim{color:var(--dim);"
	"font-size:.9em}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9em}"
	"th,td{padding:.15em .8em .15em 0;text-align:left;vertical-align:top}"
	"th{border-bottom:1px solid var(--line);font-weight:600;vertical-align:bottom}"
	".n{text-align:right}td.n{white-space:nowrap}.facts td{overflow-wrap:anywhere}"
	".facts td:first-child{white-space:nowrap;color:var(--dim)}.wide{overflow-x:auto}tr.all "
	"td{border-top:1px solid var(--line);"
	"font-weight:600}tr.worst td{background:var(--soft)}\n"
	"pre{font-size:.85em;overflow-x:auto;background:var(--soft);padding:.6em}\n"
	".verdict{border:2px solid var(--c);border-left-width:.7em;padding:.5em .9em;margin:1em 0}"
	".verdict b{font-size:1.25em}.verdict p{margin:.35em "
	"0}.pass{--c:#009e73}.fail{--c:#d55e00}.error{--c:#d55e00}"
	".incomplete,.short{--c:#e69f00}.none{--c:#767676}\n"
	".tiles{display:grid;grid-template-columns:repeat(6,auto);gap:.5em 1.5em;margin:.8em 0}"
	".tiles b{display:block;font-size:1.3em;font-weight:600;white-space:nowrap}\n"
	".flags{color:var(--dim);font-size:.9em;margin:.3em 0;padding-left:1.2em}\n"
	".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:.3em}\n"
	".side{display:flex;flex-wrap:wrap;gap:1em 2.5em;margin-bottom:.5em}"
	".l{stroke:var(--fg);stroke-dasharray:6 4;stroke-width:1.5;fill:none}"
	"summary{color:var(--dim);cursor:pointer;font-size:.9em}\n"
	"svg{display:block;width:100%;height:auto}svg.d{position:absolute;width:0;height:0}text{"
	"fill:var(--dim);font:11px system-ui,"
	"sans-serif}.e{text-anchor:end}.m{text-anchor:middle}"
	".g{stroke:var(--line);fill:none}.h{fill:var(--bar)}.w{stroke:var(--watched);"
	"fill:none}.r{fill:var(--soft)}.t{fill:var(--fg);paint-order:stroke;"
	"stroke:var(--bg);stroke-width:3px}\n"
	".k-red{--k:var(--red)}.k-blue{--k:var(--blue)}.k-pink{--k:var(--pink)}.k-steal{--k:var(--"
	"steal)}"
	".k-stopped{--k:var(--stopped)}.k-stall{--k:var(--stall)}.k-unknown{--k:var(--unknown)}"
	".k{stroke:var(--k);fill:none}.f{fill:var(--k)}\n"
	".p-floor{--k:var(--red)}.p-nmi{--k:var(--blue)}.p-irq{--k:var(--stall)}"
	".p-softirq{--k:var(--stopped)}.p-thread{--k:var(--steal)}.p-unexplained{--k:var(--unknown)"
	"}.x{stroke:var(--bg);stroke-width:1.5;fill:none}"
	".f.p-nmi{fill:url(#x-nmi)}.f.p-irq{fill:url(#x-irq)}.f.p-softirq{fill:url(#x-softirq)}"
	".f.p-thread{fill:url(#x-thread)}\n"
	/* A shadow where there is more to the side: it scrolls, what covers it at the end does not.
	 */
	"@media screen{.wide,figure{background:linear-gradient(90deg,var(--bg) 1em,#0000 3em)"
	"local,linear-gradient(270deg,var(--bg) 1em,#0000 3em)local,linear-gradient(90deg,"
	"var(--line),#0000 1em),linear-gradient(270deg,var(--line),#0000 1em)}}\n"
	/* Labels that can be read on a phone: the drawing is pushed sideways instead. */
	"@media screen and (max-width:800px){.tiles{grid-template-columns:repeat(3,auto)}"
	"figure{overflow-x:auto}figure>svg:not(.d){min-width:1000px}"
	".grid{grid-template-columns:repeat(auto-fill,minmax(150px,1fr))}}\n"
	"@media screen and (max-width:500px){.tiles{grid-template-columns:repeat(2,auto)}}\n"
	"@media "
	"print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--soft:#eee;"
	"--bar:#4477aa;--red:#d55e00;--blue:#0072b2;--stopped:#009e73;--unknown:#767676;"
	"--watched:#c3cad2}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
	"svg,tr,.verdict,.tiles{break-inside:avoid}h2,h3,h4{break-after:avoid}"
	"figcaption{break-before:avoid}p{margin:.5em 0}main{max-width:none}"
	".wide,figure,pre{overflow:visible}pre{white-space:pre-wrap}.wide table{font-size:8pt}"
	".wide table:has(th:nth-child(11)){font-size:6.5pt}summary{display:none}"
	".wide td,.wide th{padding-right:.5em}figure>svg text{font-size:14px}"
	".tiles{grid-template-columns:repeat(3,auto)}"
	"details::details-content{content-visibility:visible;display:block}}\n";

void html_open(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
	      "style-src &#39;unsafe-inline&#39;\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n",
	      f);
	html_element(f, "title", title);
	fprintf(f, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
	html_element(f, "h1", title);
	fputc('\n', f);
}

void html_close(FILE *f)
{
	fputs("</main>\n</body>\n</html>\n", f);
}

void html_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	markup_text(f, text);
	fprintf(f, "</%s>", name);
}

void html_paragraph(void *page, const char *text)
{
	html_element(page, "p", text);
	fputc('\n', page);
}

void html_cell(FILE *f, const char *text)
{
	html_element(f, "td", text);
}

void html_cell_format(FILE *f, const char *format, ...)
{
	va_list args;

	fputs("<td class=\"n\">", f);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fputs("</td>", f);
}

void html_cell_number(FILE *f, uint64_t value)
{
	html_cell_format(f, "%" PRIu64, value);
}

void html_cell_maybe(FILE *f, struct maybe m)
{
	if (m.known)
		html_cell_number(f, m.value);
	else
		html_cell_format(f, "n/a");
}

void html_cell_duration(FILE *f, uint64_t ns)
{
	char buf[24];

	html_cell_format(f, "%s", ns ? html_duration(ns, buf) : "\xe2\x80\x93");
}

void html_table_open(FILE *f)
{
	fputs("<div class=\"wide\"><table><thead><tr>", f);
}

void html_head(FILE *f, const char *name, bool number)
{
	size_t bytes = strcspn(name, "(");

	/* A narrow table has the unit below. */
	fprintf(f, "<th%s>%.*s%s", number ? " class=\"n\"" : "", (int)bytes, name,
		name[bytes] ? "<wbr/>" : "");
	markup_text(f, name + bytes);
	fputs("</th>", f);
}

void html_table_rows(FILE *f)
{
	fputs("</tr></thead><tbody>\n", f);
}

void html_table(FILE *f, const char *heads)
{
	html_table_open(f);
	while (*heads) {
		size_t bytes = strcspn(heads, "|");
		int number = *heads == '>';

		fprintf(f, "<th%s>%.*s</th>", number ? " class=\"n\"" : "", (int)bytes - number,
			heads + number);
		heads += bytes + (heads[bytes] == '|');
	}
	html_table_rows(f);
}

void html_table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

void html_row(FILE *f, const char *class)
{
	if (class)
		fprintf(f, "<tr class=\"%s\">", class);
	else
		fputs("<tr>", f);
}

void html_row_end(FILE *f)
{
	fputs("</tr>\n", f);
}

/* No run has causes of AArch64 and those of x86-64: they share colours and shapes. */
static const struct {
	const char *class, *shape;
} causes[CAUSES] = {
	[CAUSE_SMI] = { "k-red", "m0-3l3 6h-6z" },                        /* triangle */
	[CAUSE_NMI] = { "k-blue", "m-3-3h6v6h-6z" },                      /* square */
	[CAUSE_MCE] = { "k-pink", "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z" }, /* star */
	[CAUSE_EL3] = { "k-red", "m0-3l3 6h-6z" },
	[CAUSE_HYPERVISOR] = { "k-blue", "m-3-3h6v6h-6z" },
	[CAUSE_SERROR] = { "k-pink", "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z" },
	[CAUSE_STEAL] = { "k-steal", "m0-4l4 4l-4 4l-4-4z" }, /* diamond */
	[CAUSE_STOPPED] = { "k-stopped", "m0 3l3-6h-6z" },    /* triangle, upside down */
	[CAUSE_STALL] = { "k-stall", "m-4-1h8v2h-8z" },       /* bar */
	[CAUSE_UNKNOWN] = { "k-unknown", "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0" }, /* disc */
};

const char *html_cause_class(enum cause cause)
{
	return causes[cause].class;
}

const char *html_cause_shape(enum cause cause)
{
	return causes[cause].shape;
}

const char *html_ppm(double value, char buf[24])
{
	snprintf(buf, 24, value >= 1000 ? "%.0f" : "%.4g", value);
	return buf;
}

const char *html_duration(uint64_t ns, char buf[24])
{
	struct text t;

	text_init(&t, buf, 24);
	text_duration(&t, ns);
	return buf;
}
