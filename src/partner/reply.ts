import type { z } from 'zod';
import type { Charge } from './buckets.ts';
import { AnswerLost, ReplyUnreadable } from './errors.ts';
import type { ReceivedFile } from './exchange.ts';

/** The content of a response, and its endpoint for error messages. */
export interface Reply {
  json: unknown;
  /** The file, or null if the operation does not read a file. */
  file: ReceivedFile | null;
  endpoint: string;
  charges: Charge;
}

/**
 * Parses a response with a schema. If this fails, throws an error with the field and the endpoint. The error is
 * `AnswerLost` if the request may have cost credits, and `ReplyUnreadable` otherwise.
 */
export function parseReply<Schema extends z.ZodType>(
  schema: Schema,
  reply: Reply,
): z.output<Schema> {
  const parsed = schema.safeParse(reply.json);
  if (parsed.success) return parsed.data;
  throw unreadable(reply, describeProblem(parsed.error));
}

/** Creates the error for a response that lacks required data. */
export function unreadable({ endpoint, charges }: Reply, problem: string): Error {
  return charges === null
    ? new ReplyUnreadable(endpoint, problem)
    : new AnswerLost(endpoint, charges, problem, null);
}

/**
 * Describes a response's problem: the first invalid field, and the reason. Leaves out values, because they may be about
 * a person.
 */
export function describeProblem(error: z.ZodError, within = ''): string {
  const [issue] = error.issues;
  const field = [within, shownPath(issue?.path ?? [])].filter((part) => part !== '').join('.');
  const expected =
    issue?.code === 'invalid_type' ? `${issue.expected} expected` : 'unexpected value';
  return `${field || 'the body'} is missing or malformed (${expected})`;
}

/**
 * The parts of a 422 response that donor-sync may show. Only places and types in the service document and in the
 * service's framework may be shown. A service may quote personal input in a place or a type, so donor-sync replaces any
 * other word with `?`.
 */

/** Replaces an unknown word. */
export const HIDDEN = '?';

const PLACES: ReadonlySet<string> = new Set([
  ...['body', 'query', 'path', 'header', 'content-type', 'x-api-key'],
  ...['persons', 'tracking_id', 'name', 'first', 'middle', 'last', 'addresses', 'employers'],
  ...['job_id', 'job_ids', 'donor_id', 'donor_ids', 'id', 'ids'],
  ...['network_id', 'network_ids', 'networks', 'list_id', 'list', 'lists', 'export_id', 'fields'],
  ...[
    'color',
    'description',
    'filters',
    'format',
    'key',
    'value',
    'in_network',
    'question',
    'query',
  ],
  ...['cursor', 'page', 'limit', 'offset', 'min_strength', 'max_strength', 'options'],
]);

/**
 * The types of pydantic version 2, which creates the service's errors. The list also contains words that services
 * derive from these types.
 */
const TYPES: ReadonlySet<string> = new Set([
  ...['missing', 'extra_forbidden', 'json_invalid', 'json_type', 'value_error', 'assertion_error'],
  ...['string_type', 'string_too_short', 'string_too_long', 'string_pattern_mismatch'],
  ...['string_sub_type', 'string_unicode', 'list_type', 'tuple_type', 'set_type', 'dict_type'],
  ...['mapping_type', 'iterable_type', 'model_type', 'model_attributes_type', 'none_required'],
  ...['int_type', 'int_parsing', 'int_parsing_size', 'int_from_float', 'float_type'],
  ...['float_parsing', 'finite_number', 'bool_type', 'bool_parsing', 'decimal_type'],
  ...['decimal_parsing', 'greater_than', 'greater_than_equal', 'less_than', 'less_than_equal'],
  ...['multiple_of', 'too_short', 'too_long', 'enum', 'literal_error', 'invalid_key'],
  ...['union_tag_invalid', 'union_tag_not_found', 'uuid_type', 'uuid_parsing', 'url_type'],
  ...['url_parsing', 'date_type', 'date_parsing', 'datetime_type', 'datetime_parsing', 'invalid'],
]);

/** Returns a type from a 422 response, or `?` if the type is unknown. */
export function shownType(type: string): string {
  return TYPES.has(type) ? type : HIDDEN;
}

/** The largest number that counts as an index. No list in a request has this many entries. */
const MOST_ENTRIES = 1_000;

/** Returns a place from a 422 response, with `?` for each part that may be free text. */
export function shownPlace(loc: readonly (string | number)[]): (string | number)[] {
  return loc.map((part) => {
    if (typeof part === 'string') return PLACES.has(part) ? part : HIDDEN;
    return Number.isInteger(part) && part >= 0 && part < MOST_ENTRIES ? part : HIDDEN;
  });
}

/**
 * Returns the path of a field in a response. Replaces unknown keys, because they come from the service and may be free
 * text.
 */
function shownPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) =>
      /^(?:[a-z][a-z0-9_]{0,39}|\d{1,4}|[0-9a-f-]{8,64})$/.test(String(part))
        ? String(part)
        : HIDDEN,
    )
    .join('.');
}
