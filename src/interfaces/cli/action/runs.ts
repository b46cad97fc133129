import { ConfigurationError } from '../../../core/errors.ts';
import { didYouMean } from '../../../core/near-miss.ts';
import type { RunReport } from '../../../core/run.ts';
import type { Reader } from '../../../database/reader.ts';
import { findRunById, listRunRecords, type RunRecord } from '../../../sync/statements/runs.ts';
import { adviceFor, stepText } from '../../../sync/views/advice.ts';
import { findId, shortId } from '../terminal/words.ts';

/** Runs among which a short id is looked up; older ones take the whole id. */
const MAX_RUNS_SEARCHED = 1_000;

/** The run with this id, whole or short; throws a ConfigurationError if there is none. */
export async function findRun(reader: Reader, typed: string): Promise<RunRecord> {
  const exact = await findRunById(reader, typed);
  if (exact) return exact;
  const recent = await listRunRecords(reader, { limit: MAX_RUNS_SEARCHED });
  const ids = recent.map(({ id }) => id);
  const id = findId(typed, ids);
  const row = recent.find((run) => run.id === id);
  if (row) return row;
  throw new ConfigurationError(
    `There is no run "${typed}"${didYouMean(typed, ids) || '.'} \`donor-sync runs\` lists the runs with the end of each id, which is enough.`,
    { code: 'run_unknown', details: { run: typed } },
  );
}

/**
 * What a person does next after a run, the most pressing first: whole sentences with commands.
 * `contactsListed` is true where the contacts that failed stand on the same page, `isLimited` where the
 * run had a limit of its own.
 */
export function nextSteps(
  report: RunReport,
  {
    contactsListed = false,
    isLimited = false,
  }: { contactsListed?: boolean; isLimited?: boolean } = {},
): string[] {
  const { contacts, integration } = report;
  const isAtOwnLimit = isLimited && report.reason?.code === 'budget_reached';
  const steps = isAtOwnLimit ? [] : stepsAfterStop(report);
  if (contacts.held > 0) steps.push('Decide what waits for you: donor-sync holds');
  if (contacts.failed > 0 && !contactsListed) {
    steps.push(`See why contacts failed: donor-sync runs ${shortId(report.id)}`);
  }
  const isToGoOn = report.status !== 'succeeded' && report.status !== 'running';
  if (isToGoOn) {
    const then = isAtOwnLimit ? 'Go on from there without a limit' : 'Then go on from there';
    steps.push(`${then}: donor-sync sync ${integration}`);
  }
  return steps;
}

function stepsAfterStop({ status, reason, integration }: RunReport): string[] {
  if (status === 'succeeded' || status === 'running') return [];
  return adviceFor(reason, integration).steps.map(stepText);
}
