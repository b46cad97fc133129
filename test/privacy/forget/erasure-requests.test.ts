/**
 * Tests a CRM's requests to erase contacts. The tests cover decisions, privacy holds, limits, and the erasures
 * themselves.
 */

import { describe, expect, it } from 'vitest';
import type { MemoryOperation } from '../../../connectors/memory/crm.ts';
import { takeCall } from '../../../src/clients/webhook-call.ts';
import type { PrivacyMarks } from '../../../src/core/contact.ts';
import { RetriableError } from '../../../src/core/errors.ts';
import {
  listBatches,
  listQuestionsOfBatch,
  recordBatchDecision,
} from '../../../src/decisions/statements/batches.ts';
import { listIntegrationsWithDueErasures } from '../../../src/decisions/statements/erasure-requests.ts';
import { describeBatch } from '../../../src/decisions/views/question.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { eraseRequested } from '../../../src/privacy/forget/requested.ts';
import { everything } from '../../database/store-world.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { WITHOUT_TRIAL } from '../../helpers/sync-world.ts';
import { createForgetWorld, type ForgetWorld, forgetDepsOf } from './forget-world.ts';

const DAY_MS = 86_400_000;
const openWorld = closedAfterTest(createForgetWorld);

const NO_MARKS: PrivacyMarks = { shouldForget: false, objectsToProfiling: false, isOnHold: false };
const FORGET = { ...NO_MARKS, shouldForget: true };
const ON_HOLD = { ...FORGET, isOnHold: true };

