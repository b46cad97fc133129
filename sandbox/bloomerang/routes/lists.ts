/** Parses the parameters of lists. The parameters are `skip`, `take`, IDs and times. */
import { z } from 'zod';
import { invalid } from '../core/errors.ts';
import type { Variant } from '../core/variant.ts';

const DEFAULT_TAKE = 50;

const pageSchema = z.object({
  skip: z.coerce.number().int().min(0).default(0),
  take: z.coerce.number().int().min(1).default(DEFAULT_TAKE),
});

/** Returns the range of a list that the request's parameters select. */
export function readPage(query: Readonly<Record<string, string>>, variant: Variant) {
  const parsed = pageSchema.safeParse(query);
  if (!parsed.success) throw invalid('skip and take must be whole numbers.');
  const { skip, take } = parsed.data;
  if (take > variant.maxTake && variant.largerTake === 'refuse') {
    throw invalid(`take must be between 1 and ${variant.maxTake}.`);
  }
  return { skip, take: Math.min(take, variant.maxTake) };
}

/** Parses IDs that are separated by pipes. Returns undefined if the parameter is missing. */
export function readIds(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  const ids = text.split('|').map(Number);
  if (ids.some((id) => !Number.isSafeInteger(id))) throw invalid('id must be a list of numbers.');
  return ids;
}

/** Parses a time in the time zone that responses use. */
export function readTime(text: string | undefined, { zoneMinutes }: Variant): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time)) throw invalid('lastModified must be a date.');
  return time - zoneMinutes * 60_000;
}

/** Returns a page of a list that is in memory. */
export function pageOf<Row>(
  rows: readonly Row[],
  total: number,
  { skip, take }: { skip: number; take: number },
  toBody: (row: Row) => object,
): object {
  const some = rows.slice(skip, skip + take).map(toBody);
  return listBody(some, { total, totalFiltered: rows.length, skip });
}

export function listBody(
  results: readonly object[],
  { total, totalFiltered, skip }: { total: number; totalFiltered: number; skip: number },
): object {
  return {
    Total: total,
    TotalFiltered: totalFiltered,
    Start: skip,
    ResultCount: results.length,
    Results: results,
  };
}
