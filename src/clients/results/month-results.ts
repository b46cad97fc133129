/**
 * Adds up the results of a client's runs in a month (UTC). A contact counts once in a month, by its latest profile. The sums of a
 * month that is over are stored encrypted. Until then they are added up when someone looks.
 */
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { CAPACITY_BANDS } from '../../core/capacity.ts';
import type { Clock } from '../../core/clock.ts';
import { toDay, toMonth } from '../../credits/statements/credit-spans.ts';
import { monthResultsSealContext } from '../../database/encryption/seal-contexts.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import { waitForCheckpoint } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { decryptGiving } from '../../fields/giving-record.ts';
import { listGivingOfSpan, type StoredGiving } from '../../fields/statements/giving-records.ts';
import { countPathsFound } from '../../paths/statements/warm-paths.ts';
import { readErasureMark } from '../../privacy/statements/drop-months.ts';
import type { Store } from '../../store.ts';
import {
  countDecisions,
  findRunSpan,
  insertMonth,
  listStoredMonths,
  type Span,
  type StoredMonth,
  sumRuns,
} from '../statements/month-results.ts';

const count = z.int().nonnegative();

const resultsSchema = z.object({
  /** Contacts that were sent to the service, and the part that it knew. */
  sent: count,
  matched: count,
  /** Number of contacts in each of `CAPACITY_BANDS`. */
  bands: z.array(count).length(CAPACITY_BANDS.length),
  /** Contacts whose capacity the service does not know. */
  unknown: count,
  /** Contacts with a net worth of at least a million dollars. */
  millionaires: count,
  /** Contacts whose first path was found. */
  introductions: count,
  decisions: count,
});

export type MonthResults = z.infer<typeof resultsSchema>;

interface ResultDeps {
  reader: Reader;
  sealer: Pick<Sealer, 'open'>;
  clock: Pick<Clock, 'now'>;
}

/** Number of records that are opened before other work may continue: a few milliseconds. */
const SLICE = 250;

/** After this time, the results of a month's last submissions have arrived, because the service deletes them. */
const SETTLED_AFTER_MS = 8 * 86_400_000;

/** Adds up a month from what is stored about the contacts now. */
async function addUpMonth(
  { reader, sealer }: Pick<ResultDeps, 'reader' | 'sealer'>,
  integrationId: string,
  month: string,
): Promise<MonthResults> {
  const span = toSpan(month);
  const results: MonthResults = {
    ...(await sumRuns(reader, integrationId, span)),
    bands: CAPACITY_BANDS.map(() => 0),
    unknown: 0,
    millionaires: 0,
    introductions: await countPathsFound(reader, integrationId, span),
    decisions: await countDecisions(reader, integrationId, span),
  };
  let after: StoredGiving | null = null;
  for (;;) {
    const slice: StoredGiving[] = await listGivingOfSpan(reader, integrationId, span, {
      after,
      limit: SLICE,
    });
    for (const { crmId, giving } of slice) {
      const record = decryptGiving({ sealer }, integrationId, crmId, giving);
      if (record.isDeceased) continue;
      if (record.band === null) results.unknown += 1;
      else results.bands[record.band] = (results.bands[record.band] ?? 0) + 1;
      if (record.isMillionaire) results.millionaires += 1;
    }
    after = slice.at(-1) ?? null;
    if (slice.length < SLICE) return results;
    await setImmediate();
  }
}

/** Returns the results of a month: the stored ones, or the present ones if none are stored. */
export async function readMonth(
  deps: ResultDeps,
  integrationId: string,
  month: string,
): Promise<MonthResults> {
  const stored = await listStoredMonths(deps.reader, integrationId);
  const one = stored.find((each) => each.month === month);
  return one === undefined
    ? addUpMonth(deps, integrationId, month)
    : open(deps.sealer, integrationId, one);
}

function open(
  sealer: Pick<Sealer, 'open'>,
  integrationId: string,
  { month, results }: StoredMonth,
): MonthResults {
  const text = sealer.open(results, monthResultsSealContext(integrationId, month));
  return resultsSchema.parse(JSON.parse(text));
}

/**
 * Stores the months that are over and are not stored yet, before the retention deletes their profiles. Can be repeated,
 * and needs no lease: whichever process is first stores a month.
 */
export async function storePastMonths(
  {
    store,
    sealer,
    clock,
  }: {
    store: Pick<Store, 'reader' | 'act'>;
    sealer: Pick<Sealer, 'open' | 'seal'>;
    clock: Pick<Clock, 'now'>;
  },
  integrationId: string,
): Promise<number> {
  const runs = await findRunSpan(store.reader, integrationId);
  if (runs === null) return 0;
  const stored = await listStoredMonths(store.reader, integrationId);
  const known = new Set(stored.map(({ month }) => month));
  // A run has compared its clock with the service's: a clock that is ahead must not end a month too early.
  const end = Math.min(clock.now(), runs.until) - SETTLED_AFTER_MS;
  const missing = listMonths(runs.from, end).filter((month) => !known.has(month));
  let added = 0;
  for (const month of missing) {
    const erasures = await readErasureMark(store.reader, integrationId);
    const results = await addUpMonth({ reader: store.reader, sealer }, integrationId, month);
    const place = monthResultsSealContext(integrationId, month);
    const sealed = sealer.seal(JSON.stringify(results), place);
    await store.act(async (trx) => {
      await waitForCheckpoint(trx, integrationId);
      // A person who was erased in the meantime may be in the sums. The next day tries again.
      if ((await readErasureMark(trx, integrationId)) !== erasures) return;
      await insertMonth(trx, integrationId, { month, results: sealed });
      added += 1;
    });
  }
  return added;
}

/** Pure: the months from the month of `first` that end before `end` (both epoch ms), the oldest first. */
export function listMonths(first: number, end: number): string[] {
  const months: string[] = [];
  for (let month = toMonth(toDay(first)); months.length < MOST_MONTHS; ) {
    const { until } = toSpan(month);
    if (until > end) break;
    months.push(month);
    month = toMonth(toDay(until));
  }
  return months;
}

/** A century: a wrong clock must not make a loop without an end. */
const MOST_MONTHS = 1_200;

/** Pure: the time that a month spans. */
function toSpan(month: string): Span {
  const from = Date.parse(`${month}-01T00:00:00Z`);
  const start = new Date(from);
  return { from, until: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1) };
}
