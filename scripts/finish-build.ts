/** What the compiler leaves to do; `npm run build` runs it. */
import { chmodSync, cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

/** Files that the code reads as they are, from beside itself. */
const READ_AS_THEY_ARE = 'src/**/*.{css,csv,js,md,svg}';

for (const file of globSync(READ_AS_THEY_ARE, { cwd: ROOT })) {
  cpSync(join(ROOT, file), join(DIST, file));
}

/** All that the program reads of it. Elsewhere than at the top of a package, the rest misleads. */
const manifestSchema = z.object({ name: z.string(), version: z.string(), type: z.string() });

const manifest = join(DIST, 'package.json');
const kept = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')));
writeFileSync(manifest, `${JSON.stringify(kept, null, 2)}\n`);
chmodSync(join(DIST, 'src/main.js'), 0o755);
