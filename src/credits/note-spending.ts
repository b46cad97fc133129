/** Writes each request that costs credits to the journal, before it is sent and after it has ended. */
import { messageOf } from '../core/errors.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { SpendingHeld } from './confirm.ts';
import type { IntendedLine } from './statements/journal/journal-lines.ts';

type JournalDeps = Pick<SyncDeps, 'clock' | 'log'> & {
  store: Pick<SyncDeps['store'], 'spendingJournal'>;
};
type JournalRun = Pick<Run, 'id' | 'control' | 'integration'>;

/** The data about a request that its journal line contains. */
export type JournaledRequest = Omit<IntendedLine, 'what' | 'store' | 'at' | 'integration' | 'run'>;

/** The end of a request: its cost, and the job of each contact (tracking ID → job ID). */
export interface JournaledEnd {
  charged: number;
  jobs: Readonly<Record<string, string>>;
}

/** The error's code, which the doctor uses too. */
export const JOURNAL_UNWRITABLE = 'journal_unwritable';

/**
 * Thrown if donor-sync cannot write to the journal. After this error, donor-sync sends nothing, because it would buy
 * the same profiles again after a restore.
 */
export class JournalUnwritable extends SpendingHeld {
  constructor(path: string | null, cause: unknown) {
    super(
      `The spending journal ${path} cannot be written: ${messageOf(cause)}. Nothing more is spent, because donor-sync would buy the same profiles again after a restore. Paid profiles are still delivered. Make the file and its folder writable, or name another file in spendingJournal, then sync again.`,
      { code: JOURNAL_UNWRITABLE, cause },
    );
  }
}

function stopFor({ control }: JournalRun, path: string | null, cause: unknown): JournalUnwritable {
  const unwritable = new JournalUnwritable(path, cause);
  control.stopSpending(JOURNAL_UNWRITABLE, unwritable.message);
  return unwritable;
}

/** Writes a balance to the journal. If writing fails, the run spends no more credits. */
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
 * Writes a request to the journal before it is sent. Resolves when the line is saved on disk, outside the database. If
 * writing fails, stops spending and throws JournalUnwritable, so that the request is not sent.
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
 * Writes the end of a request to the journal. Resolves even if writing fails. After a failure, the run spends no more
 * credits, but the database still records the end. After a restore, a user decides about requests without a recorded
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
