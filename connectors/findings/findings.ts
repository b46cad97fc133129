/** Findings of `check()` that all CRMs with an HTTP API share. */
import { z } from 'zod';
import type { WallClock } from '../../src/core/clock.ts';
import { isDonorSyncError, isRetriableError, messageOf, wordsOf } from '../../src/core/errors.ts';
import type { ContactsSettings, Finding, LimitState } from '../contract.ts';
import { isInReserve } from '../requests/daily-limit.ts';
import { isUnanswered } from '../requests/errors.ts';

/**
 * The maximum difference (ms) between this machine's clock and the CRM's clock. If the clocks differ by more, tokens
 * expire at the wrong time, and consecutive readings do not overlap.
 */
const MAX_CLOCK_DIFFERENCE_MS = 2 * 60_000;

/** Returns the finding for a prerequisite that is met. */
export function met(subject: string, message: string): Finding {
  return { subject, ok: true, message, fix: null };
}

/**
 * Returns a finding with a message that users may share in a report. The message must not contain anything
 * confidential.
 */
export function plain(finding: Finding): Finding {
  return { ...finding, report: finding.message };
}

/**
 * The text that tells users how to fix a temporary failure. After a temporary failure, the user does not have to change
 * anything.
 */
const PASSES =
  'This is temporary: run doctor again in a few minutes. You do not have to change the sign-in, the access or the settings.';

/**
 * The text that tells users what to do if donor-sync cannot reach the CRM. A wrong address cannot be distinguished from
 * a network failure.
 */
const UNREACHED =
  'Run doctor again in a few minutes. If the problem persists, check the spelling of crm.url, and whether this machine can reach it (network, DNS, proxy, firewall).';

/**
 * Runs a check. If the check throws an error, returns a finding with the error's code as the cause. If a request limit
 * is reached, throws the error again for `untilLimit`.
 */
export async function checked(
  subject: string,
  fix: string,
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    if (isLimit(error)) throw error;
    return [failed(subject, fix, error)];
  }
}

/**
 * Computes a value that other checks need. If the computation fails, adds the failure to the findings and returns null.
 */
export async function attempt<Value>(
  findings: Finding[],
  subject: string,
  fix: string,
  work: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (isLimit(error)) throw error;
    findings.push(failed(subject, fix, error));
    return null;
  }
}

/** Returns the finding for an error that a check has thrown. */
export function failed(subject: string, fix: string, error: unknown): Finding {
  const words = wordsOf(error);
  const finding = { subject, ok: false, message: messageOf(error), fix };
  const said = words === null ? finding : { ...finding, words };
  if (!isDonorSyncError(error)) return said;
  const { code: cause } = error;
  const coded = { ...said, cause, ...toReport(error.details) };
  if (!isRetriableError(error)) return coded;
  return { ...coded, fix: isUnanswered(error) ? UNREACHED : PASSES };
}

const codesSchema = z.object({
  crmCode: z.string().optional(),
  fault: z.object({ code: z.string() }).optional(),
});

/** Uses the CRM's own code, because it is the vendor's term and more precise than donor-sync's code. */
function toReport(details: unknown): Pick<Finding, 'report'> {
  const { crmCode, fault } = codesSchema.safeParse(details).data ?? {};
  const code = crmCode ?? fault?.code ?? '';
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? { report: `The CRM's code is ${code}.` } : {};
}

export const LIMIT_REACHED = 'crm_limit_reached';

/** Returns true if a request limit is reached. Every request limit ends after some time. */
function isLimit(error: unknown): boolean {
  return isDonorSyncError(error) && error.code === LIMIT_REACHED;
}

/**
 * Runs the checks and returns their findings, until a request limit is reached. After the limit, adds one finding that
 * says when the limit ends. Further checks would only report the same request limit again.
 */
export async function untilLimit(
  words: DailyWords,
  { clock }: { clock: Pick<WallClock, 'now'> },
  checks: (findings: Finding[]) => Promise<void>,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    await checks(findings);
  } catch (error) {
    if (!isLimit(error)) throw error;
    findings.push(limitFinding(words, clock.now(), messageOf(error)));
  }
  return findings;
}

