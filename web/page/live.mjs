// live.mjs: two characters in motion, asked about while they are shown. The page holds the library and the characters that
// one sees first; viewer.js draws. Everything stays in this tab.
//
// ?still begins at rest, for tests, which find all in document.querySelector('.viewer').live.
/* global Viewer, cross, decode, dot, inflate, isCalm, unit */
import { Snug } from 'snugmesh';
import { loadCharacter } from './character.mjs';

const FRAMES_PER_SECOND = 30;
const colors = [[0.33, 0.52, 0.84], [0.90, 0.83, 0.68]];
const element = (id) => document.getElementById(id);
const format = (number) => number.toLocaleString('en');

// ---- Contacts --------------------------------------------------------------------------------------------------------

// What a viewer shows: a recording whose frames are made when they are looked at.
class Live {
	constructor(snug, characters) {
		Object.assign(this, { snug, characters, everything: false, milliseconds: [], pairs: new Uint32Array(0) });
		this.bodies = characters.map(({ model }, side) => ({ side, color: colors[side],
			mesh: { vertexCount: model.vertexCount, triangles: model.getTriangles(), positions: model.getPositions() } }));
		this.vertexCount = characters.reduce((sum, { model }) => sum + model.vertexCount, 0);
		this.restart();
	}

	// Clips, places or the way of asking have changed: nothing is known.
	restart() {
		const duration = Math.max(...this.characters.map(({ clip }) => clip.duration));
		this.total = Math.max(1, Math.round(duration * FRAMES_PER_SECOND));
		this.frames = Array.from({ length: this.total }, (_, frame) => ({ frame, time: frame / FRAMES_PER_SECOND, pairs: 0 }));
		this.bars = new Array(this.total).fill(0);
		this.known = 0;
		this.milliseconds = [];
	}

	// The bodies that are asked: those that evaluate what is reached, or those that deform everything first.
	get asked() {
		return this.characters.map(({ bodies }) => bodies[this.everything ? 1 : 0]);
	}

	// Pose both and ask. From the bones on it is measured.
	#collide(at) {
		for (const character of this.characters) character.setTime(this.frames[at].time);
		const bodies = this.asked, begin = performance.now();
		for (const body of bodies) body.update({ matricesAreCurrent: true });
		const pairs = this.snug.collide(...bodies), milliseconds = performance.now() - begin;
		this.frames[at].pairs = this.bars[at] = pairs.length / 2;
		return { pairs, milliseconds };
	}

	ask(at) {
		const { pairs, milliseconds } = this.#collide(at);
		this.pairs = pairs;
		this.vertices = this.snug.counters.verticesEvaluated;
		this.milliseconds = [...this.milliseconds, milliseconds].slice(-40);
		this.changed?.();
	}

	// Frames for the timeline, until the time is up. @return whether any are left
	count(milliseconds) {
		for (const end = performance.now() + milliseconds; this.known < this.total && performance.now() < end; ++this.known) this.#collide(this.known);
		return this.known < this.total;
	}

	pose({ side }, at, out, first) {
		out.set(this.asked[side].getVertices(), 3 * first);
	}

	getContacts({ side }) {
		return new Set(this.pairs.filter((_, i) => i % 2 === side));
	}

	// Pairs of joints that meet, those with the most pairs of triangles first.
	get joints() {
		const counts = new Map();
		for (let i = 0; i < this.pairs.length; i += 2) {
			const key = `${this.characters[0].jointOf(this.pairs[i])}\n${this.characters[1].jointOf(this.pairs[i + 1])}`;
			counts.set(key, (counts.get(key) ?? 0) + 1);
		}
		return [...counts].sort((x, y) => y[1] - x[1]).slice(0, 6).map(([key, count]) => [...key.split('\n'), count]);
	}
}

// ---- Places ----------------------------------------------------------------------------------------------------------

// The pair that everybody sees first.
const kickPlace = { position: [0.05, 0, 1.2], turn: 90, scale: 1 };

// Where the second stands: before the first, as far as their boxes at rest reach, turned to it, and as large.
function findPlace(characters) {
	for (const character of characters) character.put([0, 0, 0], 0, 1);
	const [a, b] = characters.map(({ box }) => box), size = ({ lower, upper }) => Math.hypot(...upper.map((x, k) => x - lower[k]));
	const ratio = size(a) / size(b), scale = ratio > 4 || ratio < 0.25 ? ratio : 1;
	const reach = 0.8 * (a.upper[2] + scale * b.upper[2]);
	return { position: [0, a.lower[1] - scale * b.lower[1], Math.max(reach, 0.2 * size(a))], turn: 180, scale };
}

