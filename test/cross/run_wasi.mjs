// Usage: node test/cross/run_wasi.mjs PROGRAM.wasm [ARGUMENT...]
// Runs a WebAssembly program that prints, and exits with its status. SNUG_ISA and the like reach it. Of WASI it has what
// such programs call, and no files: that of node 20 crashes after some that have passed.
import { readFileSync, writeSync } from 'node:fs';

const [program, ...rest] = process.argv.slice(2);
const BAD_DESCRIPTOR = 8, NOT_SUPPORTED = 52;
let memory;
const view = () => new DataView(memory.buffer);
const encode = (text) => new TextEncoder().encode(`${text}\0`);
const programArguments = [program, ...rest].map(encode);
const environment = Object.entries(process.env).filter(([name]) => name.startsWith('SNUG_')).map(([name, value]) => encode(`${name}=${value}`));

class Exit extends Error {
	constructor(status) {
		super(`exit ${status}`);
		this.status = status;
	}
}

// Lists of strings go out in two calls: how many and how long, then where they are.
const tellSizes = (list) => (countAt, bytesAt) => {
	view().setUint32(countAt, list.length, true);
	view().setUint32(bytesAt, list.reduce((sum, text) => sum + text.length, 0), true);
	return 0;
};
const copyOut = (list) => (pointersAt, at) => {
	list.forEach((text, i) => {
		view().setUint32(pointersAt + 4 * i, at, true);
		new Uint8Array(memory.buffer).set(text, at);
		at += text.length;
	});
	return 0;
};

const wasi = {
	args_sizes_get: tellSizes(programArguments),
	args_get: copyOut(programArguments),
	environ_sizes_get: tellSizes(environment),
	environ_get: copyOut(environment),
	proc_exit(status) {
		throw new Exit(status);
	},
	clock_time_get(clock, precision, at) {
		view().setBigUint64(at, process.hrtime.bigint(), true);
		return 0;
	},
	fd_write(descriptor, parts, count, writtenAt) {
		if (descriptor !== 1 && descriptor !== 2) return BAD_DESCRIPTOR;
		let written = 0;
		for (let i = 0; i < count; ++i) {
			const length = view().getUint32(parts + 8 * i + 4, true);
			if (length > 0) writeSync(descriptor, new Uint8Array(memory.buffer, view().getUint32(parts + 8 * i, true), length));
			written += length;
		}
		view().setUint32(writtenAt, written, true);
		return 0;
	},
	// A terminal's kind of descriptor, so that lines come out as they are written.
	fd_fdstat_get(descriptor, at) {
		new Uint8Array(memory.buffer, at, 24).fill(0);
		view().setUint8(at, 2);
		return descriptor < 3 ? 0 : BAD_DESCRIPTOR;
	},
	fd_prestat_get: () => BAD_DESCRIPTOR,
};
const module = new WebAssembly.Module(readFileSync(program));
for (const { name } of WebAssembly.Module.imports(module)) wasi[name] ??= () => NOT_SUPPORTED;
const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
memory = instance.exports.memory;
try {
	instance.exports._start();
} catch (error) {
	if (!(error instanceof Exit)) throw error;
	process.exitCode = error.status;
}
