/** Converts a literal in a condition to a value of the compared field. */

import type { LiteralType } from '@jetstreamapp/soql-parser-js';
import { readId } from '../../core/ids.ts';
import { type Field, isNumeric, isText, type StoredValue } from '../../metadata/field.ts';
import { parseMoment } from '../../metadata/value.ts';
import type { QueryContext } from './context.ts';
import { type Span, spanOf } from './date-literal.ts';
import { malformed, queryError } from './query-error.ts';

/** The meaning of a literal, which is a value or a period of time. */
export type Literal = { kind: 'value'; value: StoredValue } | { kind: 'span'; span: Span };

/** Converts a literal. Throws an error with Salesforce's message if the field cannot be compared with the literal. */
export function readLiteral(
  context: QueryContext,
  field: Field,
  text: string,
  type: LiteralType | undefined,
): Literal {
  switch (type) {
    case 'NULL':
      return { kind: 'value', value: null };
    case 'DATE_LITERAL':
    case 'DATE_N_LITERAL':
      return readSpan(context, field, text);
    default:
      return { kind: 'value', value: readOne(context, field, text, type) };
  }
}

/** Returns a text without its quotes and escape sequences. */
export function readQuoted(text: string): string {
  return text
    .replace(/^'/, '')
    .replace(/'$/, '')
    .replaceAll(/\\u([0-9a-fA-F]{4})|\\(.)/g, (_, code, character) =>
      code === undefined
        ? (ESCAPES[character] ?? character)
        : String.fromCharCode(Number.parseInt(code, 16)),
    );
}

const ESCAPES: Partial<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function readOne(
  context: QueryContext,
  field: Field,
  text: string,
  type: LiteralType | undefined,
): StoredValue {
  const isQuoted = type === 'STRING';
  if (isIdentity(field)) {
    if (isQuoted) return readIdentity(context, field, readQuoted(text));
  } else if (isText(field)) {
    if (isQuoted) return readQuoted(text) === '' ? null : readQuoted(text);
  } else if (isNumeric(field)) {
    if (type === 'INTEGER' || type === 'DECIMAL') return Number(text);
  } else if (field.type === 'boolean') {
    if (type === 'BOOLEAN') return text.toUpperCase() === 'TRUE' ? 1 : 0;
  } else if (field.type === 'date') {
    if (type === 'DATE') return text;
  } else if (field.type === 'datetime' && type === 'DATETIME') {
    return parseMoment(text) ?? wrongType(context, field, text, isQuoted);
  }
  return wrongType(context, field, text, isQuoted);
}

function isIdentity(field: Field): boolean {
  return field.type === 'id' || field.type === 'reference';
}

function readIdentity(context: QueryContext, field: Field, text: string): StoredValue {
  if (text === '') return null;
  const id = readId(text);
  if (id !== null) return id;
  throw queryError(
    context.soql,
    'INVALID_QUERY_FILTER_OPERATOR',
    `invalid ID field: ${text}`,
    field.name,
  );
}

function readSpan(context: QueryContext, field: Field, text: string): Literal {
  if (field.type !== 'date' && field.type !== 'datetime') wrongType(context, field, text, false);
  const span = spanOf(text, context.nowMs);
  if (span === undefined) throw malformed(context.soql, `unexpected token: '${text}'`, text);
  return { kind: 'span', span };
}

function wrongType(context: QueryContext, field: Field, token: string, isQuoted: boolean): never {
  const wantsQuotes = isText(field) || isIdentity(field);
  const quotes =
    wantsQuotes === isQuoted ? '' : ` and should ${wantsQuotes ? '' : 'not '}be enclosed in quotes`;
  throw queryError(
    context.soql,
    'INVALID_FIELD',
    `value of filter criterion for field '${field.name}' must be of type ${soapType(field)}${quotes}`,
    token,
  );
}

/** Returns the type name that Salesforce's messages use. */
function soapType(field: Field): string {
  if (field.type === 'datetime') return 'dateTime';
  if (isText(field)) return 'string';
  return field.type === 'reference' ? 'id' : field.type;
}
