/** Lays the shrinkwrap beside package.json while `npm pack` is at work, which takes it away again afterwards. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shrinkwrapOf } from './supply.ts';

const ROOT = join(import.meta.dirname, '..');

const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const text = `${JSON.stringify(shrinkwrapOf(lock), null, 2)}\n`;
writeFileSync(join(ROOT, 'npm-shrinkwrap.json'), text);
