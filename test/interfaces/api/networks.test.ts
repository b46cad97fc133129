import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listNetworkMembers } from '../../../src/networks/statements/network-members.ts';
import { listNetworks } from '../../../src/networks/statements/networks.ts';
import { listStrongestPaths } from '../../../src/paths/statements/warm-paths.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { type NetworkHttpWorld, openNetworkWorld } from '../../browser/network-world.ts';
import { withDatabase } from '../../browser/rooms.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, type HttpWorld } from './http-world.ts';

const open = closedAfterTest(({ chargeQueries = false }: { chargeQueries?: boolean } = {}) =>
  openNetworkWorld({ service: { chargeQueries } }, { contacts: 40, board: 6 }),
);

/** The service for all tests that change nothing in it. */
let world: NetworkHttpWorld;
let token = '';
beforeAll(async () => {
  world = await openNetworkWorld();
  token = await world.addToken('admin');
});
afterAll(() => world.close());

const ONE = '/v1/integrations/riverside';

const driftSchema = z.strictObject({
  name: z.string(),
  networkId: z.string().nullable(),
  state: z.enum(['none', 'deleted', 'present']),
  renamedTo: z.string().nullable(),
  removedByHand: z.array(z.strictObject({ donorId: z.string(), contacts: z.array(z.string()) })),
  addedByHand: z.array(z.strictObject({ donorId: z.string(), contacts: z.array(z.string()) })),
  strangers: z.int().nullable(),
});
const checkSchema = z.strictObject({ integration: z.string(), networks: z.array(driftSchema) });

function post(here: HttpWorld, path: string, body: unknown, as: string) {
  return here.request(ONE + path, { method: 'POST', body, token: as });
}

/** Removes a member from the board as a user does on the service's own pages. */
async function removeOne({ application, service }: NetworkHttpWorld): Promise<string> {
  const { reader } = application.store;
  const [network] = await listNetworks(reader, 'riverside');
  const [member] = await listNetworkMembers(reader, network?.id ?? '');
  const gone = await fetch(`${service.baseUrl}/networks/${network?.networkId}/members/remove`, {
    method: 'POST',
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ donor_ids: [member?.donorId] }),
  });
  if (!gone.ok || member === undefined) throw new Error('nobody was removed');
  return member.donorId;
}

async function namesShown({ application: { store } }: HttpWorld) {
  const entries = await listAuditEntries(store, { action: 'names.shown', limit: 100 });
  return entries.map(({ integrationId, details }) => ({ integrationId, details }));
}

describe('GET /v1/integrations/{integration}/networks', () => {
  it('returns what the terminal prints with --json of one client', async () => {
    const answer = await world.request(`${ONE}/networks`, { token });
    expect(answer.read(z.unknown())).toMatchObject({
      integration: 'riverside',
      networks: [{ name: 'Board', group: { group: 'board' }, members: 12, failed: [] }],
    });
  });
});

describe('GET /v1/integrations/{integration}/network', () => {
  it('returns the paths above a strength, by IDs', async () => {
    const schema = z.object({ paths: z.array(z.object({ strength: z.number().nullable() })) });
    const all = (await world.request(`${ONE}/network`, { token })).read(schema);
    const strong = (await world.request(`${ONE}/network?weakest=90`, { token })).read(schema);
    expect(strong.paths.length).toBeGreaterThan(0);
    expect(strong.paths.length).toBeLessThan(all.paths.length);
    expect((await world.request(`${ONE}/network?weakest=10`, { token })).status).toBe(422);
  });

  it('keeps back what the pages keep back: introductions of contacts that wait for a decision', async () => {
    const schema = z.object({
      people: z.array(z.object({ donorId: z.string() })),
      paths: z.array(z.object({ contact: z.string(), to: z.string() })),
    });
    const shown = async (query = '') =>
      (await world.request(`${ONE}/network${query}`, { token })).read(schema);
    const [{ contact = '', to = '' } = {}] = (await shown()).paths;
    expect(contact).not.toBe('');
    const setState = (state: 'held' | 'settled') =>
      withDatabase(world, (db) =>
        db.updateTable('contacts').set({ state }).where('crm_id', '=', contact).execute(),
      );
    await setState('held');
    const [all, one] = [await shown(), await shown(`?who=${contact}`)];
    await setState('settled');
    expect(all.paths.length).toBeGreaterThan(0);
    expect(all.paths.map((path) => path.contact)).not.toContain(contact);
    expect(all.people.map(({ donorId }) => donorId)).not.toContain(to);
    expect(one.paths).toEqual([]);
  });
});

