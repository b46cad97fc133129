import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findContacts, listUnreadContacts } from '../../src/contacts/contacts.ts';
import { recordDecidedPage } from '../../src/contacts/decided-pages.ts';
import { after, move } from '../../src/contacts/life/apply-events.ts';
import type { ContactRow } from '../../src/contacts/life/changes.ts';
import {
  type EventRow,
  LIFE_STATES,
  type LifeState,
  STATES,
} from '../../src/contacts/life/event.ts';
import { LIFE, type LifeEvent } from '../../src/contacts/life/life.ts';
import { reconsiderContacts } from '../../src/contacts/reconsidering.ts';
import { OUTCOME_REASONS, type OutcomeReason } from '../../src/core/outcome.ts';
import { recordRefusedSubmission } from '../../src/credits/statements/answers.ts';
import { listReadyJobs, recordJobProgress } from '../../src/credits/statements/jobs.ts';
import type { DueReason } from '../../src/database/tables/contacts.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { getSubject } from '../../src/decisions/views/question.ts';
import { recordDeliveries } from '../../src/fields/statements/deliveries.ts';
import { NEXT_READING } from '../../src/identity/identity-text.ts';
import {
  BALANCE,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../database/store-world.ts';
import { describeEachDatabase, describeOn } from '../helpers/test-databases.ts';
import {
  accept,
  chargeLoss,
  choose,
  contactOf,
  contactRow,
  holdAtDelivery,
  holdChanged,
  holdForName,
  holdOf,
  jobOf,
  makeReady,
  noting,
  putContacts,
  readContact,
  readPage,
  settleLost,
  start,
  submit,
  trackingIdOf,
} from './contact-stages.ts';

const ROOT = join(import.meta.dirname, '../..');

const NO_PROGRESS = { completed: [], failed: [], vanished: [], tooOld: [] };

const EVENTS = Object.keys(LIFE).filter((name): name is LifeEvent => name in LIFE);

function rowOf(event: LifeEvent): EventRow {
  return LIFE[event];
}

/** Where an event may lead from a place; empty if it is refused there. */
function leadsTo(event: LifeEvent, place: LifeState): LifeState[] {
  return rowOf(event).ways.flatMap(({ from, to }) => (from.includes(place) ? [to ?? place] : []));
}

describeOn('sqlite', 'the life of a contact', () => {
  it('allows or refuses each event in each state, and says why it refuses', () => {
    for (const event of EVENTS) {
      const { otherwise } = rowOf(event);
      expect(LIFE_STATES.flatMap((place) => leadsTo(event, place))).not.toEqual([]);
      expect(otherwise).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('has a way from each state to rest', () => {
    for (const place of LIFE_STATES) expect(reachable(place)).toContain('settled');
  });

  it('lets only an answer move a contact out of submitted', () => {
    const leaving = EVENTS.filter((event) =>
      leadsTo(event, 'submitted').some((to) => to !== 'submitted'),
    );
    expect(leaving.sort()).toEqual([
      'gaveJobAway',
      'jobDone',
      'jobFailed',
      'jobVanished',
      'lost',
      'lostDueAgain',
      'notCharged',
      'refused',
    ]);
  });

  it('gives up a job only by events that end it', () => {
    fc.assert(
      fc.property(anEvent, aRow, aGiven, (event, row, given) => {
        const paid = { ...row, tracking_id: 'tracking-1' };
        const next = after(event, paid, given, { id: RUN, now: START_MS });
        if (next === null || rowOf(event).endsJob || isNewJob(event)) return;
        expect(next.tracking_id).toBe('tracking-1');
      }),
    );
  });

  it('is in one place: nothing else sets a column of a contact', () => {
    const folder = join(ROOT, 'src');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const setting = files.filter((name) =>
      /updateTable\('contacts'\)|update contacts\b/.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(setting).toEqual([join('contacts', 'life', 'apply-events.ts')]);
  });

  it('is drawn in ARCHITECTURE.md as it is', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const drawn = /```mermaid\n(stateDiagram-v2\n[\s\S]*?)```/.exec(text)?.[1];
    expect(drawn).toBe(drawing());
  });
});

describeEachDatabase('a contact that is moved in the database', (open) => {
  const createWorld = storeWorlds(open);

  it('stands as the table says of its row, whatever happens to it', async () => {
    const world = await createWorld();
    const run = { id: RUN, now: START_MS };
    await fc.assert(
      fc.asyncProperty(anEvent, aRow, aGiven, async (event, row, comes) => {
        const given = event === 'seen' ? comes : { ...comes, asked_identity: comes.identity };
        await world.db.deleteFrom('contacts').execute();
        await putContacts(world, [row, { ...row, crm_id: 'c-2', tracking_id: 'another' }]);
        const target = { crm_id: row.crm_id, ...given };
        const moved = await world.db
          .transaction()
          .execute((trx) => move(trx, world.lease, event, [target], run));
        const expected = after(event, row, given, run);
        expect(moved).toBe(expected === null ? 0 : 1);
        expect(await contactOf(world, row.crm_id)).toEqual(expected ?? row);
        expect(await contactOf(world, 'c-2')).toMatchObject({ tracking_id: 'another' });
      }),
      { numRuns: 400 },
    );
  });

  it('takes what comes for all of them like what comes for each', async () => {
    const world = await createWorld();
    const run = { id: RUN, now: START_MS };
    const row = contactRow({ crm_id: 'c-1', state: 'due', due_reason: 'profile_old' });
    await putContacts(world, [row]);
    const given = { outcome_reason: 'opted_out' as const };
    await world.db
      .transaction()
      .execute((trx) => move(trx, world.lease, 'turnedOutIneligible', ['c-1'], run, given));
    expect(await contactOf(world, 'c-1')).toEqual(after('turnedOutIneligible', row, given, run));
  });

  it('is refused when something that has to come with the event is missing', async () => {
    const world = await createWorld();
    const moved = world.db
      .transaction()
      .execute((trx) => move(trx, world.lease, 'left', ['c-1'], { id: RUN, now: START_MS }));
    await expect(moved).rejects.toThrow('the event comes without outcome_reason');
  });
});

const OPTED_OUT = { kind: 'settle', reason: 'opted_out', eligible: false } as const;

describeEachDatabase('a contact in a corner', (open) => {
  const createWorld = storeWorlds(open);

  async function remove(
    { store, lease }: StoreWorld,
    id: string,
    mergedInto: string | null,
  ): Promise<void> {
    const removed = [{ id, mergedInto }];
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: [], removed, cursor: null },
        noting(() => ({ kind: 'keep' })),
      ),
    );
  }

  it('stays held while its question is open, although the plan lets it go on', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await readPage(world, [readContact('c-1', 'another spelling')], { kind: 'resume' });
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held' });
    await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'settled', tracking_id: null });
  });

  it('is removed when it is merged while its job runs, which the other one has then', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'submitted',
      tracking_id: trackingIdOf('c-1'),
    });
  });

  /** A contact that was submitted, and whose profile was delivered so long before. */
  async function submittedAgain(profileAgeMs: number, reason: DueReason): Promise<StoreWorld> {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await world.db.updateTable('contacts').set({ asked_at: 1 }).execute();
    await world.db.updateTable('jobs').set({ reason }).execute();
    await world.db
      .insertInto('jobs')
      .values({
        ...(await jobOf(world, 'c-1')),
        tracking_id: 'older',
        state: 'delivered',
        job_id: 'job-older',
        submitted_at: START_MS - profileAgeMs,
      })
      .execute();
    return world;
  }

  it.each([
    ['is not kept by the service any more', 8, 'identity_changed'],
    ['had grown old', 6, 'profile_old'],
  ] as const)(
    'takes its submission along in a merge if its profile %s',
    async (_, days, reason) => {
      const world = await submittedAgain(days * 86_400_000, reason);
      await remove(world, 'c-1', 'c-2');
      const tracking_id = trackingIdOf('c-1');
      expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'submitted', tracking_id });
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    },
  );

  it('takes the question about its lost answer along in a merge if its older profile is not kept any more', async () => {
    const world = await submittedAgain(8 * 86_400_000, 'profile_old');
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    const asked = { state: 'held', outcome_reason: 'lost_answer' };
    expect(await contactOf(world, 'c-2')).toMatchObject(asked);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-2' },
    ]);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
  });

  it('is read again by the next run if it was left out and got a question by a merge', async () => {
    const world = await submittedAgain(8 * 86_400_000, 'profile_old');
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ outcome_reason: 'lost_answer' });
    expect(await listUnreadContacts(world.store.reader, INTEGRATION)).toEqual(['c-2']);
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    const leftOut = { state: 'settled', outcome_reason: 'opted_out', eligible: 0 };
    expect(await contactOf(world, 'c-2')).toMatchObject(leftOut);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
  });

  it('stays left out if it gets a rejected question by a merge', async () => {
    const world = await submittedAgain(8 * 86_400_000, 'profile_old');
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    await chargeLoss(world, 'hold');
    await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected');
    await remove(world, 'c-1', 'c-2');
    const leftOut = { state: 'settled', outcome_reason: 'opted_out', eligible: 0 };
    expect(await contactOf(world, 'c-2')).toMatchObject({ ...leftOut, asked_at: START_MS });
  });

  it('stays left out when one who was erased becomes a part of it', async () => {
    const { store, lease, ...world } = await createWorld();
    await readPage({ store, lease, ...world }, [readContact('c-1')], OPTED_OUT);
    const removed = [{ id: 'c-2', mergedInto: 'c-1', suspect: 'fingerprint of c-1' }];
    await store.checkpoint(lease, (trx) =>
      recordDecidedPage(
        trx,
        { runId: RUN, contacts: [], removed, cursor: null },
        noting(() => ({ kind: 'keep' })),
      ),
    );
    const leftOut = { state: 'settled', outcome_reason: 'opted_out', eligible: 0 };
    expect(await contactOf({ store, lease, ...world }, 'c-1')).toMatchObject(leftOut);
    expect(await listOpenQuestions(store.reader, INTEGRATION)).toEqual([]);
  });

  it('is known to have opted out while its submission was under way that cost nothing', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await readPage(world, [{ ...readContact('c-1'), optedOut: true }], { kind: 'keep' });
    await refuse(world);
    expect(await contactOf(world, 'c-1')).toMatchObject({ has_opted_out: 1 });
    expect(await contactOf(world, 'c-2')).toMatchObject({ has_opted_out: 0 });
    await readPage(world, [readContact('c-1')], choose());
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due', has_opted_out: 0 });
  });

  it('waits for the answer of its own submission when only an older profile is moved', async () => {
    const world = await submittedAgain(6 * 86_400_000, 'identity_changed');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready', tracking_id: 'older' });
    await accept(world, ['c-1']);
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'submitted',
      tracking_id: trackingIdOf('c-1'),
      asked_at: START_MS,
    });
  });

  it.each([
    ['its job fails', (world: StoreWorld) => endJob(world, 'failed')],
    ['its job is gone', (world: StoreWorld) => endJob(world, 'vanished')],
  ])('is gone if it left the CRM while its job ran, and %s', async (_, end) => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2', 'c-3']);
    await remove(world, 'c-1', null);
    await remove(world, 'c-2', null);
    // It is back before its job ends.
    await readPage(world, [readContact('c-2')], { kind: 'keep' });
    await end(world);
    const rows = await findContacts(world.store.reader, INTEGRATION, ['c-1', 'c-2', 'c-3']);
    expect([...rows.values()].map(({ state }) => state)).toEqual(['removed', 'settled', 'settled']);
    expect(rows.get('c-1')).toMatchObject({ outcomeReason: 'deleted_in_crm', trackingId: null });
  });

  async function endJob(
    world: StoreWorld,
    end: 'failed' | 'vanished',
    ids = ['c-1', 'c-2', 'c-3'],
  ): Promise<void> {
    const progress = { ...NO_PROGRESS, [end]: ids.map(trackingIdOf) };
    await world.store.checkpoint(world.lease, (trx) => recordJobProgress(trx, RUN, progress));
  }

  /** A contact whose profile waits to be delivered, and one with a submission that has no answer yet, become one. */
  async function takenInWhileAsked(world: StoreWorld, ways: readonly [string, string][]) {
    await makeReady(world, ['c-1'], 'submission-of-c-1');
    await submit(world, ['c-2']);
    for (const [loser, winner] of ways) await remove(world, loser, winner);
    expect(await contactOf(world, 'c-2')).toMatchObject({ tracking_id: trackingIdOf('c-2') });
  }

  const ENDS_IN_VAIN = [
    ['cost nothing', refuse],
    ['is lost and cost nothing', (world: StoreWorld) => settleUnpaid(world)],
    [
      'is lost where it may be submitted again',
      (world: StoreWorld) => chargeLoss(world, 'resubmit'),
    ],
    ['says that it is refused', (world: StoreWorld) => refuse(world, trackingIdOf('c-2'))],
    ['leads to a job that fails', (world: StoreWorld) => endAccepted(world, 'failed')],
    ['leads to a job that vanishes', (world: StoreWorld) => endAccepted(world, 'vanished')],
  ] as const;

  it.each(ENDS_IN_VAIN)(
    'gets the profile of one that became a part of it while its answer was open, which %s',
    async (_, end) => {
      const world = await createWorld();
      await takenInWhileAsked(world, [['c-1', 'c-2']]);
      await end(world);
      const ready = { state: 'ready', tracking_id: trackingIdOf('c-1'), due_reason: null };
      expect(await contactOf(world, 'c-2')).toMatchObject(ready);
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    },
  );

  it.each([
    ['cost nothing', refuse, 'ready'],
    ['was charged', (w: StoreWorld) => chargeLoss(w, 'resubmit'), 'due'],
  ] as const)(
    'takes over from its part what cannot be fetched any more only if nothing was spent on it: its answer %s',
    async (_, end, state) => {
      const world = await createWorld();
      await takenInWhileAsked(world, [['c-1', 'c-2']]);
      const old = { submitted_at: START_MS - 8 * 86_400_000 };
      await world.db.updateTable('jobs').set(old).where('crm_id', '=', 'c-1').execute();
      await end(world);
      expect(await contactOf(world, 'c-2')).toMatchObject({ state });
    },
  );

  it('keeps its own profile if it takes in another one while it is away, and counts as unchanged once it is back', async () => {
    const world = await createWorld();
    const gone = { crm_id: 'c-1', state: 'removed', departure_read: 1 } as const;
    await putContacts(world, [contactRow(gone), contactRow({ crm_id: 'c-2' })]);
    await remove(world, 'c-2', 'c-1');
    const kept = { state: 'removed', asked_identity: NEXT_READING, donor_id: 'donor-1' };
    expect(await contactOf(world, 'c-1')).toMatchObject(kept);
  });

  it('counts as unchanged if it takes in another one while it waits as one of many that changed', async () => {
    const world = await createWorld();
    await holdChanged(world, ['c-1']);
    await putContacts(world, [contactRow({ crm_id: 'c-2' })]);
    await remove(world, 'c-2', 'c-1');
    const kept = { state: 'held', asked_identity: NEXT_READING };
    expect(await contactOf(world, 'c-1')).toMatchObject(kept);
  });

  it.each([
    ['in the same look', (world: StoreWorld) => endBoth(world, 'at once')],
    ['in a later one', (world: StoreWorld) => endBoth(world, 'one after the other')],
  ])(
    'is not asked about again that was not found, if the job of its part vanishes %s',
    async (_, end) => {
      const world = await createWorld();
      await start(world, ['c-1', 'c-2']);
      await remove(world, 'c-1', 'c-2');
      await end(world);
      const row = await contactOf(world, 'c-2');
      expect(row).toMatchObject({ state: 'settled', asked_at: START_MS });
      expect(row.asked_identity).not.toBeNull();
    },
  );

  async function endBoth(world: StoreWorld, how: 'at once' | 'one after the other') {
    const failed = { ...NO_PROGRESS, failed: [trackingIdOf('c-2')] };
    const vanished = { ...NO_PROGRESS, vanished: [trackingIdOf('c-1')] };
    if (how === 'at once')
      return world.store.checkpoint(world.lease, (trx) =>
        recordJobProgress(trx, RUN, { ...failed, vanished: vanished.vanished }),
      );
    await world.store.checkpoint(world.lease, (trx) => recordJobProgress(trx, RUN, failed));
    const taken = { state: 'submitted', tracking_id: trackingIdOf('c-1') };
    expect(await contactOf(world, 'c-2')).toMatchObject(taken);
    await world.store.checkpoint(world.lease, (trx) => recordJobProgress(trx, RUN, vanished));
  }

  it('gets the profile of a part of its part', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-3')], OPTED_OUT);
    await makeReady(world, ['c-1'], 'submission-of-c-1');
    await submit(world, ['c-2', 'c-3']);
    await remove(world, 'c-1', 'c-3');
    await remove(world, 'c-3', 'c-2');
    await refuse(world);
    const ready = { state: 'ready', tracking_id: trackingIdOf('c-1') };
    expect(await contactOf(world, 'c-2')).toMatchObject(ready);
  });

  it('gets nothing of one that has come back since', async () => {
    const world = await createWorld();
    await takenInWhileAsked(world, [['c-1', 'c-2']]);
    await readPage(world, [readContact('c-1')], { kind: 'keep' });
    await refuse(world);
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due', tracking_id: null });
  });

  it('gets nothing if it has left the CRM itself', async () => {
    const world = await createWorld();
    await takenInWhileAsked(world, [['c-1', 'c-2']]);
    await remove(world, 'c-2', null);
    await refuse(world);
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed', tracking_id: null });
  });

  function refuse({ store, lease }: StoreWorld, trackingId?: string): Promise<void> {
    const blamed = trackingId === undefined ? [] : [{ trackingId, detail: 'no last name' }];
    return store.checkpoint(lease, (trx) => recordRefusedSubmission(trx, 'submission-1', blamed));
  }

  async function settleUnpaid(world: StoreWorld): Promise<void> {
    await settleLost(world, { id: 'submission-1', run: null, loss: null }, BALANCE);
  }

  async function endAccepted(world: StoreWorld, end: 'failed' | 'vanished'): Promise<void> {
    await accept(world, ['c-2']);
    await endJob(world, end, ['c-2']);
  }

  it('is gone if it left the CRM while its answer was lost, and a person asks for it again', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await remove(world, 'c-1', null);
    await chargeLoss(world, 'hold', { charged: 2 });
    for (const id of ['c-1', 'c-2']) {
      await recordDecision(world.store, await holdOf(world, id), 'resubmitted');
    }
    const gone = { state: 'removed', outcome_reason: 'deleted_in_crm', tracking_id: null };
    expect(await contactOf(world, 'c-1')).toMatchObject({ ...gone, due_reason: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due' });
  });

  it('is gone if it left the CRM while it was submitted, and nothing was charged', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await remove(world, 'c-1', null);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRefusedSubmission(trx, 'submission-1'),
    );
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due' });
  });

  it('is thought about again with the details that it got while its answer was lost, although a person rejects that', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    // The CRM does not tell of this change once more.
    await readPage(world, [readContact('c-1', 'another street')], { kind: 'keep' });
    await chargeLoss(world, 'hold', { charged: 2 });
    for (const id of ['c-1', 'c-2']) {
      await recordDecision(world.store, await holdOf(world, id), 'rejected');
    }
    const reconsidered: string[] = [];
    await reconsiderContacts(world.store, world.lease, RUN, 1, ({ crmId }) => {
      reconsidered.push(crmId);
      return { kind: 'choose', reason: 'identity_changed', priority: 2 };
    });
    expect(reconsidered).toEqual(['c-1']);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due', last_credit: 'outdated' });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'settled',
      last_credit: 'stands',
    });
  });

  it('is gone if it left the CRM while its answer was lost, and a person rejects to ask again', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await remove(world, 'c-1', null);
    await remove(world, 'c-2', null);
    await chargeLoss(world, 'hold', { charged: 2 });
    // It is back before a person decides.
    await readPage(world, [readContact('c-2')], { kind: 'keep' });
    for (const id of ['c-1', 'c-2']) {
      await recordDecision(world.store, await holdOf(world, id), 'rejected');
    }
    expect(await contactOf(world, 'c-1')).toMatchObject({
      ...{ state: 'removed', outcome_reason: 'deleted_in_crm', tracking_id: null },
      outcome_detail: null,
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'settled', outcome_reason: 'rejected_by_person', eligible: 1 },
    });
  });

  it('is asked about in the place of one that became a part of it after its answer was lost', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'held', outcome_reason: 'lost_answer', tracking_id: trackingIdOf('c-1') },
      asked_at: START_MS,
    });
    const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(hold).toMatchObject({ crmId: 'c-2', kind: 'lost_answer' });
    if (hold) await recordDecision(world.store, hold, 'resubmitted');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'due', tracking_id: null });
  });

  it('is asked about in the place of one that became a part of it, and whose profile does not fit either', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await holdAtDelivery(world, 'c-2', trackingIdOf('c-1'));
    const [hold, ...others] = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(hold).toMatchObject({ crmId: 'c-2', kind: 'name_mismatch' });
    expect(others).toEqual([]);
    if (hold) await recordDecision(world.store, hold, 'approved');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
  });

  it('is asked about again, opted in again, and about nothing that was asked of one that became a part of it', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    // Its opt-out is found when the profile is delivered.
    const end = { kind: 'dropped', removed: false } as const;
    const trackingId = trackingIdOf('c-1');
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        { crmId: 'c-2', trackingId, reason: 'opted_out', detail: null, end },
      ]),
    );
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await holdAtDelivery(world, 'c-2', trackingId);
    await readPage(world, [readContact('c-2')], OPTED_OUT);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'held' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-2' },
    ]);
  });

  it('is as young as its own last credit, which brought nothing, when it inherits an older profile', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await world.clock.advance(86_400_000);
    await start(world, ['c-2'], 'submission-2');
    const none = { completed: [], vanished: [], tooOld: [] };
    const failed = [trackingIdOf('c-2')];
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, { ...none, failed }),
    );
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'ready', tracking_id: trackingIdOf('c-1') },
      asked_at: START_MS + 86_400_000,
    });
  });

  it('inherits no profile that waits for a person and cannot be fetched any more, if a credit was spent on it by itself', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-3']);
    await world.clock.advance(8 * 86_400_000);
    await start(world, ['c-2'], 'submission-2');
    const none = { completed: [], vanished: [], tooOld: [] };
    const failed = [trackingIdOf('c-2')];
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, { ...none, failed }),
    );
    const before = await contactOf(world, 'c-2');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toEqual(before);
    expect(before).toMatchObject({ state: 'settled', asked_at: START_MS + 8 * 86_400_000 });
    // Nothing was spent on this one: what the other brings along tells why it is asked for.
    await remove(world, 'c-3', 'c-4');
    expect(await contactOf(world, 'c-4')).toMatchObject({ state: 'ready' });
  });

  it('gets the profile of one that became a part of what had become a part of it before that was read', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await readPage(world, [readContact('c-2')]);
    await remove(world, 'c-2', 'c-3');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed', tracking_id: null });
    const heir = { state: 'ready', tracking_id: trackingIdOf('c-1') };
    expect(await contactOf(world, 'c-3')).toMatchObject(heir);
  });

  it('is asked about in the place of one that was looked at once more, and not the one between them', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await readPage(world, [readContact('c-2')]);
    await remove(world, 'c-2', 'c-3');
    await chargeLoss(world, 'hold');
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-3' },
    ]);
  });

  it('is not paid for in the place of one that a person rejected to have submitted again, through chains', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    await recordDecision(world.store, await holdOf(world, 'c-1'), 'rejected');
    // It opts out before its merge is read: that is the last that is said of it.
    await readPage(world, [readContact('c-1')], OPTED_OUT);
    await remove(world, 'c-1', 'c-2');
    await remove(world, 'c-2', 'c-3');
    expect(await contactOf(world, 'c-3')).toMatchObject({
      ...{ state: 'settled', outcome_reason: 'rejected_by_person', tracking_id: null },
      ...{ asked_identity: NEXT_READING, asked_at: START_MS, eligible: 1 },
    });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
  });

  it('is asked about in the place of one that opted out before a person decided', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
    await readPage(world, [readContact('c-1')], OPTED_OUT);
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({
      ...{ state: 'held', outcome_reason: 'lost_answer', tracking_id: trackingIdOf('c-1') },
    });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([
      { crmId: 'c-2' },
    ]);
  });

  it('gets the answer to the submission of one that became a part of it meanwhile', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-3']);
    await remove(world, 'c-1', 'c-2');
    await remove(world, 'c-3', 'c-4');
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', tracking_id: null });
    await chargeLoss(world, 'hold');
    for (const id of ['c-2', 'c-4']) {
      expect(await contactOf(world, id)).toMatchObject({
        state: 'held',
        outcome_reason: 'lost_answer',
      });
    }
    const open = await listOpenQuestions(world.store.reader, INTEGRATION);
    expect(open.map(getSubject).sort()).toEqual(['c-2', 'c-4']);
  });

  it.each([
    ['whose answer was lost', 'lost_answer', lose],
    ['whose name was asked about', 'name_mismatch', holdOneForName],
  ] as const)(
    'is asked about its job again once it is distinguished, %s',
    async (_, kind, bring) => {
      const world = await createWorld();
      await bring(world);
      const hold = { kind: 'hold', reason: 'forgotten_person' } as const;
      await readPage(world, [readContact('c-1', 'another spelling')], hold);
      const [asked] = await listOpenQuestions(world.store.reader, INTEGRATION);
      expect(asked).toMatchObject({ kind: 'forgotten_person' });
      if (asked) await recordDecision(world.store, asked, 'approved');
      expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toMatchObject([{ kind }]);
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'held', outcome_reason: kind });
    },
  );

  async function lose(world: StoreWorld): Promise<void> {
    await submit(world, ['c-1']);
    await chargeLoss(world, 'hold');
  }

  async function holdOneForName(world: StoreWorld): Promise<void> {
    await holdForName(world, ['c-1']);
  }

  it('comes back with the profile that it got by a merge, not with the question about the other one', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        {
          ...{
            crmId: 'c-2',
            trackingId: trackingIdOf('c-1'),
            reason: 'deleted_in_crm',
            detail: null,
          },
          end: { kind: 'dropped', removed: true, mergedInto: null },
        },
      ]),
    );
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'removed' });
    await readPage(world, [readContact('c-2')], { kind: 'resume' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    expect(await listOpenQuestions(world.store.reader, INTEGRATION)).toEqual([]);
  });

  it('gets the profile of one that became a part of it while that was written', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    const trackingId = trackingIdOf('c-1');
    const deliver = (crmId: string) =>
      world.store.checkpoint(world.lease, (trx) =>
        recordDeliveries(trx, RUN, [
          {
            ...{ crmId, trackingId, reason: 'fields_written', detail: null },
            end: {
              kind: 'delivered',
              identity: 'identity',
              donorId: 'donor-1',
              owned: {},
              writeId: null,
            },
          },
        ]),
      );
    await deliver('c-1');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
    const limits = { runId: RUN, limit: 10, except: new Set<string>() };
    expect(await listReadyJobs(world.store.reader, INTEGRATION, limits)).toMatchObject([
      { job: { trackingId }, contact: { crmId: 'c-2' } },
    ]);
    await deliver('c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'settled', tracking_id: null });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'delivered' });
  });

  it('inherits a profile and stays held, as long as a person has to say who it is', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-2')], { kind: 'hold', reason: 'forgotten_person' });
    await makeReady(world, ['c-1']);
    await remove(world, 'c-1', 'c-2');
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'held',
      tracking_id: trackingIdOf('c-1'),
    });
    const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
    if (hold) await recordDecision(world.store, hold, 'approved');
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'ready' });
  });

  it.each(['approved', 'rejected'] as const)(
    'gets the profile that it has inherited once its change, one of many, is %s',
    async (decision) => {
      const world = await createWorld();
      await makeReady(world, ['c-1']);
      await holdChanged(world, ['c-2']);
      // What was asked before the change was in vain.
      await world.db
        .updateTable('contacts')
        .set({ donor_id: null })
        .where('crm_id', '=', 'c-2')
        .execute();
      await remove(world, 'c-1', 'c-2');
      const [hold] = await listOpenQuestions(world.store.reader, INTEGRATION);
      if (hold) await recordDecision(world.store, hold, decision);
      expect(await contactOf(world, 'c-2')).toMatchObject({
        state: 'ready',
        tracking_id: trackingIdOf('c-1'),
      });
    },
  );
});

