/** Searches records, as they were a moment ago: HubSpot's index follows its records with a delay. */

import { z } from 'zod';
import type { Database } from './database.ts';
import type { ObjectType } from './object-type.ts';
import type { Properties } from './properties.ts';
import { type RecordRow, type StoredRecord, toRecord } from './record.ts';
import { RECORD_COLUMNS } from './record-rows.ts';
import {
  type Bounds,
  boundsOf,
  type Condition,
  groupsCondition,
  sortExpression,
  type Vocabulary,
} from './search-condition.ts';
import type { SearchRequest } from './search-request.ts';

/** Where there are more results they are read in the order of their ids, rather than sorted by it. */
const MAX_SORTED = 20_000;

/** What a search finds. */
export interface SearchResult {
  /** How many records there are in all. */
  total: number;
  /** Those of the page. */
  records: StoredRecord[];
}

/** Searches an account; an error if the search names what does not exist. */
export type Search = (type: ObjectType, request: SearchRequest) => SearchResult;

/** Opens the searches of a database; `lagMs` is how far they are behind. */
export function createSearch(
  db: Database,
  properties: Properties,
  { clock, lagMs }: { clock: () => number; lagMs: number },
): Search {
  db.function('contains_token', { deterministic: true }, (text, token) =>
    toBit(containsToken(toText(text), toText(token))),
  );
  db.function('has_words', { deterministic: true }, (record, words, names) =>
    toBit(hasWords(toText(record), toText(words), toText(names).split(' '))),
  );
  const isBehind = db.prepare<[string, number]>(
    'select 1 from versions where type = ? and replaced_at_ms > ? limit 1',
  );

  return (type, request) => {
    const sinceMs = clock() - lagMs;
    const source =
      lagMs > 0 && isBehind.get(type.name, sinceMs) !== undefined
        ? formerRecords(type, sinceMs)
        : { sql: type.name, values: [] };
    const vocabulary = { type, properties };
    const condition = allConditions(vocabulary, request);
    const bounds = boundsOf(vocabulary, request.groups);
    const counted = countSql(source, condition, bounds);
    const total =
      db
        .prepare<unknown[], number>(counted.sql)
        .pluck()
        .get(...counted.values) ?? 0;
    const paged = pageSql(vocabulary, source, condition, { bounds, total, request });
    const rows = db.prepare<unknown[], RecordRow>(paged.sql).all(...paged.values);
    return { total, records: rows.map(toRecord) };
  };
}

const ACTIVE = 'archived_at_ms is null and merged_into is null';

/** The records with what has changed since a moment taken back. */
function formerRecords({ name }: ObjectType, sinceMs: number): Condition {
  const since = 'from versions where type = ? and replaced_at_ms > ?';
  return {
    sql: `(select ${RECORD_COLUMNS} from ${name} where id not in (select id ${since})
      union all select ${RECORD_COLUMNS} from versions
      where version in (select min(version) ${since} group by id) and existed = 1)`,
    values: [name, sinceMs, name, sinceMs],
  };
}

function allConditions(vocabulary: Vocabulary, { groups, query }: SearchRequest): Condition {
  const condition = groupsCondition(vocabulary, groups);
  if (query.trim() === '') return condition;
  return {
    sql: `${condition.sql} and has_words(properties, ?, ?)`,
    values: [...condition.values, query, vocabulary.type.searchedProperties.join(' ')],
  };
}

function countSql(source: Condition, condition: Condition, bounds: Bounds): Condition {
  const indexed = indexCondition(bounds, bounds.modifiedAtMs === null ? 'id' : 'time');
  return {
    sql: `select count(*) from ${source.sql} where ${ACTIVE} and ${indexed.sql} and ${condition.sql}`,
    values: [...source.values, ...indexed.values, ...condition.values],
  };
}

function pageSql(
  vocabulary: Vocabulary,
  source: Condition,
  condition: Condition,
  { bounds, total, request }: { bounds: Bounds; total: number; request: SearchRequest },
): Condition {
  const name = request.sort?.propertyName ?? 'hs_object_id';
  const isDescending = request.sort?.isDescending === true;
  const walksIds = name === 'hs_object_id' && (total > MAX_SORTED || bounds.modifiedAtMs === null);
  const indexed = indexCondition(bounds, walksIds ? 'id' : 'time');
  const order = orderOf(vocabulary, name, walksIds)
    .map((column) => (isDescending ? `${column} desc` : column))
    .join(', ');
  return {
    sql: `select ${RECORD_COLUMNS} from ${source.sql}
      where ${ACTIVE} and ${indexed.sql} and ${condition.sql} order by ${order} limit ? offset ?`,
    values: [
      ...source.values,
      ...indexed.values,
      ...condition.values,
      request.limit,
      request.offset,
    ],
  };
}

/** Only what an index is to be used for stands here without a sign before its column. */
function orderOf(vocabulary: Vocabulary, name: string, walksIds: boolean): string[] {
  if (name === 'hs_object_id') return [walksIds ? 'id' : '+id'];
  if (name === vocabulary.type.modifiedProperty) return ['modified_at_ms', 'id'];
  return [sortExpression(vocabulary, name), 'id'];
}

function indexCondition({ email, id, modifiedAtMs }: Bounds, by: 'id' | 'time'): Condition {
  if (email !== null) return { sql: 'email = ?', values: [email] };
  if (by === 'id' && id !== null) return { sql: 'id >= ?', values: [id] };
  if (by === 'time' && modifiedAtMs !== null) {
    return { sql: 'modified_at_ms >= ?', values: [modifiedAtMs] };
  }
  return { sql: 'true', values: [] };
}

/** Whether a text has these words next to each other; `*` stands for any part of a word. */
function containsToken(text: string, token: string): boolean {
  const words = token
    .toLowerCase()
    .split(/[^\p{L}\p{N}*]+/u)
    .filter(Boolean)
    .map((word) => word.split('*').join('[\\p{L}\\p{N}]*'));
  if (words.length === 0) return false;
  const pattern = `(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`;
  return new RegExp(pattern, 'u').test(text.toLowerCase());
}

const valuesSchema = z.record(z.string(), z.string());

/** Whether every one of the words begins a word of the record. */
function hasWords(record: string, words: string, names: readonly string[]): boolean {
  const values = valuesSchema.parse(JSON.parse(record));
  const text = names.map((name) => values[name] ?? '').join(' ');
  const present = toWords(text);
  return toWords(words).every((word) => present.some((one) => one.startsWith(word)));
}

function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toBit(holds: boolean): number {
  return holds ? 1 : 0;
}
