/**
 * Builds the guide that `serve` offers under /docs/guide, from the documents that `docs/contents.ts` lists. `npm run
 * docs` runs it, and `npm run build` includes it. Ends with an error that names every dead link.
 */
import { join } from 'node:path';
import { buildGuide } from './docs/build.ts';

await buildGuide(join(import.meta.dirname, '../dist/guide'));
