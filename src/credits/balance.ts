/** What may be spent: the balance as last read, carried forward by what each answer says. */

import type { CreditBalances } from '../partner/credits.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { type Allowance, getAllowance, startOfMonth } from './budget.ts';
import type { Glance, Loss } from './judge-lost-responses.ts';
import { findLosses } from './lost-responses.ts';
import type { Lost, Proof } from './spend.ts';
import {
  findKeyBalance,
  getSpentByRun,
  getSpentSince,
  recordKeyBalance,
} from './statements/balances.ts';
import {
  type LostEnd,
  recordLostSubmission,
  settleLostSubmissions,
} from './statements/lost-answers.ts';
import { listOpenSubmissions, type SubmissionRecord } from './statements/submissions.ts';

/**
 * A reading older than this is repeated before credits are spent: credits that were bought, or spent
 * elsewhere, would make a lost answer look like something else.
 */
export const MAX_READING_AGE_MS = 10_000;

/**
 * While submissions are open no reading says what they will have cost. After this time none is sent until
 * all have come back, so that there can be one again.
 */
export const MAX_AGE_IN_FLIGHT_MS = 30_000;

/** Nearer than this to an empty bucket each submission has a fresh reading. */
const NEAR_EMPTY = 1_000;

/**
 * What another spender can take by the limit of the service until a reading is so old: a burst of ten
 * submissions, and ten in each second, of a hundred persons each.
 */
const takenByOthers = (ageMs: number) => 1_000 + Math.ceil(ageMs / 1_000) * 1_000;

/** A balance as it is known before credits are spent. */
export interface KnownBalance {
  /** As last read, less what was spent since; null if it was never read. */
  balance: number | null;
  /** How long ago it was read. */
  ageMs: number;
  /** Credits of this key that are to be kept. */
  keep: number;
  /** Credits that submissions under way may cost. */
  underWay: number;
}

/**
 * Pure: whether the balance is read (free) before credits are spent. Others may spend from the same
 * bucket: where what they can have taken since the reading would reach the credits to keep, nothing
 * but a fresh reading will do. So what they can take from those is at most what is under way.
 */
export function mustReadBalance({ balance, ageMs, keep, underWay }: KnownBalance): boolean {
  const oldestMs = underWay > 0 ? MAX_AGE_IN_FLIGHT_MS : MAX_READING_AGE_MS;
  if (balance === null || ageMs >= oldestMs) return true;
  const taken = takenByOthers(Math.max(ageMs, MAX_READING_AGE_MS));
  return balance - keep - underWay < (keep > 0 ? taken : NEAR_EMPTY);
}

type BalanceDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock'>;

/**
 * Asks the service for the balances (free) and notes that of the enhancements bucket, unless a
 * submission of the key is open or was closed meanwhile: then the reading may be older than that.
 */
export async function readBalance(
  { store, partner }: Pick<BalanceDeps, 'store' | 'partner'>,
  run: Run,
): Promise<CreditBalances> {
  const { sequence } = await findKeyBalance(store.reader, run.partnerKey);
  const credits = await partner.readCredits(run.control.ending);
  await recordKeyBalance(store.connection, run.partnerKey, sequence, credits.enhancements);
  return credits;
}

/**
 * What this run may spend now, with all that is open counted as charged; `later` if that has to come back
 * before.
 */
export async function findAllowance(deps: BalanceDeps, run: Run): Promise<Allowance | 'later'> {
  const { store, clock } = deps;
  const { balance, readAt } = await findKeyBalance(store.reader, run.partnerKey);
  const open = await listOpenSubmissions(store.reader, run.partnerKey);
  const { budget, schedule } = run.integration;
  const known = {
    balance,
    // A reading from the future is one from before the clock was set back: its age is unknown.
    ageMs: Math.abs(clock.now() - readAt),
    keep: budget.keep,
    underWay: sumPersons(open),
  };
  const left = await findLeft(deps, run, known, open);
  if (left === 'later') return left;
  const own = open.filter(({ runId }) => runId === run.id);
  const limits = { ...budget, limit: run.limit };
  const allowance = getAllowance(limits, {
    balance: left,
    // What is open may have been charged.
    thisRun: (await getSpentByRun(store.reader, run.id)) + sumPersons(own),
    thisMonth:
      budget.perMonth === null
        ? 0
        : await getSpentSince(
            store.reader,
            run.integration.id,
            startOfMonth(clock.now(), schedule?.timezone ?? 'UTC'),
          ),
  });
  return allowance.credits === 0 && open.length > 0 ? 'later' : allowance;
}

