import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, type Donor } from '../../people/world.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Integration } from '../../src/core/integration-settings.ts';
import { listOpenQueries } from '../../src/credits/statements/queries.ts';
import type { Checkpoint } from '../../src/database/leases.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { previewUndo } from '../../src/fields/undo-preview.ts';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import { calledName } from '../../src/paths/sentence.ts';
import { findPathCost } from '../../src/paths/statements/warm-paths.ts';
import { INSIGHT_STAGES, writeWarmPaths } from '../../src/paths/write-warm-paths.ts';
import type { Stage } from '../../src/sync/control/stage.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import {
  BOARD,
  createPathWorld,
  INTRODUCER,
  NETWORK,
  type PathWorld,
  type PathWorldOptions,
  SENTENCE,
  STAFF,
  STRENGTH,
} from './path-world.ts';

const DAY_MS = 86_400_000;

let world: PathWorld;
afterEach(() => world.close());

/** Opens a service and runs a successful first sync. */
async function open(options: PathWorldOptions = {}): Promise<PathWorld> {
  world = await createPathWorld(options);
  expect(await world.sync()).toMatchObject({ status: 'succeeded' });
  return world;
}

/** Returns the client with insights, for tests that start without them. */
function withInsights(): Integration {
  const { integration } = world;
  return { ...integration, insights: { ...integration.insights, enabled: true } };
}

/** Returns the number of comparison calls that the work needs. */
async function comparesOf(work: () => Promise<unknown>): Promise<number> {
  const before = await world.compares();
  await work();
  return (await world.compares()) - before;
}

/** Returns a contact with a path, and the stored data about it. */
async function somePath() {
  const row = await world.database.db
    .selectFrom('warm_paths')
    .selectAll()
    .where('introducer_id', 'is not', null)
    .orderBy('crm_id')
    .executeTakeFirstOrThrow();
  return { crmId: row.crm_id, introducerId: row.introducer_id ?? '', row };
}

describe('contacts that contacts.filter no longer includes', () => {
  it.each([
    ['have changed', 'some filter'],
    ['are left out by a narrower one', 'a narrower filter'],
  ])('are not compared if they %s, and keep their paths', async (_, filter) => {
    const contacts = { ...FILTERED, filter: 'some filter' };
    await open({ contacts: 220, integration: { contacts } });
    const before = world.filled(SENTENCE);
    const outside = new Set(world.people.slice(60));
    world.crm.filter = ({ contact }) => !outside.has(contact.id);
    world.setGroup('board', 0, 21);
    const integration = {
      ...world.integration,
      contacts: { ...world.integration.contacts, filter },
    };
    // One request covers the people inside the network. The previous run needed three requests.
    for (const expected of [1, 0]) {
      expect(await comparesOf(() => world.sync({ integration }))).toBe(expected);
    }
    const after = world.filled(SENTENCE);
    for (const id of outside) expect(after.get(id)).toBe(before.get(id));
    // Contacts that have returned to the filter are compared again.
    world.crm.filter = () => true;
    expect(await comparesOf(() => world.sync({ integration, full: true }))).toBeGreaterThan(0);
  });

  const FILTERED = { optOutField: null };
});

describe.each(['deceased', 'do_not_contact', 'mark_unknown'] as const)(
  'contacts that are %s',
  (excluded) => {
    const WITHOUT = { integration: { insights: { enabled: false } } };

    it('are not compared, and get no path', async () => {
      await open(WITHOUT);
      const marked = new Set(world.people.slice(80));
      for (const id of marked) world.crm.editContact(id, { excluded });
      await world.sync({ integration: withInsights() });
      const names = [...world.filled(SENTENCE).keys()];
      expect(names.length).toBeGreaterThan(5);
      expect(names.filter((id) => marked.has(id))).toEqual([]);
      // Their path is computed after the mark is removed.
      for (const id of marked) world.crm.editContact(id, { excluded: null });
      await world.sync({ integration: withInsights() });
      expect([...world.filled(SENTENCE).keys()].some((id) => marked.has(id))).toBe(true);
    });

    it('get no path either if they were marked after they were read', async () => {
      await open(WITHOUT);
      const mark = async () => {
        for (const id of world.people) world.crm.editContact(id, { excluded });
      };
      const after = [...NETWORK_STAGES.after, mark, ...INSIGHT_STAGES.after];
      const { before } = NETWORK_STAGES;
      await world.sync({ integration: withInsights(), stages: { before, after } });
      expect(world.filled(SENTENCE).size).toBe(0);
      for (const id of world.people) world.crm.editContact(id, { excluded: null });
      await world.sync({ integration: withInsights() });
      expect(world.filled(SENTENCE).size).toBeGreaterThan(0);
    });
  },
);

