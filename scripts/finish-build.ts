/** What the compiler leaves to do; `npm run build` runs it. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const DIST = join(import.meta.dirname, '../dist');

/** All that the program reads of it. Elsewhere than at the top of a package, the rest misleads. */
const manifestSchema = z.object({ name: z.string(), version: z.string(), type: z.string() });

const manifest = join(DIST, 'package.json');
const kept = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')));
writeFileSync(manifest, `${JSON.stringify(kept, null, 2)}\n`);
chmodSync(join(DIST, 'src/main.js'), 0o755);
