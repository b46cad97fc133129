/** Reads a run's result for each contact, and puts it into words for all interfaces. */
import { stringify } from 'csv-stringify/sync';
import { isoTime } from '../../core/clock.ts';
import { OUTCOME_ORDER, type Outcome, outcomeNamed, outcomeText } from '../../core/outcome.ts';
import { plainCell } from '../../core/printable.ts';
import { mismatchText } from '../../core/questions/name-mismatch.ts';
import type { Reader } from '../../database/reader.ts';
import { findRestoredContacts } from '../../fields/statements/undone-writes.ts';
import {
  countRunReasons,
  listRunRows,
  type RunContact,
  type RunContactFilter,
  type RunContactPosition,
  type RunKey,
} from '../statements/run-rows.ts';
import { findRunById } from '../statements/runs.ts';

/** A contact that a run processed. Excludes contacts whose profile was still fresh. */
export interface RunContactView {
  crmId: string;
  /** The outcome. Null if a different donor-sync version recorded a reason that this version does not know. */
  outcome: Outcome | null;
  reason: string;
  /** The reason as a part of a sentence. */
  text: string;
  /** Details of the reason, without personal data. */
  detail: string | null;
  /** True if an undo has restored all values that the run wrote to the contact. */
  undone: boolean;
  /** The time of the result (ISO 8601). */
  at: string;
}

/** Returns the reason as text, with its details. Replaces the name guard's codes with text. */
export function whyText({ text, detail }: Pick<RunContactView, 'text' | 'detail'>): string {
  if (detail === null) return text;
  const words = mismatchText(detail);
  return words === null ? `${text} (${detail})` : `${words}; a user decides`;
}

/** The run whose contacts are listed. */
export interface ListedRun extends RunKey {
  /** The last time at which an undo restored a value of the run (epoch ms), or null if no value was restored. */
  undoneAt: number | null;
}

export interface RunContactPage {
  contacts: RunContactView[];
  /** The position at which the next page starts, or null on the last page. */
  next: RunContactPosition | null;
}

/**
 * Returns a page of a run's contacts. Held and failed contacts come first. All contacts that are neither held nor
 * failed are sorted by ID.
 */
export async function readRunContacts(
  reader: Reader,
  run: ListedRun,
  filter: RunContactFilter,
): Promise<RunContactPage> {
  const { limit } = filter;
  const rows = await listRunRows(reader, run, { ...filter, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const undone = await findUndone(reader, run, shown);
  return {
    contacts: shown.map((row) => toView(row, undone)),
    next: last === undefined ? null : { place: last.place, crmId: last.crmId },
  };
}

/** Yields all contacts of a run that match the filter, in pages. */
export async function* pagesOfRunContacts(
  reader: Reader,
  run: ListedRun,
  filter: Omit<RunContactFilter, 'after' | 'limit'>,
): AsyncGenerator<RunContactView[]> {
  let after: RunContactPosition | undefined;
  do {
    const page = await readRunContacts(reader, run, { ...filter, after, limit: PAGE });
    yield page.contacts;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

const PAGE = 1_000;

/** Returns the contacts among these rows whose values of the run were all restored. */
async function findUndone(
  reader: Reader,
  { id, undoneAt }: ListedRun,
  rows: readonly RunContact[],
): Promise<ReadonlySet<string>> {
  if (undoneAt === null) return new Set();
  const written = rows.filter(({ reason }) => outcomeNamed(reason) === 'written');
  return findRestoredContacts(
    reader,
    id,
    written.map(({ crmId }) => crmId),
  );
}

function toView(
  { crmId, reason, detail, at }: RunContact,
  undone: ReadonlySet<string>,
): RunContactView {
  const outcome = outcomeNamed(reason);
  return {
    crmId,
    outcome,
    reason,
    detail,
    undone: outcome === 'written' && undone.has(crmId),
    text: outcomeText(reason),
    at: isoTime(at),
  };
}

export interface ReasonCount {
  outcome: Outcome | null;
  reason: string;
  text: string;
  count: number;
}

/**
 * Returns the reasons of a run, or an empty list if the run does not exist. Reasons that require a user's action come
 * first, then the most frequent reasons.
 */
export async function readReasons(reader: Reader, runId: string): Promise<ReasonCount[]> {
  const run = await findRunById(reader, runId);
  return run === undefined ? [] : reasonCounts(await countRunReasons(reader, run));
}

/** Returns the number of contacts for each reason. The reasons that matter most to users come first. */
export function reasonCounts(
  counts: Iterable<readonly [reason: string, count: number]>,
): ReasonCount[] {
  return [...counts]
    .map(([reason, count]) => ({
      outcome: outcomeNamed(reason),
      reason,
      count,
      text: outcomeText(reason),
    }))
    .sort(
      (a, b) =>
        getPlace(a.outcome) - getPlace(b.outcome) ||
        countLosses(b) - countLosses(a) ||
        b.count - a.count,
    );
}

/** Returns 1 if a user's value was lost. Even a rare loss of a user's value comes before successes. */
function countLosses({ reason }: Pick<ReasonCount, 'reason'>): number {
  return reason === 'typed_value_lost' ? 1 : 0;
}

function getPlace(outcome: Outcome | null): number {
  return outcome === null ? OUTCOME_ORDER.length : OUTCOME_ORDER.indexOf(outcome);
}

const COLUMNS = ['Contact', 'Outcome', 'Reason', 'Why', 'Detail', 'At', 'Undone'];

export const RUN_CONTACTS_HEADER = stringify([COLUMNS]);

/** Returns contacts as CSV rows. Cells are escaped, so that a spreadsheet does not run a cell as a formula. */
export function runContactLines(contacts: readonly RunContactView[]): string {
  return stringify(
    contacts.map(({ crmId, outcome, reason, text, detail, at, undone }) => [
      ...[crmId, outcome ?? '', reason, text, detail ?? '', at, undone ? 'yes' : ''],
    ]),
    { cast: { string: plainCell } },
  );
}
