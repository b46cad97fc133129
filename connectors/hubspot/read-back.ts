/** Reads written values again, together with their history. The history shows the source of each change. */
import { z } from 'zod';
import type { FieldValues } from '../../src/core/crm-field.ts';
import type { AutomatedFields, Overwritten, ReadBack, WrittenFields } from '../contract.ts';
import { throwIfStopped } from '../requests/stopped.ts';
import { readAs } from './errors.ts';
import { GONE, unreadable } from './find-records.ts';
import { canonicalId, isRecordId, recordSchema } from './record.ts';
import type { HubspotSession } from './session.ts';
import { canonicalValue } from './values.ts';

const RECORDS_PER_REQUEST = 50;

/** The maximum difference (ms) between the times in HubSpot's headers and the times in HubSpot's history. */
const CLOCK_TOLERANCE_MS = 2_000;

const entrySchema = z.object({
  value: z.string().nullish(),
  timestamp: z.string(),
  sourceType: z.string(),
  sourceId: z.string().nullish(),
});

type HistoryEntry = z.infer<typeof entrySchema>;

const replySchema = z.object({
  results: z.array(
    recordSchema.extend({
      propertiesWithHistory: z.record(z.string(), z.array(entrySchema).nullable()).default({}),
    }),
  ),
  errors: z.array(z.object({ category: z.string().optional() })).default([]),
});

type RecordWithHistory = z.infer<typeof replySchema>['results'][number];

/** Returns one entry for each write, in the same order. */
export async function readBack(
  session: HubspotSession,
  writes: readonly WrittenFields[],
): Promise<ReadBack[]> {
  const read: ReadBack[] = [];
  for (let start = 0; start < writes.length; start += RECORDS_PER_REQUEST) {
    throwIfStopped(session.signal);
    read.push(...(await readSome(session, writes.slice(start, start + RECORDS_PER_REQUEST))));
  }
  return read;
}

async function readSome(
  session: HubspotSession,
  writes: readonly WrittenFields[],
): Promise<ReadBack[]> {
  const { api, clock } = session;
  const ids = new Set(writes.map(({ id }) => canonicalId(id) ?? id).filter(isRecordId));
  const names = [...new Set(writes.flatMap(({ fields }) => fields))];
  const records = await readWithHistory(session, [...ids], names);
  const byId = new Map(records.map((record) => [record.id, record]));
  const clockOffsetMs = (api.serverTimeMs() ?? clock.now()) - clock.now();
  return writes.map((write) => {
    const { id, fields, sentAtMs } = write;
    const record = byId.get(canonicalId(id) ?? id);
    // A merged record has a different ID and contains the values of two contacts.
    if (record === undefined) return { id, values: null, automated: [] };
    const writtenAtMs = sentAtMs + clockOffsetMs - CLOCK_TOLERANCE_MS;
    const values: FieldValues = Object.fromEntries(
      fields.flatMap((name) => {
        const property = session.properties.get(name);
        // If the response lacks a value, the token cannot see the value. The value is not necessarily blank.
        if (property === undefined || !Object.hasOwn(record.properties, name)) return [];
        return [[name, canonicalValue(record.properties[name], property)]];
      }),
    );
    const automated = fields.filter((name) =>
      isAutomated(session, record, write, name, writtenAtMs),
    );
    const overwritten = overwrittenIn(session, record, write, writtenAtMs);
    return { id, values, automated, ...(overwritten === null ? {} : { overwritten }) };
  });
}

/** Finds values that a workflow has derived from an app's value, at any time in the past. */
export async function findAutomated(
  session: HubspotSession,
  wanted: readonly { id: string; fields: readonly string[] }[],
): Promise<AutomatedFields[]> {
  const found: AutomatedFields[] = [];
  for (let start = 0; start < wanted.length; start += RECORDS_PER_REQUEST) {
    throwIfStopped(session.signal);
    const some = wanted.slice(start, start + RECORDS_PER_REQUEST);
    const ids = new Set(some.map(({ id }) => canonicalId(id) ?? id).filter(isRecordId));
    const names = [...new Set(some.flatMap(({ fields }) => fields))];
    const records = await readWithHistory(session, [...ids], names);
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const { id, fields } of some) {
      const record = byId.get(canonicalId(id) ?? id);
      if (record === undefined) continue;
      const madeFrom: FieldValues = Object.fromEntries(
        fields.flatMap((name) => {
          const property = session.properties.get(name);
          const original = findOriginal(record, name);
          if (property === undefined || original === null) return [];
          return [[name, canonicalValue(original.value, property)]];
        }),
      );
      if (Object.keys(madeFrom).length > 0) found.push({ id, madeFrom });
    }
  }
  return found;
}