const anEvent = fc.constantFrom(...EVENTS);
const anInstant = fc.constantFrom(0, 1, START_MS - 1, START_MS);
const aReason = fc.constantFrom(
  ...Object.keys(OUTCOME_REASONS).filter((word): word is OutcomeReason => word in OUTCOME_REASONS),
);
const aText = fc.constantFrom('one', 'another', NEXT_READING);
const aTracking = fc.constantFrom('tracking-1', 'tracking-2');

const aCredit = fc.constantFrom('stands' as const, 'outdated' as const, 'in_vain' as const);

const aRow: fc.Arbitrary<ContactRow> = fc
  .record({
    state: fc.constantFrom(...STATES),
    identity: aText,
    eligible: fc.constantFrom(0, 1),
    due_reason: fc.constantFrom('identity_changed' as const, 'profile_old' as const, null),
    priority: fc.constantFrom(0, 1, 2, 9),
    asked_identity: fc.option(aText),
    asked_at: fc.option(anInstant),
    last_credit: fc.option(aCredit),
    tracking_id: fc.option(aTracking),
    donor_id: fc.option(aText),
    enhanced_at: fc.option(anInstant),
    values_donor: fc.option(aText),
    values_identity: fc.option(aText),
    outcome_reason: aReason,
    outcome_run: fc.constantFrom(RUN, 'run-0', null),
    outcome_detail: fc.option(aText),
    missing_since: fc.option(anInstant),
  })
  .map((row) => contactRow({ crm_id: 'c-1', ...row }));

