import { isoTime } from '../../core/clock.ts';
import { OUTCOME_REASONS } from '../../core/outcome.ts';
import { outcomeText } from '../../core/outcome-text.ts';
import type { RunReport } from '../../core/run.ts';
import type { WriteRow } from '../../store/deliveries.ts';
import { parseOwned } from '../../store/owned-values.ts';
import type { RunRow } from '../../store/runs.ts';
import type { Store } from '../../store/store.ts';
import type { PathCost } from '../../store/warm-paths.ts';
import { reportOf } from '../../views/run.ts';
import { nextSteps } from '../next-steps.ts';
import type { Output } from '../output.ts';
import { countOf, formatCount } from '../quantities.ts';
import { printRun } from '../sync/run-summary.ts';

/** A run with what it did to its contacts. Names of fields only: values are sealed on disk. */
export interface RunDetail extends RunReport {
  /**
   * Contacts by reason, of those that no later run has touched: the store keeps the last outcome of
   * each.
   */
  reasons: Record<string, number>;
  /** Contacts that took the job of the same person in another contact, without a credit. */
  shared: number;
  /** What the queries for warm paths have cost; null if they were free. */
  queries: PathCost | null;
  /** The first of the contacts that were not simply fresh. */
  outcomes: { crmId: string; reason: string; detail: string | null; at: string }[];
  /** The first of what was written and not undone. */
  writes: { crmId: string; fields: string[]; at: string }[];
  /** How many writes there are in all. */
  writeCount: number;
}

/** How much of a run is shown, and what comes first. */
export interface DetailOptions {
  /** At most so many contacts, and so many writes. */
  limit: number;
  /** True if contacts that failed or are held stand before the others. */
  pressingFirst: boolean;
}

const PRESSING_REASONS = Object.entries(OUTCOME_REASONS).flatMap(([reason, outcome]) =>
  outcome === 'failed' || outcome === 'held' ? [reason] : [],
);

/** Puts a run's detail together. */
export async function describeRun(
  store: Store,
  row: RunRow,
  { limit, pressingFirst }: DetailOptions,
): Promise<RunDetail> {
  const reasons = await store.contacts.countOutcomes(row.id, row.integration_id);
  const first = pressingFirst ? PRESSING_REASONS : [];
  const outcomes = await store.contacts.listOutcomes(row.id, row.integration_id, limit, first);
  const writes = await store.deliveries.listWrites(row.id);
  return {
    ...(await reportOf(store, row)),
    reasons: Object.fromEntries(reasons),
    shared: row.shared_count,
    queries: await store.warmPaths.findCost(row.id),
    outcomes: outcomes.map((contact) => ({
      crmId: contact.crm_id,
      reason: contact.outcome_reason,
      detail: contact.outcome_detail,
      at: isoTime(contact.outcome_at),
    })),
    writes: writes.slice(0, limit).map(writeOf),
    writeCount: writes.length,
  };
}

function writeOf(write: WriteRow): RunDetail['writes'][number] {
  return {
    crmId: write.crm_id,
    fields: Object.keys(parseOwned(write.after)),
    at: isoTime(write.written_at),
  };
}

/** A run and what it did to its contacts, for a person. */
export function printRunDetail(output: Output, detail: RunDetail): void {
  printRun(output, detail, {
    reasons: new Map(Object.entries(detail.reasons)),
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
  const cost = `${countOf(queries.credits, 'credit')} of the bucket "${queries.bucket}"`;
  output.print(`  The queries for warm paths cost ${cost}`);
  output.print();
}

function printOutcomes(output: Output, { outcomes, reasons }: RunDetail): void {
  if (outcomes.length === 0) return;
  output.table(
    [
      { header: 'Contact', value: ({ crmId }) => crmId },
      { header: 'Reason', value: ({ reason }) => reason },
      {
        header: 'In words',
        value: ({ reason, detail }) => detail ?? outcomeText(reason),
        shrinks: true,
      },
    ],
    outcomes,
  );
  const { profile_fresh: _fresh, ...others } = reasons;
  const all = Object.values(others).reduce((sum, count) => sum + count, 0);
  printRest(output, all - outcomes.length);
  output.print();
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

/** Names the fields of each write once: `14 fields, as in 0035e001` where those of another are alike. */
function withFieldTexts(writes: RunDetail['writes']): { crmId: string; text: string }[] {
  const named = new Map<string, string>();
  return writes.map(({ crmId, fields }) => {
    const names = fields.join(', ');
    const first = named.get(names);
    if (first === undefined) named.set(names, crmId);
    const isAlike = first !== undefined && fields.length > 1;
    return { crmId, text: isAlike ? `${countOf(fields.length, 'field')}, as in ${first}` : names };
  });
}

function printRest(output: Output, rest: number): void {
  if (rest > 0) {
    output.print(output.style.faint(`and ${formatCount(rest)} more (--limit N shows more)`));
  }
}
