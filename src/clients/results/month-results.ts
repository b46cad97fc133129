/**
 * Adds up the results of a client's runs in a month (UTC). Each contact counts once per month, with its latest profile.
 * The sums of a past month are stored encrypted. Until then they are added up when someone opens the page. People are
 * counted only while all profiles of the month are kept, because a part of them would look like the whole.
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
  /** Contacts that were sent to the service, and the part that it knew. */
  sent: count,
  matched: count,
  /**
   * The number of contacts in each of `CAPACITY_BANDS`. This and the next two values are null if not all profiles of
   * the month were kept.
   */
  bands: z.array(count).length(CAPACITY_BANDS.length).nullable(),
  /** Contacts whose capacity the service does not know. */
  unknown: count.nullable(),
  /** Contacts with a net worth of at least a million dollars. */
  millionaires: count.nullable(),
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

/** How many records are decrypted before other work can continue. This takes a few milliseconds. */
const SLICE = 250;

const DAY_MS = 86_400_000;

/** After this time, the results of a month's last submissions have arrived, because the service deletes them later. */
const SETTLED_AFTER_MS = 8 * DAY_MS;

type AddUpDeps = Pick<ResultDeps, 'reader' | 'sealer'>;

/** Adds up a month from what is stored about the contacts now. */
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
 * Returns a month's results. If none are stored, returns the current ones. `complete` is the number of days for which
 * all profiles are kept (`completeDays`).
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

/** Returns null for the mark of a month that is being added up. */
function open(
  sealer: Pick<Sealer, 'open'>,
  integrationId: string,
  { month, results }: StoredMonth,
): MonthResults | null {
  const text = sealer.open(results, monthResultsSealContext(integrationId, month));
  return resultsSchema.nullable().parse(JSON.parse(text));
}

/** Encrypted, each mark is different. */
const MARK = JSON.stringify(null);

/**
 * Stores past months that are not stored yet. Call it before the retention deletes their profiles. Can be repeated.
 * Needs no lease, because the first process that stores a month wins. `complete` is the number of days for which all
 * profiles are kept (`completeDays`).
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
  // A run has compared its clock with the service's, because a clock that is ahead must not end a month too early.
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
      // A person who was erased or whose profile was deleted in the meantime may be in the sums. Then `dropMonthsOf` has
      // deleted the mark, and the next run tries again.
      if (await replaceMonth(trx, integrationId, { month, results: sealed }, mark)) added += 1;
    });
  }
  return added;
}

/**
 * Returns the months from the month of `first` that end before `end` (both epoch ms), oldest first. A pure function.
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

/** A century. With this limit, a wrong clock cannot cause an endless loop. */
const MOST_MONTHS = 1_200;

/** Returns the time that a month spans. A pure function. */
export function toSpan(month: string): Span {
  const from = Date.parse(`${month}-01T00:00:00Z`);
  const start = new Date(from);
  return { from, until: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1) };
}
