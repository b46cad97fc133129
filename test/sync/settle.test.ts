import { afterEach, describe, expect, it } from 'vitest';
import { memoryDefaultFields } from '../../connectors/memory/connector.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { recordAcceptedSubmission } from '../../src/credits/statements/answers.ts';
import { recordSubmissionIntent } from '../../src/credits/statements/intents.ts';
import { findOpenSubmission } from '../../src/credits/statements/submissions.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import { getSubject } from '../../src/decisions/views/question.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { runSync } from '../../src/sync/run.ts';
import { readReasons } from '../../src/sync/views/run-contacts.ts';
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

async function open(options?: SyncWorldOptions): Promise<SyncWorld> {
  const world = await createSyncWorld(options);
  worlds.push(world);
  return world;
}

/** Longer than a run waits for anything else but the renewal of its lease. */
const QUIET_MS = 9_500;
const OTHER_WAITS_MS = 6_000;

const ON_SUBMIT = { method: 'POST', path: '/enhancements' };

/** When each submission and each reading of the balance arrived, in order. */
async function submitsAndReadings(world: SyncWorld): Promise<string[]> {
  const requests = await world.requests();
  return requests.flatMap(({ method, path }) => {
    if (method === 'POST' && path.endsWith('/enhancements')) return ['submit'];
    return path.endsWith('/credits') ? ['credits'] : [];
  });
}

/** A submission or a reading of the balance, with its instants (epoch ms). */
interface Call {
  kind: 'submit' | 'credits';
  begunAt: number;
  endedAt: number;
  /** What a reading showed. */
  balance?: number;
}

/** Notes the calls of a client in order; `afterReading` is waited for before a reading is given. */
function watched(
  client: PartnerClient,
  calls: Call[],
  afterReading: () => Promise<unknown> = async () => undefined,
): PartnerClient {
  return {
    ...client,
    async submitEnhancements(persons, signal, mayLeave) {
      const call: Call = { kind: 'submit', begunAt: Date.now(), endedAt: 0 };
      calls.push(call);
      try {
        return await client.submitEnhancements(persons, signal, mayLeave);
      } finally {
        call.endedAt = Date.now();
      }
    },
    async readCredits(signal) {
      const begunAt = Date.now();
      const credits = await client.readCredits(signal);
      calls.push({ kind: 'credits', begunAt, endedAt: Date.now(), balance: credits.enhancements });
      await afterReading();
      return credits;
    },
  };
}

