/**
 * Settles lost submissions whose response is in the spending journal. The process may have died after it wrote the
 * response there and before it stored it in the database. Or the database was restored from a backup that was made in
 * between.
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

/** Settles submissions. Resolves with true if any was settled, because everything then has to be checked again. */
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

/** Reads the lines. Returns none if the journal cannot be read, so the balance decides. */
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

/** Returns false if the balance has settled the submission, because its jobs are then unknown. */
function tellsJobs({ charged, jobs }: AnsweredLine): boolean {
  return charged === 0 || Object.keys(jobs).length > 0;
}