describe('POST /v1/integrations/{integration}/networks/check', () => {
  it('finds nothing where nothing was changed by hand', async () => {
    const { status, read } = await post(world, '/networks/check', {}, token);
    expect(status).toBe(200);
    expect(read(checkSchema).networks).toMatchObject([
      { name: 'Board', state: 'present', removedByHand: [], addedByHand: [] },
    ]);
  });

  it('sends one query, and says what the others cost, unless it may spend', async () => {
    const here = await open({ chargeQueries: true });
    const admin = await here.addToken('admin');
    const { status, read } = await post(here, '/networks/check', {}, admin);
    expect(status).toBe(409);
    const { error } = read(errorSchema);
    expect(error.code).toBe('questions_cost_credits');
    expect(error.message).toContain('None of them was sent');
    expect((await post(here, '/networks/check', { spend: true }, admin)).status).toBe(200);
  });
});

describe('POST /v1/integrations/{integration}/networks/repair', () => {
  it('asks first, and adds again a member who was removed by hand', async () => {
    const here = await open();
    const admin = await here.addToken('admin');
    const donorId = await removeOne(here);
    const unseen = await post(here, '/networks/repair', {}, admin);
    expect(unseen.read(errorSchema).error.code).toBe('preview_missing');

    const previewSchema = z.object({
      preview: z.object({
        question: z.string(),
        counts: z.record(z.string(), z.int()),
        digest: z.string(),
      }),
    });
    const asked = await post(here, '/networks/repair/preview', {}, admin);
    const { preview } = asked.read(previewSchema);
    expect(preview.counts).toEqual({ removed: 1, added: 0 });
    expect(preview.question).toContain('Removed by hand: 1 member');
    const checked = (await post(here, '/networks/check', {}, admin)).read(checkSchema);
    expect(checked.networks[0]?.removedByHand.map((one) => one.donorId)).toEqual([donorId]);

    const path = `/networks/repair?digest=${preview.digest}`;
    const repaired = await post(here, path, {}, admin);
    expect(repaired.read(z.unknown())).toMatchObject({
      integration: 'riverside',
      found: [{ removedByHand: [{ donorId }] }],
      done: [{ name: 'Board', added: 1, removed: 0, failed: 0 }],
      stopped: null,
    });
    const again = await post(here, path, {}, admin);
    expect(again.status).toBe(409);
    expect(again.read(errorSchema).error.code).toBe('preview_outdated');
    const after = (await post(here, '/networks/check', {}, admin)).read(checkSchema);
    expect(after.networks).toMatchObject([{ removedByHand: [], addedByHand: [] }]);
  });
});

describe('POST /v1/integrations/{integration}/prospects', () => {
  it('names people who are not in the CRM, as a document or a file, and puts it on record', async () => {
    const before = (await namesShown(world)).length;
    const schema = z.strictObject({
      prospects: z.array(z.looseObject({ donorId: z.string(), name: z.string().nullable() })),
    });
    const { prospects } = (await post(world, '/prospects', { limit: 2 }, token)).read(schema);
    expect(prospects.length).toBeGreaterThan(0);
    expect(prospects.length).toBeLessThanOrEqual(2);
    const file = await world.request(`${ONE}/prospects`, {
      ...{ method: 'POST', body: { limit: 2 }, token },
      headers: { accept: 'text/csv' },
    });
    expect(file.headers.get('content-disposition')).toContain('prospects-riverside.csv');
    expect(file.headers.get('cache-control')).toBe('no-store');
    expect(file.text).toMatch(/^Donor ID,Name,Strength,/);
    const shown = await namesShown(world);
    const entry = {
      integrationId: 'riverside',
      details: { command: 'prospects', names: prospects.length },
    };
    expect(shown).toHaveLength(before + 2);
    expect(shown.filter(({ details }) => details['command'] === 'prospects')).toEqual([
      entry,
      entry,
    ]);
  });

  it('says what the query cost', async () => {
    const here = await open({ chargeQueries: true });
    const admin = await here.addToken('admin');
    const { read } = await post(here, '/prospects', {}, admin);
    expect(read(z.unknown())).toMatchObject({ cost: { credits: 1, bucket: 'searches' } });
  });
});

describe('POST /v1/integrations/{integration}/contacts/{contact}/paths', () => {
  it('shows who knows a contact, and puts it on record', async () => {
    const [path] = await listStrongestPaths(world.application.store.reader, 'riverside', 1);
    const crmId = path?.crmId ?? '';
    const answer = await post(world, `/contacts/${crmId}/paths`, undefined, token);
    expect(answer.read(z.unknown())).toMatchObject({
      paths: { integration: 'riverside', contact: crmId, donorId: path?.donorId },
    });
    expect(answer.text).toContain(path?.introducerId);
    const shown = await namesShown(world);
    expect(shown.filter(({ details }) => details['command'] === 'paths')).toHaveLength(1);
  });

  it('does not know a contact that is not there', async () => {
    const { status, read } = await post(world, '/contacts/unknown/paths', undefined, token);
    expect(status).toBe(404);
    expect(read(errorSchema).error.code).toBe('contact_unknown');
  });
});
