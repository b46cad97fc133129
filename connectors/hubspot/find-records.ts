import { z } from 'zod';
import { isRetriableError, RetriableError } from '../../src/core/errors.ts';
import type { HubspotApi } from './api.ts';
import { readAs } from './errors.ts';
import type { ObjectType } from './paths.ts';
import {
  type HubspotRecord,
  isRecordId,
  listMergedIds,
  MERGED_IDS,
  recordSchema,
} from './record.ts';

/** The maximum number of IDs in one request. HubSpot sets this limit. */
export const IDS_PER_REQUEST = 100;

/**
 * The state of a record. A record exists, continues under a different ID (`record`), or is gone. A record that is gone
 * is archived, or the token cannot see it for an unknown reason. The function `findArchived` tells archived records
 * from records that the token cannot see.
 */
export type FoundRecord =
  | { state: 'found'; record: HubspotRecord }
  | { state: 'merged'; into: string; record: HubspotRecord }
  | { state: 'gone' };

/** The category of the error for a record that does not exist. */
export const GONE = 'OBJECT_NOT_FOUND';

const replySchema = z.object({
  results: z.array(recordSchema),
  errors: z.array(z.object({ category: z.string().optional() })).default([]),
});

/** The statuses that a proxy returns if HubSpot takes too long. */
const TOO_LONG: ReadonlySet<unknown> = new Set([504, 524]);

/**
 * The minimum number of records in a request. If HubSpot takes too long, a request is split in half down to this
 * number.
 */
const LEAST_IDS = 25;

/**
 * Reads at most 100 records by ID in one request. If HubSpot takes too long, splits the request in half. A merged
 * record is returned under the ID under which it continues.
 */
export async function findRecords(
  api: Pick<HubspotApi, 'readRecords'>,
  type: ObjectType,
  ids: readonly string[],
  properties: readonly string[],
): Promise<Map<string, FoundRecord>> {
  try {
    return await findAtOnce(api, type, ids, properties);
  } catch (error) {
    const tookTooLong = isRetriableError(error) && TOO_LONG.has(error.details['status']);
    if (!tookTooLong || ids.length < 2 * LEAST_IDS) throw error;
    const middle = Math.ceil(ids.length / 2);
    const first = await findRecords(api, type, ids.slice(0, middle), properties);
    const second = await findRecords(api, type, ids.slice(middle), properties);
    return new Map([...first, ...second]);
  }
}

async function findAtOnce(
  api: Pick<HubspotApi, 'readRecords'>,
  type: ObjectType,
  ids: readonly string[],
  properties: readonly string[],
): Promise<Map<string, FoundRecord>> {
  const wanted = [...new Set(ids)].filter(isRecordId);
  const found = new Map<string, FoundRecord>(ids.map((id) => [id, { state: 'gone' }]));
  if (wanted.length === 0) return found;
  const { results, errors } = readAs(
    replySchema,
    await api.readRecords(type, {
      ids: wanted,
      properties: [...new Set([...properties, MERGED_IDS])],
    }),
  );
  // A record is reported as gone only if HubSpot says that the record does not exist. Any other failure gives no
  // information about the record.
  if (errors.some(({ category }) => category !== GONE)) throw unreadable(type);
  for (const record of results) {
    if (found.has(record.id)) found.set(record.id, { state: 'found', record });
    for (const id of idsBehind(record, wanted, results)) {
      found.set(id, { state: 'merged', into: record.id, record });
    }
  }
  return found;
}

/** Finds archived records. One call accepts at most 100 records. */
export async function findArchived(
  api: Pick<HubspotApi, 'readRecords'>,
  type: ObjectType,
  ids: readonly string[],
): Promise<Set<string>> {
  const wanted = [...new Set(ids)].filter(isRecordId);
  if (wanted.length === 0) return new Set();
  const { results, errors } = readAs(
    replySchema,
    await api.readRecords(type, { ids: wanted, properties: [], archived: true }),
  );
  if (errors.some(({ category }) => category !== 'OBJECT_NOT_FOUND')) throw unreadable(type);
  return new Set(results.flatMap(({ id, archived }) => (archived === true ? id : [])));
}

/**
 * Returns the requested IDs that HubSpot replaced with a different ID. If the caller requested only one ID, it can
 * identify the record without HubSpot's list of IDs.
 */
function idsBehind(
  record: HubspotRecord,
  wanted: readonly string[],
  results: readonly HubspotRecord[],
): string[] {
  const merged = listMergedIds(record).filter((id) => wanted.includes(id));
  if (merged.length > 0 || wanted.includes(record.id)) return merged;
  const unanswered = wanted.filter((id) => !results.some((result) => result.id === id));
  return unanswered.length === 1 ? unanswered : [];
}

/** Creates the error for records that HubSpot could not read. The failure contains no information about the records. */
export function unreadable(type: ObjectType): RetriableError {
  const message = `HubSpot could not read some ${type}. The next run continues from there.`;
  return new RetriableError(message, { code: 'crm_unavailable' });
}
