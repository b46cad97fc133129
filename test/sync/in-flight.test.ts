import { afterEach, describe, expect, it } from 'vitest';
import { findContacts } from '../../src/contacts/contacts.ts';
import { MAX_SLOTS } from '../../src/contacts/open-submissions.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { recordSubmissionIntent } from '../../src/credits/statements/intents.ts';
import { listOpenSubmissions } from '../../src/credits/statements/submissions.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import {
  createSyncWorld,
  type SyncWorld,
  type SyncWorldOptions,
  WITHOUT_TRIAL,
} from '../helpers/sync-world.ts';

const worlds: SyncWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Observes the submissions of a client whose responses are slow. */
interface Watched {
  /** The number of people in each submission, in the order of sending. */
  sizes: number[];
  /** For each submission, the number of other submissions that were in flight when it was sent. */
  beside: number[];
  /** The machine's clock plus the durations of the responses. */
  clock: Clock;
  /** Waits until this many submissions have been sent. */
  sent(count: number): Promise<void>;
  client(client: PartnerClient): PartnerClient;
}

interface Way {
  /** The duration that the sync's clock measures. A busy machine does not lengthen this duration. */
  tookMs?: number;
  /** Called and awaited before a response from the service is passed on. `nth` starts at one. */
  until?: (nth: number, watched: Watched) => Promise<unknown> | undefined;
}

const SLOW_MS = 5_000;

/** Responses take five seconds. The first responses arrive after this many submissions have been sent. */
const together = (count: number): Way => ({
  tookMs: SLOW_MS,
  until: (nth, { sent }) => (nth <= count ? sent(count) : undefined),
});

function watch({ tookMs = 0, until = () => undefined }: Way = {}): Watched {
  let underWay = 0;
  let takenMs = 0;
  // Submissions reach the service in the order of sending, so the nth fault belongs to the nth size.
  let wire: Promise<unknown> = Promise.resolve();
  const waiting: { count: number; go: () => void }[] = [];
  const watched: Watched = {
    sizes: [],
    beside: [],
    clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + takenMs },
    sent(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, go: resolve });
      letGo();
      return promise;
    },
    client: (client) => ({
      ...client,
      async submitEnhancements(persons, signal, mayLeave) {
        watched.beside.push(underWay);
        const nth = watched.sizes.push(persons.length);
        underWay += 1;
        letGo();
        const sending = wire.then(() => client.submitEnhancements(persons, signal, mayLeave));
        wire = sending.catch(() => undefined);
        try {
          return await sending;
        } finally {
          takenMs += tookMs;
          await until(nth, watched);
          underWay -= 1;
        }
      },
    }),
  };
  return watched;

  function letGo(): void {
    for (const { count, go } of waiting) if (watched.sizes.length >= count) go();
  }
}

/** Observes two runs. Neither run receives a response before both runs have sent a submission. */
function watchTwoRuns(): Watched {
  const ofBoth = Promise.withResolvers<void>();
  const runs = new Set<PartnerClient>();
  const watched = watch({ tookMs: SLOW_MS, until: () => ofBoth.promise });
  return {
    ...watched,
    client(client) {
      const one = watched.client(client);
      return {
        ...one,
        submitEnhancements(...asked) {
          if (runs.add(client).size === 2) ofBoth.resolve();
          return one.submitEnhancements(...asked);
        },
      };
    },
  };
}

/** Returns a different client with the same service key. The different client pays for its own profiles. */
function anotherOfTheKey({ integration }: SyncWorld): SyncWorld['integration'] {
  const partner = { ...integration.partner, shareProfiles: false };
  return { ...integration, id: 'lakeside', partner };
}

async function open(watched: Watched, options: SyncWorldOptions = {}): Promise<SyncWorld> {
  const world = await createSyncWorld({
    personsPerSubmission: 8,
    partner: watched.client,
    clock: watched.clock,
    ...options,
    integration: { ...WITHOUT_TRIAL, ...options.integration },
  });
  worlds.push(world);
  return world;
}

/**
 * Returns a fault for the nth submission. The submission is processed and its response is lost, or it never arrives.
 */
const lost = (nth: number, kind: 'resetBefore' | 'resetAfter') => ({
  on: { method: 'POST', path: '/enhancements' },
  nth,
  fault: { kind },
});

