/**
 * Computes a preview of a run. The preview makes the same decisions as a run, but writes nothing, spends no credits and
 * sends only free requests.
 */

import type { Connector, MarkCount } from '../../connectors/contract.ts';
import { markText } from '../../connectors/marks/mark-counts.ts';
import { findRestoreHold } from '../backup/restores.ts';
import { countContactWork } from '../contacts/contacts.ts';
import { isoTime } from '../core/clock.ts';
import type { FieldValue } from '../core/crm-field.ts';
import type { FieldMapping } from '../core/field-map.ts';
import type { Integration } from '../core/integration-settings.ts';
import { MAX_PERSONS_PER_SUBMISSION, type PersonDetails } from '../core/person.ts';
import type { ValuesWaiting } from '../core/waiting-values.ts';
import { getAllowance, startOfMonth } from '../credits/budget.ts';
import { getSpentSince } from '../credits/statements/balances.ts';
import { listReadyJobs } from '../credits/statements/jobs.ts';
import { readFields } from '../fields/describe.ts';
import { readValuesWaiting } from '../fields/waiting-values-view.ts';
import { countStaleStatuses } from '../fields/write-statuses.ts';
import type { FieldMapFinding } from '../mapping/check-field-map.ts';
import { MAX_JOBS_PER_RESULTS } from '../partner/results.ts';
import { toContactId } from './control/contact-id.ts';
import type { Run, SyncDeps } from './control/context.ts';
import { accountFingerprint } from './control/crm-account.ts';
import { loadErased } from './control/erased.ts';
import { readCircumstances } from './delivery/circumstances.ts';
import { fetchResults } from './delivery/paid-profiles.ts';
import {
  type ContactForecast,
  chooseSample,
  type EnhanceReason,
  type ForecastRun,
  forecastContacts,
  holdChanged,
  MAX_LISTED,
} from './forecast.ts';
import { findUnconfirmedMarks } from './guards/marks.ts';
import { wouldBeMassChange } from './guards/mass-change.ts';
import { type MissingSource, missingSources, previewIdentities } from './identities.ts';
import { MAX_JOBS_PER_POLL } from './poll-timing.ts';
import { planDelivery } from './profile-delivery.ts';
import { requireContact } from './require-contact.ts';
import { type PersonShape, readPersons, samplePersons, toPersonShape } from './sample-persons.ts';
import { forecastTrial, type TrialForecast } from './trial/trial-forecast.ts';

/** The service's rate limit (service document, section 8). */
const REQUESTS_PER_SECOND = 10;

/** The effects that a run would have. */
export interface Preview {
  integration: string;
  /** The number of contacts that the CRM reports as changed. In a full run, this is the number of all contacts. */
  read: number;
  /**
   * The numbers of contacts for each reason to enhance them, and for each reason not to enhance them. `profile_shared`
   * counts contacts that get the same person's profile without a credit.
   */
  enhance: ContactForecast['enhance'];
  leave: Record<string, number>;
  /** The kinds of data that exist for a few of the people. The people's names are passed only to `show`. */
  persons: PersonShape[];
  /** The trial of the mapping: whether the run sends only a few people first, and the result of the trial. */
  trial: TrialForecast;
  /** The first contacts that the run would enhance. */
  contacts: { crmId: string; reason: EnhanceReason }[];
  credits: {
    enhancements: { needed: number; allowed: number; remaining: number; limit: string | null };
    /** The remaining credits for networks. */
    networks: { remaining: number };
  };
  /**
   * Marks that exclude most contacts and that no user has confirmed. The run spends no credits until a user confirms
   * them.
   */
  unconfirmedMarks: UnconfirmedMark[];
  /**
   * The time since which spending is on hold because of a restored backup or a complete erasure (ISO 8601). Null if the
   * run may spend credits.
   */
  heldSince: string | null;
  /**
   * The number of contacts whose status changes in the CRM. Excludes contacts that the run enhances, because it writes
   * their status together with the profile.
   */
  statuses: number;
  /** The number of paid profiles that wait for delivery, and the changes that they will make. */
  waiting: { profiles: number; changes: FieldChange[] };
  /** The paid values that wait to be written, each with the reason for waiting. */
  valuesWaiting: ValuesWaiting;
  fields: FieldMapFinding[];
  /**
   * Fields for name, address or employer that donor-sync cannot read. Submissions omit them, or contacts wait for them.
   */
  missing: MissingSource[];
  calls: { crm: number; partner: number };
  /** The minimum duration of the run under the service's rate limit, in seconds. */
  secondsAtLimit: number;
}

