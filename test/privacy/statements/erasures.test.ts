import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  listIntegrationsOfSameAccount,
  pinCrmAccount,
} from '../../../src/clients/statements/integrations.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { recordAcceptedSubmission } from '../../../src/credits/statements/answers.ts';
import {
  findKeyBalance,
  getSpentByRun,
  getSpentSince,
} from '../../../src/credits/statements/balances.ts';
import { recordSubmissionIntent } from '../../../src/credits/statements/intents.ts';
import {
  countRunningJobs,
  listReadyJobs,
  recordJobProgress,
} from '../../../src/credits/statements/jobs.ts';
import { overwriteErased } from '../../../src/database/sqlite/erased-bytes.ts';
import {
  recordDeliveries,
  recordIntendedWrites,
} from '../../../src/fields/statements/deliveries.ts';
import { fingerprintPerson } from '../../../src/identity/person-fingerprints.ts';
import {
  hasPaths,
  listStalePaths,
  markStalePaths,
  recordComputedPaths,
} from '../../../src/paths/statements/warm-paths.ts';
import {
  dropBlocks,
  listBlockedContacts,
  listBlocks,
} from '../../../src/privacy/statements/blocks.ts';
import { eraseAgain } from '../../../src/privacy/statements/erase-again.ts';
import { eraseIntegration } from '../../../src/privacy/statements/erase-integration.ts';
import {
  beginErasure,
  eraseFromStore,
  findErasures,
  noteErasureReceipt,
} from '../../../src/privacy/statements/erasures.ts';
import {
  findContactsAlike,
  hasTracesOfContact,
} from '../../../src/privacy/statements/known-contacts.ts';
import { findRunById, recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import {
  accept,
  chargeLoss,
  contactOf,
  contactRow,
  holdForName,
  intendedJob,
  jobOf,
  makeReady,
  putContacts,
  readContact,
  readPage,
  SHARING,
  start,
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
  testFingerprint,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { readableIdentities } from '../../helpers/identities.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** An id, and with it an identity, that is found nowhere else. */
const MARKED = '003-marked-person';

/** As in a real store, the ids of jobs and writes do not tell whose they are. */
const TRACKING_ID = 'tracking-7f';

describeEachDatabase('erase', (open, kind) => {
  const createWorld = storeWorlds(open);

  it('leaves nothing of the person in any table, however far the sync had come', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    expect(await tablesWithTraces(world)).toEqual([
      ...['contacts', 'jobs', 'kept_profiles', 'questions', 'value_states', 'writes'],
    ]);
    expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(true);
    expect(await eraseContact(world.store, INTEGRATION, MARKED)).toEqual({
      ...{ contacts: 1, jobs: 1, holds: 1, writes: 1, paths: 0 },
      ...{ introductions: 0, profiles: 1, groups: 0, runs: 0, keys: [] },
    });
    expect(await tablesWithTraces(world)).toEqual([]);
    expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(false);
  });

  it('finds and erases a kept profile, and what is not in the CRM, also where nothing else is left', async () => {
    for (const table of ['kept_profiles', 'value_states'] as const) {
      const world = await createWorld();
      await leaveTraces(world);
      for (const other of ['contacts', 'questions', 'jobs', 'writes'] as const) {
        await world.db.deleteFrom(other).execute();
      }
      await world.db
        .deleteFrom(table === 'value_states' ? 'kept_profiles' : 'value_states')
        .execute();
      expect(await tablesWithTraces(world)).toEqual([table]);
      expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(true);
      const contact = testFingerprint('forgotten', MARKED);
      const entry = { what: 'erased' as const, at: START_MS, integration: INTEGRATION, contact };
      await eraseAgain(
        world.store,
        [{ ...entry, forms: [], person: null, everywhere: false, donors: [] }],
        null,
      );
      expect(await tablesWithTraces(world)).toEqual([]);
    }
  });

  it('leaves nothing in the contacts that became a part of the person', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'removed', merged_into: MARKED }),
      contactRow({ crm_id: 'c-2', state: 'removed', merged_into: 'c-3' }),
    ]);
    expect(await hasTracesOfContact(world.store.reader, INTEGRATION, [MARKED])).toBe(true);
    await eraseContact(world.store, INTEGRATION, MARKED);
    expect(await tablesWithTraces(world)).toEqual([]);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'removed', merged_into: null });
    expect(await contactOf(world, 'c-2')).toMatchObject({ merged_into: 'c-3' });
  });

  it('leaves nothing in them either when a backup is put back that knows the person by them alone', async () => {
    const world = await createWorld();
    await putContacts(world, [
      contactRow({ crm_id: 'c-1', state: 'removed', merged_into: MARKED }),
    ]);
    const contact = testFingerprint('forgotten', MARKED);
    const entry = { what: 'erased' as const, at: START_MS, integration: INTEGRATION, contact };
    const known = { forms: [], person: null, everywhere: false, donors: [] };
    await eraseAgain(world.store, [{ ...entry, ...known }], null);
    expect(await tablesWithTraces(world)).toEqual([]);
  });

  it('leaves nothing under any form of the id', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    const forms = { forms: [MARKED] };
    expect(await eraseContact(world.store, INTEGRATION, 'another form', forms)).toMatchObject({
      contacts: 1,
    });
    expect(await tablesWithTraces(world)).toEqual([]);
  });

  it('leaves no row of what runs did to the contact, whatever other integrations have', async () => {
    const world = await createWorld();
    const { store, db, lease, clock } = world;
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'manual', null));
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, 'run-2', {
        ...{ status: 'succeeded', reason: null, finishedAt: clock.now(), report: '{}' },
      }),
    );
    const row = { place: 4, crm_id: MARKED, reason: 'no_match', detail: null, at: clock.now() };
    await db
      .insertInto('run_rows')
      .values({ ...row, run_id: 'run-2' })
      .execute();
    await db
      .insertInto('run_rows')
      .values({ ...row, run_id: 'of-lakeside' })
      .execute();
    expect(await hasTracesOfContact(store.reader, INTEGRATION, [MARKED])).toBe(true);
    expect(await eraseContact(store, INTEGRATION, MARKED)).toMatchObject({ runs: 1 });
    expect(await hasTracesOfContact(store.reader, INTEGRATION, [MARKED])).toBe(false);
    expect(await db.selectFrom('run_rows').select('run_id').execute()).toEqual([
      { run_id: 'of-lakeside' },
    ]);
  });

  it('leaves no id in what runs have said', async () => {
    const world = await createWorld();
    const { store, lease, clock } = world;
    const message = `There is no contact "${MARKED}" in the CRM.`;
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'run-2', 'webhook', [MARKED]));
    await store.checkpoint(lease, (trx) =>
      recordRunEnd(trx, 'run-2', {
        ...{ status: 'failed', reason: { code: 'contact_unknown', message } },
        ...{ finishedAt: clock.now(), report: JSON.stringify({ reason: { message } }) },
      }),
    );
    expect(await tablesWithTraces(world)).toEqual(['audit_keys', 'runs']);
    await eraseContact(store, INTEGRATION, MARKED);
    expect(await tablesWithTraces(world)).toEqual([]);
    const run = await findRunById(store.reader, 'run-2');
    expect(run?.reasonMessage).toBe('There is no contact (erased) in the CRM.');
    expect(JSON.parse(run?.report ?? '')).toEqual({ reason: { message: run?.reasonMessage } });
  });

  it('leaves nothing in the file or its log either, once the file is rewritten', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    await eraseContact(world.store, INTEGRATION, MARKED);
    await overwriteErased(world.store.connection);
    if (kind === 'sqlite') {
      const path = world.url.slice('sqlite:'.length);
      expect(await readFile(path, 'latin1')).not.toContain(MARKED);
      expect(await readFile(`${path}-wal`, 'latin1')).toBe('');
    }
    expect(await tablesWithTraces(world)).toEqual([]);
  });

  if (kind === 'sqlite') {
    it('takes what stands between the rows out of the file, too', async () => {
      const world = await createWorld();
      await leaveTraces(world);
      const { connection } = world.store;
      expect(await overwriteErased(connection)).toBe(true);
      const path = world.url.slice('sqlite:'.length);
      // As SQLite leaves copies of rows behind that it moved to another page.
      const bytes = await readFile(path);
      bytes.write(LEFT_BEHIND, gapOf(bytes), 'latin1');
      await writeFile(path, bytes);
      expect(await overwriteErased(connection)).toBe(true);
      expect(await readFile(path, 'latin1')).not.toContain(LEFT_BEHIND);
      expect((await tablesWithTraces(world)).length).toBeGreaterThan(0);
    });
  }

  it('keeps on record what was paid, without saying for which person', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    await eraseContact(world.store, INTEGRATION, MARKED);
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(1);
    expect(await getSpentSince(world.store.reader, INTEGRATION, 0)).toBe(1);
    expect(await findKeyBalance(world.store.reader, KEY)).toMatchObject({ balance: BALANCE - 1 });
    expect(await world.db.selectFrom('jobs').selectAll().execute()).toMatchObject([
      { tracking_id: TRACKING_ID, job_id: null, reason: 'never_enhanced', crm_id: '' },
    ]);
  });

  it('leaves everybody else, and the same id in another integration, as they were', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await putContacts(world, [contactRow({ crm_id: 'c-1', integration_id: 'lakeside' })]);
    const { jobs, questions } = await everything(world.db);
    const other = await contactOf(world, 'c-2');
    await eraseContact(world.store, INTEGRATION, 'c-1');
    expect(await contactOf(world, 'c-2')).toEqual(other);
    expect((await findContacts(world.store.reader, 'lakeside', ['c-1'])).size).toBe(1);
    expect((await findContacts(world.store.reader, INTEGRATION, ['c-1'])).size).toBe(0);
    const left = await everything(world.db);
    expect(left['questions']).toEqual(questions?.filter((row) => row.includes('"c-2"')));
    expect(left['questions']).toHaveLength(1);
    expect(left['jobs']).toEqual(
      expect.arrayContaining(jobs?.filter((row) => row.includes('"c-2"')) ?? []),
    );
  });

  it('leaves nothing of the donor that the person was in the paths of others', async () => {
    const world = await createWorld();
    const { store, lease, db } = world;
    await putContacts(world, [
      contactRow({ crm_id: MARKED, donor_id: 'donor-marked' }),
      contactRow({ crm_id: 'c-1', donor_id: 'donor-1' }),
      contactRow({ crm_id: 'c-2', donor_id: 'donor-2' }),
    ]);
    const scope = { settings: 's', members: { board: ['donor-2', 'donor-marked'] } };
    await store.checkpoint(lease, (trx) => markStalePaths(trx, { ...scope, computedBefore: null }));
    const path = { strength: 0.7, people: 1, introducerId: 'donor-marked', networkId: 'board' };
    const through = (crmId: string, introducerId: string, connecting: string[]) => ({
      ...{ crmId, donorId: `donor of ${crmId}`, inCrm: 'fingerprint', written: null },
      path: { ...path, introducerId, connecting },
    });
    await store.checkpoint(lease, (trx) =>
      recordComputedPaths(trx, RUN, [
        through('c-1', 'donor-marked', ['donor-marked']),
        through('c-2', 'donor-1', ['donor-1', 'donor-marked']),
      ]),
    );
    expect(JSON.stringify(await everything(db))).toContain('donor-marked');
    await eraseContact(store, INTEGRATION, MARKED);
    expect(JSON.stringify(await everything(db))).not.toContain('donor-marked');
    const list = { after: null, limit: 10, only: null };
    const stale = await listStalePaths(store.reader, INTEGRATION, list);
    expect(stale.map(({ crmId }) => crmId).sort()).toEqual(['c-1', 'c-2']);
    expect(await hasPaths(store.reader, INTEGRATION)).toBe(true);
  });

  it('leaves the paths through a donor who is another contact, too', async () => {
    const world = await createWorld();
    const { store, lease, db } = world;
    await putContacts(world, [
      contactRow({ crm_id: MARKED, donor_id: 'donor-1' }),
      contactRow({ crm_id: 'c-1', donor_id: 'donor-1' }),
    ]);
    const scope = { settings: 's', members: { board: ['donor-1'] }, computedBefore: null };
    await store.checkpoint(lease, (trx) => markStalePaths(trx, scope));
    const { warm_path_scopes: before } = await everything(db);
    await eraseContact(store, INTEGRATION, MARKED);
    const { warm_path_scopes: after } = await everything(db);
    expect(after).toEqual(before);
  });

  it('says whether anything was known, and keeps the person away all the same', async () => {
    const { store } = await createWorld();
    expect(await eraseContact(store, INTEGRATION, MARKED)).toMatchObject({ contacts: 0, jobs: 0 });
    expect(await listBlockedContacts(store.reader, INTEGRATION)).toEqual(
      new Set([testFingerprint('forgotten', MARKED)]),
    );
  });

  it('can be repeated, and remembers when it was done first', async () => {
    const world = await createWorld();
    await eraseContact(world.store, INTEGRATION, MARKED);
    await world.clock.advance(1_000);
    await eraseContact(world.store, INTEGRATION, MARKED);
    expect(await world.db.selectFrom('forgotten').selectAll().execute()).toMatchObject([
      { integration_id: INTEGRATION, forgotten_at: START_MS },
    ]);
  });

  it('lists who is forgotten for each integration', async () => {
    const { store } = await createWorld();
    await eraseContact(store, INTEGRATION, 'c-1');
    await eraseContact(store, INTEGRATION, 'c-2');
    await eraseContact(store, 'lakeside', 'c-3');
    expect(await listBlockedContacts(store.reader, INTEGRATION)).toEqual(
      new Set([testFingerprint('forgotten', 'c-1'), testFingerprint('forgotten', 'c-2')]),
    );
    expect(await listBlockedContacts(store.reader, 'hillside')).toEqual(new Set());
  });

  it('lists who is forgotten in any integration of the same account', async () => {
    const { store, lease } = await createWorld();
    await store.checkpoint(lease, (trx) => pinCrmAccount(trx, 'account-1'));
    const lakeside = await takeLease(store, 'lakeside');
    await eraseContact(store, INTEGRATION, 'c-1');
    expect(await listBlockedContacts(store.reader, 'lakeside')).toEqual(new Set());
    await store.checkpoint(lakeside, (trx) => pinCrmAccount(trx, 'account-1'));
    const fingerprint = testFingerprint('forgotten', 'c-1');
    expect(await listBlockedContacts(store.reader, 'lakeside')).toEqual(new Set([fingerprint]));
    expect(await listIntegrationsOfSameAccount(store.reader, 'lakeside')).toEqual([
      'lakeside',
      INTEGRATION,
    ]);
    // Before the first run has pinned its account, a run knows it all the same.
    const blocks = await listBlocks(store.reader, 'hillside', 'account-1');
    expect(blocks).toMatchObject([{ fingerprint, isOwn: true }]);
    expect(await dropBlocks(store, ['lakeside', INTEGRATION], ['c-1'])).toEqual([INTEGRATION]);
    expect(await listBlockedContacts(store.reader, 'lakeside')).toEqual(new Set());
  });

  it('counts each row of a client that leaves once, although the database made it try again', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    const { db, clock } = world;
    const tried = await eraseIntegration(db, INTEGRATION, clock.now(), async (work) => {
      const refused = new Error('refused by the database');
      const first = db.transaction().execute(async (trx) => {
        await work(trx);
        throw refused;
      });
      await expect(first).rejects.toBe(refused);
      return db.transaction().execute(work);
    });
    expect(tried.erased).toMatchObject({ contacts: 1, holds: 1, writes: 1, profiles: 1, runs: 1 });
    expect(tried.kept).toMatchObject({ jobs: 1, submissions: 1 });
  });

  it('blocks from its beginning, and says that it has not come to its end', async () => {
    const { store, clock, lease } = await createWorld();
    const erasure = { crmId: 'c-1', person: null, everywhere: false };
    await beginErasure(store, lease, { ...erasure, state: 'begun', donors: [], receipt: '{}' });
    expect((await listBlockedContacts(store.reader, INTEGRATION)).size).toBe(1);
    const found = () => findErasures(store, [INTEGRATION], ['c-0', 'c-1']);
    expect(await found()).toMatchObject([
      { state: 'begun', donors: '[]', receipt: '{}', erasedAt: null },
    ]);
    await clock.advance(1_000);
    await eraseContact(store, INTEGRATION, 'c-1', {
      buildReceipt: ({ jobs }) => `{"jobs":${jobs}}`,
    });
    expect(await found()).toMatchObject([
      {
        state: 'erased',
        receipt: '{"jobs":0}',
        forgottenAt: START_MS,
        erasedAt: START_MS + 1_000,
      },
    ]);
  });

  it('changes nothing once another process has the lease', async () => {
    const { store, lease } = await createWorld();
    await takeLease(store, INTEGRATION);
    const erasure = { crmId: 'c-1', person: null, everywhere: false, donors: [], receipt: null };
    const lost = { code: 'lease_lost' };
    await expect(beginErasure(store, lease, { ...erasure, state: 'begun' })).rejects.toMatchObject(
      lost,
    );
    await expect(eraseFromStore(store, lease, 'c-1')).rejects.toMatchObject(lost);
    const noted = store.checkpoint(lease, (trx) => noteErasureReceipt(trx, 'c-1', '{}'));
    await expect(noted).rejects.toMatchObject(lost);
    expect(await findErasures(store, [INTEGRATION], ['c-1'])).toEqual([]);
  });

  it('finds other contacts that may be the same person, by what is remembered of them', async () => {
    const world = await createWorld();
    const identities = readableIdentities({ fingerprint: testFingerprint });
    const person = { firstName: 'Ada', lastName: 'Stone', addresses: ['5 Elm St'], employers: [] };
    const contact = (id: string, changes: object = {}) => ({
      ...person,
      ...{ id, optedOut: false },
      ...changes,
    });
    const contacts = [
      contact('c-1'),
      contact('c-2', { addresses: ['9 Oak Road', '5 Elm Street'] }),
      contact('c-3', { lastName: 'Stones' }),
      contact('c-4', { addresses: ['5 ELM STREET'], employers: ['Acme'] }),
    ];
    await putContacts(
      world,
      contacts.map((each) =>
        contactRow({ crm_id: each.id, identity: identities.read(each).text() }),
      ),
    );
    const fingerprints = fingerprintPerson(testFingerprint, person);
    const alike =
      fingerprints && (await findContactsAlike(world.store, fingerprints, [INTEGRATION]));
    // Two addresses are remembered as one: only the record itself tells that one of them is equal.
    expect(alike?.map(({ crmId }) => crmId)).toEqual(['c-1', 'c-4']);
    expect(
      fingerprints && (await findContactsAlike(world.store, fingerprints, ['lakeside'])),
    ).toEqual([]);
    expect(fingerprints && (await findContactsAlike(world.store, fingerprints, null))).toHaveLength(
      2,
    );
  });
});