async function openSlots(world: SyncWorld): Promise<(number | null)[]> {
  const rows = await world.database.db.selectFrom('submissions').select('slot').execute();
  return rows.map(({ slot }) => slot);
}

describe('submissions', () => {
  it('of what waits from an earlier run are made when this one has read what was merged since', async () => {
    const world = await open(watch(), {
      personsPerSubmission: 2,
      integration: { budget: { perRun: 2 } },
    });
    const ids = await world.addPeople(6);
    await world.sync();
    expect(await world.spent()).toBe(2);
    const rows = await findContacts(world.store.reader, world.integration.id, ids);
    const of = (isPaid: boolean) => ids.filter((id) => (rows.get(id)?.donorId === null) !== isPaid);
    const [loser = ''] = of(true);
    const [winner = ''] = of(false);
    world.crm.mergeContact(loser, winner);
    await world.sync();
    const after = await findContacts(world.store.reader, world.integration.id, [winner]);
    expect(after.get(winner)).toMatchObject({ donorId: rows.get(loser)?.donorId });
    const paid = await world.database.db
      .selectFrom('jobs')
      .select('tracking_id')
      .where('crm_id', '=', winner)
      .execute();
    // The contact uses the merged contact's job and has no separate job.
    expect(paid).toHaveLength(1);
  });

  it('are under way one at a time while the service answers quickly', async () => {
    const watched = watch({ until: () => systemClock.sleep(50) });
    // On a busy machine, all responses are slow. On this clock, they take an eighth of the time.
    const monotonicMs = () => systemClock.monotonicMs() / 8;
    const world = await open(watched, { clock: { ...systemClock, monotonicMs } });
    await world.addPeople(60);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 60, held: 0 });
    expect(Math.max(...watched.beside)).toBe(0);
    expect(watched.sizes.slice(0, 3)).toEqual([8, 8, 8]);
  });

  it('are under way together while it answers slowly, and each in another size', async () => {
    const watched = watch(together(4));
    const world = await open(watched);
    await world.addPeople(60);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 60, held: 0 } });
    expect(report.credits.enhancements).toMatchObject({ spent: 60 });
    expect(await world.spent()).toBe(60);
    const most = Math.max(...watched.beside) + 1;
    expect(most).toBeGreaterThanOrEqual(4);
    expect(most).toBeLessThanOrEqual(6);
    expect(watched.sizes.slice(0, 3)).toEqual([8, 7, 6]);
    // A submission keeps its slot after its response has arrived, until the response is stored.
    const slots = Math.max(...(await openSlots(world)).map(Number));
    expect(slots).toBeGreaterThanOrEqual(most);
    expect(slots).toBeLessThanOrEqual(MAX_SLOTS);
  });

  it('never spend more together than a run may, nor what is to be kept', async () => {
    const watched = watch(together(2));
    const limited = await open(watched, { integration: { budget: { perRun: 21 } } });
    await limited.addPeople(60);
    const report = await limited.sync();
    expect(report.reason?.code).toBe('budget_reached');
    expect(report.credits.enhancements.spent).toBe(21);
    expect(await limited.spent()).toBe(21);
    expect(Math.max(...watched.beside)).toBeGreaterThan(0);

    const keeping = await open(watch({ tookMs: SLOW_MS, until: () => systemClock.sleep(300) }), {
      service: { credits: 30 },
      integration: { budget: { keep: 7 } },
    });
    await keeping.addPeople(40);
    expect((await keeping.sync()).reason?.code).toBe('budget_reached');
    expect(await keeping.spent()).toBe(23);
  });

  it('hold a person of two contacts once, also in two submissions', async () => {
    const watched = watch(together(2));
    const world = await open(watched, { personsPerSubmission: 4 });
    const people = await world.addPeople(10);
    for (const id of people) {
      const contact = world.crm.records.get(id)?.contact;
      if (contact) world.crm.addContact({ ...contact, id: `z-${id}` });
    }
    const report = await world.sync();
    expect(Math.max(...watched.beside)).toBeGreaterThan(0);
    expect(report.contacts).toMatchObject({ written: 20, held: 0 });
    expect(await world.spent()).toBe(10);
  });

  it('of two runs with one key are under way together', async () => {
    const watched = watchTwoRuns();
    const world = await open(watched);
    await world.addPeople(16);
    const other = anotherOfTheKey(world);
    const reports = await Promise.all([world.sync(), world.sync({ integration: other })]);
    for (const { status, contacts } of reports) {
      expect(status).toBe('succeeded');
      expect(contacts).toMatchObject({ submitted: 16, held: 0 });
    }
    expect(await world.spent()).toBe(32);
  });

  it('have come back when a run ends that was asked to stop', async () => {
    const stop = new AbortController();
    const stopped = Promise.withResolvers<void>();
    const watched = watch({ tookMs: SLOW_MS, until: () => stopped.promise });
    const world = await open(watched);
    await world.addPeople(60);
    const running = world.sync({ signal: stop.signal });
    await watched.sent(3);
    stop.abort();
    stopped.resolve();
    const report = await running;
    const sent = watched.sizes.reduce((sum, size) => sum + size, 0);
    expect(report.contacts).toMatchObject({ submitted: sent, waiting: 60 });
    expect(await listOpenSubmissions(world.store.reader, keyOf(world))).toEqual([]);
    await world.sync();
    expect(await world.spent()).toBe(60);
  });
});

