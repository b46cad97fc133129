/**
 * Finds the results of lost submissions in the spending journal. A process may have ended after it wrote a response to
 * the journal but not to the database. The database may also come from an older backup.
 */
import { isConfigurationError } from '../core/errors.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import type { Lost } from './spend.ts';
import { recordAcceptedSubmission, recordRefusedSubmission } from './statements/answers.ts';
import type { AnsweredLine, JournalLine } from './statements/journal/journal-lines.ts';
import type { SubmissionRecord } from './statements/submissions.ts';

type SettleDeps = Pick<SyncDeps, 'log'> & {
  store: Pick<SyncDeps['store'], 'checkpoint' | 'spendingJournal'>;
};

/** Returns true if the journal contained a result, so that everything must be checked again. */
export async function settleByJournal(
  { store, log }: SettleDeps,
  run: Pick<Run, 'id'>,
  lost: readonly Lost<SubmissionRecord>[],
): Promise<boolean> {
  if (lost.length === 0) return false;
  const lines = await readLines(store.spendingJournal, log);
  const ends = new Map<string, AnsweredLine>();
  for (const line of lines) if (line.what === 'answered') ends.set(line.id, line);
  let isSettled = false;
  for (const { open, lease } of lost) {
    const end = ends.get(open.id);
    if (end === undefined || !tellsJobs(end)) continue;
    await store.checkpoint(lease, (trx) =>
      end.charged === 0
        ? recordRefusedSubmission(trx, open.id)
        : recordAcceptedSubmission(trx, open.id, {
            jobIds: new Map(Object.entries(end.jobs)),
            charged: end.charged,
          }),
    );
    const facts = { run: run.id, submission: open.id, charged: end.charged };
    log.info(facts, 'a lost response was found in the spending journal');
    isSettled = true;
  }
  return isSettled;
}

/**
 * Reads the lines of the journal. Returns no lines if the journal is unreadable. The balance then shows the results.
 */
async function readLines(
  journal: SyncDeps['store']['spendingJournal'],
  log: SyncDeps['log'],
): Promise<JournalLine[]> {
  try {
    return (await journal.read()).lines;
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    log.warn({ error: error.message }, 'the spending journal cannot be read');
    return [];
  }
}

/**
 * True if the line of the journal contains the jobs. False if the balance showed the result, because the jobs are then
 * unknown.
 */
function tellsJobs({ charged, jobs }: AnsweredLine): boolean {
  return charged === 0 || Object.keys(jobs).length > 0;
}