describe('writeWarmPaths', () => {
  it('tells each contact’s best path in words that are true of both people', async () => {
    await open();
    const sentences = world.filled(SENTENCE);
    expect(sentences.size).toBeGreaterThan(10);
    const people = createWorld({ seed: 1, donors: 120 });
    const donorBy = (id: string) => people.donor(people.donorNumber(id) ?? -1);
    for (const crmId of sentences.keys()) {
      const row = await world.database.db
        .selectFrom('warm_paths')
        .selectAll()
        .where('crm_id', '=', crmId)
        .executeTakeFirstOrThrow();
      const introducer = donorBy(row.introducer_id ?? '');
      const contact = donorBy(row.donor_id);
      const organization = String(world.crm.valueOf(crmId, 'Warm Path Via'));
      expect(organizationsOf(introducer)).toContain(organization);
      expect(organizationsOf(contact)).toContain(organization);
      const { first, middle, last } = introducer.name;
      const name = [first, middle, last].filter(Boolean).join(' ');
      expect(world.crm.valueOf(crmId, INTRODUCER)).toBe(name);
      expect(world.crm.valueOf(crmId, NETWORK)).toBe('Board');
      const record = world.crm.records.get(crmId);
      const sentence = String(sentences.get(crmId));
      expect(sentence).toContain(`${name} (Board)`);
      expect(sentence).toContain(organization);
      expect(sentence).toContain(calledName(record?.contact ?? NAMELESS));
    }
  });

  it('asks a hundred donors at a time, each once', async () => {
    world = await createPathWorld();
    await world.sync();
    const donors = await world.database.db
      .selectFrom('contacts')
      .select('donor_id')
      .distinct()
      .where('donor_id', 'is not', null)
      .execute();
    expect(await world.compares()).toBe(Math.ceil(donors.length / 100));
  });

  it('compares nothing in a night without changes', async () => {
    await open();
    expect(await comparesOf(() => world.sync())).toBe(0);
    expect(await comparesOf(() => world.sync({ full: true }))).toBe(0);
  });

  it('counts a contact that got a path as written, and one that did not as before', async () => {
    world = await createPathWorld({ integration: { insights: { enabled: false } } });
    await world.sync();
    expect(world.filled(SENTENCE).size).toBe(0);
    const integration = withInsights();
    const { contacts } = await world.sync({ integration, full: true });
    expect(contacts.written).toBe(world.filled(SENTENCE).size);
    expect(contacts.unchanged).toBeGreaterThan(0);
  });

  it('writes everybody’s path anew when a person joins', async () => {
    await open({ board: 4 });
    const before = world.filled(SENTENCE);
    world.setGroup('board', 0, 30);
    expect(await comparesOf(() => world.sync())).toBe(2);
    expect(world.filled(SENTENCE).size).toBeGreaterThan(before.size);
  });

  it('asks only about those that a leaver connected, and clears what is over', async () => {
    await open();
    const { introducerId } = await somePath();
    const introduced = world.filled(SENTENCE);
    const board = world.people.slice(0, 20);
    const donors = await Promise.all(board.map((id) => world.donorOf(id).catch(() => '')));
    const leavers = board.filter((_, index) => donors[index] === introducerId);
    world.crm.addGroup(
      'board',
      board.filter((id) => !leavers.includes(id)),
    );
    expect(await comparesOf(() => world.sync())).toBe(1);
    const rows = await world.database.db.selectFrom('warm_paths').selectAll().execute();
    expect(rows.filter((row) => row.introducer_id === introducerId)).toEqual([]);
    const withPath = new Set(rows.flatMap((row) => (row.introducer_id ? [row.crm_id] : [])));
    expect(new Set(world.filled(SENTENCE).keys())).toEqual(withPath);
    expect(withPath.size).toBeLessThan(introduced.size + leavers.length);
  });

  it('clears every path when the networks leave the settings, but not what a person typed', async () => {
    await open();
    const { crmId } = await somePath();
    world.crm.setValue(crmId, SENTENCE, 'Ask Joan, she knows them.');
    const integration = { ...world.integration, networks: [] };
    expect(await comparesOf(() => world.sync({ integration }))).toBe(0);
    expect([...world.filled(SENTENCE)]).toEqual([[crmId, 'Ask Joan, she knows them.']]);
    expect(world.filled(INTRODUCER).size).toBe(0);
    expect(world.filled(STRENGTH).size).toBe(0);
  });

  it('writes over its own values, and never over those of a person', async () => {
    await open();
    const { crmId } = await somePath();
    world.crm.setValue(crmId, INTRODUCER, 'Joan');
    const networks = [{ ...BOARD, name: 'Trustees' }];
    await world.sync({ integration: { ...world.integration, networks } });
    expect(world.crm.valueOf(crmId, NETWORK)).toBe('Trustees');
    expect(world.crm.valueOf(crmId, SENTENCE)).toContain('(Trustees)');
    expect(world.crm.valueOf(crmId, INTRODUCER)).toBe('Joan');
  });

  it('names the network that the settings name first where a person is in two', async () => {
    world = await createPathWorld({ integration: { networks: [STAFF, BOARD] } });
    world.setGroup('staff', 0, 20);
    await world.sync();
    expect(new Set(world.filled(NETWORK).values())).toEqual(new Set(['Staff']));
  });

  it('keeps to the strength that the settings want', async () => {
    await open({ integration: { insights: { minStrength: 0.9 } } });
    const strengths = [...world.filled(STRENGTH).values()].map(Number);
    expect(strengths.length).toBeGreaterThan(0);
    expect(Math.min(...strengths)).toBeGreaterThanOrEqual(0.9);
  });

  it('can be undone, and does not write the same again', async () => {
    await open({ integration: { insights: { enabled: false } } });
    const integration = withInsights();
    const { id } = await world.sync({ integration });
    expect(world.filled(SENTENCE).size).toBeGreaterThan(0);
    const deps = world.deps();
    await withLease(deps, integration.id, (lease) => undoRun(deps, lease, id));
    expect(world.filled(SENTENCE).size).toBe(0);
    await world.sync({ integration });
    expect(world.filled(SENTENCE).size).toBe(0);
  });

  it('counts a contact that got a profile and a path once when a run is undone', async () => {
    world = await createPathWorld();
    const { id, contacts } = await world.sync();
    const deps = world.deps();
    const undone = await withLease(deps, world.integration.id, (lease) => undoRun(deps, lease, id));
    expect(undone.contacts).toEqual({ restored: contacts.written, gone: 0, refused: 0 });
  });

  it('is previewed with all values that an undo then restores, also if a contact was written twice', async () => {
    world = await createPathWorld();
    const { id } = await world.sync();
    const deps = world.deps();
    const { integration, people } = world;
    const most = people.length;
    const preview = await previewUndo(deps, { integrationId: integration.id, runId: id, most });
    const undone = await withLease(deps, integration.id, (lease) => undoRun(deps, lease, id));
    expect(preview.restored.values).toBe(preview.values);
    expect(preview.restored).toEqual({
      contacts: undone.contacts.restored,
      values: undone.fields.restored,
    });
    expect(preview.kept).toEqual([]);
  });

  it('tries a record again that the CRM refused, and says so', async () => {
    await open({ integration: { insights: { enabled: false } } });
    const integration = withInsights();
    for (const id of world.people) world.crm.refuseWrites(id);
    const { contacts } = await world.sync({ integration });
    expect(contacts.failed).toBeGreaterThan(0);
    for (const id of world.people) world.crm.allowWrites(id);
    expect(await comparesOf(() => world.sync({ integration }))).toBe(1);
    expect(world.filled(SENTENCE).size).toBe(contacts.failed);
  });

  it('looks again at contacts that were enhanced since, and at no others', async () => {
    await open();
    await world.database.db
      .updateTable('contacts')
      .set({ enhanced_at: Date.now() + DAY_MS })
      .where('donor_id', 'is not', null)
      .where('crm_id', '=', (await somePath()).crmId)
      .execute();
    expect(await comparesOf(() => world.sync())).toBe(1);
  });

  it('computes old paths anew', async () => {
    await open();
    await world.database.db
      .updateTable('warm_paths')
      .set({ computed_at: Date.now() - 91 * DAY_MS })
      .execute();
    expect(await comparesOf(() => world.sync())).toBe(2);
    expect(await comparesOf(() => world.sync())).toBe(0);
  });

  it('writes the path of one contact if a run is for it alone', async () => {
    await open();
    const { crmId } = await somePath();
    await world.database.db.updateTable('warm_paths').set({ stale: 1, told: null }).execute();
    world.crm.setValue(crmId, SENTENCE, null);
    const others = world.crm.writes.length;
    expect(await comparesOf(() => world.sync({ only: crmId }))).toBe(1);
    expect(world.crm.writes.slice(others).map(({ id }) => id)).toEqual([crmId]);
  });

  it('gets past a donor that the service does not know', async () => {
    world = await createPathWorld({ integration: { insights: { enabled: false } } });
    await world.sync();
    const stranger = await world.donorOf(world.people[60] ?? '');
    await world.database.db
      .updateTable('contacts')
      .set({ donor_id: 'f'.repeat(32) })
      .where('donor_id', '=', stranger)
      .execute();
    const integration = withInsights();
    expect(await world.sync({ integration })).toMatchObject({ status: 'succeeded' });
    expect(world.filled(SENTENCE).size).toBeGreaterThan(10);
  });

  it('believes no service that denies everybody: nothing is cleared', async () => {
    await open();
    const sentences = world.filled(SENTENCE);
    await world.database.db
      .updateTable('contacts')
      .set((eb) => ({ donor_id: eb.ref('crm_id') }))
      .execute();
    expect(await world.sync()).toMatchObject({ status: 'failed' });
    expect(world.filled(SENTENCE)).toEqual(sentences);
  });

  it('knows its values again if it was killed before it could note that it wrote them', async () => {
    await open({ integration: { insights: { enabled: false } } });
    const integration = withInsights();
    const dying: Stage = (deps, run) => {
      const checkpoint: Checkpoint = (lease, work) =>
        world.filled(SENTENCE).size > 0
          ? Promise.reject(new Error('killed'))
          : deps.store.checkpoint(lease, work);
      return writeWarmPaths({ ...deps, store: { ...deps.store, checkpoint } }, run);
    };
    const stages = { before: [], after: [dying] };
    expect(await world.sync({ integration, stages })).toMatchObject({ status: 'failed' });
    const sentences = world.filled(SENTENCE);
    expect(sentences.size).toBeGreaterThan(0);
    await world.sync({ integration });
    expect(world.filled(SENTENCE)).toEqual(sentences);
    await world.sync({ integration: { ...integration, networks: [] } });
    expect(world.filled(SENTENCE).size).toBe(0);
  });

  it('keeps no name and no sentence', async () => {
    await open();
    const rows = await world.database.db.selectFrom('warm_paths').selectAll().execute();
    const text = JSON.stringify(rows);
    for (const value of world.filled(INTRODUCER).values())
      expect(text).not.toContain(String(value));
  });
});

