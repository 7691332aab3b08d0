#include "program/pictures/page.h"

#include "program/pictures/html.h"

#include <string.h>

static const char style[] =
    ":root{color-scheme:light "
    "dark;--paper:#f5f6f9;--card:#fff;--line:#e1e5ec;--ink:#1b2230;--soft:#5a6578;--red:#d5201d;"
    "--good:#177a48;--stage:radial-gradient(ellipse at 50% 20%,#fff 0,#eef1f6 60%,#dfe4ec 100%)}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#11141a;--card:#1a1f28;--line:#2b323e;--ink:#e8ecf3;--soft:#"
    "9aa5b8;"
    "--red:#ff5a52;--good:#4cc38a;--stage:radial-gradient(ellipse at 50% 20%,#3b4453 0,#2a313d 60%,#20262f 100%)}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',sans-serif;color:var(--ink);"
    "background:var(--paper);margin:0;-webkit-text-size-adjust:100%}\n"
    "main{max-width:1040px;margin:0 auto;padding:36px 24px 56px}\n"
    "h1{font-size:28px;line-height:1.2;margin:0 0 6px;letter-spacing:-.012em;overflow-wrap:anywhere}\n"
    "h2{font-size:19px;margin:36px 0 10px}p{max-width:720px;margin:8px 0}.sub{color:var(--soft);font-size:17px}\n"
    ".sub b{color:var(--red)}.sub b.good{color:var(--good)}\n"
    ".box{background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden}\n"
    ".player{margin-top:20px}.stage{background:var(--stage);display:flex;justify-content:center}\n"
    ".stage img,.close img{display:block;width:100%;height:auto}.stage "
    "img{max-width:860px}figure.close{max-width:860px}.close{background:var(--stage)}\n"
    ".controls{display:flex;align-items:center;gap:12px;padding:10px 14px}\n"
    "button{font:inherit;width:44px;height:36px;border-radius:9px;border:1px solid var(--line);background:var(--paper);"
    "color:var(--ink);cursor:pointer;flex:none}button svg{display:block;margin:auto;fill:currentColor}\n"
    "input[type=range]{flex:1;min-width:60px;accent-color:var(--red);margin:0}\n"
    "output{font-variant-numeric:tabular-nums;color:var(--soft);white-space:nowrap;min-width:150px;text-align:right}\n"
    "output b{color:var(--red)}\n"
    ".timeline{position:relative;margin:2px 14px 0;cursor:pointer}.timeline svg{display:block;width:100%;height:72px}\n"
    ".timeline rect{fill:var(--red)}.timeline line{stroke:var(--line)}\n"
    ".timeline i{position:absolute;top:0;bottom:0;width:2px;margin-left:-1px;background:var(--ink);left:0}\n"
    ".ends{white-space:nowrap;display:flex;justify-content:space-between;gap:8px;margin:4px 14px "
    "10px;font-size:13px;color:var(--soft)}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:18px 0 0}\n"
    ".card{padding:12px 16px}.card b{display:block;font-size:25px;line-height:1.3;font-weight:650;"
    "font-variant-numeric:tabular-nums}.card span{color:var(--soft);font-size:14px;line-height:1.35;display:block}\n"
    ".card b.bad{color:var(--red)}.card b.good{color:var(--good)}\n"
    ".strip{display:flex;gap:10px;overflow-x:auto;padding:2px 2px 10px;scroll-snap-type:x proximity}\n"
    ".strip figure{flex:none;width:188px;margin:0;cursor:pointer;scroll-snap-align:start}\n"
    ".strip img{display:block;width:100%;height:auto;background:var(--stage)}\n"
    ".strip figure.on{outline:2px solid var(--ink);outline-offset:-1px}.strip .touch{border-color:var(--red)}\n"
    "figcaption{padding:6px 10px "
    "7px;font-size:13px;color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".touch figcaption b{color:var(--red)}.close figcaption,.close{white-space:normal}\n"
    "figure.close{margin:0}figure.close figcaption{background:var(--card);font-size:14px;padding:9px 14px}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-"
    "nums}\n"
    "th,td{padding:7px 14px;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}\n"
    "th{font-weight:600;color:var(--soft);border-top:0}.t{text-align:left}td.bar{width:26%;min-width:90px}\n"
    "td.bar i{display:block;height:9px;border-radius:5px;background:var(--red)}\n"
    "pre{margin:0;padding:12px 16px;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font:13.5px/1.5 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    "pre span{display:inline-block}\n"
    "footer{margin-top:36px;color:var(--soft);font-size:13px}\n"
    "@media(max-width:600px){main{padding:22px 14px "
    "40px}h1{font-size:22px}.sub{font-size:15.5px}.controls{flex-wrap:wrap}"
    "output{min-width:0;flex:1 0 100%;text-align:left}.cards{grid-template-columns:1fr 1fr}.card b{font-size:21px}"
    "table{font-size:13px}th,td{padding:6px 8px}th{white-space:normal;vertical-align:bottom}.strip "
    "figure{width:150px}td.bar,th.bar{display:none}td.t{white-space:normal}}\n";

