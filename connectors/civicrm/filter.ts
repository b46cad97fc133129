/** Parses `contacts.filter`. The filter contains APIv4 conditions, as in CiviCRM's API Explorer. */
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigurationError } from '../../src/core/errors.ts';
import type { CivicrmApi, Where } from './api.ts';
import { NOT_IN_TRASH, PEOPLE } from './contact.ts';

const OPERATORS = [
  ...['=', '!=', '<>', '<', '<=', '>', '>=', 'LIKE', 'NOT LIKE', 'IN', 'NOT IN', 'CONTAINS'],
  ...['NOT CONTAINS', 'BETWEEN', 'NOT BETWEEN', 'IS NULL', 'IS NOT NULL', 'IS EMPTY'],
  ...['IS NOT EMPTY', 'REGEXP', 'NOT REGEXP'],
] as const;

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const leafSchema = z.union([
  z.tuple([z.string().min(1), z.enum(OPERATORS)]),
  z.tuple([z.string().min(1), z.enum(OPERATORS), z.union([scalar, z.array(scalar)])]),
]);

type Clause = z.output<typeof leafSchema> | ['AND' | 'OR' | 'NOT', Clause[]];

const clauseSchema: z.ZodType<Clause> = z.union([
  z.tuple([z.enum(['AND', 'OR', 'NOT']), z.lazy(() => z.array(clauseSchema).min(1))]),
  leafSchema,
]);

const filterSchema = z.array(clauseSchema).min(1);

const HELP =
  'Write a list of conditions as JSON or YAML, as the API Explorer of CiviCRM shows them: [["contact_sub_type:name", "CONTAINS", "Donor"]].';

/**
 * Parses the filter, or returns null if the settings contain no filter. Throws a ConfigurationError if the filter is
 * invalid.
 */
export function parseFilter(text: string | null): Where | null {
  if (text === null) return null;
  const { data } = filterSchema.safeParse(readYaml(text));
  if (data === undefined) throw invalidFilter('contacts.filter is not a list of conditions.');
  return data;
}

function readYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Throws a ConfigurationError if CiviCRM does not understand the filter. */
export async function requireFilter(api: CivicrmApi, filter: Where | null): Promise<void> {
  if (filter === null) return;
  const where = [PEOPLE, NOT_IN_TRASH, ...filter];
  const rows = await api.askIfAllowed('Contact', 'get', { select: ['id'], where, limit: 1 });
  if (rows === null) throw invalidFilter('CiviCRM does not understand contacts.filter.');
}

function invalidFilter(sentence: string): ConfigurationError {
  return new ConfigurationError(`${sentence} ${HELP}`, { code: 'crm_filter_invalid' });
}