/** What is left if all that is open is charged; `later` if it must be read, and cannot be now. */
async function findLeft(
  deps: BalanceDeps,
  run: Run,
  known: KnownBalance,
  open: readonly SubmissionRecord[],
): Promise<number | 'later'> {
  if (known.balance !== null && !mustReadBalance(known)) return known.balance - known.underWay;
  if (open.length === 0) return (await readBalance(deps, run)).enhancements;
  const isOwn = open.some(({ runId }) => runId === run.id);
  if (isOwn || known.balance === null || known.ageMs >= MAX_AGE_IN_FLIGHT_MS) return 'later';
  // Others spend on and on: whatever was open while it was read may be charged after that.
  const { enhancements } = await readBalance(deps, run);
  const after = await listOpenSubmissions(deps.store.reader, run.partnerKey);
  const both = new Map([...open, ...after].map((submission) => [submission.id, submission]));
  return enhancements - sumPersons([...both.values()]);
}

type Sized = Pick<SubmissionRecord, 'id' | 'persons'>;

function sumPersons(submissions: readonly Sized[]): number {
  return submissions.reduce((sum, { persons }) => sum + persons, 0);
}

type ProofDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings' | 'log'>;

/** Submissions without a known answer are settled by the balance: their credits left, or they did not. */
export function submissionProof(deps: ProofDeps, run: Run): Proof<SubmissionRecord> {
  const { store, partner } = deps;
  const listOpen = (key: string) => listOpenSubmissions(store.reader, key);
  const findBalance = (key: string) => findKeyBalance(store.reader, key);
  const watch = watchBalance({ findBalance, listOpen, partner }, run);
  return {
    listOpen: () => listOpenSubmissions(store.reader, run.partnerKey),
    letsOthersPass: ({ state }) => state === 'intended',
    // It was marked by a process that had the lease and knew that its answer does not come.
    isGivenUp: ({ state }) => state === 'lost',
    async markLost(lost) {
      for (const { open, lease } of lost) {
        if (open.state === 'intended')
          await store.checkpoint(lease, (trx) => recordLostSubmission(trx, open.id));
      }
    },
    watch: watch.look,
    prove: (lost, givenUp) => proveSubmissions(deps, run, { lost, givenUp }, watch),
  };
}

/** What a reading needs: what is known of the key, and what the service says. */
interface WatchDeps {
  findBalance(key: string): Promise<{ balance: number | null; sequence: number }>;
  listOpen(key: string): Promise<readonly Sized[]>;
  partner: Pick<ProofDeps['partner'], 'readCredits'>;
}

/** Readings of the balance while lost answers wait for others to come back. */
interface Watch {
  /** Reads it (free), once for each set of submissions that are open. */
  look(): Promise<void>;
  /** What was seen while these were open; `before` is what is known now that all else has come back. */
  glancesAt(lost: ReadonlySet<string>, before: number): Glance[];
}

/**
 * Credits that are bought before all has come back would hide as many as a lost answer has cost. As long
 * as one of the lost is open no reading takes the place of the balance that is carried forward, so that
 * what was seen can be held against it.
 */
