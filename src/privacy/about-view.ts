/** Describes the stored data about a contact, for programs and in words. */
import { isoTime } from '../core/clock.ts';
import { outcomeText } from '../core/outcome.ts';
import { describeCount } from '../core/quantities.ts';
import type { Retention } from '../core/retention.ts';
import type { AboutContact } from './statements/about.ts';

/** A part of the stored data. `about` shows each part as a line. */
export interface Holding {
  integration: string;
  /** The place that holds the data. */
  where: 'database' | 'CRM' | 'service' | 'audit';
  what: string;
  /** The time for which donor-sync stores the data. */
  kept: string;
}

/** Returns the data in the JSON format, with times in ISO 8601. */
export function describeAbout({ integrationId, ...about }: AboutContact) {
  return {
    integration: integrationId,
    ...about,
    contacts: about.contacts.map((row) => ({
      ...row,
      paidAt: toTime(row.paidAt),
      enhancedAt: toTime(row.enhancedAt),
      at: toTime(row.at),
    })),
    jobs: about.jobs.map((row) => ({ ...row, submittedAt: toTime(row.submittedAt) })),
    writes: about.writes.map((row) => ({ ...row, at: toTime(row.at) })),
    holds: about.holds.map((row) => ({
      ...row,
      openedAt: toTime(row.openedAt),
      decidedAt: toTime(row.decidedAt),
    })),
    warmPaths: about.warmPaths.map((row) => ({ ...row, computedAt: toTime(row.computedAt) })),
    keptProfiles: about.keptProfiles.map(({ keptAt, isDelivered, optedOutAt, isThere }) => ({
      keptAt: toTime(keptAt),
      optedOutAt: toTime(optedOutAt),
      isDelivered: isDelivered === 1,
      isThere: Boolean(isThere),
    })),
    notInCrm: about.notInCrm.map((row) => ({ ...row, since: toTime(row.since) })),
    blocks: about.blocks.map((row) => ({
      ...row,
      since: toTime(row.since),
      erasedAt: toTime(row.erasedAt),
    })),
  };
}

/** Returns a time in ISO 8601. Returns null for 0 or less, because these values mean "never". */
function toTime(epochMs: number | null): string | null {
  return epochMs === null || epochMs <= 0 ? null : isoTime(epochMs);
}

const UNTIL_FORGET = 'until `forget`';

/** Describes the retention period of profiles. `days` is null for a client that is no longer in the settings. */
function profileKeptText({ keptProfiles }: AboutContact, days: number | null): string {
  const own =
    days === null
      ? 'until it is too old to be delivered'
      : `${describeCount(days, 'day')} after its purchase`;
  const isMarked = keptProfiles.some(({ optedOutAt }) => optedOutAt !== null);
  const mark = isMarked ? ', at most 30 days after the opt-out unless that is in doubt' : '';
  return `${own}${mark}, or until the next profile, or ${UNTIL_FORGET}`;
}

function describeFields({ notInCrm }: AboutContact): string {
  return notInCrm.map(({ field }) => field).join(', ');
}

function daysText(days: number | null | undefined): string {
  return days == null ? UNTIL_FORGET : `${describeCount(days, 'day')}, or ${UNTIL_FORGET}`;
}

