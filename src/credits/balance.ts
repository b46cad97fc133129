/** Decides how many credits a run may spend. Subtracts all charges since the last reading of the balance. */

import type { CreditBalances } from '../partner/credits.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { type Allowance, getAllowance, startOfMonth } from './budget.ts';
import type { Glance, Loss } from './judge-lost-responses.ts';
import { findLosses } from './lost-responses.ts';
import { noteBalance, noteEnd } from './note-spending.ts';
import { settleByJournal } from './settle-by-journal.ts';
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
 * The maximum age of a balance reading before credits are spent. With an older reading, purchases or spending elsewhere
 * could look like the cost of a lost response.
 */
export const MAX_READING_AGE_MS = 10_000;

/**
 * The balance does not include the cost of open submissions. After this time, no new submission is sent until all open
 * submissions are answered and the balance can be read.
 */
export const MAX_AGE_IN_FLIGHT_MS = 30_000;

/** If the balance is lower than this, each submission needs a new reading. */
const NEAR_EMPTY = 1_000;

/**
 * The maximum number of credits that others can have spent since a reading. The service's rate limit allows ten
 * submissions immediately and then ten per second. Each submission can contain a hundred people.
 */
const takenByOthers = (ageMs: number) => 1_000 + Math.ceil(ageMs / 1_000) * 1_000;

export interface KnownBalance {
  /** The last reading minus all later spending. Null before the first reading. */
  balance: number | null;
  /** The time since the last reading. */
  ageMs: number;
  /** The number of credits that must remain. */
  keep: number;
  /** The maximum cost of the submissions in flight. */
  underWay: number;
}

/**
 * True if the balance must be read before credits are spent. Other programs may spend credits from the same bucket. If
 * they could have used up everything above the reserve since the last reading, the balance is read again. Therefore,
 * others can take at most the cost of the submissions in flight from the reserve.
 */
export function mustReadBalance({ balance, ageMs, keep, underWay }: KnownBalance): boolean {
  const oldestMs = underWay > 0 ? MAX_AGE_IN_FLIGHT_MS : MAX_READING_AGE_MS;
  if (balance === null || ageMs >= oldestMs) return true;
  const taken = takenByOthers(Math.max(ageMs, MAX_READING_AGE_MS));
  return balance - keep - underWay < (keep > 0 ? taken : NEAR_EMPTY);
}

type BalanceDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock'>;

/**
 * Reads and stores the balance of the enhancements bucket. Costs no credits. If a submission was open or ended during
 * the reading, nothing is stored, because the reading may be outdated.
 */
export async function readBalance(
  { store, partner }: Pick<BalanceDeps, 'store' | 'partner'>,
  run: Run,
): Promise<CreditBalances> {
  return (await readAndRecord({ store, partner }, run)).credits;
}

/**
 * Reads the balances at the start of a run. If no submission is open, also writes the reading to the spending journal.
 * After a restore, this reading shows whether the journal is complete.
 */
export async function readFirstBalance(
  { store, partner, clock }: BalanceDeps,
  run: Run,
): Promise<CreditBalances> {
  const { credits, isQuiet } = await readAndRecord({ store, partner }, run);
  if (isQuiet) {
    const balance = { key: run.partnerKey, balance: credits.enhancements };
    await noteBalance({ store, clock }, run, balance);
  }
  return credits;
}

async function readAndRecord(
  { store, partner }: Pick<BalanceDeps, 'store' | 'partner'>,
  run: Run,
): Promise<{ credits: CreditBalances; isQuiet: boolean }> {
  const { sequence } = await findKeyBalance(store.reader, run.partnerKey);
  const credits = await partner.readCredits(run.control.ending);
  const { enhancements } = credits;
  const key = run.partnerKey;
  const isQuiet = await recordKeyBalance(store.connection, key, sequence, enhancements);
  return { credits, isQuiet };
}

/**
 * Returns the number of credits that this run may spend now. Open submissions count as charged. `later` means that open
 * submissions must first be answered.
 */