describeEachDatabase('a person who is forgotten in the middle of a sync', (open) => {
  const createWorld = storeWorlds(open);

  it('does not come back with the answer to a submission', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await eraseContact(world.store, INTEGRATION, 'c-1');
    await accept(world, ['c-1']);
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(1);
    expect(await idsKnown(world)).toEqual(['c-2']);
    expect(await contactOf(world, 'c-2')).toMatchObject({ outcome_reason: 'not_processed' });
    // With the key of the service its job id would fetch the profile.
    expect(await jobOf(world, 'c-1')).toMatchObject({ job_id: null, state: 'delivered' });
  });

  it('does not come back with the end of a job', async () => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2', 'c-3']);
    for (const id of ['c-1', 'c-2', 'c-3']) await eraseContact(world.store, INTEGRATION, id);
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, {
        completed: [trackingIdOf('c-1')],
        failed: [trackingIdOf('c-2')],
        vanished: [trackingIdOf('c-3')],
        tooOld: [],
      }),
    );
    expect(await idsKnown(world)).toEqual([]);
    const wanted = { runId: RUN, limit: 10, except: new Set<string>() };
    expect(await listReadyJobs(world.store.reader, INTEGRATION, wanted)).toEqual([]);
    expect(await countRunningJobs(world.store.reader, INTEGRATION, null)).toMatchObject({ all: 0 });
  });

  it('does not come back with a lost answer or a delivery', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await submit(world, ['c-2'], 'submission-2');
    for (const id of ['c-1', 'c-2']) await eraseContact(world.store, INTEGRATION, id);
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        {
          crmId: 'c-1',
          trackingId: trackingIdOf('c-1'),
          reason: 'fields_written',
          detail: null,
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
    await chargeLoss(world, 'resubmit', { submissionId: 'submission-2' });
    expect(await idsKnown(world)).toEqual([]);
  });

  async function idsKnown({ store }: StoreWorld): Promise<string[]> {
    return [...(await findContacts(store.reader, INTEGRATION, ['c-1', 'c-2', 'c-3'])).keys()];
  }
});

