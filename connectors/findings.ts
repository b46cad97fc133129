/** The findings of `check()` that are the same for every CRM behind HTTP. */
import type { WallClock } from '../src/core/clock.ts';
import { messageOf, wordsOf } from '../src/core/errors.ts';
import type { ContactsSettings, Finding, LimitState } from './contract.ts';
import { isInReserve } from './daily-limit.ts';

/** A clock that is further away than this makes tokens and overlaps go wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 2 * 60_000;

/** A prerequisite that is met. */
export function met(subject: string, message: string): Finding {
  return { subject, ok: true, message, fix: null };
}

/** A check that throws is a finding itself. */
export async function checked(
  subject: string,
  fix: string,
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    const words = wordsOf(error);
    const finding = { subject, ok: false, message: messageOf(error), fix };
    return [words === null ? finding : { ...finding, words }];
  }
}

/** Tokens and overlaps are reckoned by the clock; nothing is said while the CRM has not said its time. */
export function checkClock(
  crm: string,
  { api, clock }: { api: { serverTimeMs(): number | null }; clock: Pick<WallClock, 'now'> },
): Finding[] {
  const serverTimeMs = api.serverTimeMs();
  if (serverTimeMs === null) return [];
  const differenceMs = Math.abs(clock.now() - serverTimeMs);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) return [met('clock', `It agrees with ${crm}'s.`)];
  const seconds = Math.round(differenceMs / 1000);
  const message = `The clock of this machine is ${seconds} seconds away from ${crm}'s.`;
  return [{ subject: 'clock', ok: false, message, fix: 'Let the machine set its clock by NTP.' }];
}

/** What `contacts` in the settings asks for, once the CRM has understood it. */
export function metContacts(crm: string, { filter, optOutField }: ContactsSettings): Finding[] {
  const understood =
    filter === null ? [] : [met('contacts', `${crm} understands contacts.filter.`)];
  if (optOutField === null) return understood;
  return [...understood, met('opt-out', `${optOutField} tells who must not be researched.`)];
}

/** The fields of `contacts` that mark who is left out, once the CRM has understood them. */
export function metMarks({ deceasedField, doNotContactField }: ContactsSettings): Finding[] {
  const marks = [
    { subject: 'deceased', field: deceasedField, people: 'the dead' },
    { subject: 'do not contact', field: doNotContactField, people: 'those who want no contact' },
  ];
  return marks.flatMap(({ subject, field, people }) =>
    field == null ? [] : [met(subject, `${field} marks ${people}.`)],
  );
}

/** A part of the identity that the integration may not read; `fix` says what lets it. */
export function unreadablePart(name: string, fix: string): Finding {
  const message = `${name} cannot be read: it is left out of what the service is asked.`;
  return { subject: 'identity', ok: true, message, fix };
}

/** How a CRM counts the requests of a day. */
export interface DailyWords {
  crm: string;
  /** For example `24 hours`. */
  period: string;
  /** Until when one has to wait for more. */
  renewal: string;
}

/** Whether the day's requests go further than what is left to the nonprofit's other tools. */
export function checkDailyRequests(
  { crm, period, renewal }: DailyWords,
  { dailyReservePercent }: { dailyReservePercent: number },
  readLimits: () => Promise<LimitState | null>,
): Promise<Finding[]> {
  const subject = 'daily requests';
  const fix = `Wait until ${renewal}, find out which tool uses so many, or lower crm.dailyReservePercent.`;
  return checked(subject, fix, async () => {
    const limits = await readLimits();
    if (limits === null) return [met(subject, `${crm} does not say how many are left.`)];
    const { max, remaining } = limits.daily;
    const message = `${remaining.toLocaleString('en-US')} of ${max.toLocaleString('en-US')} requests of ${period} are left.`;
    if (!isInReserve(limits.daily, dailyReservePercent)) return [met(subject, message)];
    return [{ subject, ok: false, message, fix }];
  });
}
