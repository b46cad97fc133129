import { parseOwned } from '../../../../contacts/owned-values.ts';
import { isoTime } from '../../../../core/clock.ts';
import type { RunReport } from '../../../../core/run.ts';
import type { QueryCharge } from '../../../../credits/statements/queries.ts';
import type { CrmMessage } from '../../../../decisions/crm-messages.ts';
import { listWrites, type WriteRecord } from '../../../../fields/statements/deliveries.ts';
import { findPathCost } from '../../../../paths/statements/warm-paths.ts';
import type { Store } from '../../../../store.ts';
import { findRunById } from '../../../../sync/statements/runs.ts';
import { adviceFor } from '../../../../sync/views/advice.ts';
import { nextSteps } from '../../../../sync/views/next-steps.ts';
import {
  type RunContactView,
  readReasons,
  reasonCounts,
  whyText,
} from '../../../../sync/views/run-contacts.ts';
import type { Output } from '../../terminal/output.ts';
import {
  describeCount,
  formatCount,
  formatDuration,
  formatTimestamp,
  shortId,
} from '../../terminal/words.ts';
import { getStatusWord, printRun } from '../sync/run-summary.ts';

/** A run with details. Contains field names without values, because values are encrypted. */
export interface RunDetail extends RunReport {
  reasons: Record<string, number>;
  /** The number of contacts that share another contact's result and needed no credit. */
  shared: number;
  /** The cost of the queries, or null if they were free. */
  queries: QueryCharge | null;
  /** The first contacts, except contacts that were already up to date. */
  outcomes: RunContactView[];
  /** The first writes that were not undone. */
  writes: { crmId: string; fields: string[]; at: string }[];
  /** The total number of writes. */
  writeCount: number;
}

/** Reads a run with details. A queued run has not done anything yet. */
export async function describeRun(
  store: Store,
  report: RunReport,
  { contacts, limit }: { contacts: RunContactView[]; limit: number },
): Promise<RunDetail> {
  const row = await findRunById(store.reader, report.id);
  const reasons = await readReasons(store.reader, report.id);
  const writes = row === undefined ? [] : await listWrites(store.reader, row.id);
  return {
    ...report,
    reasons: Object.fromEntries(reasons.map(({ reason, count }) => [reason, count])),
    shared: row?.sharedCount ?? 0,
    queries: row === undefined ? null : await findPathCost(store.reader, row.id),
    outcomes: contacts,
    writes: writes.slice(0, limit).map(toWrite),
    writeCount: writes.length,
  };
}

function toWrite(write: WriteRecord): RunDetail['writes'][number] {
  return {
    crmId: write.crmId,
    fields: Object.keys(parseOwned(write.after)),
    at: isoTime(write.writtenAt),
  };
}

/** Prints a run in words, including its effects on contacts. */
export function printRunDetail(output: Output, detail: RunDetail): void {
  printRun(output, detail, {
    reasons: reasonCounts(Object.entries(detail.reasons)),
    steps: nextSteps(detail, { contactsListed: true }),
  });
  printShared(output, detail);
  printQueries(output, detail);
  printOutcomes(output, detail);
  printWrites(output, detail);
}

function printShared(output: Output, { shared }: RunDetail): void {
  if (shared === 0) return;
  const who = shared === 1 ? '1 contact shares' : `${formatCount(shared)} contacts share`;
  output.print(`  ${who} the profile of the same person in another contact, without a credit`);
  output.print();
}

function printQueries(output: Output, { queries }: RunDetail): void {
  if (queries === null) return;
  const cost = `${describeCount(queries.credits, 'credit')} of the bucket "${queries.bucket}"`;
  output.print(`  The queries for warm paths cost ${cost}`);
  output.print();
}

function printOutcomes(output: Output, { outcomes, reasons }: RunDetail): void {
  if (outcomes.length === 0) return;
  printTable(output, outcomes);
  const { profile_fresh: _fresh, ...others } = reasons;
  const all = Object.values(others).reduce((sum, count) => sum + count, 0);
  printRest(output, all - outcomes.length);
  output.print();
}

/** Prints the contacts that match a filter. */
export function printContacts(
  output: Output,
  contacts: readonly RunContactView[],
  limit: number,
): void {
  if (contacts.length === 0) output.print('No contact in this run matches.');
  else printTable(output, contacts);
  if (contacts.length === limit) {
    output.print(output.style.faint(`the first ${formatCount(limit)} (--limit N shows more)`));
  }
}

