/**
 * Serves the guide, which the build has created from the documents. Everyone can read the guide, because it contains no
 * data about this installation. A requested address is only searched for in the list of files, and never becomes a file
 * path.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { z } from 'zod';
import { GUIDE } from '../../../core/guide-address.ts';
import { ownFile } from '../../../core/own-file.ts';
import type { HttpEnv } from '../../api/request/context.ts';
import { nothingHere } from '../../api/request/errors.ts';

/** The caching rule. The files change only with a new version of donor-sync. */
const CACHE_CONTROL = 'public, max-age=300';

const filesSchema = z.array(z.object({ path: z.string(), file: z.string(), type: z.string() }));

/** Creates the routes of the guide. The files are not kept in memory. The list of files takes 5 kB. */
export function guideRoutes(folder = findGuide()): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  for (const path of [GUIDE, `${GUIDE}/:page`, `${GUIDE}/images/:image`]) {
    app.get(path, compress(), async (c, next) => {
      const list = join(folder, 'files.json');
      if (!existsSync(list)) throw nothingHere('The guide is not built. Run `npm run docs`.');
      const files = filesSchema.parse(JSON.parse(await readFile(list, 'utf8')));
      const found = files.find((each) => each.path === c.req.path);
      if (found === undefined) return next();
      const body = new Uint8Array(await readFile(join(folder, found.file)));
      return c.body(body, 200, { 'Content-Type': found.type, 'Cache-Control': CACHE_CONTROL });
    });
  }
  return app;
}

/**
 * Returns the folder of the guide. In a built donor-sync, the guide is next to the program. If donor-sync runs from its
 * sources, it uses the guide of the last build.
 */
function findGuide(): string {
  const built = ownFile('guide');
  return existsSync(built) ? built : ownFile('dist/guide');
}