/** Describes the stored data in words. Returns an empty list if nothing is stored. A pure function. */
export function listHoldings(
  about: AboutContact,
  retention: Retention,
  profileKeptDays: number | null,
): Holding[] {
  const profileKept = profileKeptText(about, profileKeptDays);
  const { integrationId: integration, contacts, jobs, writes, holds } = about;
  const holdings: Holding[] = [];
  const add = (where: Holding['where'], what: string, kept: string) =>
    holdings.push({ integration, where, what, kept });
  const addCount = (
    count: number,
    where: Holding['where'],
    one: string,
    several: string,
    kept: string,
  ) => {
    if (count > 0) add(where, describeCount(count, one, several), kept);
  };
  for (const { state, reason, donorId, paidAt, mergedInto, ourFields } of contacts) {
    add('database', `its status: ${state}, ${outcomeText(reason)}`, UNTIL_FORGET);
    add('database', 'fingerprints of name, addresses and employers', UNTIL_FORGET);
    if (toTime(paidAt) !== null) add('database', `paid for at ${toTime(paidAt)}`, UNTIL_FORGET);
    if (donorId !== null) add('database', `its donor: ${donorId}`, UNTIL_FORGET);
    if (mergedInto !== null) {
      add('database', `the contact that it was merged into: ${mergedInto}`, UNTIL_FORGET);
    }
    if (ourFields.length > 0) {
      add(
        'CRM',
        `values from donor-sync in ${ourFields.join(', ')}`,
        'until `forget --also-in-crm`, or `undo`',
      );
    }
  }
  addCount(
    jobs.length,
    'database',
    'job',
    'jobs',
    'permanently; `forget` removes the contact from it',
  );
  const atService = jobs.filter(({ jobId }) => jobId !== null).length;
  addCount(atService, 'service', 'job result', 'job results', '7 days after the job');
  const before = writes.filter(({ hasValuesBefore }) => hasValuesBefore).length;
  const kept = daysText(retention.previousValues);
  addCount(
    before,
    'database',
    'encrypted set of values before a write',
    'encrypted sets of values before writes',
    kept,
  );
  addCount(writes.length, 'database', 'fingerprinted write', 'fingerprinted writes', UNTIL_FORGET);
  addCount(holds.length, 'database', 'decision', 'decisions', daysText(retention.outcomes));
  addCount(
    about.keptProfiles.filter(({ isThere }) => isThere).length,
    'database',
    'encrypted profile that was paid for',
    'encrypted profiles that were paid for',
    profileKept,
  );
  addCount(
    about.keptProfiles.filter(({ isThere }) => !isThere).length,
    'database',
    'record that its profile is not kept, and when it opted out',
    'records that its profiles are not kept, and when it opted out',
    profileKept,
  );
  addCount(
    about.notInCrm.length,
    'database',
    `reason why a value is not in the CRM: ${describeFields(about)}`,
    `reasons why values are not in the CRM: ${describeFields(about)}`,
    profileKept,
  );
  addCount(about.warmPaths.length, 'database', 'warm path', 'warm paths', UNTIL_FORGET);
  addCount(
    about.introduces,
    'database',
    'path to another contact that it introduces',
    'paths to other contacts that it introduces',
    UNTIL_FORGET,
  );
  addCount(
    about.groups.length,
    'database',
    `CRM group: ${about.groups.join(', ')}`,
    `CRM groups: ${about.groups.join(', ')}`,
    'while it is in it',
  );
  addCount(
    about.networks.length,
    'service',
    `network: ${about.networks.join(', ')}`,
    `networks: ${about.networks.join(', ')}`,
    'while it is in it',
  );
  addCount(
    about.statuses,
    'database',
    'status, as the CRM shows it',
    'statuses, as the CRM shows them',
    UNTIL_FORGET,
  );
  addCount(
    about.texts,
    'database',
    'encrypted text from the CRM',
    'encrypted texts from the CRM',
    `30 days, or ${UNTIL_FORGET}`,
  );
  addCount(
    about.runRows,
    'database',
    'record of what a run did',
    'records of what runs did',
    daysText(retention.runRows),
  );
  addCount(
    about.runsAsked,
    'database',
    'run for this contact only',
    'runs for this contact only',
    daysText(retention.outcomes),
  );
  addCount(
    about.approvals,
    'database',
    'erasure that waits for a second user',
    'erasures that wait for a second user',
    '7 days',
  );
  addCount(
    about.lists,
    'database',
    "place on a user's list",
    "places on users' lists",
    `until that user removes it, or ${UNTIL_FORGET}`,
  );
  addCount(
    about.auditEntries,
    'audit',
    'entry that names it',
    'entries that name it',
    daysText(retention.audit),
  );
  for (const { state, since } of about.blocks) {
    const word = state === 'merged' ? 'suspected to be an erased person' : 'blocked';
    add(
      'database',
      `${word} since ${toTime(since)}, by a fingerprint of its ID`,
      'until `forget lift-block`',
    );
  }
  return holdings;
}
