// viewer.mjs: two characters in motion, their contacts live. Everything stays in this tab.
//
// ?still stops time and leaves stepping to window.viewer, for tests.
import { Vector3 } from 'three';
import { Snug } from 'snugmesh';
import { ContactLines } from 'snugmesh/three';
import { loadCharacter } from './character.mjs';
import { Crowd } from './crowd.mjs';
import { boxOfBoth, findPlace, kickPlace, putInPlace, Stage } from './stage.mjs';
import { Timeline } from './timeline.mjs';

const FRAMES_PER_SECOND = 30;
const colors = [0xff3b28, 0xffa020];
const element = (id) => document.getElementById(id);
const format = (number) => number.toLocaleString('en');
const isStill = new URLSearchParams(location.search).has('still');

const stage = openStage();
const timeline = new Timeline(element('timeline'));
const slots = [null, null];
const state = { time: 0, plays: !matchMedia('(prefers-reduced-motion: reduce)').matches && !isStill, place: kickPlace,
	everything: false, crowd: null, pairs: new Uint32Array(0), shown: [0, 0], vertices: 0, milliseconds: [] };
const lines = new ContactLines({ color: 0xfff4d0 });
stage.scene.add(lines.object);
let snug;

// Without WebGL there is nothing to show, but something to say.
function openStage() {
	try {
		return new Stage(element('view'));
	} catch (error) {
		element('loading').hidden = true;
		complain(`This browser cannot draw here: ${error.message}`);
		throw error;
	}
}

// ---- Contacts --------------------------------------------------------------------------------------------------------

const hasBoth = () => slots[0] !== null && slots[1] !== null;

// Pose both and ask. This is all that is measured.
function collideAt(time, everything) {
	for (const character of slots) {
		character.setTime(time);
		character.group.updateMatrixWorld(true);
	}
	const bodies = slots.map((character) => character.bodies[everything ? 1 : 0]);
	const begin = performance.now();
	for (const body of bodies) body.update({ matricesAreCurrent: true });
	const pairs = snug.collide(bodies[0], bodies[1]);
	return { pairs, milliseconds: performance.now() - begin, vertices: snug.counters.verticesEvaluated };
}

function step() {
	if (!hasBoth()) return;
	if (state.crowd !== null) {
		Object.assign(state, { found: state.crowd.setTime(state.time) });
		keepTime(state.found.milliseconds);
		return;
	}
	const { pairs, milliseconds, vertices } = collideAt(state.time, state.everything);
	state.pairs = pairs;
	state.vertices = vertices;
	keepTime(milliseconds);
	state.shown = slots.map((character, side) => character.show(pairs, side));
	state.segments = lines.show(snug.findContacts(...slots.map((character) => character.bodies[state.everything ? 1 : 0])));
}

function keepTime(milliseconds) {
	state.milliseconds.push(milliseconds);
	if (state.milliseconds.length > 40) state.milliseconds.shift();
}

