/**
 * The resource `/ui-api/records`. The route returns a record in the form that Lightning Data Service reads. The values
 * have the format that users see.
 */

import { Hono } from 'hono';
import { notFound, SalesforceError } from '../core/errors.ts';
import { readId } from '../core/ids.ts';
import { type Field, isNumeric } from '../metadata/field.ts';
import { findField, type ObjectType } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { runQuery } from '../query/query.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';

/** Returns the resource for single records in the User Interface API. */
export function recordUiRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get('/ui-api/records/:id', (c) => c.json(readForUi(c, org)));
  return router;
}

/**
 * Reads a record. All `fields` must exist, and the user must be able to read them. If the user cannot read a field in
 * `optionalFields`, the field is left out.
 */
function readForUi(c: SalesforceContext, org: Org) {
  const id = readId(c.req.param('id') ?? '');
  const type = org.catalogue
    .list()
    .find((one) => id !== null && !one.toolingOnly && id.startsWith(one.keyPrefix ?? '-'));
  if (id === null || type === undefined || !org.access.canReadType(c.var.user, type)) {
    throw notFound();
  }
  const [required, optional] = [namesIn(c, 'fields'), namesIn(c, 'optionalFields')];
  if (required.length + optional.length === 0) {
    throw new SalesforceError(400, 'ILLEGAL_QUERY_PARAMETER_VALUE', 'fields are required');
  }
  const readable = (name: string) => findReadable(org, c, type, name);
  const missing = required.filter((name) => readable(name) === undefined);
  if (missing.length > 0) {
    throw new SalesforceError(400, 'INVALID_FIELD', `No such column '${missing[0]}'`);
  }
  const fields = [...required, ...optional].flatMap((name) => readable(name) ?? []);
  const columns = [
    'Id',
    ...new Set(fields.map(({ name }) => name).filter((name) => name !== 'Id')),
  ];
  const soql = `SELECT ${columns.join(', ')} FROM ${type.name} WHERE Id = '${id}'`;
  const { user, basePath } = c.var;
  const [record] = runQuery(org, soql, user, { basePath, tooling: false }).records(0, 1);
  if (record === undefined) throw notFound();
  return {
    apiName: type.name,
    id,
    childRelationships: {},
    recordTypeInfo: null,
    fields: Object.fromEntries(
      fields.map((field) => [field.name, toUiValue(field, record[field.name] ?? null)]),
    ),
  };
}

function namesIn(c: SalesforceContext, parameter: string): string[] {
  return (c.req.queries(parameter) ?? []).flatMap((list) => list.split(',')).filter(Boolean);
}

/** Finds fields by name. A name starts with the object, as in `Contact.LastName`. */
function findReadable(
  org: Org,
  c: SalesforceContext,
  type: ObjectType,
  name: string,
): Field | undefined {
  const [object, column = ''] = name.split('.');
  if (object !== type.name) return undefined;
  const field = findField(type, column);
  return field !== undefined && org.access.canRead(c.var.user, type, field) ? field : undefined;
}

const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const NUMBER = new Intl.NumberFormat('en-US');
const TIME = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: 'America/Los_Angeles',
});

/** Returns a value for the response. A text has no display value. Lightning shows the text itself. */
function toUiValue(field: Field, value: unknown) {
  const isShown = typeof value === 'string' || typeof value === 'number';
  return { displayValue: isShown ? toDisplay(field, value) : null, value };
}

function toDisplay(field: Field, value: string | number): string | null {
  if (field.type === 'currency') return MONEY.format(Number(value));
  if (field.type === 'percent') return `${NUMBER.format(Number(value))}%`;
  if (isNumeric(field)) return NUMBER.format(Number(value));
  return field.type === 'datetime' ? TIME.format(new Date(value)) : null;
}