// From aside and a little above, as far away as all corners of both boxes need.
function findView(characters) {
	const boxes = characters.map(({ box }) => box), [lower, upper] = [Math.min, Math.max].map((choose, end) =>
		[0, 1, 2].map((k) => choose(...boxes.map((box) => (end === 0 ? box.lower : box.upper)[k]))));
	const target = lower.map((low, k) => 0.5 * (low + upper[k])), half = upper.map((high, k) => high - target[k]);
	const back = unit([0.62, 0.22, -0.75]), right = unit(cross([0, 1, 0], back)), up = cross(back, right);
	const degrees = 36, aspect = 1.6, tall = Math.tan(degrees * Math.PI / 360);
	let distance = 0;
	for (let i = 0; i < 8; ++i) {
		const corner = half.map((x, k) => (i >> k & 1 ? x : -x));
		distance = Math.max(distance, Math.max(Math.abs(dot(corner, up)), Math.abs(dot(corner, right)) / aspect) / tall + dot(corner, back));
	}
	return { eye: target.map((x, k) => x + 1.12 * distance * back[k]), target, up: [0, 1, 0], size: 2 * Math.hypot(...half), degrees, aspect, ground: lower[1] };
}

// ---- The page --------------------------------------------------------------------------------------------------------

class Page {
	constructor(snug, characters) {
		Object.assign(this, { snug, characters, root: document.querySelector('.viewer') });
		this.#connect();
	}

	// Both where they belong, and the camera on them.
	arrange(place = findPlace(this.characters), start = 0) {
		this.place = place;
		element('distance').value = 1;
		element('turn').value = 0;
		this.live = this.root.live = new Live(this.snug, this.characters);
		Object.assign(this.live, { start, everything: element('everything').checked, changed: () => this.#showNumbers() });
		this.#putSecond();
		for (const character of this.characters) character.setTime(start / FRAMES_PER_SECOND);
		this.live.view = findView(this.characters);
		this.characters.forEach((_, slot) => this.#fillMenu(slot));
		if (this.viewer) this.viewer.setSource(this.live);
		else this.viewer = this.root.viewer = new Viewer(this.root, this.live);
		this.#count();
	}

	#putSecond() {
		const { position: [x, y, z], turn, scale } = this.place, distance = Number(element('distance').value);
		this.characters[1].put([x * distance, y, z * distance], turn + Number(element('turn').value), scale);
	}

	#restart() {
		this.live.restart();
		this.live.start = Math.min(this.viewer.at, this.live.total - 1);
		this.viewer.setSource(this.live, this.viewer.camera);
		this.#count();
	}

	// A few milliseconds at a time.
	#count() {
		cancelAnimationFrame(this.counting);
		this.counting = requestAnimationFrame(() => {
			const isMore = this.live.count(8);
			this.viewer.drawTimeline();
			if (isMore) this.#count();
		});
	}

