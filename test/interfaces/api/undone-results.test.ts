/** Tests the results and the introductions after a run was undone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { undoRun } from '../../../src/fields/undo.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { type NetworkHttpWorld, openNetworkWorld } from '../../browser/network-world.ts';
import { join } from './people-world.ts';

let world: NetworkHttpWorld;
let cookie = '';

beforeAll(async () => {
  world = await openNetworkWorld();
  ({ cookie } = await join(world, 'Rea', 'reader'));
});
afterAll(() => world.close());

const resultsSchema = z.object({
  results: z.object({
    clients: z.array(
      z.object({
        matched: z.number(),
        bands: z.array(z.object({ contacts: z.number() })),
        millionaires: z.number(),
        credits: z.object({ enhancements: z.number() }),
      }),
    ),
  }),
});

async function readResults() {
  const answer = await world.request('/v1/results?integration=riverside', { headers: { cookie } });
  const [client] = answer.read(resultsSchema).results.clients;
  if (client === undefined) throw new Error('no client');
  const { bands, ...rest } = client;
  return { ...rest, inBands: bands.reduce((sum, { contacts }) => sum + contacts, 0) };
}

const introductionsSchema = z.object({
  introductions: z.object({
    contacts: z.array(z.object({ crmId: z.string(), capacity: z.string().nullable() })),
  }),
});

async function readIntroductions() {
  const answer = await world.request('/v1/integrations/riverside/introductions', {
    method: 'POST',
    headers: { cookie, origin: world.url },
    body: { limit: 500 },
  });
  return answer.read(introductionsSchema).introductions.contacts;
}

async function undoRuns(): Promise<void> {
  const { application } = world;
  const client = application.integrations.get('riverside');
  if (client === undefined) throw new Error('no client');
  const runs = await application.store.reader.selectFrom('runs').select('id').execute();
  const opened = await application.open(client, AbortSignal.timeout(60_000));
  for (const { id } of runs) {
    await withLease(opened.deps, client.id, async (lease) =>
      undoRun(await openCrm(opened.deps, lease), lease, id),
    );
  }
  await opened.close();
}

describe('an undone run', () => {
  it('counts no profile in the results and ranks no introduction, and its credits stay spent', async () => {
    const before = await readResults();
    const ranked = await readIntroductions();
    expect(before.inBands).toBeGreaterThan(20);
    expect(ranked.some(({ capacity }) => capacity !== null)).toBe(true);
    await undoRuns();
    const after = await readResults();
    expect(after).toEqual({ ...before, inBands: 0, millionaires: 0 });
    expect(after.credits.enhancements).toBeGreaterThan(0);
    const left = await readIntroductions();
    expect(left.map(({ crmId }) => crmId).sort()).toEqual(ranked.map(({ crmId }) => crmId).sort());
    expect(left.every(({ capacity }) => capacity === null)).toBe(true);
    const page = await world.request('/results?client=riverside', { headers: { cookie } });
    expect(page.text).toContain('an undo has taken its values out of the CRM');
    expect(page.text).toContain('The credits for values that an undo removed stay spent.');
  });
});
