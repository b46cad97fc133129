/** Finds the problems of an integration about which alerts are sent. All functions are pure. */

import type { AlertKind, AlertSettings } from '../../core/alert-settings.ts';
import { describeCount } from '../../core/quantities.ts';
import { getBatchWords } from '../../core/questions/question-kinds.ts';
import type { QuestionBatch } from '../../decisions/statements/batches.ts';
import { adviceFor, isKnownStop, stepText } from '../../sync/views/advice.ts';

const BUCKETS = ['enhancements', 'networks'] as const;

export interface IntegrationState {
  integrationId: string;
  /** The last run that was not interrupted, or null if there is none. */
  lastRun: {
    id: string;
    status: 'succeeded' | 'incomplete' | 'failed';
    code: string | null;
    /** The numbers of written and failed contacts. Null if the run's report does not contain them. */
    contacts?: { written: number; failed: number } | null;
    /** True if the run was part of the client's set-up, which sends only a few contacts. Defaults to false. */
    isTrial?: boolean;
  } | null;
  /** The last known number of remaining credits, or null if no run has read it yet. */
  remaining: Readonly<Record<(typeof BUCKETS)[number], number | null>>;
  /** The number of contacts and networks that wait for a separate decision. */
  held: number;
  /** Batches of contacts that changed together or went missing together. One decision covers a whole batch. */
  batches: readonly Pick<
    QuestionBatch,
    'id' | 'kind' | 'count' | 'parts' | 'isListChanged' | 'paidBefore' | 'marks' | 'source'
  >[];
  /** The requests that wait for a second user. Defaults to none. */
  approvals?: readonly { id: string; text: string }[];
  /** The service key's last day (UTC, `2026-12-31`), or null if it is unknown. */
  keyExpiresOn: string | null;
}

export interface Condition {
  integrationId: string;
  /** A permanent ID of the problem, for example `credits_low/enhancements`. */
  subject: string;
  /** The message without a full stop, such as `the last run failed`. */
  problem: string;
  /** The steps that the user should take, one per line. */
  steps: readonly string[];
}

export function listConditions(
  state: IntegrationState,
  settings: Pick<
    AlertSettings,
    'on' | 'creditsBelow' | 'keyExpiresWithinDays' | 'failedAbovePercent'
  >,
  nowMs: number,
): Condition[] {
  const found = [
    ...runConditions(state),
    ...failedConditions(state, settings),
    ...keyConditions(state, settings, nowMs),
    ...creditConditions(state, settings),
    ...holdConditions(state),
    ...batchConditions(state),
    ...approvalConditions(state),
  ];
  return found
    .filter(({ subject }) => isWanted(subject, settings))
    .map((condition) => ({ integrationId: state.integrationId, ...condition }));
}

export function isWanted(subject: string, { on }: Pick<AlertSettings, 'on'>): boolean {
  const kind = KINDS[getSubjectWord(subject)];
  return kind !== undefined && on.includes(kind);
}

/** True if the subject is about a failed run. An integration has at most one such subject. */
export function isAboutRuns(subject: string): boolean {
  return getSubjectWord(subject).startsWith('run_');
}

export function recoveryText(subject: string): string {
  const [word = '', detail = ''] = subject.split('/');
  return (RECOVERIES[word] ?? 'the problem has ended').replace('BUCKET', detail);
}

type Found = Omit<Condition, 'integrationId'>;

const KINDS: Readonly<Record<string, AlertKind>> = {
  run_failed: 'runFailed',
  run_stopped: 'runStopped',
  many_failed: 'manyFailed',
  key_expires: 'keyExpires',
  credits_low: 'creditsLow',
  held: 'held',
  held_batch: 'held',
  held_missing: 'held',
  held_opt_outs: 'held',
  held_erasures: 'held',
  second_person: 'held',
};

const RECOVERIES: Readonly<Record<string, string>> = {
  run_failed: 'runs succeed again',
  run_stopped: 'runs succeed again',
  many_failed: 'only a few contacts fail again',
  key_expires: 'the service key is no longer about to expire',
  credits_low: 'there are enough credits for BUCKET again',
  held: 'no decisions are pending',
  held_batch: 'the decision about the changed details was made',
  held_missing: 'the missing contacts are back, or the decision about them was made',
  held_opt_outs: 'the decision about the opt-outs was made',
  held_erasures: 'the decision about the erasures that the CRM requests was made',
  second_person: 'the request is no longer waiting for a second user',
};

/** The guide's pages about problems that did not end a run. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  many_failed: 'docs/outcomes.md#failed',
  key_expires: 'docs/guides/operating.md#keys',
  credits_low: 'docs/guides/operating.md#credits',
  held: 'docs/concepts.md#a-decision',
  held_batch: 'docs/guides/operating.md#many-contacts-changed',
  held_missing: 'docs/guides/operating.md#many-contacts-are-missing',
  held_opt_outs: 'docs/guides/operating.md#many-contacts-opt-out',
  held_erasures: 'docs/guides/operating.md#erasure-requests-from-the-crm',
  second_person: 'docs/guides/users.md#two-people',
};

/**
 * Returns the guide's page about a subject. For an alert about runs with a known error code, returns the page about
 * error codes.
 */
