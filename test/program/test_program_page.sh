#!/bin/sh
# The page and the picture that `snug check` writes: one file, nothing fetched, small. It holds the contacts that JSON
# lists and the positions that `snug pose` writes; in a browser contacts are red, keys step, and it fits a narrow window;
# where the browser cannot draw, a still and the tables are left.
# usage: test_program_page.sh SNUG MAKE_OBJ MAKE_GLB
# shellcheck disable=SC2034 # used by test_lib.sh
snug=$1
make_obj=$2
make_glb=$3
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/test_lib.sh"
make_objs torus
make_glbs worm

expect 2 "page.txt: the name of what is written must end in .html" check worm.glb torus.obj --html page.txt
expect 2 "worm.glb: the name of what is written must end in .png" check worm.glb torus.obj --png worm.glb
# Before the work: nothing is printed.
expect 1 "nowhere/p.html: cannot write" check worm.glb torus.obj --html nowhere/p.html
checks=$((checks + 1))
[ ! -s out ] || fail "a page that has no place is told of too late"
run="worm.glb torus.obj --clip bend --fps 12 --place 0.4,0,0"
# shellcheck disable=SC2086 # several words
expect 0 "" check $run --html page.html --png still.png
holds "wrote page.html"
holds "wrote still.png"
# shellcheck disable=SC2086
expect 0 "" check --json --summary --by-joint $run
count=$(sed 's/.*"count":\([0-9]*\),"contactFrames".*/\1/' out)
frames=$(sed 's/.*"contactFrames":\([0-9]*\),.*/\1/' out)
joints=$(sed 's/.*"joints"//' out | grep -o '"a":' | wc -l)
checks=$((checks + 5))
[ "$count" -gt 0 ] || fail "the scene has no contact"
grep -q ' ms</b>' page.html && fail "the page has times without --costs"
[ "$(wc -c <page.html)" -le 3000000 ] || fail "the page has more than 3 MB"
[ "$(head -c 8 still.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "the picture is no PNG file"
grep -q '</html>' page.html || fail "the page is not complete"
grep -qE 'https?:|(src|href)="/|@import|url\(' page.html && fail "the page fetches something"
sed -n '/id="command"/s/<[^>]*>//gp' page.html | grep -qxF "snug check $run --html page.html --png still.png" ||
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
grep -q '<tr data-frame="[0-9]*"><td class="t">worm.glb [^<]*</td><td class="t">worm.glb [^<]*</td>' self.html ||
	fail "rows of the page do not name their file"

# With costs: what a frame takes.
# shellcheck disable=SC2086
expect 0 "" check $run --summary --costs --html costs.html
checks=$((checks + 1))
grep -q ' ms</b>' costs.html || fail "the page has no times with --costs"

# What the page holds, against JSON and poses: skins as matrices and amplitudes, bodies whose joints turn as positions.
if command -v node >/dev/null; then
	read_page=$(dirname "$0")/read_page.mjs
	for blending in linear spherical; do
		# shellcheck disable=SC2086
		expect 0 "" check $run --blending $blending --summary --html read.html
		# shellcheck disable=SC2086
		expect 0 "" check $run --blending $blending --json
		cp out contacts.json
		checks=$((checks + 3))
		node "$read_page" read.html contacts contacts.json >read 2>err || fail "$blending: the page has other contacts"
		time=$(sed -n '4s/.*"time":\([0-9.]*\),.*/\1/p' contacts.json)
		"$snug" pose worm.glb --clip bend --place 0.4,0,0 --blending $blending --time "$time" -o worm.obj
		"$snug" pose torus.obj -o torus-posed.obj
		node "$read_page" read.html vertices 3 0 worm.obj 2>err || fail "$blending: the page has other positions"
		node "$read_page" read.html vertices 3 1 torus-posed.obj 2>err || fail "$blending: the torus is elsewhere"
	done
	"$make_glb" skins skins.glb || fail "make_glb"
	expect 0 "" check skins.glb torus.obj --clip bend --fps 12 --place 0.4,0,0 --summary --html read.html
	"$snug" pose skins.glb --clip bend --place 0.4,0,0 --time 0.5 -o skins.obj
	checks=$((checks + 2))
	node "$read_page" read.html vertices 6 0,1,2 skins.obj 2>err || fail "morphing skins: the page has other positions"
	grep -q '"targets":2,' read.html || fail "morphing skins are not kept as such"
	# A long run: a part of the frames, and the worst one.
	# shellcheck disable=SC2086
	expect 0 "" check worm.glb torus.obj --clip bend --fps 700 --place 0.4,0,0 --summary --html read.html
	expect 0 "" check worm.glb torus.obj --clip bend --fps 700 --place 0.4,0,0 --json
	checks=$((checks + 1))
	node "$read_page" read.html contacts out >read 2>err || fail "a long run: the page has other contacts"
	awk '{ exit !($1 >= 240 && $1 <= 241) }' read || fail "a long run: the page has $(cat read)"
else
	lack node "no node to read pages with"
fi

browser=
for name in chromium chromium-browser google-chrome; do
	[ -n "$browser" ] || browser=$(command -v $name || true)
done
if [ -z "$browser" ]; then
	lack chromium "no Chromium to look at pages with (tools/install-dependencies web-test)"
	finish
fi

# probe PAGE WIDTH OPTION: what a script finds in the page.
probe()
{
	cat "$1" - >probed.html <<'SCRIPT'
<script>window.addEventListener('load', async function () {
	const root = document.querySelector('.viewer');
	while (!root.viewer) await new Promise((resolve) => setTimeout(resolve, 50));
	const { viewer } = root, canvas = document.createElement('canvas'), context = canvas.getContext('2d');
	const drawn = viewer.painter !== null, image = drawn ? viewer.canvas : document.images[0];
	viewer.setPlays(false);
	viewer.show(viewer.source.start);
	viewer.draw();
	canvas.width = drawn ? image.width : image.naturalWidth;
	canvas.height = drawn ? image.height : image.naturalHeight;
	context.drawImage(image, 0, 0);
	const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
	let red = 0, dark = 0;
	for (let k = 0; k < data.length; k += 4) {
		if (data[k + 3] < 128) continue;
		red += data[k] > 120 && data[k] > 2 * data[k + 1] && data[k] > 2 * data[k + 2];
		dark += data[k] < 90 && data[k] > 3 * data[k + 1] && data[k] > 3 * data[k + 2];
	}
	const before = viewer.at, press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
	press('ArrowRight');
	const stepped = viewer.at !== before;
	press('ArrowLeft');
	const count = document.getElementById('contacts');
	document.body.setAttribute('data-probe', 'contacts=' + count.getAttribute('data-count') + ' shown=' + count.textContent.replace(/,/g, '') +
		' frames=' + (document.getElementById('frames') || { textContent: '-' }).textContent.replace(/ .*/, '') +
		' joints=' + document.querySelectorAll('#joints tbody tr').length + ' still=' + (document.images[0].naturalWidth > 0) + ' drawn=' + drawn + ' excused=' + (document.querySelector('.undrawn').offsetHeight > 0) +
		' red=' + (red > 30) + ' outlined=' + (drawn && dark > 30) + ' steps=' + (stepped && viewer.at === before) +
		' overflow=' + (document.documentElement.scrollWidth > window.innerWidth + 1));
})</script>
SCRIPT
	"$browser" --headless=new --no-sandbox --disable-gpu "$3" --virtual-time-budget=20000 --window-size="$2",900 \
		--user-data-dir="$dir/profile" --dump-dom "file://$dir/probed.html" 2>err | grep -o 'data-probe="[^"]*"' |
		sed 's/.*="//; s/"//'
}
drawing=--enable-unsafe-swiftshader
found=$(probe page.html 1200 $drawing)
checks=$((checks + 1))
[ "$found" = "contacts=$count shown=$count frames=$frames joints=$joints still=true drawn=true excused=false red=true outlined=true steps=true overflow=false" ] ||
	fail "in a browser the page has: $found; JSON has $count contacts, $frames frames, $joints joints"
found=$(probe page.html 500 $drawing)
checks=$((checks + 1))
case $found in *overflow=false) ;; *) fail "the page does not fit a narrow window: $found" ;; esac
found=$(probe page.html 1200 --disable-3d-apis)
checks=$((checks + 1))
[ "$found" = "contacts=$count shown=$count frames=$frames joints=$joints still=true drawn=false excused=true red=true outlined=false steps=false overflow=false" ] ||
	fail "in a browser that cannot draw the page has: $found"
found=$(probe 'no contact.html' 1200 $drawing)
checks=$((checks + 1))
[ "$found" = "contacts=0 shown=0 frames=- joints=0 still=true drawn=true excused=false red=false outlined=false steps=false overflow=false" ] ||
	fail "in a browser the page without contact has: $found"
finish
