/** Draws the diagrams of rooms in ARCHITECTURE.md from the current imports. Run `node scripts/draw-rooms.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, withDrawings } from './rooms.ts';

const file = join(ROOT, 'ARCHITECTURE.md');
writeFileSync(file, withDrawings(readFileSync(file, 'utf8')));
