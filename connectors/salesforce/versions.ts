import { z } from 'zod';
import type { SalesforceApi } from './api.ts';
import { readAs } from './errors.ts';

const versionsSchema = z.array(z.object({ version: z.string() }));

/** Returns whether the org supports an API version, and the newest version that the org supports. */
export async function findVersion(
  api: Pick<SalesforceApi, 'get'>,
  wanted: string,
): Promise<{ isThere: boolean; newest: string }> {
  const versions = readAs(versionsSchema, await api.get('/services/data'));
  return {
    isThere: versions.some(({ version }) => version === wanted),
    newest: versions.at(-1)?.version ?? 'none',
  };
}
