/** Forecasts how a run would decide about each contact. Previews show this forecast. */

import { findAnswered } from '../contacts/answered.ts';
import type { ContactRecord } from '../contacts/contacts.ts';
import { findContacts, listToReconsider } from '../contacts/contacts.ts';
import { type Decision, hasChanged } from '../contacts/decided-pages.ts';
import { PRIORITY } from '../contacts/life/line-events.ts';
import { forecastContinuations } from '../contacts/many-at-once/new-ids.ts';
import { PAID_SINCE_BACKUP } from '../contacts/many-at-once/paid-since-backup.ts';
import type { Contact } from '../core/contact.ts';
import { OUTCOME_REASONS, type OutcomeReason } from '../core/outcome.ts';
import { type Fate, findShares, type SharingContact } from '../credits/statements/paid-jobs.ts';
import type { DueReason } from '../database/tables/contacts.ts';
import { lookUpRecords } from '../fields/records.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { findOutside } from './guards/filter.ts';
import { forecastRestore, type RestoreForecast } from './guards/forecast-restore.ts';
import { askedBefore, decideAgain, decideContact, type PlanRules } from './plan.ts';
import { pagesToRead, plannedContact, planRules, readsWholeList } from './read.ts';
import { SAMPLE_SIZE } from './sample-persons.ts';
import { personFingerprint, sharingRules } from './sharing.ts';
import { createSpread, NO_SPREAD, type Spread } from './spread.ts';

/** The maximum number of contacts that a forecast lists by ID. The numbers in a forecast include all contacts. */
export const MAX_LISTED = 1_000;

/**
 * The number of contacts that a forecast reads to find contacts that share a profile. Contacts above this number count
 * as paid, so the forecast is never too low.
 */
const MAX_LOOKED_UP = 1_000;

/** The number of contacts that a forecast reads and counts at a time. */
const PORTION = 100;

/** The reason why a run enhances a contact: a reason to spend a credit, or `profile_shared`, which costs no credit. */
export type EnhanceReason = DueReason | 'profile_shared';

export interface ContactForecast {
  read: number;
  /** The number of contacts that a run would submit. */
  paid: number;
  /**
   * The number of contacts that would get a profile without a credit. The profile of these contacts is already paid
   * for, or the run buys it for a different contact.
   */
  shared: number;
  enhance: Partial<Record<EnhanceReason, number>>;
  leave: Record<string, number>;
  contacts: { crmId: string; reason: EnhanceReason }[];
  /**
   * A few of the contacts that a run would submit, spread over all of them. Contacts whose identity changed are listed
   * separately.
   */
  sample: { changed: Spread; others: Spread };
}

/** The parts of a run that a forecast needs. */
export type ForecastRun = Pick<
  Run,
  | 'integration'
  | 'forgotten'
  | 'erased'
  | 'identities'
  | 'groupMembers'
  | 'full'
  | 'only'
  | 'partnerKey'
> &
  Partial<Pick<Run, 'fields' | 'mappings'>>;

/** A contact that a run would enhance. */
type Chosen = SharingContact & { reason: DueReason };

/**
 * Counts the contacts that a run would enhance. The forecast covers contacts that the run would read, contacts that are
 * already due, and contacts whose profile is outdated.
 */
export async function forecastContacts(deps: SyncDeps, run: ForecastRun): Promise<ContactForecast> {
  const sample = {
    changed: createSpread(deps.store, SAMPLE_SIZE),
    others: createSpread(deps.store, SAMPLE_SIZE),
  };
  const forecast: ContactForecast = {
    read: 0,
    paid: 0,
    shared: 0,
    enhance: {},
    leave: {},
    contacts: [],
    sample,
  };
  const count = createCount(deps, run, forecast);
  const seen = new Set<string>();
  // A new contact may be a missing contact with a different ID. Only a reading of the whole list shows changed IDs.
  const waiting: Chosen[] | null = (await readsWholeList(deps, run)) ? [] : null;
  for await (const page of await pagesToRead(deps, run)) {
    const contacts = page.contacts.filter(({ id }) => !seen.has(id));
    for (const { id } of contacts) seen.add(id);
    forecast.read += contacts.length;
    const chosen = await chooseRead(deps, run, forecast, contacts);
    if (waiting !== null) {
      for (const each of chosen) waiting.push(each);
      continue;
    }
    // If contacts were read by ID, the filter must still be applied to them.
    await count(run.only === null ? chosen : await withinFilter(deps, run, forecast, chosen));
  }
  if (run.only !== null) return forecast;
  if (waiting !== null) await count(await withoutContinued(deps, run, forecast, waiting, seen));
  let lookedUp = 0;
  for await (const batch of unreadBatches(deps, run, seen)) {
    const rows = await withinFilter(deps, run, forecast, batch);
    const persons = lookedUp < MAX_LOOKED_UP ? await fingerprintPersons(deps, run, rows) : null;
    lookedUp += rows.length;
    await count(rows.map((row) => ({ ...row, person: persons?.get(row.crmId) ?? null })));
  }
  return forecast;
}

