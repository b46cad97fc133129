import { expect, it } from 'vitest';
import { settleDue } from '../../../src/contacts/reconsidering.ts';
import { recordKeyBalance } from '../../../src/credits/statements/balances.ts';
import {
  type IntendedJob,
  recordSubmissionIntent,
} from '../../../src/credits/statements/intents.ts';
import { recordLostSubmission } from '../../../src/credits/statements/lost-answers.ts';
import { findOpenSubmission } from '../../../src/credits/statements/submissions.ts';
import {
  accept,
  contactOf,
  contactRow,
  crmIds,
  intendedJob,
  jobOf,
  putContacts,
  readContact,
  readPage,
  recordIntent,
  SHARING,
  submit,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  everything,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('recordSubmissionIntent', (open) => {
  const createWorld = storeWorlds(open);

  it('puts the submission and its jobs on disk, with the balance before it', async () => {
    const world = await createWorld();
    const ids = crmIds(31);
    await world.clock.advance(1_000);
    expect(await submit(world, ids)).toEqual({ recorded: true, balanceBefore: BALANCE });
    expect(await findOpenSubmission(world.store.reader, KEY)).toEqual({
      id: 'submission-1',
      integrationId: INTEGRATION,
      runId: RUN,
      partnerKey: KEY,
      state: 'intended',
      persons: 31,
      charged: null,
      balanceBefore: BALANCE,
      intendedAt: START_MS + 1_000,
      lostAt: null,
      closedAt: null,
      mapping: 'mapping',
      slot: 1,
    });
    for (const id of ids) {
      expect(await jobOf(world, id)).toEqual({
        tracking_id: trackingIdOf(id),
        submission_id: 'submission-1',
        integration_id: INTEGRATION,
        crm_id: id,
        identity: `identity of ${id}`,
        person: null,
        reason: 'never_enhanced',
        state: 'intended',
        job_id: null,
        shared_from: null,
        submitted_at: START_MS + 1_000,
        closed_at: null,
        known: null,
        answered_at: null,
      });
      expect(await contactOf(world, id)).toMatchObject({
        state: 'submitted',
        tracking_id: trackingIdOf(id),
        asked_identity: null,
      });
    }
  });

  it('notes the identity that is submitted, which may be newer than the one that was read', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1', 'an older identity')]);
    await recordIntent(world, ['c-1']);
    expect(await contactOf(world, 'c-1')).toMatchObject({ identity: 'identity of c-1' });
  });

  it('keeps the order of the requests about a contact where the host before had a clock ahead', async () => {
    const world = await createWorld();
    const ahead = { submitted_at: START_MS + 200_000, crm_id: 'c-1', tracking_id: 'before' };
    await submit(world, ['c-2']);
    await accept(world, ['c-2']);
    const [job] = await world.db.selectFrom('jobs').selectAll().execute();
    if (job !== undefined)
      await world.db
        .insertInto('jobs')
        .values({ ...job, ...ahead })
        .execute();
    const unpaid = { state: 'unpaid' as const, submitted_at: START_MS + 80_000_000 };
    const inVain = { ...unpaid, crm_id: 'c-3', tracking_id: 'in vain' };
    if (job !== undefined)
      await world.db
        .insertInto('jobs')
        .values({ ...job, ...inVain })
        .execute();
    await submit(world, ['c-1', 'c-3'], 'submission-2');
    expect(await jobOf(world, 'c-1')).toMatchObject({ submitted_at: START_MS + 200_001 });
    expect(await jobOf(world, 'c-3')).toMatchObject({ submitted_at: START_MS });
  });

  it('keeps the order of the requests about records of one person there', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1'), readContact('c-2')]);
    await recordIntent(world, ['c-1'], { person: 'a person' });
    await accept(world, ['c-1']);
    await world.db
      .updateTable('jobs')
      .set({ submitted_at: START_MS + 200_000 })
      .execute();
    await world.db.updateTable('jobs').set({ state: 'lost' }).execute();
    const sharing = { since: START_MS + 300_000, heedsLost: false };
    const jobs = [intendedJob('c-2', 'a person')];
    const of = { runId: RUN, partnerKey: KEY, mapping: 'mapping' };
    const intent = { submissionId: 'submission-2', ...of, jobs, sharing };
    expect(await recordSubmissionIntent(world.store.checkpoint, world.lease, intent)).toMatchObject(
      {
        recorded: true,
      },
    );
    expect(await jobOf(world, 'c-2')).toMatchObject({ submitted_at: START_MS + 200_001 });
  });

  it.each<['intended' | 'lost', (world: StoreWorld) => Promise<unknown>]>([
    ['intended', async () => undefined],
    [
      'lost',
      ({ store, lease }) =>
        store.checkpoint(lease, (trx) => recordLostSubmission(trx, 'submission-1')),
    ],
  ])('records nothing while another submission of the key is %s', async (state, bring) => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    await bring(world);
    await readPage(world, [readContact('c-2')]);
    const before = await everything(world.db);
    expect(await recordIntent(world, ['c-2'], { submissionId: 'submission-2' })).toEqual({
      recorded: false,
      why: 'key_busy',
    });
    expect(await everything(world.db)).toEqual(before);
    expect((await findOpenSubmission(world.store.reader, KEY))?.state).toBe(state);
  });

  it('records nothing while another integration uses the key, but may use another key', async () => {
    const world = await createWorld();
    await submit(world, ['c-1']);
    const lease = await takeLease(world.store, 'lakeside');
    const elsewhere = { ...world, lease };
    await readPage(elsewhere, [readContact('c-2')]);
    expect(await recordIntent(elsewhere, ['c-2'], { submissionId: 'submission-2' })).toEqual({
      recorded: false,
      why: 'key_busy',
    });
    await recordKeyBalance(world.store.connection, 'key-2', 0, 50);
    expect(
      await recordIntent(elsewhere, ['c-2'], { submissionId: 'submission-2', partnerKey: 'key-2' }),
    ).toEqual({ recorded: true, balanceBefore: 50 });
  });

  it('records only one of several simultaneous submissions with the same key', async () => {
    const world = await createWorld();
    const names = ['a', 'b', 'c', 'd'];
    const worlds: StoreWorld[] = [];
    for (const name of names) {
      const lease = await takeLease(world.store, `integration-${name}`);
      worlds.push({ ...world, lease });
      await readPage({ ...world, lease }, [readContact(`c-${name}`)]);
    }
    const results = await Promise.all(
      worlds.map((each, index) =>
        recordIntent(each, [`c-${names[index]}`], { submissionId: `submission-${names[index]}` }),
      ),
    );
    expect(results.filter((result) => result.recorded)).toHaveLength(1);
    for (const result of results) {
      if (!result.recorded) expect(result.why).toBe('key_busy');
    }
    expect((await everything(world.db))['submissions']).toHaveLength(1);
    expect((await everything(world.db))['jobs']).toHaveLength(1);
  });

  it('records nothing while the balance of the key is unknown', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1')]);
    const before = await everything(world.db);
    expect(await recordIntent(world, ['c-1'], { partnerKey: 'key-unread' })).toEqual({
      recorded: false,
      why: 'balance_unknown',
    });
    expect(await everything(world.db)).toEqual(before);
  });

  it('knows a balance of nought, which pays for no one', async () => {
    const world = await createWorld();
    await recordKeyBalance(world.store.connection, KEY, 0, 0);
    expect(await submit(world, ['c-1'])).toEqual({ recorded: false, why: 'balance_changed' });
  });

  it('records nothing if one of its contacts has moved on', async () => {
    const world = await createWorld();
    const ids = crmIds(40);
    await readPage(
      world,
      ids.map((id) => readContact(id)),
    );
    await world.store.checkpoint(world.lease, (trx) =>
      settleDue(trx, RUN, [{ crmId: 'c-039', reason: 'opted_out', turnedOut: 'ineligible' }]),
    );
    const before = await everything(world.db);
    expect(await recordIntent(world, ids)).toEqual({ recorded: false, why: 'contacts_changed' });
    expect(await everything(world.db)).toEqual(before);
    expect(await recordIntent(world, ids.slice(0, 39))).toMatchObject({ recorded: true });
  });

  it('records nothing if a contact comes twice or belongs to another integration', async () => {
    const world = await createWorld();
    await readPage(world, [readContact('c-1')]);
    await putContacts(world, [
      contactRow({ crm_id: 'c-2', state: 'due', integration_id: 'lakeside' }),
    ]);
    const job = { identity: 'i', reason: 'never_enhanced', person: null } as const;
    const twice: IntendedJob[] = [
      { ...job, trackingId: 'tracking-1', crmId: 'c-1' },
      { ...job, trackingId: 'tracking-2', crmId: 'c-1' },
    ];
    const of = { runId: RUN, partnerKey: KEY, mapping: 'mapping' };
    const intent = { submissionId: 'submission-1', ...of, sharing: SHARING };
    const refused = { recorded: false, why: 'contacts_changed' };
    expect(
      await recordSubmissionIntent(world.store.checkpoint, world.lease, { ...intent, jobs: twice }),
    ).toEqual(refused);
    expect(await recordIntent(world, ['c-2'])).toEqual(refused);
    expect(await findOpenSubmission(world.store.reader, KEY)).toBeUndefined();
  });
});