function printTable(output: Output, contacts: readonly RunContactView[]): void {
  output.table<RunContactView>(
    [
      { header: 'Contact', value: ({ crmId }) => crmId },
      { header: 'Outcome', value: ({ outcome }) => outcome ?? '' },
      { header: 'Why', value: whyText, shrinks: true },
    ],
    contacts,
  );
}

function printWrites(output: Output, { writes, writeCount }: RunDetail): void {
  if (writes.length === 0) return;
  output.table(
    [
      { header: 'Written into', value: ({ crmId }) => crmId },
      { header: 'Fields', value: ({ text }) => text, shrinks: true },
    ],
    withFieldTexts(writes),
  );
  printRest(output, writeCount - writes.length);
}

/**
 * Describes the fields of each write. If a write has the same fields as an earlier write, refers to it, such as `14
 * fields, as in 0035e001`.
 */
function withFieldTexts(writes: RunDetail['writes']): { crmId: string; text: string }[] {
  const named = new Map<string, string>();
  return writes.map(({ crmId, fields }) => {
    const names = fields.join(', ');
    const first = named.get(names);
    if (first === undefined) named.set(names, crmId);
    const isAlike = first !== undefined && fields.length > 1;
    return {
      crmId,
      text: isAlike ? `${describeCount(fields.length, 'field')}, as in ${first}` : names,
    };
  });
}

function printRest(output: Output, rest: number): void {
  if (rest > 0) {
    output.print(output.style.faint(`and ${formatCount(rest)} more (--limit N shows more)`));
  }
}

/** Prints the runs. On a wide terminal, each run is one line. */
export function printRuns(output: Output, runs: readonly RunReport[]): void {
  output.table<RunReport>(
    [
      { header: 'Run', value: ({ id }) => shortId(id) },
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      {
        header: 'Started',
        value: ({ startedAt }) => formatTimestamp(startedAt),
        shrinks: true,
        minWidth: 10,
      },
      { header: 'Took', value: tookText, isExtra: true },
      { header: 'By', value: ({ trigger }) => trigger, isExtra: true },
      { header: 'Status', value: statusText, shrinks: true, minWidth: 12 },
      ...(['chosen', 'written', 'waiting', 'failed', 'held'] as const).map((word) => ({
        header: `${word[0]?.toUpperCase()}${word.slice(1)}`,
        value: ({ contacts }: RunReport) => formatCount(contacts[word]),
        align: 'right' as const,
        isExtra: word === 'chosen' || word === 'waiting',
      })),
      {
        header: 'Credits',
        value: ({ credits }) => formatCount(credits.enhancements.spent),
        align: 'right',
      },
      {
        header: 'For networks',
        value: ({ credits: { networks } }) =>
          networks.spent === 0 ? '' : formatCount(networks.spent),
        align: 'right',
        optional: true,
        isExtra: true,
      },
    ],
    runs,
  );
}

function tookText({ startedAt, finishedAt }: RunReport): string {
  if (finishedAt === null) return '';
  return formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function statusText(run: RunReport): string {
  const { reason, integration } = run;
  const word = getStatusWord(run);
  return reason === null ? word : `${word}: ${adviceFor(reason, integration).cause}`;
}

export function printWordsHint(output: Output, runId: string, count: number): void {
  if (count === 0) return;
  output.print();
  output.print(
    `Messages from the CRM (${describeCount(count, 'text')}): donor-sync runs ${shortId(runId)} --show`,
  );
}

export function printWords(output: Output, words: readonly CrmMessage[], limit: number): void {
  output.print();
  if (words.length === 0) {
    output.print('No messages from the CRM are kept for this run. They are kept for 30 days.');
    return;
  }
  output.print(output.style.strong('Messages from the CRM'));
  for (const { contact, text } of words.slice(0, limit)) {
    output.print(`  ${output.style.faint(contact ?? 'the run')}  ${text ?? KEY_GONE}`);
  }
  const rest = words.length - limit;
  if (rest > 0) {
    output.print(output.style.faint(`and ${formatCount(rest)} more (--limit N shows more)`));
  }
}

const KEY_GONE = '(encrypted with a key that is no longer in DONOR_SYNC_SECRET_KEY)';