/** Brings the marked person into each table that knows persons. */
async function leaveTraces(world: StoreWorld): Promise<void> {
  const { store, lease } = world;
  await readPage(world, [readContact(MARKED)]);
  await recordSubmissionIntent(store.checkpoint, lease, {
    submissionId: 'submission-1',
    runId: RUN,
    partnerKey: KEY,
    mapping: 'mapping',
    jobs: [{ ...intendedJob(MARKED, `person of ${MARKED}`), trackingId: TRACKING_ID }],
    sharing: SHARING,
  });
  await store.checkpoint(lease, (trx) =>
    recordAcceptedSubmission(trx, 'submission-1', {
      jobIds: new Map([[TRACKING_ID, 'job-7f']]),
      charged: 1,
    }),
  );
  await store.checkpoint(lease, (trx) =>
    recordJobProgress(trx, RUN, {
      completed: [TRACKING_ID],
      failed: [],
      vanished: [],
      tooOld: [],
    }),
  );
  await recordIntendedWrites(store, lease, RUN, [
    {
      id: 'write-7f',
      crmId: MARKED,
      before: `values of ${MARKED}`,
      after: {},
      ownedBefore: {},
      donorBefore: null,
      donor: null,
      introducer: '',
      contact: `fingerprint of ${MARKED}`,
      introduced: {},
      named: {},
      called: null,
    },
  ]);
  await store.checkpoint(lease, (trx) =>
    recordDeliveries(trx, RUN, [
      {
        crmId: MARKED,
        trackingId: TRACKING_ID,
        reason: 'name_mismatch',
        detail: null,
        kept: {
          ...{ donor: 'd', key: 'k', profile: `profile of ${MARKED}`, paidAt: START_MS },
          ...{ fieldMap: 'm', values: [] },
        },
        end: { kind: 'held', donorId: 'donor-1' },
      },
    ]),
  );
  await world.db
    .insertInto('value_states')
    .values({
      ...{ integration_id: INTEGRATION, crm_id: MARKED, field: 'A', state: 'refused' },
      ...{ code: 'RULE', description: '', since: 1, probed_at: null },
    })
    .execute();
}

/** The tables in which the marked person is found anywhere. */
async function tablesWithTraces({ db }: StoreWorld): Promise<string[]> {
  const tables = Object.entries(await everything(db));
  return tables
    .filter(([, rows]) => rows.some((row) => row.includes(MARKED)))
    .map(([table]) => table)
    .sort();
}

const LEFT_BEHIND = 'a donor who was erased';
const PAGE_BYTES = 4_096;
const TABLE_LEAF = 13;

/** Where a page of rows has room between its list of rows and the first of them (file format, 1.6). */
function gapOf(file: Buffer): number {
  for (let page = PAGE_BYTES; page < file.length; page += PAGE_BYTES) {
    const listEnd = 8 + 2 * file.readUInt16BE(page + 3);
    const firstRow = file.readUInt16BE(page + 5);
    if (file[page] === TABLE_LEAF && firstRow - listEnd > LEFT_BEHIND.length) return page + listEnd;
  }
  throw new Error('no page has room');
}
