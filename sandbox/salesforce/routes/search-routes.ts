/**
 * The resource `/search`, which searches the text of records with SOSL. The resource `/parameterizedSearch` does the
 * same without SOSL.
 */

import { Hono } from 'hono';
import { z } from 'zod';
import { quoted } from '../core/database.ts';
import { SalesforceError } from '../core/errors.ts';
import { type Field, isStored, isText } from '../metadata/field.ts';
import type { ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { runQuery } from '../query/query.ts';
import { requiredQuery, type SalesforceContext, type SalesforceEnv } from '../requests/context.ts';

/** The maximum number of records that a search returns. */
const MAX_RECORDS = 2000;

/** Returns the resources of searches. */
export function searchRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get('/search', (c) => {
    const search = readSosl(org, c, requiredQuery(c, 'q'));
    const records = search.targets.flatMap((target) => findRecords(org, c, search, target));
    return c.json({ searchRecords: records.slice(0, search.limit) });
  });
  router.post('/parameterizedSearch', (c) => {
    const search = readParameters(org, c);
    const records = search.targets.flatMap((target) => findRecords(org, c, search, target));
    return c.json({ searchRecords: records.slice(0, search.limit) });
  });
  return router;
}

/** The body of a search without SOSL. The words have the same syntax as in SOSL, and parameters replace the clauses. */
const parametersSchema = z.object({
  q: z.string(),
  in: z.enum(['ALL', 'NAME', 'EMAIL', 'PHONE', 'SIDEBAR']).default('ALL'),
  fields: z.array(z.string()).default(['Id']),
  sobjects: z
    .array(
      z.object({
        name: z.string(),
        fields: z.array(z.string()).optional(),
        where: z.string().default(''),
        limit: z.int().min(1).max(MAX_RECORDS).optional(),
      }),
    )
    .default([]),
  overallLimit: z.int().min(1).max(MAX_RECORDS).default(MAX_RECORDS),
  defaultLimit: z.int().min(1).max(MAX_RECORDS).default(MAX_RECORDS),
});

function readParameters(org: Org, c: SalesforceContext): Search {
  const { data } = parametersSchema.safeParse(c.var.body);
  if (data === undefined) {
    throw new SalesforceError(400, 'JSON_PARSER_ERROR', 'The parameters of the search are wrong.');
  }
  const { q, sobjects, fields, overallLimit, defaultLimit } = data;
  const targets = sobjects.map(({ name, where, ...of }): Target => {
    const type = requireSearched(org, c, name);
    const rest = ` LIMIT ${of.limit ?? defaultLimit}`;
    return { type, fields: (of.fields ?? fields).join(', '), where, rest };
  });
  return {
    words: readWords(q),
    scope: data.in,
    targets: targets.length === 0 ? allTargets(org, c) : targets,
    limit: overallLimit,
  };
}

interface Search {
  words: readonly string[];
  /** The kind of fields to search. */
  scope: string;
  targets: readonly Target[];
  limit: number;
}

interface Target {
  type: ObjectType;
  fields: string;
  /** The SOQL clauses after the object: WHERE, ORDER BY and LIMIT. */
  where: string;
  rest: string;
}

const SOSL =
  /^\s*FIND\s*\{(?<words>(?:[^{}\\]|\\.)*)\}(?:\s+IN\s+(?<scope>ALL|NAME|EMAIL|PHONE)\s+FIELDS)?(?:\s+RETURNING\s+(?<returning>.*?))?(?:\s+LIMIT\s+(?<limit>\d+))?\s*$/is;

function readSosl(org: Org, c: SalesforceContext, sosl: string): Search {
  const groups = SOSL.exec(sosl)?.groups;
  if (groups === undefined) throw malformed('unexpected token in the search');
  const words = readWords(groups['words'] ?? '');
  const { returning } = groups;
  return {
    words,
    scope: (groups['scope'] ?? 'ALL').toUpperCase(),
    targets: returning === undefined ? allTargets(org, c) : readTargets(org, c, returning),
    limit: Math.min(Number(groups['limit'] ?? MAX_RECORDS), MAX_RECORDS),
  };
}