/**
 * If a mass change is suspected, counts all contacts whose identity changed as held. A run would spend no credits on
 * them.
 */
export function holdChanged(forecast: ContactForecast): ContactForecast {
  const { identity_changed: held = 0, ...enhance } = forecast.enhance;
  return {
    ...forecast,
    enhance,
    paid: forecast.paid - held,
    leave: {
      ...forecast.leave,
      identity_mass_change: (forecast.leave['identity_mass_change'] ?? 0) + held,
    },
    contacts: forecast.contacts.filter(({ reason }) => reason !== 'identity_changed'),
    sample: { ...forecast.sample, changed: NO_SPREAD },
  };
}

/** Returns the contacts for the sample. New contacts and known contacts come first, followed by changed contacts. */
export function chooseSample({ sample: { changed, others } }: ContactForecast): string[] {
  return [...others.ids(), ...changed.ids()].slice(0, SAMPLE_SIZE);
}

/**
 * Returns the contacts of a page that a run would enhance. Counts all contacts that the run would not enhance, with
 * their reason.
 */
async function chooseRead(
  deps: SyncDeps,
  run: ForecastRun,
  forecast: ContactForecast,
  contacts: readonly Contact[],
): Promise<Chosen[]> {
  const rules = planRules(deps, run);
  const rows = await findContacts(
    deps.store.reader,
    run.integration.id,
    contacts.map(({ id }) => id),
  );
  const first = contacts.map((contact) => {
    const planned = plannedContact(deps, run, contact);
    return { contact, planned, decided: decideContact(planned, rows.get(contact.id), rules, null) };
  });
  const changed = first.flatMap(({ contact, decided }) => (hasChanged(decided) ? contact.id : []));
  const answered = await findAnswered(deps.store.reader, run.integration.id, changed);
  return first.flatMap(({ contact, planned, decided }) => {
    const row = rows.get(contact.id);
    const last = answered.get(contact.id);
    const decision = last ? decideContact(planned, row, rules, last) : decided;
    if (decision.kind !== 'choose') {
      countLeft(forecast, reasonToLeave(decision, row));
      return [];
    }
    if (decision.priority === PRIORITY.waitsForAccess) {
      countLeft(forecast, 'identity_unreadable');
      return [];
    }
    const person = personFingerprint(deps, run, contact);
    const { identity } = decision.noted;
    return [{ crmId: contact.id, identity, person, reason: decision.reason }];
  });
}

/**
 * Returns the new contacts, except missing contacts with a different ID (see `guards/new-ids.ts`). The missing contacts
 * cost no credits and are only counted.
 */
async function withoutContinued(
  { store }: Pick<SyncDeps, 'store'>,
  run: ForecastRun,
  forecast: ContactForecast,
  chosen: readonly Chosen[],
  seen: ReadonlySet<string>,
): Promise<Chosen[]> {
  const due = chosen.filter(({ reason }) => reason === 'never_enhanced');
  const { id } = run.integration;
  const found = await forecastContinuations(store.reader, id, due, seen);
  const continued = new Map(found.map(({ newId, isKnown }) => [newId, isKnown]));
  for (const [crmId, isKnown] of continued) {
    if (!isKnown) countLeft(forecast, 'no_match_known');
    else countChosen(forecast, crmId, 'profile_shared');
  }
  return chosen.filter(({ crmId }) => !continued.has(crmId));
}

/** Returns the contacts that the filter includes. Contacts outside the filter are only counted. */
async function withinFilter<Each extends { crmId: string }>(
  deps: SyncDeps,
  run: ForecastRun,
  forecast: ContactForecast,
  contacts: readonly Each[],
): Promise<Each[]> {
  const ids = contacts.map(({ crmId }) => crmId);
  const outside = await findOutside(deps, run, ids);
  countLeft(forecast, 'outside_filter', outside.size);
  return contacts.filter(({ crmId }) => !outside.has(crmId));
}