/**
 * Returns the last value that an app has written, if only automation has changed the value since then. Returns null
 * otherwise.
 */
function findOriginal(record: RecordWithHistory, name: string): HistoryEntry | null {
  const history = newestFirst(record.propertiesWithHistory[name] ?? []);
  const [newest] = history;
  if (newest === undefined || !AUTOMATION.has(newest.sourceType)) return null;
  if ((newest.value ?? '') !== (record.properties[name] ?? '')) return null;
  const original = history.find(({ sourceType }) => !AUTOMATION.has(sourceType));
  return original !== undefined && APPS.has(original.sourceType) ? original : null;
}

async function readWithHistory(
  { api }: HubspotSession,
  ids: readonly string[],
  names: readonly string[],
): Promise<RecordWithHistory[]> {
  if (ids.length === 0 || names.length === 0) return [];
  const { results, errors } = readAs(
    replySchema,
    await api.readRecords('contacts', {
      ids,
      properties: names,
      propertiesWithHistory: names,
    }),
  );
  if (errors.some(({ category }) => category !== GONE)) throw unreadable('contacts');
  return results;
}

/** The sources of changes that users do not make: workflows, calculations and HubSpot's own data. */
const AUTOMATION: ReadonlySet<string> = new Set([
  'AUTOMATION_PLATFORM',
  'AUTOMATION_JOURNEY',
  'WORKFLOWS',
  'CALCULATED',
  'INTERNAL_PROCESSING',
  'DATA_ENRICHMENT',
]);

/** The sources that HubSpot's history shows for writes by apps and keys. */
const APPS: ReadonlySet<string> = new Set(['INTEGRATION', 'API']);

/**
 * Returns true if automation has set the current value after our write. If the last change has any other source, it
 * belongs to a user. If the history lacks the value that was sent, no app may have written before us.
 */
function isAutomated(
  { properties }: Pick<HubspotSession, 'properties'>,
  record: RecordWithHistory,
  { sent }: WrittenFields,
  name: string,
  writtenAtMs: number,
): boolean {
  const original = findOriginal(record, name);
  const property = properties.get(name);
  if (original === null || property === undefined) return false;
  if (sent !== undefined) return canonicalValue(original.value, property) === (sent[name] ?? null);
  const since = (record.propertiesWithHistory[name] ?? []).filter(
    ({ timestamp }) => parseTime(timestamp) >= writtenAtMs,
  );
  const apps = since.filter(({ sourceType }) => APPS.has(sourceType));
  return since.includes(original) && new Set(apps.map(({ sourceId }) => sourceId ?? '')).size === 1;
}

/** Returns other users' values that our write replaced. A replaced value is the last history entry before our write. */
function overwrittenIn(
  { properties }: Pick<HubspotSession, 'properties'>,
  { propertiesWithHistory }: RecordWithHistory,
  { fields, sent, seen }: WrittenFields,
  writtenAtMs: number,
): Overwritten | null {
  if (sent === undefined || seen === undefined) return null;
  const lost: HistoryEntry[] = [];
  const values: FieldValues = Object.fromEntries(
    fields.flatMap((name) => {
      const property = properties.get(name);
      if (property === undefined || !Object.hasOwn(seen, name)) return [];
      const history = newestFirst(propertiesWithHistory[name] ?? []);
      const ours = history.findIndex(
        ({ value, timestamp, sourceType }) =>
          APPS.has(sourceType) &&
          parseTime(timestamp) >= writtenAtMs &&
          canonicalValue(value, property) === (sent[name] ?? null),
      );
      // If the history contains no entry before our write, HubSpot has truncated the history, or the property was never
      // set before.
      const before = ours < 0 ? undefined : history[ours + 1];
      if (before === undefined) return [];
      const value = canonicalValue(before.value, property);
      if (value === (seen[name] ?? null) || value === (sent[name] ?? null)) return [];
      lost.push(before);
      return [[name, value]];
    }),
  );
  const [first] = lost;
  return first === undefined ? null : { values, by: findAuthor(first) };
}

/** Returns the user who made a change, or the source if the history names no user. */
function findAuthor({ sourceType, sourceId }: HistoryEntry): string | null {
  const user = /^userId:(\d{1,20})$/.exec(sourceId ?? '')?.[1];
  if (user !== undefined) return user;
  return /^[A-Z_]{1,40}$/.test(sourceType) ? sourceType : null;
}

function newestFirst(history: readonly HistoryEntry[]): HistoryEntry[] {
  return history.toSorted((one, other) => parseTime(other.timestamp) - parseTime(one.timestamp));
}

/** Parses a time in ISO format. Older API versions use epoch ms. */
function parseTime(timestamp: string): number {
  return /^\d+$/.test(timestamp) ? Number(timestamp) : Date.parse(timestamp);
}