describe('a lost answer', () => {
  it.each([{ kind: 'resetBefore' }, { kind: 'gatewayError', status: 502 }])(
    'is settled by two readings and submitted again if nothing was charged ($kind)',
    async (fault) => {
      const calls: Call[] = [];
      const world = await open({
        integration: WITHOUT_TRIAL,
        partner: (client) => watched(client, calls),
      });
      await world.addPeople(30);
      await world.putFaults([{ on: ON_SUBMIT, times: 1, fault }]);
      const report = await world.sync();
      expect(report.status).toBe('succeeded');
      expect(report.contacts).toMatchObject({ submitted: report.contacts.chosen, held: 0 });
      expect(await world.spent()).toBe(report.contacts.chosen);
      const [lost, again, ...more] = calls.filter(({ kind }) => kind === 'submit');
      if (!lost || !again) throw new Error('Nothing was submitted again');
      expect(more).toEqual([]);
      const quietAt = lost.endedAt + world.integration.settleAfterMs;
      const deciding = calls.filter(
        ({ kind, begunAt }) => kind === 'credits' && begunAt >= quietAt && begunAt < again.begunAt,
      );
      expect(deciding.length).toBeGreaterThanOrEqual(2);
      expect(deciding.at(-1)?.balance).toBe(deciding.at(-2)?.balance);
    },
  );

  it.each([{ kind: 'resetAfter' }, { kind: 'truncate' }, { kind: 'contentType' }])(
    'holds its contacts if they were charged, and spends no second credit ($kind)',
    async (fault) => {
      const world = await open({ integration: WITHOUT_TRIAL });
      await world.addPeople(30);
      await world.putFaults([{ on: ON_SUBMIT, times: 1, fault }]);
      const report = await world.sync();
      const { chosen } = report.contacts;
      expect(report.contacts).toMatchObject({ held: chosen, submitted: 0, written: 0 });
      expect(report.credits.enhancements.spent).toBe(chosen);
      expect(await world.spent()).toBe(chosen);
      const holds = await listOpenQuestions(world.store.reader);
      expect(new Set(holds.map(({ kind }) => kind))).toEqual(new Set(['lost_answer']));
      expect((await world.sync({ full: true })).contacts).toMatchObject({
        chosen: 0,
        held: chosen,
      });
      expect(await world.spent()).toBe(chosen);
    },
  );

  describe('to other details of a contact whose profile is there', () => {
    const settings = { integration: { ...WITHOUT_TRIAL, settleAfterMs: 50 } };

    /** A contact with a profile, whose answer is lost after it has moved. */
    async function openMoved(after: Partial<SyncWorldOptions> = {}) {
      const world = await open({ ...settings, ...after });
      const [id = ''] = await world.addPeople(1);
      await world.sync();
      const home = world.crm.records.get(id)?.contact.addresses ?? [];
      const move = (addresses: typeof home) => world.crm.editContact(id, { addresses });
      move(['9 Elsewhere Road, Farville, OH 44101']);
      await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
      expect((await world.sync()).contacts.held).toBe(1);
      await world.putFaults([]);
      expect(await world.spent()).toBe(2);
      const reason = async () =>
        (await findContacts(world.store.reader, 'riverside', [id])).get(id)?.outcomeReason;
      return { world, id, home, move, reason };
    }

    it('is of no matter once it has moved back: nothing is paid or asked for', async () => {
      const { world, home, move, reason } = await openMoved();
      move(home);
      expect((await world.sync()).contacts).toMatchObject({ chosen: 0, held: 0 });
      expect(await listOpenQuestions(world.store.reader)).toEqual([]);
      expect(await reason()).toBe('profile_fresh');
      expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
      expect(await world.spent()).toBe(2);
    });

    it('is of no matter if it has moved back between the reading and the sending', async () => {
      const { world, home, move, reason } = await openMoved();
      move(['12 Third Street, Newtown, PA 18940']);
      let looks = 0;
      world.crm.before((operation) => {
        // The first look is for what it became while its answer was lost.
        if (operation === 'readByIds' && ++looks === 2) move(home);
      });
      expect((await world.sync()).contacts).toMatchObject({ chosen: 1, submitted: 0 });
      world.crm.before(null);
      expect(await reason()).toBe('profile_fresh');
      expect(await world.spent()).toBe(2);
    });

    it('costs no credit either if a person has rejected to ask again before that', async () => {
      const { world, id, home, move } = await openMoved();
      const [hold] = await listOpenQuestions(world.store.reader);
      if (hold) await recordDecision(world.store, hold, 'rejected');
      move(home);
      await world.sync();
      await world.sync({ full: true });
      expect(await world.spent()).toBe(2);
      expect((await findContacts(world.store.reader, 'riverside', [id])).get(id)?.state).toBe(
        'settled',
      );
    });

    it('stays a question when it has moved back to what a profile was asked with that has grown old', async () => {
      const { world, home, move, reason } = await openMoved();
      const enhanced_at = Date.now() - 400 * 86_400_000;
      await world.database.db.updateTable('contacts').set({ enhanced_at }).execute();
      move(home);
      const refresh = { afterDays: 365, whenIdentityChanges: false };
      await world.sync({ integration: { ...world.integration, refresh } });
      expect(await reason()).toBe('lost_answer');
      expect(await listOpenQuestions(world.store.reader)).toHaveLength(1);
      expect(await world.spent()).toBe(2);
    });

    it.each([
      ['is asked about it', false],
      ['has rejected to ask again', true],
    ])('is not over while the address cannot be read, where a person %s', async (_, isRejected) => {
      const { world, home, move, reason } = await openMoved();
      const [hold] = await listOpenQuestions(world.store.reader);
      if (hold && isRejected) await recordDecision(world.store, hold, 'rejected');
      const before = await reason();
      world.crm.hideSource('address');
      expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
      world.crm.showSource('address');
      expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
      expect(await reason()).toBe(before);
      expect(await listOpenQuestions(world.store.reader)).toHaveLength(isRejected ? 0 : 1);
      // Only what can be read says that it is back.
      world.crm.hideSource('address');
      move(home);
      await world.sync({ full: true });
      world.crm.showSource('address');
      await world.sync({ full: true });
      expect(await listOpenQuestions(world.store.reader)).toEqual([]);
      expect(await world.spent()).toBe(2);
    });

    it('is over when it has moved once more, and that is paid for', async () => {
      const { world, move } = await openMoved();
      move(['12 Third Street, Newtown, PA 18940']);
      expect((await world.sync()).contacts).toMatchObject({ chosen: 1, held: 0 });
      expect(await world.spent()).toBe(3);
    });
  });

  it('waits out a charge that lands late', async () => {
    const world = await open({ integration: { settleAfterMs: 600 } });
    await world.addPeople(10);
    await world.putFaults([
      { on: ON_SUBMIT, times: 1, fault: { kind: 'lateCharge', delayMs: 300 } },
    ]);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ held: 10, submitted: 0 });
    expect(await world.spent()).toBe(10);
  });

  it('holds its contacts if the empty bucket was topped up before the balance could decide', async () => {
    const calls: Call[] = [];
    const world = await open({
      partner: (client) =>
        watched(client, calls, async () => {
          // The first reading after the loss has seen the empty bucket.
          if (calls.map(({ kind }) => kind).join() !== 'credits,submit,credits') return;
          await topUp();
        }),
    });
    const topUp = () => world.issueKey({ apiKey, credits: { enhancements: 10 } });
    await world.addPeople(10);
    const { apiKey } = world.service;
    await topUp();
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    expect((await world.sync()).contacts).toMatchObject({ held: 10, submitted: 0 });
    expect(await world.spent()).toBe(10);
  });

  it('is what persons have who were charged and got no job id', async () => {
    const world = await open({
      partner: (client) => ({
        ...client,
        async submitEnhancements(persons, signal, mayLeave) {
          const answer = await client.submitEnhancements(persons, signal, mayLeave);
          const [first = ''] = answer.jobIds.keys();
          return { ...answer, jobIds: new Map([...answer.jobIds].filter(([id]) => id !== first)) };
        },
      }),
    });
    await world.addPeople(10);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ submitted: 9, held: 1, waiting: 0 });
    expect(report.credits.enhancements.spent).toBe(10);
    expect(await world.spent()).toBe(10);
    expect((await world.sync({ full: true })).contacts.chosen).toBe(0);
  });

  it('spends again where the settings allow it, and says why', async () => {
    const world = await open({ integration: { onLostAnswer: 'resubmit' } });
    await world.addPeople(10);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ held: 0, submitted: 10, written: 10 });
    expect(report.credits.enhancements.spent).toBe(20);
    expect(await world.spent()).toBe(20);
    const jobs = await world.database.db.selectFrom('jobs').select('reason').execute();
    expect(jobs.filter(({ reason }) => reason === 'lost_answer_resubmitted')).toHaveLength(10);
  });

  it('goes to a person who may have it submitted once more', async () => {
    const world = await open();
    await world.addPeople(3);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    await world.sync();
    const [one, two] = await listOpenQuestions(world.store.reader);
    if (!one || !two) throw new Error('Nothing is held');
    await recordDecision(world.store, one, 'resubmitted');
    await recordDecision(world.store, two, 'rejected');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ submitted: 1, written: 1 });
    expect(await world.spent()).toBe(4);
  });

  it('is what its contacts wait for if the run is stopped before the balance has decided', async () => {
    const world = await open({ integration: { settleAfterMs: 60_000 } });
    await world.addPeople(4);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    const seen = async () => (await submitsAndReadings(world)).slice(-2);
    await expect.poll(seen).toEqual(['submit', 'credits']);
    stop.abort();
    const { id, contacts } = await running;
    expect(contacts).toMatchObject({ submitted: 0, waiting: 4 });
    expect(await readReasons(world.store.reader, id)).toMatchObject([
      { reason: 'settlement_pending', count: 4 },
    ]);
  });

  it('leaves no question about a contact that opted out or left while it was to be settled', async () => {
    const world = await open();
    const [out = '', gone = '', stays = ''] = await world.addPeople(3);
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const stop = new AbortController();
    const integration = { ...world.integration, settleAfterMs: 60_000 };
    const running = world.sync({ integration, signal: stop.signal });
    const seen = async () => (await submitsAndReadings(world)).slice(-2);
    await expect.poll(seen).toEqual(['submit', 'credits']);
    stop.abort();
    await running;
    world.crm.editContact(out, { optedOut: true });
    world.crm.deleteContact(gone);
    expect((await world.sync()).contacts).toMatchObject({ held: 3 });
    // Nothing has changed in the CRM since.
    expect((await world.sync()).contacts).toMatchObject({ submitted: 0 });
    const rows = await findContacts(world.store.reader, world.integration.id, [out, gone, stays]);
    expect(rows.get(out)).toMatchObject({ state: 'settled', outcomeReason: 'opted_out' });
    expect(rows.get(gone)).toMatchObject({ state: 'removed', outcomeReason: 'deleted_in_crm' });
    expect(rows.get(stays)).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    const open_ = await listOpenQuestions(world.store.reader, world.integration.id);
    expect(open_.map(getSubject)).toEqual([stays]);
    expect(await world.spent()).toBe(3);
  });

  it('about an old profile goes along with a merge that is read before it is settled', async () => {
    const world = await open();
    const [loser = ''] = await world.addPeople(1);
    await world.sync();
    const { contact } = world.crm.records.get(loser) ?? {};
    const longAgo = Date.now() - 400 * 86_400_000;
    const { db } = world.database;
    await db.updateTable('contacts').set({ asked_at: longAgo, enhanced_at: longAgo }).execute();
    await db.updateTable('jobs').set({ submitted_at: longAgo, closed_at: longAgo }).execute();
    await world.putFaults([{ on: ON_SUBMIT, times: 1, fault: { kind: 'resetAfter' } }]);
    const before = (await submitsAndReadings(world)).length;
    const stop = new AbortController();
    const integration = { ...world.integration, settleAfterMs: 60_000 };
    const running = world.sync({ integration, signal: stop.signal });
    const seen = async () => (await submitsAndReadings(world)).slice(before).slice(-2);
    await expect.poll(seen).toEqual(['submit', 'credits']);
    stop.abort();
    await running;
    expect(await world.spent()).toBe(2);
    const winner = world.crm.addContact({ ...contact, id: 'winner', employers: ['Elsewhere'] });
    world.crm.mergeContact(loser, winner);
    await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    await world.sync();
    await world.sync();
    const rows = await findContacts(world.store.reader, world.integration.id, [winner]);
    expect(rows.get(winner)).toMatchObject({ state: 'held', outcomeReason: 'lost_answer' });
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ crmId: winner }]);
    expect(await world.spent()).toBe(2);
  });

  it('lets the profiles that are already paid for be delivered meanwhile', async () => {
    const world = await open({ integration: { settleAfterMs: 600_000, ...WITHOUT_TRIAL } });
    await world.addPeople(150);
    await world.putFaults([{ on: ON_SUBMIT, nth: 2, fault: { kind: 'resetAfter' } }]);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    await expect.poll(() => world.crm.writes.length).toBeGreaterThan(90);
    const open_ = await world.database.db
      .selectFrom('submissions')
      .select('id')
      .where('state', '=', 'lost')
      .execute();
    expect(open_).toHaveLength(1);
    stop.abort();
    expect((await running).contacts).toMatchObject({ submitted: 100, held: 0 });
  });

  it('of a killed process is settled by the next run before it submits anything', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    const spent = await world.spent();
    await intendWithoutSending(world, ids[0] ?? '');
    const report = await world.sync();
    // The intent had been put on disk and the request never left: nothing was charged.
    expect(report.contacts.submitted).toBe(1);
    expect((await world.spent()) - spent).toBe(1);
  });

  it('is settled after the quiet time even if the clock was a day ahead when it was lost', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const { db } = world.database;
    const tomorrow = Date.now() + 86_400_000;
    await db
      .updateTable('submissions')
      .set({ intended_at: tomorrow })
      .where('id', '=', 'killed')
      .execute();
    const before = (await submitsAndReadings(world)).length;
    expect(await world.sync()).toMatchObject({
      status: 'succeeded',
      contacts: { submitted: 1 },
    });
    // The balance was read in the quiet time, twice after it, and for what was submitted then; no night long.
    const readings = (await submitsAndReadings(world)).slice(before);
    expect(readings.filter((kind) => kind === 'credits').length).toBeLessThan(10);
  });

  it.each([
    ['ahead of', 120_000],
    ['behind', -120_000],
  ])(
    'of a killed process is settled after the whole quiet time by a clock that is two minutes %s its own',
    async (_, aheadMs) => {
      let shiftMs = 0;
      const clock = { ...systemClock, now: () => Date.now() + shiftMs };
      const world = await open({ clock, integration: { settleAfterMs: 1_500 } });
      const ids = await world.addPeople(5);
      await world.sync();
      const spent = await world.spent();
      await intendWithoutSending(world, ids[0] ?? '');
      await world.putFaults([
        { on: ON_SUBMIT, times: 1, fault: { kind: 'lateCharge', delayMs: 700 } },
      ]);
      await expect(sendAsIntended(world)).rejects.toMatchObject({ code: 'answer_lost' });
      shiftMs = aheadMs;
      const before = (await submitsAndReadings(world)).length;
      // The run that settles it tells of it: the one that was killed cannot any more.
      expect(await world.sync()).toMatchObject({
        contacts: { submitted: 0, held: 1 },
        credits: { enhancements: { spent: 1 } },
      });
      expect((await world.spent()) - spent).toBe(1);
      expect(await listOpenQuestions(world.store.reader)).toMatchObject([{ kind: 'lost_answer' }]);
      // Two minutes of quiet time would have been watched by a dozen readings.
      expect((await submitsAndReadings(world)).length - before).toBeLessThan(10);
    },
  );

  it('goes on with the quiet time that a stopped run of the same process has begun', async () => {
    const stop = new AbortController();
    const quietMs: number[] = [];
    let skippedMs = 0;
    /** Quiet time takes no time; the first wait of it is cut short after a second. */
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + skippedMs,
      async sleep(ms, signal) {
        if (ms <= OTHER_WAITS_MS || ms > QUIET_MS) return systemClock.sleep(ms, signal);
        quietMs.push(ms);
        skippedMs += quietMs.length === 1 ? 1_000 : ms;
        stop.abort();
      },
    };
    const world = await open({ clock, integration: { settleAfterMs: QUIET_MS } });
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const begunAt = clock.monotonicMs();
    expect((await world.sync({ signal: stop.signal })).status).toBe('incomplete');
    expect((await world.sync()).contacts.submitted).toBe(1);
    expect(clock.monotonicMs() - begunAt).toBeGreaterThan(QUIET_MS);
    const [first = 0, ...more] = quietMs;
    // The whole of it, and not the part that is left.
    expect(first).toBeGreaterThan(QUIET_MS - 500);
    expect(Math.max(0, ...more)).toBeLessThanOrEqual(QUIET_MS - 1_000);
  });

  it('of another integration of the same key is settled too, since the balance belongs to the key', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const partner = { ...world.integration.partner, shareProfiles: false };
    const other = { ...world.integration, id: 'lakeside', partner };
    const report = await world.sync({ integration: other });
    expect(report).toMatchObject({ status: 'succeeded', contacts: { submitted: 5 } });
    expect((await world.sync()).contacts.submitted).toBe(1);
  });

  it('is left alone if its own run has ended it while the lease was on its way', async () => {
    const world = await open();
    const ids = await world.addPeople(5);
    await world.sync();
    await intendWithoutSending(world, ids[0] ?? '');
    const { store, integration } = world;
    const partner = { ...integration.partner, shareProfiles: false };
    const other = { ...integration, id: 'lakeside', partner };
    const { takeLease, ...deps } = world.deps(undefined, other);
    const slowly = async (id: string) => {
      if (id === integration.id && (await findOpenSubmission(store.reader, key)) !== undefined) {
        const own = await takeLease(id);
        if (!own.acquired) throw new Error('The lease is taken');
        const answer = { jobIds: new Map([['killed-1', 'job']]), charged: 1 };
        await store.checkpoint(own.lease, (trx) => recordAcceptedSubmission(trx, 'killed', answer));
        await store.leases.release(own.lease);
      }
      return takeLease(id);
    };
    const key = store.fingerprint('partner_key', integration.partner.apiKey);
    const report = await runSync(
      { ...deps, takeLease: slowly },
      {
        ...{ integration: other, mappings: memoryDefaultFields, partnerKey: key, only: null },
        ...{ trigger: 'manual', full: false, signal: new AbortController().signal },
      },
      { calls: () => ({ partner: 0, crm: 0, throttled: 0 }) },
    );
    expect(report).toMatchObject({ status: 'succeeded', reason: null });
    expect(report.contacts).toMatchObject({ submitted: 5 });
  });
});

