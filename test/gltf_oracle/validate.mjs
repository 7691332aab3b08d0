// Usage: node validate.mjs FILE.glb
// Fails, and prints why, if the Khronos Group's validator has anything to say about a file.
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';

const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[2])));
for (const message of report.issues.messages) console.log(message.code, message.pointer, message.message);
process.exit(report.issues.messages.length > 0 ? 1 : 0);
