/** Creates the people to submit, from due contacts and their current data in the CRM. */

import type { RecordLookup } from '../../connectors/contract.ts';
import type { Answered } from '../contacts/answered.ts';
import { findAnswered } from '../contacts/answered.ts';
import type { ContactRecord } from '../contacts/contacts.ts';
import { markMissing } from '../contacts/many-at-once/missing.ts';
import {
  holdDueErased,
  postponeUnreadable,
  type SettledContact,
  settleDue,
} from '../contacts/reconsidering.ts';
import { type Person, toPerson } from '../core/person.ts';
import type { IntendedJob } from '../credits/statements/intents.ts';
import type { DueReason } from '../database/tables/contacts.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { refreshIfAlike } from './control/erased.ts';
import { lookUp } from './control/look-up.ts';
import { type DonorCheck, isNew, requireKnownDonors } from './foreign-donors.ts';
import { findOutside, mayBeOutside } from './guards/filter.ts';
import { decideContact } from './plan.ts';
import { plannedContact, planRules } from './read.ts';
import { personFingerprint } from './sharing.ts';

type PrepareDeps = Pick<SyncDeps, 'store' | 'connector' | 'clock' | 'newId'>;

export interface Prepared {
  person: Person;
  job: IntendedJob;
}

/**
 * Reads due contacts again, and records an outcome for contacts that the run must no longer submit. The database does
 * not store names and addresses. Names and addresses are only in memory, from this point until the request has been
 * sent.
 */
export async function preparePersons(
  deps: PrepareDeps,
  run: Run,
  due: readonly ContactRecord[],
  donors: DonorCheck,
): Promise<Prepared[]> {
  const rows = new Map(due.map((row) => [row.crmId, row]));
  const prepared: Prepared[] = [];
  const unreadable: string[] = [];
  const held: string[] = [];
  const missing: string[] = [];
  const settled: SettledContact[] = [];
  /** New contacts that will cost a credit, either now or later when donor-sync can read their identity. */
  const unpaid: RecordLookup[] = [];
  const fields = donors.fieldsFor(due);
  const ids = due.map(({ crmId }) => crmId);
  const lookups = await lookUp(deps.connector, ids, fields);
  await refreshIfAlike(deps, run, lookups);
  const mayBeBack = due.flatMap((row) => (isForItsDetails(row) ? row.crmId : []));
  const answered = await findAnswered(deps.store.reader, run.integration.id, mayBeBack);
  const judged = lookups.flatMap((lookup) => {
    const row = rows.get(lookup.id);
    if (!row) return [];
    const verdict = verdictOn(deps, run, lookup, row, answered.get(lookup.id) ?? null);
    return [{ lookup, row, verdict, isToPay: isToPay(verdict) }];
  });
  const mayBe = judged.filter((each) => each.isToPay && mayBeOutside(run, each.row));
  const outside = await findOutside(
    deps,
    run,
    mayBe.map(({ lookup }) => lookup.id),
  );
  for (const { lookup, row, verdict, isToPay } of judged) {
    if (isToPay && outside.has(lookup.id)) {
      settled.push({ crmId: lookup.id, reason: 'outside_filter', turnedOut: 'ineligible' });
      continue;
    }
    if (isToPay && isNew(row)) unpaid.push(lookup);
    if (verdict.kind === 'wait') {
      unreadable.push(lookup.id);
      continue;
    }
    if (verdict.kind === 'hold') {
      held.push(lookup.id);
      continue;
    }
    if (verdict.kind === 'miss') {
      missing.push(lookup.id);
      continue;
    }
    if (verdict.kind === 'settle') {
      settled.push({ crmId: lookup.id, reason: verdict.reason, turnedOut: verdict.turnedOut });
      continue;
    }
    if (lookup.state !== 'found') continue;
    const trackingId = deps.newId();
    prepared.push({
      person: toPerson(lookup.contact, trackingId),
      job: {
        trackingId,
        crmId: lookup.id,
        identity: verdict.identity,
        reason: verdict.reason,
        person: personFingerprint(deps, run, lookup.contact),
      },
    });
  }
  if (unreadable.length > 0) {
    await deps.store.checkpoint(run.lease, (trx) => postponeUnreadable(trx, run.id, unreadable));
  }
  if (missing.length > 0) {
    await deps.store.checkpoint(run.lease, (trx) => markMissing(trx, run.id, missing));
  }
  if (held.length > 0)
    await deps.store.checkpoint(run.lease, (trx) => holdDueErased(trx, run.id, held));
  if (settled.length > 0)
    await deps.store.checkpoint(run.lease, (trx) => settleDue(trx, run.id, settled));
  // This check comes last. A contact that needs a user's decision is therefore held even if a different database has
  // paid for it.
  if (fields.length > 0) await requireKnownDonors(deps, run, unpaid);
  return prepared;
}

/** The reasons to submit a contact even if its details are the same as in its answered request. */
const FOR_DETAILS: readonly (DueReason | null)[] = [
  'identity_changed',
  'identity_change_approved',
  'lost_answer_resubmitted',
  'job_vanished',
];

function isForItsDetails({ dueReason, askedIdentity }: ContactRecord): boolean {
  return askedIdentity !== null && FOR_DETAILS.includes(dueReason);
}

type Verdict =
  | { kind: 'submit'; identity: string; reason: DueReason }
  /** donor-sync cannot read a part of the contact's identity that it could read before. */
  | { kind: 'wait' }
  /** The CRM does not find the contact, but does not report a deletion either. */
  | { kind: 'miss' }
  /** The contact may be an erased person. */
  | { kind: 'hold' }
  | ({ kind: 'settle' } & Omit<SettledContact, 'crmId'>);

/** True if the run will spend a credit on the contact, either now or later when donor-sync can read its identity. */
function isToPay({ kind }: Verdict): boolean {
  return kind === 'submit' || kind === 'wait';
}

/** Decides about the current record, which may have changed since the run chose the contact. */
function verdictOn(
  deps: PrepareDeps,
  run: Run,
  lookup: RecordLookup,
  row: ContactRecord,
  answered: Answered | null,
): Verdict {
  if (lookup.state === 'missing') return { kind: 'miss' };
  if (lookup.state === 'removed') {
    const reason = lookup.mergedInto === null ? 'deleted_in_crm' : 'merged_in_crm';
    return { kind: 'settle', reason, turnedOut: 'gone' };
  }
  const planned = plannedContact(deps, run, lookup.contact);
  const decision = decideContact(planned, row, planRules(deps, run), answered);
  if (decision.kind === 'choose') {
    if (planned.identity.lost.length > 0) return { kind: 'wait' };
    return { kind: 'submit', identity: decision.noted.identity, reason: decision.reason };
  }
  if (decision.kind === 'hold') return { kind: 'hold' };
  if (decision.kind !== 'settle') {
    return { kind: 'settle', reason: 'profile_fresh', turnedOut: 'fresh' };
  }
  const { reason, eligible } = decision;
  return { kind: 'settle', reason, turnedOut: eligible ? 'fresh' : 'ineligible' };
}