/** The request of that intent, as the process sent it before it died. */
function sendAsIntended(world: SyncWorld) {
  const person = { trackingId: 'killed-1', firstName: 'Ada', lastName: 'Lovelace' };
  return world.deps().partner.submitEnhancements([{ ...person, addresses: [], employers: [] }]);
}

/** What a process leaves behind that dies between the intent and the request. */
async function intendWithoutSending({ database, store, integration }: SyncWorld, crmId: string) {
  const taken = await store.leases.acquire(integration.id, 'dead', () => true);
  if (!taken.acquired) throw new Error('The lease is taken');
  await database.db
    .updateTable('contacts')
    .set({
      state: 'due',
      due_reason: 'profile_old',
      asked_identity: null,
      asked_at: null,
      last_credit: null,
    })
    .where('crm_id', '=', crmId)
    .execute();
  const row = (await findContacts(store.reader, integration.id, [crmId])).get(crmId);
  const result = await recordSubmissionIntent(store.checkpoint, taken.lease, {
    submissionId: 'killed',
    runId: row?.outcomeRun ?? '',
    partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
    mapping: 'mapping',
    jobs: [
      {
        trackingId: 'killed-1',
        crmId,
        identity: row?.identity ?? '',
        reason: 'profile_old',
        person: null,
      },
    ],
    sharing: { since: 0, heedsLost: true },
  });
  expect(result.recorded).toBe(true);
  await store.leases.release(taken.lease);
}
