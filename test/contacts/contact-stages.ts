import { randomUUID } from 'node:crypto';
import type { ContactRecord, ContactRow } from '../../src/contacts/contacts.ts';
import {
  type Decided,
  type Decision,
  type ReadContact,
  recordDecidedPage,
} from '../../src/contacts/decided-pages.ts';
import { holdChanges } from '../../src/contacts/many-at-once/mass-changes.ts';
import { recordAcceptedSubmission } from '../../src/credits/statements/answers.ts';
import { findKeyBalance } from '../../src/credits/statements/balances.ts';
import {
  type IntendedJob,
  type IntentResult,
  recordSubmissionIntent,
} from '../../src/credits/statements/intents.ts';
import { recordJobProgress } from '../../src/credits/statements/jobs.ts';
import {
  type AfterLoss,
  type LostEnd,
  settleLostSubmissions,
} from '../../src/credits/statements/lost-answers.ts';
import type { SharingRules } from '../../src/credits/statements/paid-jobs.ts';
import type { Tables } from '../../src/database/tables/tables.ts';
import { type ContactQuestion, findQuestion } from '../../src/decisions/statements/questions.ts';
import { recordDeliveries } from '../../src/fields/statements/deliveries.ts';
import { NEXT_READING, toIdentityText } from '../../src/identity/identity-text.ts';
import {
  BALANCE,
  INTEGRATION,
  KEY,
  RUN,
  START_MS,
  type StoreWorld,
} from '../database/store-world.ts';

/** Returns `count` CRM ids in order: `c-000`, `c-001`, … */
export function crmIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `c-${String(index).padStart(3, '0')}`);
}

/** Two identities are the same if their strings are equal. */
export interface ReadTestContact extends ReadContact {
  identity: string;
}

/** Returns a contact as the connector has just read it, by default with its first identity. */
export function readContact(crmId: string, identity = `identity of ${crmId}`): ReadTestContact {
  return { crmId, identity, optedOut: false };
}

/** Wraps a decision, and adds the record of the identity that was read. */
export function noting(
  decide: (contact: ReadTestContact, known: ContactRecord | undefined) => Decision,
): (contact: ReadTestContact, known: ContactRecord | undefined) => Decided {
  return (contact, known) => {
    const { identity } = contact;
    const isInherited = known?.askedIdentity === NEXT_READING;
    const noted = { identity, isSame: known?.identity === identity };
    return { ...decide(contact, known), noted: { ...noted, asked: isInherited ? identity : null } };
  };
}

/** Returns the ID of a contact's job, which is the same here and at the service. */
export function trackingIdOf(crmId: string): string {
  return `tracking-${crmId}`;
}

export function jobIdOf(crmId: string): string {
  return `job-${crmId}`;
}

/** Returns the decision to submit a contact. */
export function choose(priority = 1): Decision {
  return { kind: 'choose', reason: 'never_enhanced', priority };
}

/** The decision to leave a contact unchanged. */
export const KEEP: Decision = { kind: 'keep' };

export const SETTLE_FRESH: Decision = { kind: 'settle', reason: 'profile_fresh', eligible: true };

/** The remaining parts of a page: no removed contacts, and no watermark. */
export const NO_MORE = { removed: [], cursor: null };

/** Returns the row of a contact that is settled with a fresh profile by default. */
export function contactRow(changes: Partial<ContactRow> & { crm_id: string }): ContactRow {
  const identity = `identity of ${changes.crm_id}`;
  return {
    integration_id: INTEGRATION,
    state: 'settled',
    identity,
    eligible: 1,
    due_reason: null,
    priority: 1,
    asked_identity: identity,
    asked_at: START_MS,
    last_credit: 'stands',
    tracking_id: null,
    donor_id: 'donor-1',
    enhanced_at: START_MS,
    owned_values: '{}',
    values_donor: null,
    values_identity: null,
    outcome_reason: 'profile_fresh',
    outcome_run: 'run-0',
    outcome_at: START_MS,
    outcome_detail: null,
    seen_run: 'run-0',
    departure_read: 0,
    merged_into: null,
    has_opted_out: 0,
    missing_since: null,
    currency: null,
    ...changes,
  };
}

/** Stores the contact rows unchanged. */
export async function putContacts({ db }: StoreWorld, rows: ContactRow[]): Promise<void> {
  await db.insertInto('contacts').values(rows).execute();
}

/** Reads a page of contacts. Each contact has the same decision. */
export async function readPage(
  { store, lease }: StoreWorld,
  contacts: readonly ReadTestContact[],
  decision: Decision = choose(),
): Promise<void> {
  await store.checkpoint(lease, (trx) =>
    recordDecidedPage(
      trx,
      { runId: RUN, contacts, removed: [], cursor: null },
      noting(() => decision),
    ),
  );
}

/** Moves contacts into an open submission. Reads the contacts first if necessary. */
export async function submit(
  world: StoreWorld,
  ids: readonly string[],
  submissionId = 'submission-1',
): Promise<IntentResult> {
  await readPage(
    world,
    ids.map((id) => readContact(id)),
  );
  return recordIntent(world, ids, { submissionId });
}

/** Rules that allow every paid profile to be shared. */
export const SHARING: SharingRules = { since: 0, heedsLost: true };

/** Contacts can share the job only if a person is given. */
export function intendedJob(crmId: string, person: string | null = null): IntendedJob {
  return {
    trackingId: trackingIdOf(crmId),
    crmId,
    identity: `identity of ${crmId}`,
    reason: 'never_enhanced',
    person,
  };
}