describe('the cost of queries', () => {
  it('is kept within the budget, and the rest waits for a later run', async () => {
    world = await createPathWorld({
      contacts: 280,
      service: { chargeQueries: true },
      integration: { insights: { budget: { perRun: 2 } } },
    });
    const first = await world.sync();
    const cost = await findPathCost(world.store.reader, first.id);
    expect(cost).toEqual({ bucket: 'searches', credits: 2 });
    expect(first.reason).toMatchObject({ code: 'budget_reached' });
    expect(first.reason?.message).toContain('insights.budget.perRun');
    expect(await searchesSpent()).toBe(2);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    expect(await searchesSpent()).toBe(3);
  });

  it('is known before the second query, so that a budget of one is kept', async () => {
    world = await createPathWorld({
      service: { chargeQueries: true },
      integration: { insights: { budget: { perRun: 1 } } },
    });
    await world.sync();
    expect(await searchesSpent()).toBe(1);
  });

  it('is not paid twice in a run for an answer that was lost', async () => {
    world = await createPathWorld({ service: { chargeQueries: true } });
    await world.putFaults([
      { on: { path: '/networks/connections' }, times: 1, fault: { kind: 'resetAfter' } },
    ]);
    const reason = { code: 'partner_unavailable' };
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'incomplete', reason });
    expect(await world.compares()).toBe(1);
    expect(await openQueries()).toBe(1);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    expect(world.filled(SENTENCE).size).toBeGreaterThan(0);
    expect(await findPathCost(world.store.reader, first.id)).toEqual(ONE_SEARCH);
    expect(await openQueries()).toBe(0);
  });

  it('is known of a run that ended between a query and its note, and counts for that run', async () => {
    let isOvertaken = true;
    world = await createPathWorld({
      service: { chargeQueries: true },
      integration: { insights: { budget: { perRun: 2 } } },
      partner: (client) => ({
        ...client,
        connections: {
          ...client.connections,
          async compare(...request) {
            const answer = await client.connections.compare(...request);
            if (isOvertaken) await takeOver();
            isOvertaken = false;
            return answer;
          },
        },
      }),
    });
    const first = await world.sync();
    expect(first.reason?.code).toBe('lease_lost');
    expect(await findPathCost(world.store.reader, first.id)).toBeNull();
    expect(await openQueries()).toBe(1);
    await giveBack();
    const second = await world.sync();
    expect(second).toMatchObject({ status: 'succeeded' });
    expect(await findPathCost(world.store.reader, first.id)).toEqual(ONE_SEARCH);
    const cost = await findPathCost(world.store.reader, second.id);
    expect(await searchesSpent()).toBe(1 + (cost?.credits ?? 0));
    expect(await openQueries()).toBe(0);
  });

  it('has no intent on disk where queries are known to be free', async () => {
    world = await createPathWorld({});
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    expect(await openQueries()).toBe(0);
  });

  it.each([
    ['the database file was taken away', 'store_replaced'],
    ['the clock was set', 'clock_wrong'],
    ['another process has taken the run over', 'lease_lost'],
  ])('is not begun once %s', async (_, code) => {
    let shiftMs = 0;
    world = await createPathWorld({
      service: { chargeQueries: true },
      clock: { ...systemClock, now: () => Date.now() + shiftMs },
      partner: (client) => ({
        ...client,
        networks: {
          ...client.networks,
          // This function is called immediately before the queries.
          async list(signal) {
            const networks = await client.networks.list(signal);
            if (code === 'store_replaced') await rm(world.database.url.replace('sqlite:', ''));
            if (code === 'clock_wrong') shiftMs = 2 * 365 * DAY_MS;
            if (code === 'lease_lost') await takeOver();
            return networks;
          },
        },
      }),
    });
    expect((await world.sync()).reason?.code).toBe(code);
    expect(await world.compares()).toBe(0);
    expect(await searchesSpent()).toBe(0);
  });

  it('stops at an empty bucket without disturbing the rest of the run', async () => {
    world = await createPathWorld({ service: { chargeQueries: true } });
    const apiKey = await world.issueKey({
      team: 'poor',
      credits: { enhancements: 500, networks: 500, searches: 1 },
    });
    const integration = { ...world.integration, partner: { ...world.integration.partner, apiKey } };
    const report = await world.sync({ integration });
    expect(report).toMatchObject({ status: 'incomplete', reason: { code: 'credits_exhausted' } });
    expect(report.contacts.enhanced).toBeGreaterThan(100);
    expect(world.filled(SENTENCE).size).toBeGreaterThan(0);
  });

  async function openQueries(): Promise<number> {
    return (await listOpenQueries(world.store.reader, 'riverside')).length;
  }

  async function giveBack(): Promise<void> {
    const held = await world.store.leases.acquire('riverside', 'another', () => true);
    if (held.acquired) await world.store.leases.release(held.lease);
  }

  async function takeOver(): Promise<void> {
    await world.store.leases.acquire('riverside', 'another', () => true);
  }

  async function searchesSpent(): Promise<number> {
    const reply = await fetch(`${world.service.rootUrl}/_sandbox/ledger?bucket=searches`);
    const { ledger } = ledgerSchema.parse(await reply.json());
    return ledger.reduce((sum, { amount }) => sum + amount, 0);
  }
});

const ONE_SEARCH = { bucket: 'searches', credits: 1 };

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

const NAMELESS = { firstName: null, lastName: null };

function organizationsOf({ work, education, boards, gifts }: Donor): string[] {
  return [...work, ...education, ...boards, ...gifts].map((tie) => tie.organisationName);
}
