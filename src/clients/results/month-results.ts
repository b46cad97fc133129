/**
 * Computes a client's results of each month. Each contact counts once per month, with the contact's latest profile. The
 * results of past months are stored in encrypted form. The results of other months are computed when a user opens the
 * page. People are counted only if all of the month's profiles are still stored, because a partial number would look
 * complete.
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
import { decryptGiving } from '../../fields/kept-profile.ts';
import { listGivingOfSpan, type StoredGiving } from '../../fields/statements/giving-records.ts';
import { countPathsFound } from '../../paths/statements/warm-paths.ts';
import type { Store } from '../../store.ts';
import {
  claimMonth,
  countDecisions,
  findRunSpan,
  hasRunBefore,
  listStoredMonths,
  replaceMonth,
  type Span,
  type StoredMonth,
  sumRuns,
} from '../statements/month-results.ts';

const count = z.int().nonnegative();

const resultsSchema = z.object({
  sent: count,
  matched: count,
  /**
   * The number of contacts in each of `CAPACITY_BANDS`. This number and the next two numbers are null if some of the
   * month's profiles were deleted.
   */
  bands: z.array(count).length(CAPACITY_BANDS.length).nullable(),
  unknown: count.nullable(),
  /** The number of contacts with a net worth of at least a million dollars. */
  millionaires: count.nullable(),
  /** The number of contacts for which a first path was found. */
  introductions: count,
  decisions: count,
});

export type MonthResults = z.infer<typeof resultsSchema>;

interface ResultDeps {
  reader: Reader;
  sealer: Pick<Sealer, 'open'>;
  clock: Pick<Clock, 'now'>;
}

/**
 * The number of records that are decrypted before other work can run. Decrypting this number of records takes a few
 * milliseconds.
 */
const SLICE = 250;

const DAY_MS = 86_400_000;

/** The time after a month's end at which all its results have arrived, because the service deletes older results. */
const SETTLED_AFTER_MS = 8 * DAY_MS;

type AddUpDeps = Pick<ResultDeps, 'reader' | 'sealer'>;

async function addUpMonth(
  deps: AddUpDeps,
  integrationId: string,
  month: string,
  oldest: number,
): Promise<MonthResults> {
  const { reader } = deps;
  const span = toSpan(month);
  const isKept = span.from >= oldest || !(await hasRunBefore(reader, integrationId, span.until));
  return {
    ...(await sumRuns(reader, integrationId, span)),
    ...(isKept ? await countPeople(deps, integrationId, span) : NOT_KEPT),
    introductions: await countPathsFound(reader, integrationId, span),
    decisions: await countDecisions(reader, integrationId, span),
  };
}

const NOT_KEPT = { bands: null, unknown: null, millionaires: null };

async function countPeople({ reader, sealer }: AddUpDeps, integrationId: string, span: Span) {
  const people = { bands: CAPACITY_BANDS.map(() => 0), unknown: 0, millionaires: 0 };
  let after: StoredGiving | null = null;
  for (;;) {
    const slice: StoredGiving[] = await listGivingOfSpan(reader, integrationId, span, {
      after,
      limit: SLICE,
    });
    for (const { crmId, key } of slice) {
      const record = decryptGiving({ sealer }, integrationId, crmId, key);
      if (record.isDeceased) continue;
      if (record.band === null) people.unknown += 1;
      else people.bands[record.band] = (people.bands[record.band] ?? 0) + 1;
      if (record.isMillionaire) people.millionaires += 1;
    }
    after = slice.at(-1) ?? null;
    if (slice.length < SLICE) return people;
    await setImmediate();
  }
}

/**
 * Returns a month's results. Computes the results if the database does not contain them. All profiles of the last
 * `complete` days are still stored (`completeDays`).
 */
export async function readMonth(
  deps: ResultDeps,
  integrationId: string,
  month: string,
  complete: number,
): Promise<MonthResults> {
  const stored = await listStoredMonths(deps.reader, integrationId);
  const one = stored.find((each) => each.month === month);
  const results = one === undefined ? null : open(deps.sealer, integrationId, one);
  const oldest = deps.clock.now() - complete * DAY_MS;
  return results ?? addUpMonth(deps, integrationId, month, oldest);
}

/** Decrypts a month's results. Returns null for the mark of a month that is being added up. */
function open(
  sealer: Pick<Sealer, 'open'>,
  integrationId: string,
  { month, results }: StoredMonth,
): MonthResults | null {
  const text = sealer.open(results, monthResultsSealContext(integrationId, month));
  return resultsSchema.nullable().parse(JSON.parse(text));
}

/** The content of a mark. Each stored mark looks different, because encryption never gives the same result twice. */
const MARK = JSON.stringify(null);

/**
 * Stores the results of past months that are not stored yet. Call this function before the retention deletes the
 * months' profiles. A second call is harmless. The function needs no lease, because only the first stored result of a
 * month counts. All profiles of the last `complete` days are still stored (`completeDays`).
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
  complete: number,
): Promise<number> {
  const runs = await findRunSpan(store.reader, integrationId);
  if (runs === null) return 0;
  const stored = await listStoredMonths(store.reader, integrationId);
  const marks = new Map<string, string>();
  const known = new Set<string>();
  for (const one of stored) {
    if (open(sealer, integrationId, one) === null) marks.set(one.month, one.results);
    else known.add(one.month);
  }
  // The months end at the last run, because a fast clock must not end a month too early. Each run compares its clock
  // with the service's clock.
  const end = Math.min(clock.now(), runs.until) - SETTLED_AFTER_MS;
  const missing = listMonths(runs.from, end).filter((month) => !known.has(month));
  const oldest = clock.now() - complete * DAY_MS;
  let added = 0;
  for (const month of missing) {
    const place = monthResultsSealContext(integrationId, month);
    const mark = sealer.seal(MARK, place);
    await store.act(async (trx) => {
      await waitForCheckpoint(trx, integrationId);
      await claimMonth(trx, integrationId, { month, results: mark }, marks.get(month) ?? null);
    });
    const results = await addUpMonth(
      { reader: store.reader, sealer },
      integrationId,
      month,
      oldest,
    );
    const sealed = sealer.seal(JSON.stringify(results), place);
    await store.act(async (trx) => {
      await waitForCheckpoint(trx, integrationId);
      // If a person was erased or a profile was deleted during the computation, the sums may be wrong. In this case,
      // `dropMonthsOf` has deleted the mark, and the next run tries again.
      if (await replaceMonth(trx, integrationId, { month, results: sealed }, mark)) added += 1;
    });
  }
  return added;
}

/**
 * Returns the months between `first` and `end` (both epoch ms), oldest first. Includes the month of `first`, and
 * excludes a month that ends after `end`. A pure function.
 */
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

/** The number of months in a century. This limit prevents an endless loop if the clock is wrong. */
const MOST_MONTHS = 1_200;

/** Returns the period of a month. A pure function. */
export function toSpan(month: string): Span {
  const from = Date.parse(`${month}-01T00:00:00Z`);
  const start = new Date(from);
  return { from, until: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1) };
}