	#showNumbers() {
		const { pairs, vertices, vertexCount, milliseconds } = this.live, count = pairs.length / 2;
		const median = [...milliseconds].sort((x, y) => x - y)[milliseconds.length >> 1];
		element('pairs').textContent = `${format(count)} ${count === 1 ? 'pair' : 'pairs'}`;
		element('pairs').className = count > 0 ? 'red' : '';
		element('time').textContent = `${median.toFixed(median < 10 ? 2 : 1)} ms`;
		element('vertices').textContent = format(vertices);
		element('total').textContent = `vertices evaluated, of ${format(vertexCount)}`;
		document.querySelector('.share i').style.width = `${Math.min(100, 100 * vertices / vertexCount)}%`;
		const now = performance.now();
		if (!this.viewer?.plays || now - (this.listed ?? 0) > 150) this.#showJoints(now);
	}

	#showJoints(now) {
		this.listed = now;
		const rows = this.live.joints.map(([first, second, count]) => {
			const row = document.createElement('tr');
			for (const [text, kind] of [[first, 't'], [second, 't'], [format(count), '']]) Object.assign(row.insertCell(), { textContent: text, className: kind });
			return row;
		});
		const none = document.createElement('tr');
		Object.assign(none.insertCell(), { textContent: 'none now', className: 't', colSpan: 3 });
		element('joints').replaceChildren(...(rows.length > 0 ? rows : [none]));
	}

	#fillMenu(slot) {
		const { name, clips, clip, model } = this.characters[slot], fieldset = document.querySelector(`[data-slot="${slot}"]`);
		const mark = document.createElement('i'), select = fieldset.querySelector('select');
		mark.style.background = `rgb(${colors[slot].map((x) => 255 * x)})`;
		fieldset.querySelector('legend').replaceChildren(mark, `${name}, ${format(model.triangleCount)} triangles`);
		select.replaceChildren(...clips.map((c, i) => new Option(c.name || `clip ${i}`, i, false, c === clip)));
		select.disabled = clips.length < 2;
	}

	complain(text) {
		element('error').textContent = text;
		element('error').hidden = text === '';
	}

	// All files or none: a character leaves when another is there.
	async open(files, slot) {
		this.complain('');
		const names = files.map(({ name }) => name).join(', '), made = [];
		try {
			for (const file of files) made.push(await loadCharacter(this.snug, file.name, new Uint8Array(await file.arrayBuffer())));
		} catch (error) {
			for (const character of made) character.dispose();
			this.complain(`${names}: ${error.message ?? error}`);
			return;
		}
		made.forEach((character, i) => {
			this.characters[(slot + i) % 2].dispose();
			this.characters[(slot + i) % 2] = character;
		});
		this.arrange();
	}

	#connect() {
		element('everything').addEventListener('change', (event) => {
			this.live.everything = event.target.checked;
			this.#restart();
		});
		for (const id of ['distance', 'turn']) {
			element(id).addEventListener('input', () => {
				this.#putSecond();
				this.#restart();
			});
		}
		for (const fieldset of document.querySelectorAll('[data-slot]')) {
			const slot = Number(fieldset.dataset.slot);
			fieldset.querySelector('select').addEventListener('change', (event) => {
				this.characters[slot].clip = this.characters[slot].clips[event.target.value];
				this.#restart();
			});
			fieldset.querySelector('[type=file]').addEventListener('change', ({ target }) => target.files.length > 0 && this.open([target.files[0]], slot));
		}
		this.#connectDrop();
	}

	#connectDrop() {
		addEventListener('dragover', (event) => {
			event.preventDefault();
			document.body.classList.add('dropping');
		});
		addEventListener('dragleave', (event) => event.relatedTarget ?? document.body.classList.remove('dropping'));
		addEventListener('drop', (event) => {
			event.preventDefault();
			document.body.classList.remove('dropping');
			const files = [...event.dataTransfer.files].slice(0, 2), isRight = event.clientX > innerWidth / 2;
			if (files.length > 0) this.open(files, files.length === 1 && isRight ? 1 : 0);
		});
	}
}

// ---- Begin -----------------------------------------------------------------------------------------------------------

const readPart = (name) => inflate(decode(element(name).textContent));

// Files that `snug view` was given; anywhere else there is no list.
async function findNamed() {
	const response = location.protocol === 'file:' ? null : await fetch('files.json').catch(() => null);
	const list = response?.ok ? await response.json() : [];
	return list.length === 1 ? [list[0], list[0]] : list;
}

async function fetchCharacter(snug, { name, url }) {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${name}: ${response.status}`);
	return loadCharacter(snug, name, new Uint8Array(await response.arrayBuffer()));
}

async function begin() {
	const snug = await Snug.load(await readPart('snug.wasm')), named = await findNamed();
	const usual = async (name) => loadCharacter(snug, name, await readPart(name));
	const characters = await Promise.all(named.length > 0 ? named.map((file) => fetchCharacter(snug, file)) : ['man.glb', 'creature.glb'].map(usual));
	const page = new Page(snug, characters);
	if (named.length === 0) {
		characters[0].clip = characters[0].clips.find(({ name }) => name === 'kick');
		page.arrange(kickPlace, 24); // as the foot lands
	} else {
		page.arrange();
	}
	page.viewer.setPlays(!isCalm() && !new URLSearchParams(location.search).has('still'));
	page.root.dataset.ready = '';
}

begin().catch((error) => {
	Page.prototype.complain(String(error.message ?? error));
});