export async function findAllowance(deps: BalanceDeps, run: Run): Promise<Allowance | 'later'> {
  const { store, clock } = deps;
  const { balance, readAt } = await findKeyBalance(store.reader, run.partnerKey);
  const open = await listOpenSubmissions(store.reader, run.partnerKey);
  const { budget, schedule } = run.integration;
  const known = {
    balance,
    // If the reading is in the future, the clock was set back, so the reading's age is unknown.
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
    // The service may have charged the open submissions.
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

/** Returns the remaining credits. `later` means that the balance must be read but cannot be read now. */
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
  // Other programs can spend credits at any time. Submissions that were open during the reading may be charged later.
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

/** Finds out whether submissions with a lost response were charged. The balance shows this. */
export function submissionProof(deps: ProofDeps, run: Run): Proof<SubmissionRecord> {
  const { store, partner } = deps;
  const listOpen = (key: string) => listOpenSubmissions(store.reader, key);
  const findBalance = (key: string) => findKeyBalance(store.reader, key);
  const watch = watchBalance({ findBalance, listOpen, partner }, run);
  return {
    listOpen: () => listOpenSubmissions(store.reader, run.partnerKey),
    letsOthersPass: ({ state }) => state === 'intended',
    // The process that had the lease before has marked the submission as lost.
    isGivenUp: ({ state }) => state === 'lost',
    async markLost(lost) {
      for (const { open, lease } of lost) {
        if (open.state === 'intended')
          await store.checkpoint(lease, (trx) => recordLostSubmission(trx, open.id));
      }
    },
    watch: watch.look,
    async prove(lost, givenUp) {
      if (await settleByJournal(deps, run, lost)) return;
      await proveSubmissions(deps, run, { lost, givenUp }, watch);
    },
  };
}

interface WatchDeps {
  findBalance(key: string): Promise<{ balance: number | null; sequence: number }>;
  listOpen(key: string): Promise<readonly Sized[]>;
  partner: Pick<ProofDeps['partner'], 'readCredits'>;
}

interface Watch {
  /** Reads the balance, once for each set of open submissions. Costs no credits. */
  look(): Promise<void>;
  /**
   * Returns the readings that were made while these submissions were open. `before` is the balance after all other
   * submissions were answered.
   */
  glancesAt(lost: ReadonlySet<string>, before: number): Glance[];
}

/**
 * Watches the balance while lost submissions are open, because a purchase in between would hide the cost of a lost
 * response. The stored balance does not change during this time, so that later readings can be compared with it.
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
          // donor-sync does not know which of the other requests were charged, so these requests may explain the whole
          // difference.
          const { balance } = glance;
          return balance < before ? { balance, before, beside: [] } : [];
        }),
  };
}

/**
 * Reads the balance and the open submissions in one query. The balance and the open submissions change together when a
 * submission is answered.
 */
async function lookAtKey({ findBalance, listOpen }: WatchDeps, partnerKey: string) {
  for (;;) {
    const { balance: before, sequence } = await findBalance(partnerKey);
    const open = await listOpen(partnerKey);
    const after = await findBalance(partnerKey);
    if (after.sequence === sequence) return { before, open };
  }
}

/**
 * Proves whether the submissions were charged. If another submission was sent or answered during the proof, nothing is
 * changed and the proof is repeated.
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
  log.info(facts, 'responses were lost; their credits are settled by the balance');
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
    await noteEnd(deps, run, id, { charged: loss?.charged ?? 0, jobs: {} });
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

/** Returns the end of a lost submission. Without proof, the submission counts as charged. */
function toLostEnd(
  { id: run, integration }: Run,
  { id, integrationId, persons }: SubmissionRecord,
  loss: Loss = { charged: persons, why: 'nothing is known about it' },
): LostEnd {
  const isOwn = integrationId === integration.id;
  const end = { id, run: isOwn ? run : null };
  if (!('why' in loss)) return { ...end, loss: null };
  const { charged, why: detail } = loss;
  // This process does not know the other integration's settings. This process holds the other integration's contacts
  // for a decision, so that nothing is lost.
  const afterwards = isOwn ? integration.onLostAnswer : 'hold';
  return { ...end, loss: { charged, afterwards, detail } };
}