export interface UnconfirmedMark {
  field: string;
  contacts: number;
  marked: number;
  /** A sentence that contains the values. */
  text: string;
}

export interface FieldChange {
  crmId: string;
  field: string;
  from: FieldValue;
  to: FieldValue;
}

/** The parts of a run that a preview needs. */
export type PreviewRun = ForecastRun & Pick<Run, 'mappings' | 'fields' | 'described'>;

export interface PreviewRequest {
  integration: Integration;
  mappings: readonly FieldMapping[];
  partnerKey: string;
  full: boolean;
  only: string | null;
  /** Receives a few people in the form in which they would be sent. The data of these people is not stored. */
  show?: (persons: readonly PersonDetails[]) => void;
}

/** Computes what a run would do now. Throws a ConfigurationError if the run could not start. */
export async function previewRun(deps: SyncDeps, request: PreviewRequest): Promise<Preview> {
  const { store, connector, canonicalId } = deps;
  const account = accountFingerprint(store, connector);
  const one =
    request.only === null ? null : toContactId(canonicalId, request.integration.id, request.only);
  if (one !== null) await requireContact(deps, request.integration, one);
  const only = one === null ? null : [one];
  const { fields, described, findings } = await readFields(connector, request.mappings);
  const run: PreviewRun = {
    ...request,
    only,
    fields,
    described,
    groupMembers: new Set(),
    ...(await loadErased(deps, request.integration.id, account)),
    identities: await previewIdentities(deps, request),
  };
  const forecast = await foresee(deps, run, await forecastContacts(deps, run));
  const persons = await findPersons(deps, run, forecast);
  request.show?.(persons);
  const waiting = await previewWaiting(deps, run);
  const trial = await forecastTrial(deps, run, forecast.paid);
  const marks = await findUnconfirmedMarks(deps, request.integration.id);
  const credits = await previewCredits(deps, run, forecast.paid, { trial, marks });
  const enhanced = credits.enhancements.allowed;
  const alreadyPaid = waiting.profiles + forecast.shared;
  const partner = partnerCalls(enhanced, alreadyPaid);
  const statuses = await countStaleStatuses(deps, run);
  const hold = await findRestoreHold(store.reader, request.integration.id);
  return {
    integration: request.integration.id,
    read: forecast.read,
    enhance: forecast.enhance,
    leave: forecast.leave,
    persons: persons.map(toPersonShape),
    trial,
    contacts: forecast.contacts,
    credits,
    unconfirmedMarks: marks.map((mark) => ({
      field: mark.field,
      contacts: mark.contacts,
      marked: mark.marked,
      text: markText(mark),
    })),
    heldSince: hold === null ? null : isoTime(hold.heldAt),
    statuses,
    waiting,
    valuesWaiting: await readValuesWaiting(store.reader, request.integration.id, request.mappings),
    fields: findings,
    missing: await missingSources(deps, request),
    calls: { crm: crmCalls(connector, { enhanced, waiting: alreadyPaid, statuses }), partner },
    secondsAtLimit: secondsAtLimit(partner),
  };
}

/** Returns the numbers of contacts after the check for mass changes. */
async function foresee(
  deps: SyncDeps,
  run: PreviewRun,
  forecast: ContactForecast,
): Promise<ContactForecast> {
  const due = forecast.enhance.identity_changed ?? 0;
  return due > 0 && (await wouldBeMassChange(deps, run, due)) ? holdChanged(forecast) : forecast;
}

/** Returns the minimum number of seconds that these requests to the service take. */
export function secondsAtLimit(partnerCalls: number): number {
  return partnerCalls / REQUESTS_PER_SECOND;
}

