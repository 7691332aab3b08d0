#!/bin/sh
# The page and the picture that `snug check` writes: one file, nothing fetched, small; in a browser it shows the contacts
# that JSON counts, its pictures can be read and have red in them, and it fits a narrow window.
# usage: test_program_page.sh SNUG MAKE_OBJ MAKE_GLB
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
make_obj=$2
make_glb=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
"$make_obj" torus torus.obj || fail "make_obj"
"$make_glb" worm worm.glb || fail "make_glb"

expect 2 "page.txt: the name of what is written must end in .html" check worm.glb torus.obj --html page.txt
expect 2 "worm.glb: the name of what is written must end in .png" check worm.glb torus.obj --png worm.glb
# Before the work: nothing is printed.
expect 1 "nowhere/p.html: cannot write" check worm.glb torus.obj --html nowhere/p.html
checks=$((checks + 1))
[ ! -s out ] || fail "a page that has no place is told of too late"
run="worm.glb torus.obj --clip bend --fps 12 --place 0.4,0,0"
# shellcheck disable=SC2086 # several words
expect 0 "" check $run --html page.html --png strip.png
holds "wrote page.html"
holds "wrote strip.png"
# shellcheck disable=SC2086
expect 0 "" check --json --summary --by-joint $run
count=$(sed 's/.*"count":\([0-9]*\),"contactFrames".*/\1/' out)
frames=$(sed 's/.*"contactFrames":\([0-9]*\),.*/\1/' out)
joints=$(sed 's/.*"joints"//' out | grep -o '"a":' | wc -l)
checks=$((checks + 5))
[ "$count" -gt 0 ] || fail "the scene has no contact"
grep -q ' ms</b>' page.html && fail "the page has times without --costs"
[ "$(wc -c <page.html)" -le 3000000 ] || fail "the page has more than 3 MB"
[ "$(head -c 8 strip.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "the strip is no PNG file"
grep -q '</html>' page.html || fail "the page is not complete"
grep -qE 'https?:|(src|href)="/|@import|url\(' page.html && fail "the page fetches something"
sed -n '/id="command"/s/<[^>]*>//gp' page.html | grep -qxF "snug check $run --html page.html --png strip.png" ||
	fail "the page does not say how to repeat it"
expect 0 "" check worm.glb torus.obj --place 9,9,9 --html 'no contact.html'
checks=$((checks + 1))
grep -q "No contact" 'no contact.html' || fail "a page without contact does not say so"
grep -qF "&#39;no contact.html&#39;" 'no contact.html' || grep -qF "'no contact.html'" 'no contact.html' ||
	fail "the command is not quoted"

# Joints that touch may be of one file: each row says whose they are, and no column does.
expect 0 "" check worm.glb torus.obj --clip bend --fps 5 --place 0,0,0 --place 9,9,9 --self --html self.html --by-joint
checks=$((checks + 3))
grep -q '^ .*  worm.glb node . × worm.glb ' out || fail "rows of joints do not name their file: $(cat out)"
grep -q '<th class="t">joint</th><th class="t">joint</th>' self.html || fail "joints of one file stand below two"
grep -q '<tr><td class="t">worm.glb [^<]*</td><td class="t">worm.glb [^<]*</td>' self.html ||
	fail "rows of the page do not name their file"

# With costs: what a frame takes.
# shellcheck disable=SC2086
expect 0 "" check $run --summary --costs --html costs.html
checks=$((checks + 1))
grep -q ' ms</b>' costs.html || fail "the page has no times with --costs"

browser=
for name in chromium chromium-browser google-chrome; do
	[ -n "$browser" ] || browser=$(command -v $name || true)
done
if [ -z "$browser" ]; then
	lack chromium "no Chromium to look at pages with (tools/install-dependencies web-test)"
	finish
fi

# probe PAGE WIDTH: what a script finds in the page, as the text of its title.
probe()
{
	cat "$1" - >probed.html <<'SCRIPT'
<script>window.addEventListener('load', function () { setTimeout(function () {
	var c = document.createElement('canvas'), g = c.getContext('2d'), imgs = [].slice.call(document.images), red = 0, bad = 0;
	imgs.forEach(function (i) { if (!i.complete || !i.naturalWidth) bad++ });
	var worst = document.querySelector('.close img') || imgs[0];
	c.width = worst.naturalWidth; c.height = worst.naturalHeight; g.drawImage(worst, 0, 0);
	var d = g.getImageData(0, 0, c.width, c.height).data;
	for (var k = 0; k < d.length; k += 4) if (d[k + 3] > 128 && d[k] > 120 && d[k] > 2 * d[k + 1] && d[k] > 2 * d[k + 2]) red++;
	var joints = document.querySelectorAll('#joints tbody tr'), at = document.getElementById('now');
	document.title = 'contacts=' + document.getElementById('contacts').getAttribute('data-count') +
		' shown=' + document.getElementById('contacts').textContent.replace(/,/g, '') +
		' frames=' + (document.getElementById('frames') || { textContent: '-' }).textContent.replace(/ .*/, '') +
		' joints=' + joints.length + ' broken=' + bad + ' red=' + (red > 30) + ' plays=' + (at ? at.textContent.length > 4 : '-') +
		' overflow=' + (document.documentElement.scrollWidth > window.innerWidth + 1);
	document.body.setAttribute('data-probe', document.title);
}, 400) })</script>
SCRIPT
	"$browser" --headless=new --no-sandbox --disable-gpu --virtual-time-budget=4000 --window-size="$2",900 \
		--user-data-dir="$dir/profile" --dump-dom "file://$dir/probed.html" 2>err | grep -o 'data-probe="[^"]*"' |
		sed 's/.*="//; s/"//'
}
found=$(probe page.html 1200)
checks=$((checks + 1))
[ "$found" = "contacts=$count shown=$count frames=$frames joints=$joints broken=0 red=true plays=true overflow=false" ] ||
	fail "in a browser the page has: $found; JSON has $count contacts, $frames frames, $joints joints"
found=$(probe page.html 500)
checks=$((checks + 1))
case $found in *overflow=false) ;; *) fail "the page does not fit a narrow window: $found" ;; esac
found=$(probe 'no contact.html' 1200)
checks=$((checks + 1))
[ "$found" = "contacts=0 shown=0 frames=- joints=0 broken=0 red=false plays=- overflow=false" ] ||
	fail "in a browser the page without contact has: $found"
finish
