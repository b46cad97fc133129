import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  Connector,
  ConnectorDeps,
  ConnectorOptions,
  ContactsSettings,
  Finding,
} from '../../../connectors/contract.ts';
import { defineSalesforceConnector } from '../../../connectors/salesforce/connector.ts';
import {
  type SalesforceSettings,
  salesforceSettingsSchema,
} from '../../../connectors/salesforce/settings.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { watchSending } from '../built-requests.ts';
import { connectorDeps } from '../connector-options.ts';

/** A request that a script receives. */
export interface Asked {
  method: string;
  /** The URL-decoded path and query. They start below `/services/data/v67.0` or at the root. */
  path: string;
  authorization: string | undefined;
  body: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Parsed JSON, or a string if the body is not JSON. */
  body?: unknown;
}

/** Returns the response to a request. Null means that a different script responds. */
export type Script = (asked: Asked) => Answer | null;

type Choices = [
  settings?: Record<string, unknown>,
  deps?: Partial<ConnectorDeps>,
  contacts?: ContactsSettings,
];

export interface ScriptedSalesforce {
  url: string;
  /** All requests, in order. */
  asked: Asked[];
  /** Later scripts take precedence over earlier ones. */
  script(script: Script): void;
  connector(...choices: Choices): Promise<Connector>;
  check(...choices: Choices): Promise<Finding[]>;
  close(): Promise<void>;
}

const ORG = '00D000000000001EAA';
const USER = '005000000000001AAA';
const BASE = '/services/data/v67.0';

/** Opens a Salesforce whose responses come from the test's scripts. It fails for requests that no script answers. */
export async function openScriptedSalesforce(): Promise<ScriptedSalesforce> {
  const asked: Asked[] = [];
  const scripts: Script[] = [];
  const server = createServer(async (request, response) => {
    const one = await askedOf(request).catch(() => null);
    if (one === null) return;
    asked.push(one);
    const answer = scripts.map((script) => script(one)).find((found) => found !== null);
    const { status = 200, headers = {}, body } = answer ?? { status: 404, body: [NOT_FOUND] };
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'content-type': isText ? 'text/csv' : 'application/json;charset=UTF-8',
      ...headers,
    });
    response.end(isText ? body : body === undefined ? '' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  scripts.push((one) => basics(one, url));
  const watch = watchSending(globalThis.fetch);
  const definition = defineSalesforceConnector({ fetch: watch.fetch, random: () => 0 });
  return {
    url,
    asked,
    script: (script) => scripts.unshift(script),
    connector: (...choices) => definition.open(optionsOf(url, ...choices)),
    check: (...choices) => definition.check(optionsOf(url, ...choices)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      watch.end();
    },
  };
}

function optionsOf(
  url: string,
  settings: Record<string, unknown> = {},
  deps: Partial<ConnectorDeps> = {},
  contacts: ContactsSettings = { filter: null, optOutField: null },
): ConnectorOptions<SalesforceSettings> {
  return {
    settings: salesforceSettingsSchema.parse({
      kind: 'salesforce',
      url,
      auth: { type: 'clientCredentials', clientId: 'app', clientSecret: 'secret' },
      ...settings,
    }),
    contacts,
    deps: { ...connectorDeps(), clock: HASTY_CLOCK, ...deps },
  };
}

/** Waits end immediately, so a test of retries takes no time. */
const HASTY_CLOCK = { now: systemClock.now, sleep: () => Promise.resolve() };

const NOT_FOUND = { errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' };

/** Returns the response to a query with these records. */
export function records(...rows: object[]): Answer {
  return { body: { totalSize: rows.length, done: true, records: rows } };
}

/** Returns an error in the form that Salesforce uses in the body of a refused request. */
export function refused(status: number, errorCode: string, message = errorCode): Answer {
  return { status, body: [{ errorCode, message, fields: [] }] };
}

/** Returns a field in the form that a description uses. */
export function field(name: string, more: object = {}) {
  return { name, label: name, type: 'string', length: 80, updateable: true, ...more };
}

/** Responds to a sign-in and to a reading of Contact without extra fields. No contact is merged. */
function basics({ path }: Asked, url: string): Answer | null {
  if (path === '/services/oauth2/token') {
    const id = `${url}/id/${ORG}/${USER}`;
    return { body: { access_token: 'first-token', instance_url: url, id, token_type: 'Bearer' } };
  }
  if (path === '/services/oauth2/userinfo') {
    return { body: { user_id: USER, organization_id: ORG } };
  }
  if (path === '/sobjects/Contact/describe') {
    const names = ['Id', 'FirstName', 'LastName', 'MailingCity', 'AccountId', 'Note__c'];
    return { body: { updateable: true, fields: names.map((name) => field(name)) } };
  }
  return path.startsWith(MERGED) ? records() : null;
}

/** The query that a full reading uses to find merged contacts. */
export const MERGED = '/queryAll?q=SELECT Id, MasterRecordId,';

async function askedOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = decodeURIComponent((request.url ?? '').replaceAll('+', ' '));
  return {
    method: request.method ?? '',
    path: path.startsWith(BASE) ? path.slice(BASE.length) : path,
    authorization: request.headers.authorization,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address !== null && typeof address === 'object') return address.port;
  throw new Error('The server has no port.');
}
