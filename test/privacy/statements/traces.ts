/** Creates traces of a person in every table about people. Finds the tables in which a trace remains. */
import { recordAcceptedSubmission } from '../../../src/credits/statements/answers.ts';
import { recordSubmissionIntent } from '../../../src/credits/statements/intents.ts';
import { recordJobProgress } from '../../../src/credits/statements/jobs.ts';
import {
  recordDeliveries,
  recordIntendedWrites,
} from '../../../src/fields/statements/deliveries.ts';
import { intendedJob, readContact, readPage, SHARING } from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
} from '../../database/store-world.ts';

/** A contact's ID and identity, which occur in no other test data. */
export const MARKED = '003-marked-person';

/** The IDs of jobs and writes do not reveal to which contact a job or a write belongs, as in a real store. */
export const TRACKING_ID = 'tracking-7f';

/** Adds the marked person to each table about people. */
export async function leaveTraces(world: StoreWorld): Promise<void> {
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
          ...{
            donor: 'd',
            key: 'k',
            profile: `profile of ${MARKED}`,
            paidAt: START_MS,
          },
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

/** Returns the tables that contain data of the marked person. */
export async function tablesWithTraces({ db }: StoreWorld): Promise<string[]> {
  const tables = Object.entries(await everything(db));
  return tables
    .filter(([, rows]) => rows.some((row) => row.includes(MARKED)))
    .map(([table]) => table)
    .sort();
}
