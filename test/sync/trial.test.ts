import { describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import { systemClock } from '../../src/core/clock.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { IDLE_MS } from '../../src/sync/control/control.ts';
import { readReasons } from '../../src/sync/views/run-contacts.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { holdJobs } from '../helpers/held-jobs.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

const open = closedAfterTest(createSyncWorld);

/** Adds contacts whose first and last names are read from the column with the member numbers. */
async function addByWrongColumn(world: SyncWorld, count: number): Promise<string[]> {
  const ids = await world.addPeople(count);
  for (const id of ids) {
    const number = `Member-${id}`;
    world.crm.editContact(id, { firstName: number, lastName: number });
  }
  return ids;
}

let invented = 0;

/** Adds contacts whom the service does not know. */
function addUnknown({ crm }: SyncWorld, count: number): string[] {
  return Array.from({ length: count }, () => {
    invented += 1;
    const name = [...String(invented)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    return crm.addContact({ firstName: `Quax${name}`, lastName: `Zylbrod${name}` });
  });
}

/** Returns how many people each submission contains, in the order of sending. */
async function submissionSizes({ database }: SyncWorld): Promise<number[]> {
  const rows = await database.db
    .selectFrom('submissions')
    .select('persons')
    .orderBy('intended_at')
    .orderBy('id')
    .execute();
  return rows.map(({ persons }) => persons);
}

/** Returns a client that changes the service's results. */
function withResults(
  change: (results: Awaited<ReturnType<PartnerClient['readResults']>>) => void,
): NonNullable<SyncWorldOptions['partner']> {
  return (client) => ({
    ...client,
    async readResults(ids, signal) {
      const results = await client.readResults(ids, signal);
      change(results);
      return results;
    },
  });
}

/** Changes the last names in profiles while `isOn` returns true. */
function strangers(isOn: () => boolean): NonNullable<SyncWorldOptions['partner']> {
  return withResults((results) => {
    for (const result of results.values()) {
      if (result.state === 'completed' && isOn()) result.profile.name.last = 'Quillfeather';
    }
  });
}

/** Returns a connector that reads people from the columns that `columns` currently returns. */
function readingFrom(columns: () => string): NonNullable<SyncWorldOptions['connector']> {
  return (crm, signal) => ({
    ...createMemoryConnector(crm, signal),
    identity: () => ({ columns: columns(), mode: 'plain', sources: [] }),
  });
}

describe('the first submission under a mapping', () => {
  it('stops at 25 credits if the names are read from a wrong column, and every further run spends nothing', async () => {
    const world = await open();
    await addByWrongColumn(world, 300);
    const first = await world.sync();
    expect(first).toMatchObject({ status: 'incomplete', reason: { code: 'match_rate_low' } });
    expect(first.reason?.message).toMatch(/\b0 of (the )?25\b/);
    expect(first.reason?.message).toContain('donor-sync plan riverside');
    expect(first.reason?.message).toContain('--accept-match-rate');
    expect(await world.spent()).toBe(25);
    for (const request of [{}, { full: true }, { trigger: 'webhook' as const }]) {
      const later = await world.sync(request);
      expect(later).toMatchObject({ status: 'incomplete', reason: { code: 'match_rate_low' } });
      expect(later.credits.enhancements.spent).toBe(0);
    }
    expect(await world.spent()).toBe(25);
  });

  it('says of every contact that is left why it waits', async () => {
    const world = await open();
    const ids = await addByWrongColumn(world, 80);
    const { id, contacts } = await world.sync();
    expect(await readReasons(world.store.reader, id)).toContainEqual(
      expect.objectContaining({ reason: 'match_rate_low', count: contacts.waiting }),
    );
    expect(contacts.waiting).toBe(ids.length - 25);
  });

  it('goes on with all the others once enough of the first are known', async () => {
    const world = await open();
    await world.addPeople(250);
    const report = await world.sync();
    expect(report).toMatchObject({ status: 'succeeded', reason: null });
    const [first, ...others] = await submissionSizes(world);
    expect(first).toBe(25);
    expect(Math.max(...others)).toBe(100);
    expect(report.contacts.submitted).toBeGreaterThan(200);
  });

  it('is the only one on its way until it is answered', async () => {
    const jobs = holdJobs();
    const world = await open({ service: jobs.service });
    await world.addPeople(60);
    const running = world.sync();
    await expect.poll(() => world.spent()).toBe(25);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(await world.spent()).toBe(25);
    jobs.letEnd();
    expect((await running).status).toBe('succeeded');
    expect(await world.spent()).toBeGreaterThan(50);
  });

  it('waits until all contacts are read, and is spread over them', async () => {
    const world = await open();
    const ids = await world.addPeople(300);
    await world.sync({ limit: 25 });
    // Counts only the contacts that cost a credit. Two contacts of one person share one job and one credit.
    const asked = await world.database.db
      .selectFrom('jobs')
      .select('crm_id')
      .where('shared_from', 'is', null)
      .execute();
    const places = asked.map(({ crm_id }) => ids.indexOf(crm_id));
    expect(places).toHaveLength(25);
    expect(places.filter((place) => place < 150).length).toBeGreaterThan(3);
    expect(places.filter((place) => place >= 150).length).toBeGreaterThan(3);
  });

  it('is as large as the settings say, and turned off by 0', async () => {
    const small = await open({ integration: { guards: { trial: { size: 12 } } } });
    await addByWrongColumn(small, 40);
    expect((await small.sync()).reason?.code).toBe('match_rate_low');
    expect(await small.spent()).toBe(12);
    const none = await open({ integration: { guards: { trial: { size: 0 } } } });
    await addByWrongColumn(none, 40);
    expect(await none.sync()).toMatchObject({ status: 'succeeded' });
    expect(await none.spent()).toBe(40);
  });

  it('gives no verdict on fewer than ten answers', async () => {
    const world = await open();
    await addByWrongColumn(world, 9);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    addUnknown(world, 40);
    expect((await world.sync()).reason?.code).toBe('match_rate_low');
    expect(await world.spent()).toBe(9 + 25);
  });

  it('is judged as soon as ten are answered, also by runs for one contact', async () => {
    const world = await open();
    const ids = await addByWrongColumn(world, 12);
    const codes = [];
    for (const only of ids) codes.push((await world.sync({ only })).reason?.code ?? null);
    expect(codes).toEqual([...Array(9).fill(null), ...Array(3).fill('match_rate_low')]);
    expect(await world.spent()).toBe(10);
  });

  it('counts a profile of a person with another name as not known', async () => {
    const world = await open({ partner: strangers(() => true) });
    await world.addPeople(60);
    const report = await world.sync();
    expect(report.reason?.code).toBe('match_rate_low');
    expect(report.contacts.held).toBeGreaterThan(20);
    expect(await world.spent()).toBe(25);
  });

  it('lifts itself once a person has approved enough of the profiles', async () => {
    let isOn = true;
    const world = await open({ partner: strangers(() => isOn) });
    await world.addPeople(60);
    await world.sync();
    isOn = false;
    for (const hold of (await listOpenQuestions(world.store.reader)).slice(0, 3)) {
      await recordDecision(world.store, hold, 'approved');
    }
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    expect(await world.spent()).toBeGreaterThan(50);
  });

  it('never has more than its size without an answer, whatever the service does', async () => {
    const world = await open({
      partner: withResults((results) => {
        for (const id of results.keys()) results.set(id, { state: 'unreadable', problem: 'x' });
      }),
    });
    await world.addPeople(60);
    for (const _ of [1, 2]) {
      const report = await world.sync();
      expect(report).toMatchObject({
        status: 'incomplete',
        reason: { code: 'partner_unavailable' },
      });
      const answered = await world.database.db
        .selectFrom('jobs')
        .selectAll()
        .where('known', 'is not', null)
        .execute();
      expect(answered.length).toBeLessThan(10);
      expect(await world.spent()).toBe(25 + answered.length);
    }
  });

  it('is followed by the next as soon as it is answered, also where it brings no profile', async () => {
    let slept = 0;
    // The results that are known end the wait earlier, even if the service is slow on a busy machine.
    const sleep: typeof systemClock.sleep = async (ms, signal) => {
      await systemClock.sleep(ms === IDLE_MS ? 12 * ms : ms, signal);
      if (ms === IDLE_MS && signal?.aborted !== true) slept += 1;
    };
    const world = await open({
      clock: { ...systemClock, sleep },
      partner: withResults((results) => {
        for (const id of results.keys()) results.set(id, { state: 'failed', error: null });
      }),
    });
    await world.addPeople(30);
    expect((await world.sync()).reason?.code).toBe('match_rate_low');
    expect(slept).toBe(0);
  });

  it('counts contacts whose record refuses the write as known', async () => {
    const world = await open();
    const ids = await world.addPeople(60);
    for (const id of ids) world.crm.refuseWrites(id);
    const report = await world.sync();
    expect(report.reason).toBe(null);
    expect(await world.spent()).toBeGreaterThan(50);
  });

  it('goes on where a killed run has left it, with the answers that it had', async () => {
    const jobs = holdJobs();
    const world = await open({ service: jobs.service });
    await addByWrongColumn(world, 60);
    const stop = new AbortController();
    const running = world.sync({ signal: stop.signal });
    await expect.poll(() => world.spent()).toBe(25);
    stop.abort();
    expect((await running).reason?.code).toBe('interrupted');
    jobs.letEnd();
    expect((await world.sync()).reason?.code).toBe('match_rate_low');
    expect(await world.spent()).toBe(25);
  });
});

describe('a mapping that was accepted', () => {
  it('by a person goes on, and is not judged again until it changes', async () => {
    let columns = 'Full Name';
    const world = await open({ connector: readingFrom(() => columns) });
    await addByWrongColumn(world, 300);
    await world.sync();
    const accepted = await world.sync({ acceptMatchRate: true });
    expect(accepted).toMatchObject({ status: 'succeeded', reason: null });
    expect(await world.spent()).toBeGreaterThan(250);
    addUnknown(world, 250);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    addUnknown(world, 30);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    columns = 'Other Name';
    addUnknown(world, 60);
    const spentBefore = await world.spent();
    expect((await world.sync()).reason?.code).toBe('match_rate_low');
    expect(await world.spent()).toBe(spentBefore + 25);
  });

  it('by its trial is stopped later, if less than 5 % of 200 in a row are known', async () => {
    const world = await open();
    await world.addPeople(40);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    addUnknown(world, 200);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    const spent = await world.spent();
    addUnknown(world, 50);
    for (const _ of [1, 2]) {
      const { reason } = await world.sync();
      expect(reason?.code).toBe('match_rate_low');
      expect(reason?.message).toMatch(/0 of the last 200/);
    }
    expect(await world.spent()).toBe(spent);
    expect((await world.sync({ acceptMatchRate: true })).reason).toBe(null);
    expect(await world.spent()).toBe(spent + 50);
  });

  it('goes on where those who are known were sent among 240 who are not, and their profiles come later', async () => {
    const { world, keepUnread } = await openWithLateProfiles();
    await world.addPeople(40);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    keepUnread();
    for (let i = 0; i < 60; i += 1) {
      await world.addPeople(1, 40 + i);
      addUnknown(world, 4);
    }
    await world.sync();
    const spent = await world.spent();
    addUnknown(world, 50);
    expect((await world.sync()).reason?.code).not.toBe('match_rate_low');
    expect(await world.spent()).toBe(spent + 50);
  });

  it('is stopped although profiles of contacts that were sent before could not be read', async () => {
    const { world, keepUnread } = await openWithLateProfiles();
    await world.addPeople(40);
    expect(await world.sync()).toMatchObject({ status: 'succeeded' });
    keepUnread();
    await world.addPeople(60, 40);
    await world.sync();
    addUnknown(world, 200);
    await world.sync();
    const spent = await world.spent();
    addUnknown(world, 50);
    expect((await world.sync()).reason?.message).toMatch(/0 of the last 200/);
    expect(await world.spent()).toBe(spent);
  });
});

/** Opens a service whose jobs complete. The test can prevent the profiles from being read. */
async function openWithLateProfiles() {
  let isUnread = false;
  const world = await open({
    partner: withResults((results) => {
      for (const [id, { state }] of isUnread ? results : []) {
        if (state === 'completed') results.set(id, { state: 'unreadable', problem: 'x' });
      }
    }),
  });
  const keepUnread = () => {
    isUnread = true;
  };
  return { world, keepUnread };
}
