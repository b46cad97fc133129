/** Searches records as they were a moment ago, because HubSpot's search index is updated with a delay. */

import { z } from 'zod';
import type { Database } from '../core/database.ts';
import type { ObjectType } from '../core/object-type.ts';
import type { Properties } from '../properties/properties.ts';
import { type RecordRow, type StoredRecord, toRecord } from '../records/record.ts';
import { RECORD_COLUMNS, visibleCondition } from '../records/record-rows.ts';
import type { LateRecords } from './late-records.ts';
import {
  type Bounds,
  boundsOf,
  type Condition,
  groupsCondition,
  sortExpression,
  type Vocabulary,
} from './search-condition.ts';
import type { SearchRequest } from './search-request.ts';

/**
 * The order of results without a requested order: by creation time. The creation time of a merged contact is the
 * creation time of its oldest part.
 */
const UNSORTED = 'createdate';

/** The number of results above which records are read in the order of their IDs and not sorted afterwards. */
const MAX_SORTED = 20_000;

export interface SearchResult {
  /** The total number of results. */
  total: number;
  /** The records on the requested page of results. */
  records: StoredRecord[];
}

/** Searches an account. Throws if the search contains an unknown name. */
export type Search = (type: ObjectType, request: SearchRequest) => SearchResult;

/**
 * Opens the search in a database. `lagMs` is the delay of the index, and `late` contains records with a longer delay.
 */
export function createSearch(
  db: Database,
  properties: Properties,
  { clock, lagMs, late }: { clock: () => number; lagMs: number; late: Pick<LateRecords, 'of'> },
): Search {
  db.function('contains_token', { deterministic: true }, (text, token) =>
    toBit(containsToken(toText(text), toText(token))),
  );
  db.function('has_words', { deterministic: true }, (record, words, names) =>
    toBit(hasWords(toText(record), toText(words), toText(names).split(' '))),
  );
  // Changes are stored in the order of time. The query therefore starts with the latest change and reads backwards.
  const lastSeen = db
    .prepare<[number], number>(
      'select version from versions where replaced_at_ms <= ? order by version desc limit 1',
    )
    .pluck();
  const seenAfter = (lag: number) => lastSeen.get(clock() - lag) ?? 0;

  /**
   * Returns a condition for changes that the index does not contain yet, or null if there can be no such changes. The
   * condition covers only changes of records of one type.
   */
  function unseenChanges(type: ObjectType): Condition | null {
    const unseen = [
      ...(lagMs > 0 ? [{ sql: 'version > ?', values: [seenAfter(lagMs)] }] : []),
      ...[...late.of(type)].map(([id, lag]) => ({
        sql: 'id = ? and version > ?',
        values: [id, seenAfter(Math.max(lag, lagMs))],
      })),
    ];
    if (unseen.length === 0) return null;
    const sql = unseen.map((one) => `(${one.sql})`).join(' or ');
    return {
      sql: `+type = ? and (${sql})`,
      values: [type.name, ...unseen.flatMap(({ values }) => values)],
    };
  }

  function isBehind({ sql, values }: Condition): boolean {
    const found = db.prepare<unknown[]>(`select 1 from versions where ${sql} limit 1`);
    return found.get(...values) !== undefined;
  }

  return (type, request) => {
    const unseen = unseenChanges(type);
    const source =
      unseen !== null && isBehind(unseen)
        ? formerRecords(type, unseen)
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

/** Returns the records with these changes reverted. For each value, the oldest of its former values is used. */
function formerRecords({ name }: ObjectType, unseen: Condition): Condition {
  return {
    sql: `(with changes as (select * from versions where ${unseen.sql}),
      firsts as (select *, min(version) from changes group by id),
      olds as (select changes.id, key, value, min(version)
        from changes, json_each(former_values) group by changes.id, key),
      patches as (select id, json_group_object(key, value) as patch from olds group by id),
      formers as (select record.id, created_at_ms, firsts.modified_at_ms, firsts.archived_at_ms,
          firsts.merged_into, json_patch(properties, coalesce(patch, '{}')) as properties
        from firsts join ${name} as record using (id) left join patches using (id)
        where existed = 1)
      select ${RECORD_COLUMNS} from ${name} where id not in (select id from firsts)
      union all select id, created_at_ms, modified_at_ms, archived_at_ms, merged_into,
        nullif(properties ->> '$.email', ''), properties from formers)`,
    values: unseen.values,
  };
}

function allConditions(vocabulary: Vocabulary, { groups, query }: SearchRequest): Condition {
  const visible = visibleCondition(vocabulary.type.name);
  const filter = groupsCondition(vocabulary, groups);
  const condition = { ...filter, sql: `${visible} and ${filter.sql}` };
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
  const name = request.sort?.propertyName ?? UNSORTED;
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

/**
 * Returns the SQL for the order. SQLite can use an index only for a column without a `+` sign. The function omits the
 * `+` sign only where an index helps.
 */
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

/** Returns true if the text contains the words next to each other. `*` matches any part of a word. */
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

/** Returns true if each word matches the start of a word in the record. */
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
