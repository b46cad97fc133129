/**
 * Tests erasures that Salesforce requests. The tests use the command line for the decision, the second user, and the
 * erasure.
 */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { sandboxControl, sendJson } from '../../connectors/crm-sandbox.ts';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';

const open = closedAfterTest(openCliWorld);
const openOrg = closedAfterTest(startSalesforceSandbox);

const batchesSchema = z.object({
  batches: z.array(
    z.object({
      ...{ id: z.string(), kind: z.string(), count: z.int(), reason: z.string() },
      decisions: z.array(z.string()),
    }),
  ),
});

type World = Awaited<ReturnType<typeof openMarked>>;

/** Opens a client with an org and enhanced contacts. Then marks some contacts for erasure. */
async function openMarked(
  marked: number,
  more: Record<string, unknown> = {},
  marks: Record<string, unknown> = {},
  own: Record<string, unknown> = {},
) {
  const world = await open({ people: 1, service: { donors: 500 } });
  const org = await openOrg({ contacts: 12, donors: 500, individuals: true });
  const { control, people } = sandboxControl(org.rootUrl);
  const ids = (await people()).map(({ id }) => id);
  const integration = {
    ...{ id: 'riverside', settleAfterMs: 200, guards: { trial: { size: 0 } } },
    crm: { kind: 'salesforce', url: org.rootUrl, auth: { type: 'token', token: org.token } },
    fields: [{ from: 'donorId', to: 'Donor_ID__c' }],
    partner: { baseUrl: world.service.baseUrl, apiKey: world.service.apiKey },
    ...own,
  };
  const settings = { database: 'sqlite:store.db', integrations: [integration], ...more };
  await writeFile(world.path('donor-sync.yaml'), JSON.stringify(settings));
  await world.run(['fields', 'create', 'riverside']);
  expect((await world.run(['sync'])).exitCode).toBe(0);
  for (const id of ids.slice(0, marked)) {
    const individual = await createIndividual(org, {
      LastName: 'Lopez',
      ShouldForget: true,
      ...marks,
    });
    const values = { IndividualId: individual };
    await control('POST', 'edit', { action: 'update', id, values });
  }
  expect((await world.run(['sync'])).exitCode).toBe(0);
  return { world, control, ids };
}

const savedSchema = z.object({ id: z.string() });

/** Creates an Individual in the org, and returns its id. */
async function createIndividual(
  { baseUrl, token }: { baseUrl: string; token: string },
  values: Record<string, unknown>,
): Promise<string> {
  const url = `${baseUrl}/services/data/v67.0/sobjects/Individual`;
  const saved = await sendJson('POST', url, values, { authorization: `Bearer ${token}` });
  return savedSchema.parse(saved).id;
}

async function readBatches({ world }: World) {
  return (await world.runJson(['holds'], batchesSchema)).batches;
}

/** Returns donor-sync's value in a contact, or null if the field is blank. */
async function donorIdOf({ control }: World, id: string | undefined) {
  const record = z
    .record(z.string(), z.unknown())
    .parse(await control('GET', `record/Contact/${id}`));
  return record['Donor_ID__c'] ?? null;
}

/** With these settings, the CRM's erasure requests need no user's decision. */
const ERASE = { privacy: { crmRequests: 'erase' } };

describe('contacts that Salesforce marks to be forgotten', () => {
  it('are one question, and the sync after the answer erases them, with our values in the org', async () => {
    const here = await openMarked(3);
    const { world, ids } = here;
    const before = await donorIdOf(here, ids[0]);
    expect(before).not.toBeNull();
    const [batch] = await readBatches(here);
    expect(batch).toMatchObject({
      ...{ kind: 'erasure_requested', count: 3, decisions: ['approve', 'reject'] },
      reason: expect.stringContaining('Erase these 3 contacts?'),
    });
    expect((await world.run(['holds'])).stdout).toContain('the CRM asks for erasure');
    const approved = await world.run(['holds', 'approve', '--batch', batch?.id ?? '']);
    expect(approved.stdout).toContain('3 contacts are to be erased.');
    expect(await donorIdOf(here, ids[0])).toBe(before);

    const { exitCode, stderr } = await world.run(['sync']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('3 contacts erased, as the CRM requested.');
    expect(await donorIdOf(here, ids[0])).toBeNull();
    expect(await donorIdOf(here, ids[5])).not.toBeNull();
    expect(await readBatches(here)).toEqual([]);
    expect((await world.run(['audit'])).stdout).toContain('erasure.requested');
  });

  it('wait for a second user if the settings want two for so many', async () => {
    const here = await openMarked(3, { twoPeople: { approvals: 1 } });
    const { world, ids } = here;
    const [batch] = await readBatches(here);
    const approved = await world.run(['holds', 'approve', '--batch', batch?.id ?? '', '--json']);
    const { approval } = z
      .object({ approval: z.object({ id: z.string() }) })
      .parse(JSON.parse(approved.stdout));
    await world.run(['sync']);
    expect(await donorIdOf(here, ids[0])).not.toBeNull();
    expect((await world.run(['approvals', 'confirm', approval.id])).exitCode).toBe(2);
    const confirm = ['approvals', 'confirm', approval.id, '--yes'];
    expect((await world.run(confirm, {}, 'ben')).exitCode).toBe(0);
    await world.run(['sync']);
    expect(await donorIdOf(here, ids[0])).toBeNull();
    expect(await readBatches(here)).toEqual([]);
  });

  it('are kept while a privacy hold forbids the erasure', async () => {
    const here = await openMarked(1, {}, { HasPrivacyHold: true });
    const [batch] = await readBatches(here);
    expect(batch).toMatchObject({ count: 1, decisions: ['reject'] });
    const { exitCode, stderr } = await here.world.run([
      ...['holds', 'approve', '--batch', batch?.id ?? ''],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('A privacy hold in the CRM (HasPrivacyHold) forbids');
    expect(await readBatches(here)).toHaveLength(1);
    expect((await here.world.run(['forget', here.ids[0] ?? '', '--yes'])).exitCode).toBe(2);
    expect(await donorIdOf(here, here.ids[0])).not.toBeNull();
  });

  it('are erased without a question if the settings say so', async () => {
    const here = await openMarked(2, {}, {}, ERASE);
    const { world, ids } = here;
    // The contacts are erased by the sync that reads the marks, or by the next sync.
    expect((await world.run(['sync'])).exitCode).toBe(0);
    expect(await readBatches(here)).toEqual([]);
    for (const id of ids.slice(0, 2)) expect(await donorIdOf(here, id)).toBeNull();
    expect(await donorIdOf(here, ids[5])).not.toBeNull();
  });

  it('are offered for erasure if they object to profiling, and not erased without a user', async () => {
    const objects = { ShouldForget: false, HasOptedOutProfiling: true };
    const here = await openMarked(2, {}, objects, ERASE);
    const { world, ids } = here;
    const [batch] = await readBatches(here);
    expect(batch).toMatchObject({ kind: 'erasure_requested', count: 2 });
    // An objection alone is not an erasure request. The settings about other requests do not change this.
    await world.run(['sync', '--full']);
    expect(await donorIdOf(here, ids[0])).not.toBeNull();
    await world.run(['holds', 'approve', '--batch', batch?.id ?? '']);
    await world.run(['sync']);
    for (const id of ids.slice(0, 2)) expect(await donorIdOf(here, id)).toBeNull();
  });
});