function countJoints() {
	const counts = new Map();
	for (let i = 0; i < state.pairs.length; i += 2) {
		const key = `${slots[0].jointOf(state.pairs[i])}\n${slots[1].jointOf(state.pairs[i + 1])}`;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	return [...counts].sort((x, y) => y[1] - x[1]).slice(0, 5).map(([key, count]) => [...key.split('\n'), count]);
}

// ---- What is shown ---------------------------------------------------------------------------------------------------

// Of two characters pairs of triangles, of a crowd pairs of characters.
function getFound() {
	if (state.crowd !== null) return { ...state.found, total: state.crowd.vertexCount };
	return { pairs: state.pairs.length / 2, vertices: state.vertices, total: slots[0].vertexCount + slots[1].vertexCount };
}

function showNumbers() {
	const { pairs, vertices, total } = getFound(), sorted = [...state.milliseconds].sort((x, y) => x - y);
	const median = sorted[sorted.length >> 1] ?? 0;
	element('pairs').textContent = `${format(pairs)} ${pairs === 1 ? 'pair' : 'pairs'}`;
	element('pairs').classList.toggle('none', pairs === 0);
	element('time').textContent = `${median.toFixed(median < 10 ? 2 : 1)} ms`;
	// Where clusters of triangles border on each other, a vertex is evaluated for each.
	element('vertices').textContent = vertices <= total ? `${format(vertices)} of ${format(total)}`
		: `all ${format(total)}, ${format(vertices - total)} of them twice`;
	element('share').value = Math.min(100, 100 * vertices / total);
	element('clock').textContent = `${state.time.toFixed(2)} s`;
	element('time-slider').value = state.time;
}

function makeRow([first, second, count]) {
	const row = document.createElement('li'), names = document.createElement('span'), number = document.createElement('span');
	const a = document.createElement('b'), b = document.createElement('i');
	a.textContent = first;
	b.textContent = second;
	names.append(a, ' – ', b);
	number.textContent = format(count);
	row.append(names, number);
	return row;
}

let spoken = '';
function showJoints() {
	const rows = state.crowd === null ? countJoints() : [], none = document.createElement('li');
	none.className = 'none';
	none.textContent = state.crowd === null ? 'none now' : `${format(state.found.touching)} characters touch another: red`;
	element('joints').replaceChildren(...(rows.length > 0 ? rows.map(makeRow) : [none]));
	const text = rows.length > 0 ? `${rows[0][0]} touches ${rows[0][1]}` : state.crowd !== null ? none.textContent : 'no contact';
	// Not in every frame: a screen reader would never come to an end.
	if (text !== spoken && !state.plays) element('spoken').textContent = spoken = text;
}

let lastJoints = 0;
function show(now = performance.now()) {
	if (hasBoth()) {
		showNumbers();
		timeline.draw(state.time);
		if (now - lastJoints > 150 || !state.plays) {
			lastJoints = now;
			showJoints();
		}
	}
	stage.draw();
}

function complain(error) {
	element('error').textContent = error === null ? '' : String(error.message ?? error);
	element('error').hidden = error === null;
}

// ---- Characters ------------------------------------------------------------------------------------------------------

function fillMenu(slot) {
	const fieldset = document.querySelector(`[data-slot="${slot}"]`), select = fieldset.querySelector('select');
	const { name, clips, clip, triangleCount } = slots[slot];
	fieldset.querySelector('legend').textContent = `${name}, ${format(triangleCount)} triangles`;
	select.replaceChildren(...clips.map((c, i) => new Option(c.name || `clip ${i}`, i, false, c === clip)));
	select.disabled = clips.length < 2;
}

function remember() {
	if (!hasBoth()) return;
	const duration = Math.max(...slots.map((character) => character.clip.duration), 0.1);
	timeline.restart(duration, FRAMES_PER_SECOND);
	element('time-slider').max = duration;
	state.time %= duration;
	state.milliseconds = [];
}

function moveSecond() {
	if (!hasBoth()) return;
	putInPlace(slots[1], state.place, Number(element('distance').value), Number(element('turn').value));
	remember();
}

function use(slot, character) {
	slots[slot]?.dispose();
	slots[slot] = character;
	character.setColor(colors[slot]);
	stage.scene.add(character.group);
	fillMenu(slot);
}

// Two characters, or as many as the slider says: the more to the right, the coarser.
const getCrowdSize = () => Math.round(2 * 500 ** (Number(element('crowd').value) / 100));
const MOST_DEFORMED = 60; // characters of which all vertices can be deformed before one loses patience, and memory

function setCrowd() {
	const count = getCrowdSize(), accepted = slots.every(Crowd.accepts), isCrowd = accepted && count > 2;
	state.crowd?.dispose();
	state.crowd = null;
	element('crowd').disabled = !accepted;
	element('crowd-count').textContent = format(accepted ? count : 2);
	element('crowd').setAttribute('aria-valuetext', `${count} characters`);
	element('everything').disabled = isCrowd && count > MOST_DEFORMED;
	element('characters').hidden = isCrowd;
	for (const { group } of slots) group.visible = !isCrowd;
	lines.object.visible = !isCrowd;
	remember(); // the timeline is of two
	if (isCrowd) {
		const everything = state.everything && count <= MOST_DEFORMED, apart = 0.62 * boxOfBoth(slots).getSize(new Vector3()).length() / 2;
		state.crowd = new Crowd(snug, slots, { count, scale: state.place.scale, apart, everything });
		stage.scene.add(state.crowd.object);
	}
	step();
	stage.frame(isCrowd ? state.crowd.box : boxOfBoth(slots));
	show();
}

// Both at their places, the camera on them.
function arrange(place) {
	element('crowd').value = 0;
	state.place = place ?? findPlace(...slots);
	element('distance').value = 1;
	element('turn').value = 0;
	for (const character of slots) character.setTime(0);
	moveSecond();
	setCrowd();
}

async function open(files, firstSlot) {
	complain(null);
	try {
		let slot = firstSlot;
		for (const { name, bytes } of files) {
			use(slot, await loadCharacter(snug, name, bytes));
			slot = 1 - slot;
		}
		arrange();
	} catch (error) {
		complain(`${files.map((file) => file.name).join(', ')}: ${error.message ?? error}`);
	}
}

const read = async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });

