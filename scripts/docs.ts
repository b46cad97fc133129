/**
 * Builds the guide from the documents in `docs/contents.ts`. `serve` offers the guide under /docs/guide. `npm run docs`
 * runs this script, and `npm run build` also runs it. The script fails with an error that lists all dead links.
 */
import { join } from 'node:path';
import { buildGuide } from './docs/build.ts';

await buildGuide(join(import.meta.dirname, '../dist/guide'));