// Shots stand in the strip; the stage shows one of them. Time runs as in the clip.
static const char script[] =
    "(function(){'use strict';\n"
    "var $=function(i){return document.getElementById(i)},shots=[].slice.call(document.querySelectorAll('.strip "
    "figure')),\n"
    "view=$('view'),seek=$('seek'),now=$('now'),line=$('cursor'),play=$('play'),timeline=$('timeline'),at=0,timer=0;\n"
    "var num=function(f,k){return parseFloat(f.getAttribute('data-'+k))};\n"
    "function show(i){at=i;var f=shots[i],n=num(f,'pairs');view.src=f.querySelector('img').src;seek.value=i;\n"
    "now.innerHTML=num(f,'time').toFixed(3)+' s \\u00b7 '+(n?'<b>'+n.toLocaleString('en')+' pairs</b>':'no contact');\n"
    "line.style.left=100*(num(f,'frame')+.5)/num(timeline,'frames')+'%';\n"
    "shots.forEach(function(s,k){s.classList.toggle('on',k===i)})}\n"
    "function wait(){var n=(at+1)%shots.length,d=n?num(shots[n],'time')-num(shots[at],'time'):.7;\n"
    "timer=setTimeout(function(){show(n);wait()},Math.max(30,1000*d))}\n"
    "function set(on){clearTimeout(timer);timer=0;play.innerHTML='<svg width=\"16\" height=\"16\" viewBox=\"0 0 16 "
    "16\">"
    "<path d=\"'+(on?'M3 2h4v12H3zM9 2h4v12H9z':'M4 2l10 6-10 6z')+'\"/></svg>';\n"
    "play.setAttribute('aria-label',on?'pause':'play');if(on)wait()}\n"
    "play.onclick=function(){set(!timer)};seek.oninput=function(){set(false);show(+seek.value)};\n"
    "shots.forEach(function(f,i){f.onclick=function(){set(false);show(i)}});\n"
    "timeline.onclick=function(e){var "
    "r=timeline.getBoundingClientRect(),g=(e.clientX-r.left)/r.width*num(timeline,'frames'),b=0;\n"
    "shots.forEach(function(f,i){if(Math.abs(num(f,'frame')+.5-g)<Math.abs(num(shots[b],'frame')+.5-g))b=i});set(false)"
    ";show(b)};\n"
    "show(+seek.getAttribute('data-start'));\n"
    "var strip=shots[at].parentNode;strip.scrollLeft=shots[at].offsetLeft-strip.offsetLeft-strip.clientWidth/2+90;\n"
    "set(!(window.matchMedia&&matchMedia('(prefers-reduced-motion:reduce)').matches));\n"
    "})();\n";

void pageBegin(FILE* stream, const char* title)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
	    stream);
	htmlText(stream, title);
	fprintf(stream, "</title>\n<style>\n%s</style></head>\n<body><main>\n<h1>", style);
	htmlText(stream, title);
	fputs("</h1>\n", stream);
}

void pageEnd(FILE* stream)
{
	fputs("</main></body></html>\n", stream);
}

void pageNumber(FILE* stream, uint64_t number)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	for (int i = 0; i < length; ++i)
	{
		fprintf(stream, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
	}
}

void pageCard(FILE* stream, const char* id, const char* look, const char* value, const char* meaning)
{
	fprintf(stream, "<div class=\"box card\"><b class=\"%s\"", look);
	if (id != NULL)
	{
		fprintf(stream, " id=\"%s\"", id);
	}
	fprintf(stream, ">%s</b><span>%s</span></div>\n", value, meaning);
}

void pagePicture(FILE* stream, const filmShot* shot, const char* alternative)
{
	fputs("<img alt=\"", stream);
	htmlText(stream, alternative);
	fputs("\" src=\"data:image/png;base64,", stream);
	htmlBase64(stream, shot->png, shot->bytes);
	fputs("\">", stream);
}

