/** What is the matter with an integration that people want to be told of; pure. */
import type { AlertKind, AlertSettings } from '../core/alert-settings.ts';
import { countOf } from '../core/quantities.ts';
import { partCountsText } from '../identity/changed-parts-text.ts';
import type { HoldBatch } from '../store/hold-batches.ts';

const BUCKETS = ['enhancements', 'networks'] as const;

/** What the conditions of an integration hang on. */
export interface IntegrationState {
  integrationId: string;
  /** How the last run ended that was not interrupted; null if there is none. */
  lastRun: {
    id: string;
    status: 'succeeded' | 'incomplete' | 'failed';
    code: string | null;
  } | null;
  /** Credits left as last known; null while nobody has asked. */
  remaining: Readonly<Record<(typeof BUCKETS)[number], number | null>>;
  /** Contacts and networks that wait for a person one by one. */
  held: number;
  /** Contacts whose details changed at once: one decision for all of a batch. */
  batches: readonly Pick<HoldBatch, 'id' | 'count' | 'parts'>[];
  /** The last day (UTC, `2026-12-31`) on which the partner key works; null if nobody has said. */
  keyExpiresOn: string | null;
}

/** One thing that is the matter; it holds no personal data. */
export interface Condition {
  integrationId: string;
  /** A stable word by which it is known again, for example `credits_low/enhancements`. */
  subject: string;
  /** The beginning of a sentence without its end: `the last run failed`. */
  problem: string;
  /** What to do about it, a whole sentence. */
  mend: string;
}

/** What is the matter, as far as the settings want to know. */
export function conditionsOf(
  state: IntegrationState,
  settings: Pick<AlertSettings, 'on' | 'creditsBelow' | 'keyExpiresWithinDays'>,
  nowMs: number,
): Condition[] {
  const found = [
    ...runConditions(state),
    ...keyConditions(state, settings, nowMs),
    ...creditConditions(state, settings),
    ...holdConditions(state),
    ...batchConditions(state),
  ];
  return found
    .filter(({ subject }) => isWanted(subject, settings))
    .map((condition) => ({ integrationId: state.integrationId, ...condition }));
}

/** True if the settings want to know of conditions with this subject. */
export function isWanted(subject: string, { on }: Pick<AlertSettings, 'on'>): boolean {
  const kind = KINDS[wordOf(subject)];
  return kind !== undefined && on.includes(kind);
}

/** True if the subject is about how runs end: of those an integration has one at most. */
export function isAboutRuns(subject: string): boolean {
  return wordOf(subject).startsWith('run_');
}

/** What to say when it is well again. */
export function recoveryText(subject: string): string {
  const [word = '', detail = ''] = subject.split('/');
  return (RECOVERIES[word] ?? 'all is well again').replace('BUCKET', detail);
}

type Found = Omit<Condition, 'integrationId'>;

const KINDS: Readonly<Record<string, AlertKind>> = {
  run_failed: 'runFailed',
  run_stopped: 'runStopped',
  key_expires: 'keyExpires',
  credits_low: 'creditsLow',
  held: 'held',
  held_batch: 'held',
};

const RECOVERIES: Readonly<Record<string, string>> = {
  run_failed: 'runs succeed again',
  run_stopped: 'runs succeed again',
  key_expires: 'the partner key is no longer about to expire',
  credits_low: 'there are enough credits for BUCKET again',
  held: 'nothing waits for a person any more',
  held_batch: 'the details that changed at once are decided',
};

function wordOf(subject: string): string {
  return subject.replace(/\/.*$/, '');
}

function runConditions({ lastRun }: IntegrationState): Found[] {
  if (lastRun === null || lastRun.status === 'succeeded') return [];
  const { id, status, code } = lastRun;
  const { reason, mend } = REASONS[code ?? ''] ?? unknownReason(id, code);
  const [word, verb] = status === 'failed' ? ['run_failed', 'failed'] : ['run_stopped', 'stopped'];
  // Another reason is another matter.
  const subject = `${word}/${code ?? 'unknown'}`;
  return [{ subject, problem: `the last run ${verb}: ${reason}`, mend }];
}

