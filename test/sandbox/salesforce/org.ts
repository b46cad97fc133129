/** Starts a stand-in for a test and sends requests to the stand-in. */

import jsforce from 'jsforce';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type SalesforceSandbox,
  type SalesforceSandboxOptions,
  startSalesforceSandbox,
} from '../../../sandbox/salesforce/index.ts';
import { type Answer, type Message, postForm, send } from '../../testbed/asking.ts';

/** The path with which resources start. */
export const BASE_PATH = '/services/data/v67.0';

/** Starts a small org and closes it after the test. */
export async function startOrg(options: SalesforceSandboxOptions = {}): Promise<SalesforceSandbox> {
  const org = await startSalesforceSandbox({ contacts: 20, donors: 50, ...options });
  onTestFinished(() => org.close());
  return org;
}

/** Returns a connection of the real client with the org's first token. */
export function connect(org: SalesforceSandbox) {
  return new jsforce.Connection({
    instanceUrl: org.baseUrl,
    accessToken: org.token,
    version: '67.0',
  });
}

/** The parts of a request that a test can change. */
export interface AskOptions extends Message {
  token?: string;
}

/** Sends a request to the API. A path that does not start with `/services` is a resource. */
export function ask(
  org: SalesforceSandbox,
  method: string,
  path: string,
  { body, headers = {}, token = org.token }: AskOptions = {},
): Promise<Answer> {
  const url = org.baseUrl + (path.includes('/services') ? path : BASE_PATH + path);
  return send(url, method, { body, headers: { authorization: `Bearer ${token}`, ...headers } });
}

/** Sends a form to a sign-in endpoint. */
export function sendForm(
  org: SalesforceSandbox,
  path: string,
  form: Record<string, string>,
): Promise<Answer> {
  return postForm(`${org.baseUrl}/services/oauth2${path}`, form);
}

const pageSchema = z.object({
  totalSize: z.number(),
  done: z.boolean(),
  nextRecordsUrl: z.string().optional(),
  records: z.array(z.record(z.string(), z.unknown())),
});

/** Runs a SOQL query that must succeed. */
export async function query(org: SalesforceSandbox, soql: string, resource = 'query') {
  const { status, body } = await ask(org, 'GET', `/${resource}?q=${encodeURIComponent(soql)}`);
  if (status !== 200) throw new Error(`The query was refused: ${JSON.stringify(body)}`);
  return pageSchema.parse(body);
}

export async function column(
  org: SalesforceSandbox,
  soql: string,
  name = 'Id',
  resource = 'query',
): Promise<unknown[]> {
  return (await query(org, soql, resource)).records.map((record) => record[name]);
}

/** Runs a SOQL query that must fail. */
export async function queryError(org: SalesforceSandbox, soql: string) {
  const { status, body } = await ask(org, 'GET', `/query?q=${encodeURIComponent(soql)}`);
  const [error] = z
    .array(z.object({ errorCode: z.string(), message: z.string() }))
    .length(1)
    .parse(body);
  return { status, ...error };
}

/** Changes records in one request. Returns the outcomes in order. */
export async function update(
  org: SalesforceSandbox,
  records: Record<string, unknown>[],
  {
    allOrNone = false,
    headers = {},
  }: { allOrNone?: boolean; headers?: AskOptions['headers'] } = {},
): Promise<SaveResult[]> {
  const body = {
    allOrNone,
    records: records.map((record) => ({ attributes: { type: 'Contact' }, ...record })),
  };
  const answer = await ask(org, 'PATCH', '/composite/sobjects', { body, headers: headers ?? {} });
  return saveResults.parse(answer.body);
}

const saveResults = z.array(
  z.object({
    id: z.string().optional(),
    success: z.boolean(),
    errors: z.array(
      z.object({ statusCode: z.string(), message: z.string(), fields: z.array(z.string()) }),
    ),
  }),
);

/** The outcome of one record in a collection. */
export type SaveResult = z.infer<typeof saveResults>[number];

/** Returns the error codes of the outcomes. Null for a record that was written. */
export function codesOf(results: readonly SaveResult[]): (string | null)[] {
  return results.map(({ errors }) => errors[0]?.statusCode ?? null);
}

/** Returns the ids of the first contacts. */
export async function contactIds(org: SalesforceSandbox, count: number): Promise<string[]> {
  return z
    .array(z.string())
    .parse(await column(org, `SELECT Id FROM Contact ORDER BY Id LIMIT ${count}`));
}

/** Creates a custom field that the integration user can read and write. */
export async function addField(
  org: SalesforceSandbox,
  name: string,
  metadata: Record<string, unknown>,
): Promise<void> {
  const order = { FullName: `Contact.${name}`, Metadata: { label: name, ...metadata } };
  const created = await ask(org, 'POST', '/tooling/sobjects/CustomField', { body: order });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const [present] = await column(org, "SELECT Id FROM PermissionSet WHERE Name = 'Test'");
  const parent = present ?? (await createPermissionSet(org));
  await create(org, 'FieldPermissions', {
    ParentId: parent,
    SobjectType: 'Contact',
    Field: `Contact.${name}`,
    PermissionsRead: true,
    PermissionsEdit: true,
  });
}

async function createPermissionSet(org: SalesforceSandbox): Promise<string> {
  const id = await create(org, 'PermissionSet', { Name: 'Test', Label: 'Test' });
  const [userId] = await column(org, "SELECT Id FROM User WHERE Username LIKE 'integration@%'");
  await create(org, 'PermissionSetAssignment', { PermissionSetId: id, AssigneeId: userId });
  return id;
}

/** Creates a record that the org must accept. Returns the record's ID. */
export async function create(
  org: SalesforceSandbox,
  type: string,
  values: Record<string, unknown>,
): Promise<string> {
  const { status, body } = await ask(org, 'POST', `/sobjects/${type}`, { body: values });
  if (status !== 201) throw new Error(`${type} was refused: ${JSON.stringify(body)}`);
  return z.object({ id: z.string() }).parse(body).id;
}
