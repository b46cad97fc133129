/**
 * Reads the fields of contacts in the same request that writes the fields. Other users may have typed values since
 * donor-sync read the contacts. The query finds other users' values right before the write replaces them, without an
 * additional request.
 */
import { z } from 'zod';
import type { FieldValues } from '../../../src/core/crm-field.ts';
import type { Overwritten } from '../../contract.ts';
import type { ObjectDescription } from '../describe.ts';
import { parseFault, readAs, requestError } from '../errors.ts';
import { contactIdOrText } from '../ids.ts';
import {
  type ColumnReader,
  createColumnReader,
  queryPath,
  quotedList,
  recordSchema,
} from '../query.ts';
import type { SalesforceSession } from '../session.ts';
import { canonicalValue } from '../values.ts';
import type { SentChange } from './refusals.ts';

/**
 * The maximum number of queries. A composite request may contain five queries and collections, and one of them is the
 * write.
 */
const MOST_QUERIES = 4;

/** The maximum length of an address. Salesforce accepts 16,384 characters for the address and the headers together. */
const MAX_PATH_LENGTH = 12_000;

/**
 * Salesforce's code for a value that it cannot parse. If Salesforce cannot parse a value, the whole write fails, and
 * the caller searches for the value.
 */
const UNREADABLE_VALUE = 'JSON_PARSER_ERROR';

const replySchema = z.object({
  compositeResponse: z.array(
    z.object({ referenceId: z.string(), httpStatusCode: z.number(), body: z.unknown() }),
  ),
});

const foundSchema = z.object({ records: z.array(recordSchema) });

/** The response to a write, and the changes with the values that the write replaced without the caller's knowledge. */
export interface Looked {
  reply: unknown;
  looked: SentChange[];
}

/**
 * Sends a collection of at most 200 records. If the caller passes the values that it has read, one composite request
 * first queries the fields and then writes them. The query and the write are two transactions. A value that a user
 * types in the milliseconds between the query and the write is lost. If the query fails, donor-sync still writes the
 * values.
 */
export async function sendWithLook(
  session: Pick<SalesforceSession, 'api' | 'settings' | 'description'>,
  changes: readonly SentChange[],
): Promise<Looked> {
  const { api, settings, description } = session;
  const contacts = changes.map(({ id, values }) => ({ id: contactIdOrText(id), values }));
  const queries = buildQueries(changes, description);
  if (queries.length > 0) {
    const root = `/services/data/v${settings.apiVersion}`;
    const reply = await api.send('POST', '/composite', {
      allOrNone: false,
      // Without the option that keeps the order, Salesforce may reorder requests that do not refer to each other.
      collateSubrequests: false,
      compositeRequest: [
        ...queries.map((path, at) => ({
          method: 'GET',
          url: root + path,
          referenceId: `before${at}`,
        })),
        {
          method: 'PATCH',
          url: `${root}/composite/sobjects`,
          referenceId: 'write',
          body: { allOrNone: false, records: contacts.map(toRecord) },
        },
      ],
    });
    const parts = readAs(replySchema, reply).compositeResponse;
    const write = parts.find(({ referenceId }) => referenceId === 'write');
    const looked = withOverwritten(changes, foundIn(parts), description);
    if (write !== undefined && write.httpStatusCode < 300) return { reply: write.body, looked };
    if (write !== undefined) {
      const fault = parseFault(write.httpStatusCode, JSON.stringify(write.body));
      if (fault.code === UNREADABLE_VALUE) throw requestError(fault);
    }
    // After a temporary failure, donor-sync repeats only the write, because writing the same values twice is harmless.
    return { reply: await api.updateContacts(contacts), looked };
  }
  return { reply: await api.updateContacts(contacts), looked: [...changes] };
}

function toRecord({ id, values }: { id: string; values: FieldValues }) {
  return { attributes: { type: 'Contact' }, id, ...values };
}

/**
 * Returns the addresses of the queries. Returns an empty list if there are no values to compare, or if too many queries
 * would be necessary.
 */
function buildQueries(changes: readonly SentChange[], { fields }: ObjectDescription): string[] {
  const compared = changes.filter(({ seen }) => seen !== undefined);
  const names = new Set(
    compared.flatMap(({ values, seen }) => Object.keys({ ...values, ...seen })),
  );
  const columns = [...names].filter((name) => fields.has(name));
  if (columns.length === 0) return [];
  const ids = compared.map(({ id }) => contactIdOrText(id));
  for (let count = 1; count <= MOST_QUERIES; count *= 2) {
    const size = Math.ceil(ids.length / count);
    const queries = Array.from({ length: count }, (_, at) =>
      lookPath(ids.slice(at * size, (at + 1) * size), columns),
    );
    if (queries.every((path) => path.length <= MAX_PATH_LENGTH)) return queries;
  }
  return [];
}

function lookPath(ids: readonly string[], columns: readonly string[]): string {
  const soql = `SELECT Id,LastModifiedById,${columns.join(',')} FROM Contact WHERE Id IN ${quotedList(ids)}`;
  return queryPath(soql, 'query');
}

type Part = z.infer<typeof replySchema>['compositeResponse'][number];

/**
 * Returns the records that the query found right before the write. The map's key is the record's ID. If a query failed,
 * the result lacks the query's records.
 */
function foundIn(parts: readonly Part[]): Map<string, ColumnReader> {
  const records = parts
    .filter(({ referenceId, httpStatusCode }) => referenceId !== 'write' && httpStatusCode < 300)
    .flatMap(({ body }) => foundSchema.safeParse(body).data?.records ?? []);
  return new Map(records.map((record) => [String(record['Id']), createColumnReader(record)]));
}

function withOverwritten(
  changes: readonly SentChange[],
  found: ReadonlyMap<string, ColumnReader>,
  description: ObjectDescription,
): SentChange[] {
  return changes.map((change) => {
    const read = found.get(contactIdOrText(change.id));
    const overwritten = read === undefined ? undefined : overwrittenIn(change, read, description);
    return { ...change, overwritten };
  });
}

function overwrittenIn(
  { values, seen = {} }: SentChange,
  read: ColumnReader,
  { fields }: ObjectDescription,
): Overwritten | undefined {
  const lost: FieldValues = Object.fromEntries(
    Object.entries(values).flatMap(([name, sent]) => {
      const field = fields.get(name);
      const raw = read(name);
      // If the response lacks a value, the user cannot see the value. A value that the response lacks is not
      // necessarily blank.
      if (field === undefined || raw === undefined || !Object.hasOwn(seen, name)) return [];
      const value = canonicalValue(raw, field);
      return value === (seen[name] ?? null) || value === sent ? [] : [[name, value]];
    }),
  );
  if (Object.keys(lost).length === 0) return undefined;
  const by = read('LastModifiedById');
  return { values: lost, by: typeof by === 'string' && USER_ID.test(by) ? by : null };
}

const USER_ID = /^005[a-zA-Z0-9]{12,15}$/;
