// Usage: node --no-warnings test/run_wasi.mjs PROGRAM.wasm [ARGUMENT...]
// Runs a WebAssembly program for WASI and exits with its status. SNUG_ISA and the like reach it.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