const DAY_MS = 86_400_000;

function limitFinding({ crm, renewal }: DailyWords, now: number, message: string): Finding {
  const latest = new Date(now + DAY_MS).toISOString().slice(0, 16).replace('T', ' ');
  return plain({
    subject: 'daily requests',
    ok: false,
    cause: LIMIT_REACHED,
    message: `${message} The checks after this one could not run.`,
    fix: `Wait until ${renewal}, no later than ${latest} UTC. You do not have to change the sign-in or the access. In ${crm}, find the tool that uses so many requests.`,
  });
}

/**
 * Compares this machine's clock with the CRM's clock. donor-sync needs the right time for tokens and for the overlap of
 * readings. Returns no finding if the CRM has not reported its time yet.
 */
export function checkClock(
  crm: string,
  { api, clock }: { api: { serverTimeMs(): number | null }; clock: Pick<WallClock, 'now'> },
): Finding[] {
  const serverTimeMs = api.serverTimeMs();
  if (serverTimeMs === null) return [];
  const differenceMs = Math.abs(clock.now() - serverTimeMs);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) {
    return [plain(met('clock', `It agrees with ${crm}'s.`))];
  }
  const seconds = Math.round(differenceMs / 1000);
  const message = `This machine's clock differs from ${crm}'s by ${seconds} seconds.`;
  const fix = "Synchronise the machine's clock with NTP.";
  return [plain({ subject: 'clock', ok: false, message, fix, cause: 'clock_wrong' })];
}

/** Returns the findings about the `contacts` settings, which the CRM has accepted. */
export function metContacts(crm: string, { filter, optOutField }: ContactsSettings): Finding[] {
  const understood =
    filter === null ? [] : [met('contacts', `${crm} understands contacts.filter.`)];
  if (optOutField === null) return understood;
  return [
    ...understood,
    met('opt-out', `${optOutField} marks the contacts that must not be researched.`),
  ];
}

/** Returns the findings about the mark fields in the `contacts` settings, which the CRM has accepted. */
export function metMarks({ deceasedField, doNotContactField }: ContactsSettings): Finding[] {
  const marks = [
    { subject: 'deceased', field: deceasedField, people: 'deceased contacts' },
    {
      subject: 'do not contact',
      field: doNotContactField,
      people: 'contacts that must not be contacted',
    },
  ];
  return marks.flatMap(({ subject, field, people }) =>
    field == null ? [] : [met(subject, `${field} marks ${people}.`)],
  );
}

/**
 * Returns the finding about a part of the identity that donor-sync cannot read. The text in `fix` describes how an
 * administrator can grant access.
 */
export function unreadablePart(name: string, fix: string): Finding {
  const message = `${name} cannot be read, so it is left out of submissions to the service.`;
  return plain({ subject: 'identity', ok: true, message, fix });
}

/** The terms with which a CRM describes its daily limit. */
export interface DailyWords {
  crm: string;
  /** The period, for example `24 hours`. */
  period: string;
  /** The time after which more requests are available. */
  renewal: string;
}

/** Checks whether more requests remain for the day than the nonprofit's other tools need. */
export function checkDailyRequests(
  { crm, period, renewal }: DailyWords,
  { dailyReservePercent }: { dailyReservePercent: number },
  readLimits: () => Promise<LimitState | null>,
): Promise<Finding[]> {
  const subject = 'daily requests';
  const fix = `Wait until ${renewal}, find out which tool uses so many requests, or lower crm.dailyReservePercent.`;
  return checked(subject, fix, async () => {
    const limits = await readLimits();
    if (limits === null)
      return [met(subject, `${crm} does not report how many requests are left.`)];
    const { max, remaining } = limits.daily;
    const message = `${remaining.toLocaleString('en-US')} of ${max.toLocaleString('en-US')} requests of ${period} are left.`;
    if (!isInReserve(limits.daily, dailyReservePercent)) return [plain(met(subject, message))];
    return [plain({ subject, ok: false, message, fix, cause: 'crm_limit_near' })];
  });
}