describe('lost answers of submissions that were under way together', () => {
  it.each([
    ['were not charged', 'resetBefore', 0],
    ['were charged', 'resetAfter', 13],
  ] as const)('are settled together if they %s', async (_, kind, held) => {
    const watched = watch(together(3));
    const world = await open(watched);
    await world.addPeople(60);
    await world.putFaults([lost(2, kind), lost(3, kind)]);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded' });
    expect(watched.sizes.slice(0, 3)).toEqual([8, 7, 6]);
    expect(report.contacts).toMatchObject({ submitted: 60 - held, held });
    expect(report.credits.enhancements.spent).toBe(60);
    expect(await world.spent()).toBe(60);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, held });
    expect(await world.spent()).toBe(60);
  });

  it('are distinguished by what they cost', async () => {
    const watched = watch(together(3));
    const world = await open(watched);
    await world.addPeople(40);
    await world.putFaults([lost(2, 'resetBefore'), lost(3, 'resetAfter')]);
    const report = await world.sync();
    expect(watched.sizes.slice(0, 3)).toEqual([8, 7, 6]);
    // The third submission was charged. The second submission is larger than the missing credits, so it is sent
    // again.
    expect(report.contacts).toMatchObject({ submitted: 34, held: 6 });
    expect(await world.spent()).toBe(40);
  });

  it('are held where another user may have spent a part of what is gone', async () => {
    const watched = watch(together(3));
    const world = await open(watched);
    await world.addPeople(40);
    await world.putFaults([lost(2, 'resetAfter'), lost(3, 'resetBefore')]);
    const report = await world.sync();
    expect(watched.sizes.slice(0, 3)).toEqual([8, 7, 6]);
    expect(report.contacts).toMatchObject({ submitted: 27, held: 13 });
    expect(report.credits.enhancements.spent).toBe(34);
    expect(await world.spent()).toBe(34);
  });

  it('are held where as many credits are bought before the others have come back', async () => {
    const seen = Promise.withResolvers<void>();
    let isLost = false;
    const watched = watch(together(3));
    const world = await open(watched, {
      partner: (client) =>
        watched.client({
          ...client,
          async submitEnhancements(persons, signal, mayLeave) {
            try {
              return await client.submitEnhancements(persons, signal, mayLeave);
            } catch (error) {
              isLost = true;
              throw error;
            } finally {
              if (persons.length === 6) {
                // The response takes longer. During that time, credits are bought until the balance has its previous
                // value.
                await seen.promise;
                const { apiKey } = world.service;
                const { enhancements } = await client.readCredits(signal);
                await world.issueKey({ apiKey, credits: { enhancements: enhancements + 7 } });
              }
            }
          },
          async readCredits(signal) {
            const credits = await client.readCredits(signal);
            if (isLost) seen.resolve();
            return credits;
          },
        }),
    });
    await world.addPeople(21);
    await world.putFaults([lost(2, 'resetAfter')]);
    const report = await world.sync();
    expect(watched.sizes.slice(0, 3)).toEqual([8, 7, 6]);
    expect(report.contacts).toMatchObject({ submitted: 14, held: 7 });
    expect(report.credits.enhancements.spent).toBe(21);
    expect(await world.spent()).toBe(21);
  });

  it('keep all else of the key from being sent until they are settled', async () => {
    const seen = Promise.withResolvers<void>();
    let isLost = false;
    const watched = watch({
      tookMs: SLOW_MS,
      // The maximum number of submissions is in flight. The second response is lost. The other responses arrive after
      // the product knows of the loss.
      async until(nth, { sent }) {
        await sent(MAX_SLOTS);
        if (nth === 2) isLost = true;
        else if (nth <= MAX_SLOTS) await seen.promise;
      },
    });
    const world = await open(watched, {
      partner: (client) =>
        watched.client({
          ...client,
          async readCredits(signal) {
            const credits = await client.readCredits(signal);
            if (isLost) seen.resolve();
            return credits;
          },
        }),
    });
    await world.addPeople(60);
    await world.putFaults([lost(2, 'resetBefore')]);
    await world.sync();
    // The run waits for all submissions in flight, and then sends the next submission alone.
    expect(watched.beside.slice(0, MAX_SLOTS + 1)).toEqual([0, 1, 2, 3, 4, 5, 0]);
    expect(await world.spent()).toBe(60);
  });

  it('of two runs that go on are settled together, so that neither waits for the other', async () => {
    const watched = watchTwoRuns();
    const world = await open(watched);
    await world.addPeople(16);
    await world.putFaults([lost(1, 'resetBefore'), lost(2, 'resetAfter')]);
    const other = anotherOfTheKey(world);
    const first = world.sync();
    await watched.sent(1);
    const reports = await Promise.all([first, world.sync({ integration: other })]);
    expect(watched.sizes.slice(0, 2)).toEqual([8, 7]);
    const sum = (of: (report: (typeof reports)[number]) => number) =>
      reports.reduce((all, report) => all + of(report), 0);
    // The second submission was charged. The first submission is larger than the missing credits, so it is sent
    // again.
    expect(sum(({ contacts }) => contacts.submitted)).toBe(25);
    expect(sum(({ contacts }) => contacts.held)).toBe(7);
    expect(sum(({ credits }) => credits.enhancements.spent)).toBe(32);
    expect(await world.spent()).toBe(32);
    expect(await listOpenSubmissions(world.store.reader, keyOf(world))).toEqual([]);
  });

  it('of a killed process are settled together by the next run', async () => {
    const watched = watch();
    const world = await open(watched);
    const ids = await world.addPeople(30);
    await world.sync();
    const spent = await world.spent();
    await intendWithoutSending(world, ids);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ submitted: 9, held: 0 });
    expect((await world.spent()) - spent).toBe(9);
  });
});

