/**
 * Builds the guide that `serve` offers under /docs/guide, from the documents in `docs/contents.ts`. `npm run docs` runs
 * it, and `npm run build` includes it. Fails with an error that lists every dead link.
 */
import { join } from 'node:path';
import { buildGuide } from './docs/build.ts';

await buildGuide(join(import.meta.dirname, '../dist/guide'));