export function watchBalance(deps: WatchDeps, run: Pick<Run, 'partnerKey' | 'control'>): Watch {
  const seen: { balance: number; before: number; open: readonly Sized[] }[] = [];
  let last = '';
  return {
    async look() {
      const { before, open } = await lookAtKey(deps, run.partnerKey);
      const ids = open.map(({ id }) => id).join();
      if (ids === last || before === null) return;
      last = ids;
      const credits = await deps.partner.readCredits(run.control.stopping).catch(() => null);
      if (credits !== null) seen.push({ balance: credits.enhancements, before, open });
    },
    glancesAt: (lost, before) =>
      seen
        .filter(({ open }) => open.some(({ id }) => lost.has(id)))
        .flatMap((glance) => {
          const others = glance.open.filter(({ id }) => !lost.has(id));
          if (sumPersons(others) === glance.before - before) {
            return { ...glance, beside: others.map(({ persons }) => persons) };
          }
          // Which of them were charged is not certain: all of it is the most that they explain.
          const { balance } = glance;
          return balance < before ? { balance, before, beside: [] } : [];
        }),
  };
}

/** The balance that is carried forward and what is open at one moment: what is answered leaves both at once. */
async function lookAtKey({ findBalance, listOpen }: WatchDeps, partnerKey: string) {
  for (;;) {
    const { balance: before, sequence } = await findBalance(partnerKey);
    const open = await listOpen(partnerKey);
    const after = await findBalance(partnerKey);
    if (after.sequence === sequence) return { before, open };
  }
}

/**
 * Waits for the quiet time and decides; leaves everything as it is if the run stops meanwhile, or if
 * anything else of the key was opened or came to its end: then it is looked at anew.
 */
async function proveSubmissions(
  deps: ProofDeps,
  run: Run,
  {
    lost,
    givenUp,
  }: { lost: readonly Lost<SubmissionRecord>[]; givenUp: readonly SubmissionRecord[] },
  watch: Watch,
): Promise<void> {
  const { store, log } = deps;
  const { balance: carried, sequence } = await findKeyBalance(store.reader, run.partnerKey);
  const all = [...lost.map((each) => each.open), ...givenUp];
  const ids = new Set(all.map(({ id }) => id));
  const open = await listOpenSubmissions(store.reader, run.partnerKey);
  if (open.length !== ids.size || !open.every(({ id }) => ids.has(id))) return;
  const before = carried ?? Math.max(...open.map(({ balanceBefore }) => balanceBefore));
  const facts = { run: run.id, submissions: [...ids].join() };
  log.info(facts, 'answers were lost; their credits are settled by the balance');
  const requests = all.map(({ id, persons }) => ({ id, items: persons }));
  const leases = [...new Set(lost.map(({ lease }) => lease))];
  const glances = watch.glancesAt(ids, before);
  const bucket = 'enhancements';
  const found = await findLosses(deps, run, { bucket, before, glances, requests }, leases);
  if (found === 'stopped') return;
  const { losses, balance } = found;
  const ends = all.map((each, index) => toLostEnd(run, each, losses[index]));
  const { partnerKey } = run;
  const settlement = { partnerKey, sequence, balance, ends };
  const beside = [...new Set(givenUp.map(({ integrationId }) => integrationId))];
  if (!(await settleLostSubmissions(store.leases, leases, settlement, beside))) return;
  for (const { id, loss } of ends) {
    if (loss === null) {
      log.info(
        { run: run.id, submission: id },
        'the lost submission was not charged; its contacts are submitted again',
      );
    } else {
      const { charged, afterwards } = loss;
      log.warn(
        { run: run.id, submission: id, charged, afterwards },
        'the lost submission counts as charged',
      );
    }
  }
}

/** What becomes of a lost submission; one of which nothing is known counts as charged. */
function toLostEnd(
  { id: run, integration }: Run,
  { id, integrationId, persons }: SubmissionRecord,
  loss: Loss = { charged: persons, why: 'nothing is known of it' },
): LostEnd {
  const isOwn = integrationId === integration.id;
  const end = { id, run: isOwn ? run : null };
  if (!('why' in loss)) return { ...end, loss: null };
  const { charged, why: detail } = loss;
  // The settings of another integration are not known here: holding loses nothing.
  const afterwards = isOwn ? integration.onLostAnswer : 'hold';
  return { ...end, loss: { charged, afterwards, detail } };
}