// ---- Controls --------------------------------------------------------------------------------------------------------

function setPlays(plays) {
	state.plays = plays;
	element('play').textContent = plays ? 'Pause' : 'Play';
	element('play').setAttribute('aria-pressed', String(plays));
}

function setTime(time) {
	state.time = ((time % timeline.duration) + timeline.duration) % timeline.duration;
	step();
	show();
}

function connectControls() {
	element('play').addEventListener('click', () => setPlays(!state.plays));
	element('everything').addEventListener('change', (event) => {
		state.everything = event.target.checked;
		state.milliseconds = [];
		if (state.crowd !== null) setCrowd();
		step();
	});
	element('crowd').addEventListener('input', setCrowd);
	element('time-slider').addEventListener('input', (event) => {
		setPlays(false);
		setTime(Number(event.target.value));
	});
	for (const id of ['distance', 'turn']) element(id).addEventListener('input', moveSecond);
	for (const fieldset of document.querySelectorAll('[data-slot]')) {
		const slot = Number(fieldset.dataset.slot);
		fieldset.querySelector('select').addEventListener('change', (event) => {
			slots[slot].clip = slots[slot].clips[event.target.value];
			remember();
		});
		fieldset.querySelector('input').addEventListener('change', async (event) => {
			if (event.target.files.length > 0) await open([await read(event.target.files[0])], slot);
		});
	}
}

// Space plays, comma and full stop go by frames; not while a control that uses them has the focus.
function connectKeys() {
	addEventListener('keydown', (event) => {
		if (event.target.closest('input, select, button, summary') || event.ctrlKey || event.metaKey || event.altKey) return;
		const steps = { ',': -1, '.': 1 }[event.key];
		if (event.key === ' ') {
			event.preventDefault();
			setPlays(!state.plays);
		} else if (steps) {
			setPlays(false);
			setTime(state.time + steps / FRAMES_PER_SECOND);
		}
	});
}

function connectDrop() {
	addEventListener('dragover', (event) => {
		event.preventDefault();
		document.body.classList.add('dropping');
	});
	addEventListener('dragleave', (event) => event.relatedTarget ?? document.body.classList.remove('dropping'));
	addEventListener('drop', async (event) => {
		event.preventDefault();
		document.body.classList.remove('dropping');
		const files = [...event.dataTransfer.files].slice(0, 2);
		const { left, width } = element('view').getBoundingClientRect();
		const slot = files.length === 1 && event.clientX > left + width / 2 ? 1 : 0;
		if (files.length > 0) await open(await Promise.all(files.map(read)), slot);
	});
}

// ---- Begin -----------------------------------------------------------------------------------------------------------

async function fetchFile({ name, url }) {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${name}: ${response.status}`);
	return { name, bytes: new Uint8Array(await response.arrayBuffer()) };
}

async function begin() {
	const named = await (await fetch('files.json')).json();
	const usual = [{ name: 'man.glb', url: 'man.glb' }, { name: 'creature.glb', url: 'creature.glb' }];
	const wanted = named.length === 0 ? usual : [named[0], named[1] ?? named[0]];
	const files = await Promise.all(wanted.map(fetchFile));
	snug = await Snug.load();
	for (const slot of [0, 1]) use(slot, await loadCharacter(snug, files[slot].name, files[slot].bytes));
	if (named.length === 0) {
		slots[0].clip = slots[0].clips.find((clip) => clip.name === 'kick');
		for (const slot of [0, 1]) fillMenu(slot);
		state.time = 0.8; // as the foot lands
	}
	arrange(named.length === 0 ? kickPlace : undefined);
	element('loading').hidden = true;
}

let before = 0;
function frame(now) {
	const seconds = Math.min(0.1, (now - before) / 1000);
	before = now;
	if (hasBoth()) {
		if (!timeline.isDone && state.crowd === null) timeline.work((time) => collideAt(time, false).pairs.length / 2, 6);
		if (state.plays) state.time = (state.time + seconds) % timeline.duration;
		step();
	}
	show(now);
}

connectControls();
connectKeys();
connectDrop();
setPlays(state.plays);
begin().then(() => {
	if (isStill) {
		timeline.work((time) => collideAt(time, false).pairs.length / 2, Infinity);
		setTime(state.time);
	} else {
		stage.renderer.setAnimationLoop(frame);
	}
	window.viewer = { snug, slots, state, timeline, stage, setTime, setCrowd, collideAt, isReady: true };
}, (error) => {
	element('loading').hidden = true;
	complain(error);
});