// ---- Timeline --------------------------------------------------------------------------------------------------

#define TIMELINE_BARS 360

// A bar per frame or, of long runs, per so many frames, as high as the one with the most pairs.
static void PrintTimeline(FILE* stream, const cliTally* tally)
{
	uint64_t frames = tally->frameCount, bars = frames < TIMELINE_BARS ? frames : TIMELINE_BARS;
	fprintf(stream,
	    "<div class=\"timeline\" id=\"timeline\" data-frames=\"%llu\"><svg viewBox=\"0 0 %llu 100\" "
	    "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"pairs per frame\"><line x1=\"0\" y1=\"99.5\" "
	    "x2=\"%llu\" "
	    "y2=\"99.5\"/>",
	    (unsigned long long)frames, (unsigned long long)bars, (unsigned long long)bars);
	for (uint64_t b = 0; b < bars; ++b)
	{
		uint64_t most = 0;
		for (uint64_t i = frames * b / bars; i < frames * (b + 1) / bars; ++i)
		{
			most = tally->frames[i].pairs > most ? tally->frames[i].pairs : most;
		}
		if (most > 0)
		{
			double height = 4.0 + 94.0 * (double)most / (double)tally->mostPairs;
			fprintf(stream, "<rect x=\"%g\" y=\"%.1f\" width=\"%g\" height=\"%.1f\"/>",
			    (double)b + (bars < 120 ? 0.08 : 0.0), 99.0 - height, bars < 120 ? 0.84 : 1.0, height);
		}
	}
	fputs("</svg><i id=\"cursor\"></i></div>\n", stream);
	fprintf(stream,
	    "<div class=\"ends\"><span>%.2f s</span><span>pairs per frame</span><span>%.2f "
	    "s</span></div>\n",
	    tally->frames[0].time, tally->frames[frames - 1].time);
}

// ---- Film ------------------------------------------------------------------------------------------------------

static void PrintShot(FILE* stream, const filmShot* shot, const cliTally* tally)
{
	const cliTallyFrame* frame = tally->frames + shot->frame;
	char alternative[64];
	snprintf(alternative, sizeof(alternative), "frame %llu at %.3f s", (unsigned long long)shot->frame, frame->time);
	fprintf(stream, "<figure class=\"box%s\" data-frame=\"%llu\" data-time=\"%.6f\" data-pairs=\"%llu\">",
	    frame->pairs > 0 ? " touch" : "", (unsigned long long)shot->frame, frame->time,
	    (unsigned long long)frame->pairs);
	pagePicture(stream, shot, alternative);
	fprintf(stream, "<figcaption>%.3f s · ", frame->time);
	if (frame->pairs > 0)
	{
		fputs("<b>", stream);
		pageNumber(stream, frame->pairs);
		fputs("</b></figcaption></figure>\n", stream);
	}
	else
	{
		fputs("no contact</figcaption></figure>\n", stream);
	}
}

static void PrintPlayer(FILE* stream, const film* f, const cliTally* tally)
{
	fprintf(stream,
	    "<div class=\"box player\"><div class=\"stage\"><img id=\"view\" alt=\"the bodies in motion\" width=\"%d\" "
	    "height=\"%d\"></div>\n<div class=\"controls\"><button id=\"play\" aria-label=\"play\"></button><input "
	    "type=\"range\" id=\"seek\" min=\"0\" max=\"%d\" value=\"0\" data-start=\"%d\" aria-label=\"frame\"><output "
	    "id=\"now\"></output></div>\n",
	    f->width, f->height, f->count - 1, f->worst);
	PrintTimeline(stream, tally);
	fputs("</div>\n", stream);
}

void pagePlayer(FILE* stream, const film* f, const cliTally* tally)
{
	if (f->count > 1)
	{
		PrintPlayer(stream, f, tally);
	}
	else
	{
		fputs("<div class=\"box player\"><div class=\"stage\">", stream);
		pagePicture(stream, f->shots, "the bodies");
		fputs("</div></div>\n", stream);
	}
}

void pageStrip(FILE* stream, const film* f, const cliTally* tally)
{
	if (f->count > 1)
	{
		fputs("<h2>Frames</h2>\n<div class=\"strip\">\n", stream);
		for (int i = 0; i < f->count; ++i)
		{
			PrintShot(stream, f->shots + i, tally);
		}
		fprintf(stream, "</div>\n<script>\n%s</script>\n", script);
	}
}