export function documentAbout(subject: string): string {
  const [word = '', detail = ''] = subject.split('/');
  if (isAboutRuns(subject) && isKnownStop(detail)) return `docs/errors.md#${detail}`;
  return DOCUMENTS[word] ?? 'docs/troubleshooting.md';
}

export function pageAbout(subject: string, integrationId: string): string {
  const word = getSubjectWord(subject);
  const id = encodeURIComponent(integrationId);
  if (word === 'second_person') return '/decisions';
  if (KINDS[word] === 'held') return `/decisions?client=${id}`;
  if (word === 'credits_low') return `/credits?client=${id}`;
  if (isAboutRuns(subject) || word === 'many_failed') return `/runs?client=${id}`;
  return `/clients/${id}`;
}

function getSubjectWord(subject: string): string {
  return subject.split('/', 1)[0] ?? '';
}

function runConditions({ lastRun, integrationId }: IntegrationState): Found[] {
  if (lastRun === null || lastRun.status === 'succeeded') return [];
  const { id, status, code, isTrial = false } = lastRun;
  // A trial sends only some of the contacts, so reaching its limit is not a problem.
  if (isTrial && code === 'budget_reached') return [];
  const [word, verb] = status === 'failed' ? ['run_failed', 'failed'] : ['run_stopped', 'stopped'];
  // If the reason is different, the problem is a different problem.
  const subject = `${word}/${code ?? 'unknown'}`;
  const { cause, steps } = whyAndWhat(id, code, integrationId);
  return [{ subject, problem: `the last run ${verb}: ${cause}`, steps }];
}

/** The minimum number of contacts for a share. With fewer contacts, a share means little. */
const FEWEST_CONTACTS = 10;

function failedConditions(
  { lastRun }: IntegrationState,
  { failedAbovePercent }: Pick<AlertSettings, 'failedAbovePercent'>,
): Found[] {
  const contacts = lastRun?.contacts ?? null;
  if (lastRun === null || contacts === null || failedAbovePercent === null) return [];
  const { written, failed } = contacts;
  const all = written + failed;
  if (all < FEWEST_CONTACTS || (failed / all) * 100 <= failedAbovePercent) return [];
  const share = `${Math.floor((failed / all) * 100)} %`;
  const problem = `${share} of the contacts of the last run failed (${failed} of ${describeCount(all, 'contact')})`;
  return [
    { subject: 'many_failed', problem, steps: [`To see why: donor-sync runs ${lastRun.id}`] },
  ];
}

/**
 * Explains why a run stopped and what the user should do. Leaves out the run's own message, because it may quote a
 * CRM's response.
 */
function whyAndWhat(
  runId: string,
  code: string | null,
  integrationId: string,
): { cause: string; steps: string[] } {
  if (code === null || !isKnownStop(code)) {
    return {
      cause: code ?? 'for an unknown reason',
      steps: [`To see why: donor-sync runs ${runId}`],
    };
  }
  const { cause, steps } = adviceFor({ code }, integrationId);
  return { cause, steps: steps.map(stepText) };
}

const DAY_MS = 86_400_000;

function keyConditions(
  { keyExpiresOn }: IntegrationState,
  { keyExpiresWithinDays }: Pick<AlertSettings, 'keyExpiresWithinDays'>,
  nowMs: number,
): Found[] {
  if (keyExpiresOn === null) return [];
  // The key is valid until the end of its last day (service document, section 5, rule 4).
  const endsAtMs = Date.parse(keyExpiresOn) + DAY_MS;
  if (endsAtMs - nowMs > keyExpiresWithinDays * DAY_MS) return [];
  const verb = nowMs < endsAtMs ? 'works until' : 'has expired on';
  return [
    {
      subject: 'key_expires',
      problem: `the service key ${verb} ${keyExpiresOn}`,
      steps: [
        'Ask the service operator for a new key. Then set partner.expiresOn to the expiry date of the new key.',
      ],
    },
  ];
}

function creditConditions(
  { remaining }: IntegrationState,
  { creditsBelow }: Pick<AlertSettings, 'creditsBelow'>,
): Found[] {
  return BUCKETS.flatMap((bucket) => {
    const left = remaining[bucket];
    if (left === null || left >= creditsBelow[bucket]) return [];
    const problem = `${left} ${left === 1 ? 'credit is' : 'credits are'} left for ${bucket}`;
    const steps = [`Buy credits for the ${bucket} bucket.`];
    return [{ subject: `credits_low/${bucket}`, problem, steps }];
  });
}

function holdConditions({ held }: IntegrationState): Found[] {
  if (held === 0) return [];
  const problem = `${held} ${held === 1 ? 'decision is' : 'decisions are'} pending`;
  return [{ subject: 'held', problem, steps: ['To see them: donor-sync holds'] }];
}

function batchConditions({ batches }: IntegrationState): Found[] {
  return batches.map((batch) => {
    const { subject, ...alert } = getBatchWords(batch.kind).alert(batch);
    return { subject: `${subject}/${batch.id}`, ...alert };
  });
}

/** Returns one problem for each request, because each request needs a different user. */
function approvalConditions({ approvals = [] }: IntegrationState): Found[] {
  return approvals.map(({ id, text }) => ({
    subject: `second_person/${id}`,
    problem: `a request is waiting for a second user: ${text.replace(/\.$/, '')}`,
    steps: ['Someone other than the requester has to confirm it: donor-sync approvals'],
  }));
}