/** Previews the changes from profiles that are already paid for. Fetching a paid profile is free. */
async function previewWaiting(deps: SyncDeps, run: PreviewRun): Promise<Preview['waiting']> {
  const { store } = deps;
  const ready = await listReadyJobs(store.reader, run.integration.id, {
    runId: '',
    limit: MAX_LISTED,
    except: new Set(),
  });
  const { submitted, ready: profiles } = await countContactWork(store.reader, run.integration.id);
  const results = await fetchResults(deps, ready);
  const fetched = ready.flatMap((entry) => {
    const result = results.get(entry.jobId);
    return result?.state === 'completed' ? [{ ready: entry, profile: result.profile }] : [];
  });
  const known = await readCircumstances(deps, run, fetched);
  const changes = fetched.flatMap((entry) => {
    const circumstances = known.of(entry);
    const { lookup } = circumstances;
    const plan = planDelivery(deps, run, entry, circumstances);
    if (lookup?.state !== 'found' || plan.kind === 'ended') return [];
    return Object.entries(plan.plan.changes).map(([field, to]) => ({
      crmId: entry.ready.contact.crmId,
      field,
      from: lookup.values[field] ?? null,
      to,
    }));
  });
  return { profiles: submitted + profiles, changes };
}

async function previewCredits(
  deps: SyncDeps,
  run: PreviewRun,
  needed: number,
  { trial, marks }: { trial: TrialForecast; marks: readonly MarkCount[] },
): Promise<Preview['credits']> {
  const { store, partner, clock } = deps;
  const { budget, schedule, id } = run.integration;
  const balances = await partner.readCredits();
  const monthStart = startOfMonth(clock.now(), schedule?.timezone ?? 'UTC');
  const allowed = getAllowance(budget, {
    balance: balances.enhancements,
    thisRun: 0,
    thisMonth: await getSpentSince(store.reader, id, monthStart),
  });
  const refusal =
    marks.length > 0 ? MARKS_UNCONFIRMED : trial.state === 'failed' ? TRIAL_FAILED : null;
  const allowance = refusal === null ? allowed : { credits: 0, limitText: refusal };
  return {
    enhancements: {
      needed,
      allowed: Math.min(needed, allowance.credits),
      remaining: balances.enhancements,
      limit: needed > allowance.credits ? allowance.limitText : null,
    },
    networks: { remaining: balances.networks },
  };
}

const MARKS_UNCONFIRMED =
  'a mark excludes more than half of the contacts, and no user has confirmed that yet';
const TRIAL_FAILED = 'the service recognised too few of the contacts sent so far (guards.trial)';

/**
 * Chooses a few people to show from the people that a run would send. If a run for all contacts would send nobody,
 * chooses from all people that donor-sync may send.
 */
async function findPersons(
  deps: SyncDeps,
  run: PreviewRun,
  forecast: ContactForecast,
): Promise<PersonDetails[]> {
  const persons = await readPersons(deps, chooseSample(forecast));
  if (persons.length > 0 || run.only !== null) return persons;
  return samplePersons(deps, run.integration.id);
}

/**
 * Counts the CRM requests. Contacts are read again before they are submitted, and are read and written during the
 * delivery.
 */
function crmCalls(
  connector: Connector,
  { enhanced, waiting, statuses }: { enhanced: number; waiting: number; statuses: number },
): number {
  const { remote, readBatch, writeBatch } = connector.capabilities;
  if (!remote) return 0;
  const delivered = enhanced + waiting + statuses;
  const read = Math.ceil(enhanced / Math.min(readBatch, MAX_PERSONS_PER_SUBMISSION));
  return read + Math.ceil(delivered / readBatch) + Math.ceil(delivered / writeBatch.preferred);
}

function partnerCalls(enhanced: number, waiting: number): number {
  return (
    Math.ceil(enhanced / MAX_PERSONS_PER_SUBMISSION) +
    Math.ceil((enhanced + waiting) / MAX_JOBS_PER_POLL) +
    Math.ceil((enhanced + waiting) / MAX_JOBS_PER_RESULTS) +
    1
  );
}