function keyOf({ store, integration }: SyncWorld): string {
  return store.fingerprint('partner_key', integration.partner.apiKey);
}

/** Creates the state after a process dies with three stored submissions, before any request is sent. */
async function intendWithoutSending(world: SyncWorld, ids: readonly string[]): Promise<void> {
  const { database, store, integration } = world;
  const taken = await store.leases.acquire(integration.id, 'dead', () => true);
  if (!taken.acquired) throw new Error('The lease is taken');
  for (const [submissionId, from, size] of [
    ['one', 0, 4],
    ['two', 4, 3],
    ['three', 7, 2],
  ] as const) {
    const crmIds = ids.slice(from, from + size);
    await database.db
      .updateTable('contacts')
      .set({
        state: 'due',
        due_reason: 'profile_old',
        asked_identity: null,
        asked_at: null,
        last_credit: null,
      })
      .where('crm_id', 'in', crmIds)
      .execute();
    const rows = await findContacts(store.reader, integration.id, crmIds);
    const result = await recordSubmissionIntent(store.checkpoint, taken.lease, {
      submissionId,
      runId: rows.get(crmIds[0] ?? '')?.outcomeRun ?? '',
      partnerKey: keyOf(world),
      mapping: 'mapping',
      jobs: crmIds.map((crmId) => ({
        ...{ trackingId: `${submissionId}-${crmId}`, crmId, person: null },
        ...{ identity: rows.get(crmId)?.identity ?? '', reason: 'profile_old' as const },
      })),
      sharing: { since: 0, heedsLost: true },
      atOnce: 6,
    });
    expect(result).toMatchObject({ recorded: true });
  }
  await store.leases.release(taken.lease);
}