/** Yields, in batches, the contacts that a run would enhance without reading them first. */
async function* unreadBatches(
  deps: SyncDeps,
  run: ForecastRun,
  seen: ReadonlySet<string>,
): AsyncGenerator<Omit<Chosen, 'person'>[]> {
  const rules = planRules(deps, run);
  let batch: Omit<Chosen, 'person'>[] = [];
  const rows = listToReconsider(deps.store.reader, run.integration.id, askedBefore(rules));
  for await (const row of rows) {
    const reason = reasonToChoose(row, rules);
    if (seen.has(row.crmId) || reason === null) continue;
    batch.push({ crmId: row.crmId, identity: row.identity, reason });
    if (batch.length < PORTION) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function reasonToChoose(row: ContactRecord, rules: PlanRules): DueReason | null {
  if (row.state === 'due' && row.dueReason !== null) return row.dueReason;
  const decision = decideAgain(row, rules);
  return decision.kind === 'choose' ? decision.reason : null;
}

async function fingerprintPersons(
  deps: SyncDeps,
  run: ForecastRun,
  contacts: readonly { crmId: string }[],
): Promise<Map<string, string>> {
  const persons = new Map<string, string>();
  if (!run.integration.partner.shareProfiles) return persons;
  const ids = contacts.map(({ crmId }) => crmId);
  for (const [id, lookup] of await lookUpRecords(deps, { fields: [] }, ids)) {
    const person = lookup.state === 'found' ? personFingerprint(deps, run, lookup.contact) : null;
    if (person !== null) persons.set(id, person);
  }
  return persons;
}

/**
 * Returns a function that counts contacts to enhance. If several contacts are the same person, the function counts only
 * the first contact as paid.
 */
function createCount(deps: SyncDeps, run: ForecastRun, forecast: ContactForecast) {
  const paid = new Set<string>();
  let restore: Promise<RestoreForecast> | null = null;

  return async (chosen: readonly Chosen[]): Promise<void> => {
    const rules = sharingRules(deps, run);
    restore ??= forecastRestore(deps, run);
    const waiting = await (await restore).findWaiting(chosen);
    const shares = await findShares(
      deps.store.reader,
      deps.store.fingerprint,
      run.integration.id,
      chosen,
      rules,
    );
    for (const { crmId, person, reason } of chosen) {
      const fate = shares.get(crmId)?.fate;
      const left = fate === undefined ? undefined : REASON_TO_LEAVE[fate];
      if (left) {
        countLeft(forecast, left);
        continue;
      }
      if (fate === undefined && waiting.has(crmId)) {
        countLeft(forecast, PAID_SINCE_BACKUP);
        continue;
      }
      const isShared = fate !== undefined || (person !== null && paid.has(person));
      if (!isShared && person !== null) paid.add(person);
      countChosen(forecast, crmId, isShared ? 'profile_shared' : reason);
    }
  };
}

/** The outcome for a contact that shares a job, if the job has no profile. */
const REASON_TO_LEAVE: Partial<Record<Fate, OutcomeReason>> = {
  failed: 'no_match',
  lost: 'lost_answer',
};

function countChosen(forecast: ContactForecast, crmId: string, reason: EnhanceReason): void {
  if (reason === 'profile_shared') forecast.shared += 1;
  else {
    forecast.paid += 1;
    forecast.sample[reason === 'identity_changed' ? 'changed' : 'others'].add(crmId);
  }
  forecast.enhance[reason] = (forecast.enhance[reason] ?? 0) + 1;
  if (forecast.contacts.length < MAX_LISTED) forecast.contacts.push({ crmId, reason });
}

function countLeft(forecast: ContactForecast, reason: string, contacts = 1): void {
  const known = Object.hasOwn(OUTCOME_REASONS, reason) ? reason : 'unknown';
  if (contacts > 0) forecast.leave[known] = (forecast.leave[known] ?? 0) + contacts;
}

function reasonToLeave(
  decision: Exclude<Decision, { kind: 'choose' }>,
  row: ContactRecord | undefined,
): string {
  if (decision.kind === 'settle' || decision.kind === 'hold') return decision.reason;
  return decision.kind === 'resume' ? 'delivery_pending' : (row?.outcomeReason ?? 'held');
}