export function recordIntent(
  { store, lease }: StoreWorld,
  ids: readonly string[],
  {
    submissionId = 'submission-1',
    partnerKey = KEY,
    person = null,
    mapping = 'mapping',
  }: IntentOptions = {},
): Promise<IntentResult> {
  return recordSubmissionIntent(store.checkpoint, lease, {
    submissionId,
    runId: RUN,
    partnerKey,
    mapping,
    jobs: ids.map((crmId) => intendedJob(crmId, person)),
    sharing: SHARING,
  });
}

interface IntentOptions {
  submissionId?: string;
  partnerKey?: string;
  person?: string | null;
  mapping?: string;
}

/** Records the service's response: these contacts' jobs were started, and one credit was spent for each. */
export function accept(
  { store, lease }: StoreWorld,
  ids: readonly string[],
  submissionId = 'submission-1',
): Promise<void> {
  return store.checkpoint(lease, (trx) =>
    recordAcceptedSubmission(trx, submissionId, {
      jobIds: new Map(ids.map((id) => [trackingIdOf(id), jobIdOf(id)])),
      charged: ids.length,
    }),
  );
}

/** Records that the service charged for a submission whose response was lost. */
export function chargeLoss(
  world: StoreWorld,
  afterwards: AfterLoss,
  { charged = 1, balance = BALANCE - 1, submissionId = 'submission-1' } = {},
): Promise<boolean> {
  const detail = 'the credits left the bucket';
  const end = { id: submissionId, run: null, loss: { charged, afterwards, detail } };
  return settleLost(world, end, balance);
}

/** Settles a submission whose response was lost. The key has no other open submission. */
export async function settleLost(
  { store, lease }: Pick<StoreWorld, 'store' | 'lease'>,
  end: LostEnd,
  balance: number,
): Promise<boolean> {
  const { sequence } = await findKeyBalance(store.reader, KEY);
  const settlement = { partnerKey: KEY, sequence, balance, ends: [end] };
  return settleLostSubmissions(store.leases, [lease], settlement);
}

/** Moves contacts to the state in which the service runs their jobs. */
export async function start(
  world: StoreWorld,
  ids: readonly string[],
  submissionId = 'submission-1',
): Promise<void> {
  await submit(world, ids, submissionId);
  await accept(world, ids, submissionId);
}

/** Moves contacts to the state in which their profiles wait for delivery. */
export async function makeReady(
  world: StoreWorld,
  ids: readonly string[],
  submissionId = 'submission-1',
): Promise<void> {
  await start(world, ids, submissionId);
  await world.store.checkpoint(world.lease, (trx) =>
    recordJobProgress(trx, RUN, {
      completed: ids.map(trackingIdOf),
      failed: [],
      vanished: [],
      tooOld: [],
    }),
  );
}

/** Moves contacts to the state in which a user has to compare names. */
export async function holdForName(world: StoreWorld, ids: readonly string[]): Promise<void> {
  await makeReady(world, ids);
  for (const id of ids) await holdAtDelivery(world, id, trackingIdOf(id));
}

/** Records that a contact's name does not match the name in its delivered profile. */
export function holdAtDelivery(
  { store, lease }: StoreWorld,
  crmId: string,
  trackingId: string,
): Promise<void> {
  return store.checkpoint(lease, (trx) =>
    recordDeliveries(trx, RUN, [
      {
        crmId,
        trackingId,
        reason: 'name_mismatch',
        detail: 'another last name',
        end: { kind: 'held', donorId: 'donor-1' },
      },
    ]),
  );
}

/** Returns a fingerprint of an identity with these parts. */
export function identityWith({ name = 'n', address = 'a', employer = 'e' } = {}): string {
  return toIdentityText({
    whole: name + address + employer,
    name,
    addresses: { sources: 's', fingerprint: address },
    employers: { sources: 's', fingerprint: employer },
  });
}

/** The identity for which a credit was spent. */
export const ASKED_IDENTITY = identityWith();
export const MOVED_IDENTITY = identityWith({ address: 'b' });

/** Holds contacts whose identity has changed. A user then makes one decision about all of them. */
export async function holdChanged(
  world: StoreWorld,
  ids: readonly string[],
  identity = MOVED_IDENTITY,
): Promise<void> {
  await putContacts(
    world,
    ids.map((crm_id) =>
      contactRow({
        crm_id,
        identity,
        asked_identity: ASKED_IDENTITY,
        state: 'due',
        due_reason: 'identity_changed',
      }),
    ),
  );
  await holdChanges(world.store, world.lease, RUN, randomUUID);
}

/** Fails if the contact has no row. */
export function contactOf({ db }: StoreWorld, crmId: string): Promise<ContactRow> {
  return db
    .selectFrom('contacts')
    .selectAll()
    .where('integration_id', '=', INTEGRATION)
    .where('crm_id', '=', crmId)
    .executeTakeFirstOrThrow();
}

/** Returns the row of a contact's job. Fails if the contact has no job. */
export function jobOf({ db }: StoreWorld, crmId: string): Promise<Tables['jobs']> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('tracking_id', '=', trackingIdOf(crmId))
    .executeTakeFirstOrThrow();
}

/** Returns the hold of a contact's job. Fails if the contact has no hold. */
export async function holdOf({ store }: StoreWorld, crmId: string): Promise<ContactQuestion> {
  const hold = await findQuestion(store.reader, trackingIdOf(crmId));
  if (hold?.about !== 'contact') throw new Error(`There is no hold of ${crmId}`);
  return hold;
}

/** Returns the row of `RUN`, with its counters. */
export function runRow({ db }: StoreWorld): Promise<Tables['runs']> {
  return db.selectFrom('runs').selectAll().where('id', '=', RUN).executeTakeFirstOrThrow();
}