/** Splits a text into words. A reserved character counts as white space unless a backslash precedes it. */
function readWords(text: string): string[] {
  const words = text
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/^"|"$/g, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}*?@.]+/u)
    .filter((word) => word !== '' && word !== 'and');
  if (!words.some((word) => word.replaceAll(/[*?]/g, '').length > 1)) {
    throw malformed(`search term must be longer than one character: ${words.join(' ')}`);
  }
  return words;
}

function allTargets(org: Org, c: SalesforceContext): Target[] {
  return org.catalogue
    .list()
    .filter((type) => type.createable && !type.toolingOnly && type.mergeable)
    .filter((type) => org.access.canReadType(c.var.user, type))
    .map((type) => ({ type, fields: 'Id', where: '', rest: '' }));
}

function readTargets(org: Org, c: SalesforceContext, returning: string): Target[] {
  return splitOutside(returning).map((part) => {
    const match = /^\s*(\w+)\s*(?:\((.*)\))?\s*$/s.exec(part);
    if (match === null) throw malformed(`unexpected token: '${part.trim()}'`);
    const [, name = '', inside = 'Id'] = match;
    const type = requireSearched(org, c, name);
    const clauses = /^(.*?)(?:\s+WHERE\s+(.*?))?(\s+(?:ORDER\s+BY|LIMIT)\s+.*)?$/is.exec(inside);
    const [, fields = 'Id', where = '', rest = ''] = clauses ?? [];
    return { type, fields: fields.trim(), where, rest };
  });
}

function requireSearched(org: Org, c: SalesforceContext, name: string): ObjectType {
  const type = org.catalogue.get(name);
  if (!type.toolingOnly && org.access.canReadType(c.var.user, type)) return type;
  throw malformed(`entity type ${name} does not support search`);
}

/** Splits a text at commas that are not in parentheses. */
function splitOutside(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function findRecords(
  org: Org,
  c: SalesforceContext,
  { words, scope }: Search,
  { type, fields, where, rest }: Target,
): object[] {
  const { user, basePath } = c.var;
  const looked = type.fields.filter(
    (field) => isStored(field) && isInScope(field, scope) && org.access.canRead(user, type, field),
  );
  if (looked.length === 0) return [];
  const columns = looked.map(({ name }) => `coalesce(${quoted(name)}, '')`).join(` || ' ' || `);
  const patterns = words.map(toPattern);
  const rows = org.db
    .prepare<[], { id: string; text: string }>(
      `select "Id" as id, ${columns} as text from ${quoted(type.name)} where "IsDeleted" = 0`,
    )
    .all()
    .filter(({ text }) => patterns.every((pattern) => pattern.test(text)));
  if (rows.length === 0) return [];
  const ids = rows.slice(0, MAX_RECORDS).map(({ id }) => `'${id}'`);
  const condition = where.trim() === '' ? '' : ` AND (${where})`;
  const soql = `SELECT ${fields} FROM ${type.name} WHERE Id IN (${ids.join(', ')})${condition}${rest}`;
  return runQuery(org, soql, user, { basePath }).records(0, MAX_RECORDS);
}

function isInScope(field: Field, scope: string): boolean {
  if (scope === 'NAME') return /^(?:First|Last)?Name$/.test(field.name);
  if (scope === 'EMAIL') return field.type === 'email';
  return scope === 'PHONE' ? field.type === 'phone' : isText(field);
}

/**
 * Returns a pattern that matches a whole word. `*` represents any characters, and `?` represents a single character.
 */
function toPattern(word: string): RegExp {
  const escaped = word
    .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '[\\p{L}\\p{N}]*')
    .replaceAll('?', '[\\p{L}\\p{N}]');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu');
}

function malformed(message: string): SalesforceError {
  return new SalesforceError(400, 'MALFORMED_SEARCH', message);
}
