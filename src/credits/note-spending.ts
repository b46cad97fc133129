/** Records each spending request in the spending journal before it is sent, and again when it has ended. */
import { messageOf } from '../core/errors.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { SpendingHeld } from './confirm.ts';
import type { IntendedLine } from './statements/journal/journal-lines.ts';

type JournalDeps = Pick<SyncDeps, 'clock' | 'log'> & {
  store: Pick<SyncDeps['store'], 'spendingJournal'>;
};
type JournalRun = Pick<Run, 'id' | 'control' | 'integration'>;

/** The data about a request for its line in the journal. */
export type JournaledRequest = Omit<IntendedLine, 'what' | 'store' | 'at' | 'integration' | 'run'>;

/** How a request ended: what it cost, and each contact's job (tracking ID → job ID). */
export interface JournaledEnd {
  charged: number;
  jobs: Readonly<Record<string, string>>;
}

/** The code of this error, and of the doctor's finding about the same file. */
export const JOURNAL_UNWRITABLE = 'journal_unwritable';

/**
 * Thrown if the journal cannot be written. Nothing may be sent then, because after a restore the same would be bought
 * again.
 */
export class JournalUnwritable extends SpendingHeld {
  constructor(path: string | null, cause: unknown) {
    super(
      `The spending journal ${path} cannot be written: ${messageOf(cause)}. Nothing more is spent, because donor-sync would buy the same profiles again after a restore. Paid profiles are still delivered. Make the file and its folder writable, or name another file in spendingJournal, then sync again.`,
      { code: JOURNAL_UNWRITABLE, cause },
    );
  }
}

/** Stops the run's spending, and returns the error that explains why. */
function stopFor({ control }: JournalRun, path: string | null, cause: unknown): JournalUnwritable {
  const unwritable = new JournalUnwritable(path, cause);
  control.stopSpending(JOURNAL_UNWRITABLE, unwritable.message);
  return unwritable;
}

/** Records a reading of the balance. If it cannot be written, nothing more is spent. */
export async function noteBalance(
  { store, clock }: Omit<JournalDeps, 'log'>,
  run: JournalRun,
  { key, balance }: { key: string; balance: number },
): Promise<void> {
  const { spendingJournal: journal } = store;
  try {
    await journal.append({ what: 'balance', at: clock.now(), key, balance });
  } catch (error) {
    stopFor(run, journal.path, error);
  }
}

/**
 * Resolves once the request is on disk outside the database. If it cannot be written, stops the run's spending and
 * throws JournalUnwritable, so the request is not sent.
 */
export async function noteIntended(
  { store, clock }: JournalDeps,
  run: JournalRun,
  request: JournaledRequest,
): Promise<void> {
  const { spendingJournal: journal } = store;
  const of = { integration: run.integration.id, run: run.id };
  try {
    await journal.append({ what: 'intended', at: clock.now(), ...of, ...request });
  } catch (error) {
    throw stopFor(run, journal.path, error);
  }
}

/**
 * Resolves once the request's end is on disk, or could not be written. In the second case nothing more is spent, but
 * the end is still recorded in the database. After a restore, a user has to decide about requests without a recorded
 * end.
 */
export async function noteEnd(
  { store, clock, log }: JournalDeps,
  run: JournalRun,
  id: string,
  { charged, jobs }: JournaledEnd,
): Promise<void> {
  const { spendingJournal: journal } = store;
  try {
    await journal.append({ what: 'answered', at: clock.now(), id, charged, jobs: { ...jobs } });
  } catch (error) {
    log.warn(
      { run: run.id, request: id, error: messageOf(error) },
      'the end of a request could not be recorded',
    );
    stopFor(run, journal.path, error);
  }
}
