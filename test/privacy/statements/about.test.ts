import { expect, it } from 'vitest';
import { readAboutContact } from '../../../src/privacy/statements/about.ts';
import { requestRun } from '../../../src/sync/statements/run-requests.ts';
import { recordRunBegin } from '../../../src/sync/statements/runs.ts';
import { contactRow } from '../../contacts/contact-stages.ts';
import { everything, INTEGRATION, RUN, storeWorlds } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const CRM_ID = '0035e00000marked';
const OF = { integration_id: INTEGRATION, crm_id: CRM_ID };

describeEachDatabase('what is held of a contact', (open) => {
  const createWorld = storeWorlds(open);

  it('has a word for every table that names it', async () => {
    const { store, db, lease, clock } = await createWorld();
    await store.checkpoint(lease, (trx) => recordRunBegin(trx, 'one', 'manual', [CRM_ID]));
    await store.act((trx) =>
      requestRun(trx, {
        ...{ integrationId: INTEGRATION, contact: CRM_ID, trigger: 'webhook', full: false },
        runId: 'asked',
      }),
    );
    const donor_id = 'donor-1';
    await db
      .insertInto('contacts')
      .values(contactRow({ ...OF, donor_id }))
      .execute();
    await db
      .insertInto('jobs')
      .values({
        ...{ ...OF, tracking_id: 't', submission_id: 's', identity: 'i', person: null },
        ...{ reason: 'never_enhanced', state: 'delivered', job_id: 'j', known: 1, answered_at: 1 },
        ...{ shared_from: null, submitted_at: 1, closed_at: 1 },
      })
      .execute();
    await db
      .insertInto('writes')
      .values({
        ...{ ...OF, id: 'w', run_id: RUN, state: 'written', before: 'sealed', after: '{"A":"x"}' },
        ...{ owned_before: '{}', introducer: '', written_at: clock.now() },
      })
      .execute();
    await db
      .insertInto('questions')
      .values({
        ...{ ...OF, id: 'h', kind: 'name_mismatch', batch: null, tracking_id: 't', detail: null },
        ...{ opened_at: 1, decision: null, decided_at: null },
      })
      .execute();
    const path = { stale: 0, computed_at: 1, strength_millionths: 1, people: 1, network_id: 'n' };
    const noted = { connecting: null, told: null };
    await db
      .insertInto('warm_paths')
      .values([
        { ...OF, donor_id, introducer_id: 'donor-2', ...path, ...noted },
        { ...OF, crm_id: 'c-2', donor_id: 'donor-3', introducer_id: donor_id, ...path, ...noted },
      ])
      .execute();
    await db
      .insertInto('networks')
      .values({
        ...{ id: 'n', integration_id: INTEGRATION, selector: 's', name: 'Board', network_id: 'x' },
        ...{ read_run: null, read_at: null, created_at: 1 },
      })
      .execute();
    await db
      .insertInto('network_wanted')
      .values({ ...OF, network: 'n' })
      .execute();
    await db
      .insertInto('network_members')
      .values({ network: 'n', donor_id, state: 'member', add_id: null, detail: null, since: 1 })
      .execute();
    await db
      .insertInto('contact_statuses')
      .values({ ...OF, seen: 'x', status: null })
      .execute();
    await db
      .insertInto('foreign_texts')
      .values({ ...OF, id: 'f', run_id: RUN, sealed: 'x', kept_at: 1 })
      .execute();
    await db
      .insertInto('run_rows')
      .values({ run_id: RUN, place: 1, crm_id: CRM_ID, reason: 'written', detail: null, at: 1 })
      .execute();

    await db
      .insertInto('kept_profiles')
      .values({
        ...{ ...OF, tracking_id: 't', is_delivered: 1, field_map: 'm', kept_at: 7 },
        ...{ opted_out_at: null, donor: 'd', key: 'k', profile: 'p' },
      })
      .execute();
    await db
      .insertInto('value_states')
      .values({
        ...{ ...OF, field: 'A', state: 'refused', code: 'RULE', description: 'x' },
        ...{ since: 8, probed_at: null },
      })
      .execute();

    const naming = Object.entries(await everything(db)).flatMap(([table, rows]) =>
      rows.some((row) => row.includes(CRM_ID)) ? [table] : [],
    );
    expect(naming.sort()).toEqual([
      ...['audit_keys', 'contact_statuses', 'contacts', 'foreign_texts', 'jobs'],
      ...['kept_profiles', 'network_wanted', 'questions', 'run_requests', 'run_rows', 'runs'],
      ...['value_states', 'warm_paths', 'writes'],
    ]);
    const about = await readAboutContact(store.reader, store.fingerprint, INTEGRATION, [
      CRM_ID,
      'another form',
    ]);
    expect(about).toMatchObject({
      contacts: [{ state: 'settled', donorId: donor_id }],
      jobs: [{ jobId: 'j', submittedAt: 1 }],
      writes: [{ fields: ['A'], hasValuesBefore: true }],
      holds: [{ id: 'h', decision: null }],
      keptProfiles: [{ keptAt: 7, isDelivered: 1 }],
      notInCrm: [{ field: 'A', state: 'refused', since: 8 }],
      warmPaths: [{ people: 1, introducerId: 'donor-2' }],
      ...{ introduces: 1, groups: ['Board'], networks: ['Board'], blocks: [] },
      ...{ statuses: 1, texts: 1, runRows: 1, runsAsked: 2, approvals: 0 },
      // One audit entry is about a manual run, and one is about a run that a webhook requested.
      auditEntries: 2,
    });
    await eraseContact(store, INTEGRATION, CRM_ID);
    expect(
      await readAboutContact(store.reader, store.fingerprint, INTEGRATION, [CRM_ID]),
    ).toMatchObject({
      ...{ contacts: [], jobs: [], writes: [], holds: [], warmPaths: [], introduces: 0 },
      ...{ keptProfiles: [], notInCrm: [] },
      ...{
        groups: [],
        networks: [],
        statuses: 0,
        texts: 0,
        runRows: 0,
        runsAsked: 0,
        approvals: 0,
      },
      ...{ auditEntries: 0, blocks: [{ state: 'erased' }] },
    });
  });
});