/** Creates enhanced people. The test moves the clock. */
async function open(people = 3, integration: Record<string, unknown> = WITHOUT_TRIAL) {
  const time = { ms: Date.now() };
  const clock = {
    now: () => time.ms,
    monotonicMs: () => performance.now(),
    sleep: async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
  const world = await openWorld({ integration, clock });
  const ids = await world.addPeople(people);
  await world.sync();
  const pass = (ms: number) => {
    time.ms += ms;
  };
  return { world, ids, pass };
}

/** Marks a contact's person in the CRM. */
function mark({ crm }: ForgetWorld, id: string, privacy: PrivacyMarks): void {
  const isMarked = privacy.shouldForget || privacy.objectsToProfiling;
  crm.editContact(id, {
    privacy,
    excluded: isMarked ? 'do_not_contact' : null,
    objects: isMarked,
  });
}

async function questions({ store }: ForgetWorld) {
  const batches = await listBatches(store.reader);
  return batches.filter(({ kind }) => kind === 'erasure_requested');
}

async function decide(world: ForgetWorld, decision: 'approved' | 'rejected') {
  let decided = 0;
  for (const { id } of await questions(world)) {
    decided += await recordBatchDecision(world.store.act, id, decision);
  }
  return decided;
}

function erase(world: ForgetWorld) {
  const deps = forgetDepsOf(world, { others: [world.lakeside] });
  return eraseRequested(deps, world.integration, new AbortController().signal);
}

/** Reports that the CRM has deleted contacts for privacy, as HubSpot's signed event does. */
function tellDeleted(
  world: ForgetWorld,
  ids: readonly string[],
  options: { isRunning?: boolean } = {},
) {
  const { integration, store } = world;
  const { newId } = world.deps();
  const deleted = ids.map((id) => ({ id, account: null }));
  const application = {
    store,
    settings: {},
    select: () => [integration],
    contactId: async (_: unknown, id: string) => id,
    rereadAfterMs: async () => [],
    findRunning: async () =>
      options.isRunning === true ? { run: 'run', owner: 'other', since: null } : null,
  };
  return takeCall(
    { application, newRunId: newId },
    { integrationId: integration.id, contacts: deleted, deleted, isComplete: true },
  );
}

/** Runs a function before the next call of the operation. */
function onNext({ crm }: ForgetWorld, wanted: MemoryOperation, work: () => Promise<void>): void {
  crm.before(async (operation) => {
    if (operation !== wanted) return;
    crm.before(null);
    await work();
  });
}

async function tablesNaming({ database }: ForgetWorld, id: string): Promise<string[]> {
  const tables = Object.entries(await everything(database.db));
  return tables.flatMap(([name, rows]) => (rows.some((row) => row.includes(id)) ? name : []));
}

async function audited({ store }: ForgetWorld, action: string): Promise<number> {
  const page = await listAuditEntries(store, { limit: 500 });
  return page.filter((entry) => entry.action === action).length;
}

describe('a contact that the CRM marks to be forgotten', () => {
  it('is not delivered to, and erased with our values in the CRM once a user agrees', async () => {
    const { world, ids } = await open();
    const [id = '', other = ''] = ids;
    mark(world, id, FORGET);
    const writes = world.crm.writes.length;
    await world.sync({ full: true });
    expect(world.crm.writes.length).toBe(writes);
    const [question] = await questions(world);
    expect(question).toMatchObject({ count: 1, source: 'should_forget' });
    expect(question && describeBatch(question)).toMatchObject({
      reason: expect.stringContaining('Erase these 1 contact?'),
      credits: 0,
      decisions: ['approve', 'reject'],
    });
    // The product erases nothing before a user decides.
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    expect(await tablesNaming(world, id)).not.toEqual([]);

    expect(await decide(world, 'approved')).toBe(1);
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    expect(await tablesNaming(world, id)).toEqual([]);
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
    expect(world.crm.valueOf(other, 'Donor ID')).not.toBeNull();
    expect(await audited(world, 'erasure.requested')).toBe(1);
    expect(await audited(world, 'forget.done')).toBeGreaterThan(0);
    // The mark is still set, but no other decision is opened.
    await world.sync({ full: true });
    expect(await questions(world)).toEqual([]);
    expect(await tablesNaming(world, id)).toEqual([]);
  });

  it('is kept if a user says so, and asked about again only after the mark was gone', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    mark(world, id, FORGET);
    await world.sync();
    await decide(world, 'rejected');
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    await world.sync({ full: true });
    expect(await questions(world)).toEqual([]);
    mark(world, id, NO_MARKS);
    await world.sync();
    mark(world, id, FORGET);
    await world.sync();
    expect(await questions(world)).toMatchObject([{ count: 1 }]);
  });

  it('is no question any more once the mark is gone, and is not erased by an old answer', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    mark(world, id, FORGET);
    await world.sync();
    await decide(world, 'approved');
    mark(world, id, NO_MARKS);
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    expect(world.crm.valueOf(id, 'Donor ID')).not.toBeNull();
    await world.sync();
    expect(await questions(world)).toEqual([]);
    expect(await tablesNaming(world, id)).toContain('contacts');
  });

  it('cannot be erased under a privacy hold, which the question says', async () => {
    const { world, ids } = await open();
    const [id = '', free = ''] = ids;
    mark(world, id, ON_HOLD);
    mark(world, free, FORGET);
    await world.sync();
    const both = await questions(world);
    expect(both.map(({ source, count }) => [source, count]).sort()).toEqual([
      ['privacy_hold', 1],
      ['should_forget', 1],
    ]);
    const held = both.find(({ source }) => source === 'privacy_hold');
    expect(held && describeBatch(held)).toMatchObject({
      reason: expect.stringContaining('A privacy hold in the CRM (HasPrivacyHold) forbids'),
      decisions: ['reject'],
    });
    expect(await decide(world, 'approved')).toBe(1);
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    expect(await tablesNaming(world, id)).toContain('contacts');
    await expect(world.forget(id)).rejects.toMatchObject({ code: 'privacy_hold' });
    // The hold ends, and a user can still give either answer to the decision.
    mark(world, id, FORGET);
    await world.sync();
    expect(await questions(world)).toMatchObject([{ source: 'should_forget', count: 1 }]);
  });

  it('is kept by a privacy hold that is set after the answer', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    mark(world, id, FORGET);
    await world.sync();
    await decide(world, 'approved');
    mark(world, id, ON_HOLD);
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    expect(await questions(world)).toMatchObject([{ source: 'privacy_hold', count: 1 }]);
    expect(world.crm.valueOf(id, 'Donor ID')).not.toBeNull();
    expect(await tablesNaming(world, id)).toContain('contacts');
  });

  it('waits with its erasure while the CRM cannot be asked', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    mark(world, id, FORGET);
    await world.sync();
    await decide(world, 'approved');
    world.crm.failNext('readByIds', new RetriableError('away', { code: 'crm_unavailable' }));
    expect(await erase(world)).toEqual({ erased: 0, left: 1 });
    expect(await tablesNaming(world, id)).toContain('contacts');
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
  });

  it('does not wait for another one that fails for its own contact', async () => {
    const { world, ids } = await open();
    const [first = '', second = ''] = ids;
    for (const id of [first, second]) mark(world, id, FORGET);
    await world.sync();
    await decide(world, 'approved');
    world.crm.failNext(
      'write',
      new RetriableError('The record is locked.', { code: 'record_locked' }),
    );
    expect(await erase(world)).toEqual({ erased: 1, left: 1 });
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
  });

  it('is erased without a question if the settings say so, at most 25 a day', async () => {
    const { world, ids } = await open(40, {
      ...WITHOUT_TRIAL,
      privacy: { crmRequests: 'erase' },
    });
    for (const id of ids.slice(0, 30)) mark(world, id, FORGET);
    await world.sync();
    expect(await questions(world)).toMatchObject([{ source: 'should_forget', count: 5 }]);
    expect(await erase(world)).toEqual({ erased: 25, left: 0 });
    await world.sync({ full: true });
    expect(await questions(world)).toMatchObject([{ count: 5 }]);
    // Erasures above the limit are due on the next day.
    await world.database.db
      .updateTable('automatic_erasures')
      .set((eb) => ({ day: eb('day', '-', 1) }))
      .execute();
    expect((await world.sync({ full: true })).reason).toBeNull();
    expect(await questions(world)).toEqual([]);
    expect(await erase(world)).toEqual({ erased: 5, left: 0 });
  });

  it('is one question for a bulk update of thousands', async () => {
    const { world } = await open(1);
    for (let at = 0; at < 3_000; at += 1) {
      world.crm.addContact({
        ...{ firstName: 'Ada', lastName: `Lopez ${at}` },
        ...{ excluded: 'do_not_contact', objects: true, privacy: FORGET },
      });
    }
    await world.sync();
    await world.sync({ full: true });
    expect(await questions(world)).toMatchObject([{ source: 'should_forget', count: 3_000 }]);
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
  });
});