/** Said instead of the message of the run, which may quote what a CRM has answered. */
const REASONS: Readonly<Record<string, { reason: string; mend: string }>> = {
  credits_exhausted: {
    reason: 'the credits are used up',
    mend: 'Buy credits; the next run goes on from there.',
  },
  budget_reached: {
    reason: 'the budget in the settings is used up',
    mend: 'Raise the budget, or wait for the next month.',
  },
  match_rate_low: {
    reason: 'the service knew too few of the contacts that were sent first',
    mend: 'See persons as they would be sent with donor-sync plan, and correct the columns; or accept the rate with donor-sync sync --accept-match-rate.',
  },
  clock_wrong: {
    reason: 'the clock of the machine differs from that of the service by minutes',
    mend: 'Set the clock, best by a time server; until then nothing is spent.',
  },
  store_replaced: {
    reason: 'the database file was deleted or replaced while it was in use',
    mend: 'Put the right file back and start donor-sync again; nothing was spent without it.',
  },
  store_does_not_know_crm: {
    reason: 'the CRM carries donors that this database does not know',
    mend: 'Name the right database or restore its backup; if it is lost, donor-sync sync --adopt takes the contacts over without a credit.',
  },
  lease_lost: {
    reason: 'another process took the integration over',
    mend: 'Nothing, unless it comes again: then look for a second service with the same database.',
  },
  partner_key_rejected: {
    reason: 'the Partner Data Service does not know the API key',
    mend: 'Put a working key where partner.apiKey is set.',
  },
  partner_key_expired: {
    reason: 'the API key of the Partner Data Service has expired',
    mend: 'Ask the service operator for a new key.',
  },
  partner_unavailable: {
    reason: 'the Partner Data Service was away for too long',
    mend: 'Nothing is lost; the next run goes on from there.',
  },
  crm_unauthorized: {
    reason: 'the CRM does not let donor-sync in',
    mend: 'Find out why: donor-sync doctor. Connect again: donor-sync connect.',
  },
  crm_account_changed: {
    reason: 'the credentials lead to another CRM account than before',
    mend: 'Put back those of the account that earlier runs wrote into.',
  },
  crm_limit_reached: {
    reason: 'the daily requests of the CRM are used up',
    mend: 'Nothing is lost; find out which other tool uses so many.',
  },
  crm_unavailable: {
    reason: 'the CRM was away for too long',
    mend: 'Nothing is lost; the next run goes on from there.',
  },
};

function unknownReason(runId: string, code: string | null): { reason: string; mend: string } {
  return { reason: code ?? 'for an unknown reason', mend: `See why: donor-sync runs ${runId}` };
}

const DAY_MS = 86_400_000;

function keyConditions(
  { keyExpiresOn }: IntegrationState,
  { keyExpiresWithinDays }: Pick<AlertSettings, 'keyExpiresWithinDays'>,
  nowMs: number,
): Found[] {
  if (keyExpiresOn === null) return [];
  // The key works through the whole of its last day (service document, section 5, rule 4).
  const endsAtMs = Date.parse(keyExpiresOn) + DAY_MS;
  if (endsAtMs - nowMs > keyExpiresWithinDays * DAY_MS) return [];
  const verb = nowMs < endsAtMs ? 'works until' : 'has expired on';
  return [
    {
      subject: 'key_expires',
      problem: `the partner key ${verb} ${keyExpiresOn}`,
      mend: 'Ask the service operator for a new key, and change partner.expiresOn with it.',
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
    const mend = `Buy credits for the ${bucket} bucket.`;
    return [{ subject: `credits_low/${bucket}`, problem, mend }];
  });
}

function holdConditions({ held }: IntegrationState): Found[] {
  if (held === 0) return [];
  const problem = `${held} ${held === 1 ? 'decision waits' : 'decisions wait'} for a person`;
  return [{ subject: 'held', problem, mend: 'See what: donor-sync holds' }];
}

/** Told once for all of its contacts, also when more of them join it. */
function batchConditions({ batches }: IntegrationState): Found[] {
  return batches.map(({ id, count, parts }) => ({
    subject: `held_batch/${id}`,
    problem: `the details of ${countOf(count, 'contact')} changed at once (${partCountsText(parts)}); asking about them again takes ${countOf(count, 'credit')}`,
    mend: 'Nothing is spent on them before a person decides: donor-sync holds --show',
  }));
}