const aGiven = fc.record({
  identity: aText,
  asked_identity: fc.option(aText),
  asked_at: anInstant,
  last_credit: fc.option(aCredit),
  due_reason: fc.constantFrom('never_enhanced' as const, 'job_vanished' as const),
  priority: fc.constantFrom(1, 2, 9),
  tracking_id: aTracking,
  donor_id: aText,
  enhanced_at: fc.option(anInstant),
  owned_values: fc.constantFrom('{}', '{"a":"b"}'),
  values_identity: fc.option(aText),
  values_donor: fc.option(aText),
  outcome_reason: aReason,
  outcome_detail: fc.option(aText),
  merged_into: fc.option(aText),
  has_opted_out: fc.constantFrom(0, 1),
  missing_since: fc.option(anInstant),
});

/** These bring a job to contacts that have none. */
function isNewJob(event: LifeEvent): boolean {
  return event === 'submitted' || /^(shared|inherited)/.test(event);
}

function reachable(start: LifeState): Set<LifeState> {
  const found = new Set([start]);
  for (const place of found) {
    for (const event of EVENTS) for (const to of leadsTo(event, place)) found.add(to);
  }
  return found;
}

/** The moves from state to state; what leaves a contact where it is is not drawn. */
function drawing(): string {
  const events = new Map<string, string[]>();
  for (const from of LIFE_STATES) {
    for (const event of EVENTS) {
      for (const to of leadsTo(event, from)) {
        if (to === from) continue;
        const arrow = `${from === 'unknown' ? '[*]' : from} --> ${to}`;
        events.set(arrow, [...(events.get(arrow) ?? []), inWords(event)]);
      }
    }
  }
  const lines = [...events].map(([arrow, names]) => `  ${arrow}: ${names.join(', ')}\n`);
  return `stateDiagram-v2\n${lines.join('')}`;
}

function inWords(event: string): string {
  return event.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