describe('an objection to profiling', () => {
  it('offers the erasure of contacts that were enhanced, and of no others', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    mark(world, id, { ...NO_MARKS, objectsToProfiling: true });
    const never = world.crm.addContact({
      ...{ firstName: 'Ada', lastName: 'Lopez', excluded: 'do_not_contact', objects: true },
      privacy: { ...NO_MARKS, objectsToProfiling: true },
    });
    await world.sync();
    expect(await questions(world)).toMatchObject([{ source: 'objection', count: 1 }]);
    await decide(world, 'approved');
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
    expect(await tablesNaming(world, never)).toContain('contacts');
  });
});

describe('a contact that the CRM has deleted for privacy', () => {
  it('is erased in every client of the account, and its id is kept nowhere', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    await world.sync({ integration: world.lakeside });
    world.crm.vanish(id);
    expect(await tellDeleted(world, [id])).toBeNull();
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    expect(await tablesNaming(world, id)).toEqual([]);
    expect(await audited(world, 'forget.done')).toBe(2);
    // If HubSpot sends the event again, the product finds no data to erase.
    await tellDeleted(world, [id]);
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    expect(await tablesNaming(world, id)).toEqual([]);
  });

  it('is a question beyond 25 a day', async () => {
    const { world, ids, pass } = await open(30);
    for (const id of ids) world.crm.vanish(id);
    await tellDeleted(world, ids.slice(0, 20));
    await tellDeleted(world, ids.slice(20));
    expect(await questions(world)).toMatchObject([{ source: 'crm_event', count: 5 }]);
    expect(await erase(world)).toEqual({ erased: 25, left: 0 });
    // The event does not arrive again, so no further erasure starts later.
    pass(2 * DAY_MS);
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    await decide(world, 'approved');
    expect(await erase(world)).toEqual({ erased: 5, left: 0 });
  });

  it('waits for the end of a run, and is erased although it was not recorded yet', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    const unseen = world.crm.addContact({ firstName: 'Ada', lastName: 'Lopez' });
    let erasedMeanwhile: unknown = null;
    onNext(world, 'readPages', async () => {
      await tellDeleted(world, [id, unseen], { isRunning: true });
      erasedMeanwhile = await erase(world);
    });
    await world.sync({ full: true });
    expect(erasedMeanwhile).toEqual({ erased: 0, left: 2 });
    expect(await erase(world)).toEqual({ erased: 2, left: 0 });
    for (const each of [id, unseen]) {
      expect(await tablesNaming(world, each)).toEqual([]);
    }
    await world.sync({ full: true });
    expect(await tablesNaming(world, unseen)).toEqual([]);
  });

  it('is left alone if nobody knows it', async () => {
    const { world } = await open();
    await tellDeleted(world, ['4711']);
    expect(await erase(world)).toEqual({ erased: 0, left: 0 });
    expect(await tablesNaming(world, '4711')).toEqual([]);
  });

  it('is erased after a departure, which ends no open question about it', async () => {
    const { world, ids } = await open(27);
    await tellDeleted(world, ids);
    expect(await questions(world)).toMatchObject([{ count: 2 }]);
    for (const id of ids) world.crm.deleteContact(id);
    await world.sync();
    expect(await questions(world)).toMatchObject([{ count: 2 }]);
  });

  it('is erased under a merged-away id, and a user is asked about the contact it became', async () => {
    const { world, ids } = await open();
    const [loser = '', winner = ''] = ids;
    world.crm.mergeContact(loser, winner);
    await world.sync();
    await tellDeleted(world, [loser]);
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    const [question] = await questions(world);
    expect(question).toMatchObject({ source: 'merged', count: 1 });
    const [hold] =
      question === undefined ? [] : await listQuestionsOfBatch(world.store.reader, question);
    expect(hold?.crmId).toBe(winner);
    expect(world.crm.valueOf(winner, 'Donor ID')).not.toBeNull();
    await decide(world, 'approved');
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    expect(world.crm.valueOf(winner, 'Donor ID')).toBeNull();
  });

  it('is erased while its submission is open, and gets no profile', async () => {
    const { world } = await open(1);
    await world.putFaults([]);
    const [, second = ''] = await world.addPeople(2);
    const signal = new AbortController();
    onNext(world, 'write', async () => signal.abort());
    await world.sync({ signal: signal.signal });
    await tellDeleted(world, [second]);
    expect((await erase(world)).left).toBe(0);
    await world.sync();
    expect(await tablesNaming(world, second)).toEqual([]);
  });

  it('is still due after a process that ended between the event and the erasure', async () => {
    const { world, ids } = await open();
    const [id = ''] = ids;
    await tellDeleted(world, [id]);
    const stopped = AbortSignal.abort();
    const deps = forgetDepsOf(world, { others: [world.lakeside] });
    expect(await eraseRequested(deps, world.integration, stopped)).toEqual({ erased: 0, left: 1 });
    expect(await listIntegrationsWithDueErasures(world.store.reader)).toEqual(['riverside']);
    expect(await erase(world)).toEqual({ erased: 1, left: 0 });
    expect(await listIntegrationsWithDueErasures(world.store.reader)).toEqual([]);
  });
});
