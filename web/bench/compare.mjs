// compare.mjs: the table of compare.html. ?frames= and ?rounds= for tests.
import { Snug } from 'snugmesh';
import { makeSkinnedBvh, makeSnug, makeTunedBvh, measure } from './contestants.mjs';
import { kinds, loadCharacter, pairings, poseFrame } from './frames.mjs';

const parameters = new URLSearchParams(location.search);
const frames = Number(parameters.get('frames') ?? 60), rounds = Number(parameters.get('rounds') ?? 3);
const state = document.getElementById('state'), rows = document.getElementById('rows');
const pairing = pairings.ours;
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

function addRow(kind, name, result, ours) {
	const same = result.pairs.filter((count, i) => count === ours.pairs[i]).length, row = rows.insertRow();
	for (const text of [kind, name, result.mean.toFixed(3), result.worst.toFixed(2), result.pairsPerFrame.toFixed(1),
		(result.mean / ours.mean).toFixed(0), `${same} of ${frames}`]) row.insertCell().textContent = text;
}

async function run() {
	document.getElementById('run').disabled = true;
	rows.replaceChildren();
	const snug = await Snug.load();
	const characters = await Promise.all(pairing.files.map(async (file) =>
		loadCharacter(new Uint8Array(await (await fetch(`../${file}`)).arrayBuffer()))));
	for (const kind of kinds) {
		const setFrame = (frame) => poseFrame(pairing, characters, kind, frame);
		setFrame(0);
		const contestants = [['snug', () => makeSnug(snug, characters), 3 * rounds], ['tuned', () => makeTunedBvh(characters), rounds],
			['SkinnedMeshBVH', () => makeSkinnedBvh(characters), 1]];
		let ours;
		for (const [name, make, times] of contestants) {
			state.textContent = `${kind}: ${name} …`;
			await pause();
			const result = measure(make(), setFrame, frames, times);
			ours ??= result;
			addRow(kind, name, result, ours);
		}
	}
	state.textContent = 'done';
	document.getElementById('run').disabled = false;
}

document.getElementById('run').addEventListener('click', run);
