/**
 * Tests jsforce's classes with our HTTP client. After an upgrade, jsforce must still not use its own HTTP client and
 * its own retries.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createApi, type SalesforceApi } from '../../../connectors/salesforce/api.ts';
import {
  createClient,
  GuardedConnection,
  GuardedOAuth2,
} from '../../../connectors/salesforce/client.ts';
import { salesforceSettingsSchema } from '../../../connectors/salesforce/settings.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { DonorSyncError } from '../../../src/core/errors.ts';
import { MAX_ANSWER_BYTES } from '../../../src/outbound/exchange.ts';
import { connectorDeps } from '../connector-options.ts';
import { answerJson, listen, textsOf } from '../library-probes.ts';

interface Seen {
  method: string;
  path: string;
  authorization: string | undefined;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** These values must not reach a message, a log or a different address. */
const MARK = 'Wilhelmina-Marked-Name';

const DESCRIBE = '/services/data/v67.0/sobjects/Contact/describe';

describe('jsforce', () => {
  let url: string;
  let seen: Seen[];
  let answer: Answer;
  let tokens: number;
  let close: () => Promise<void>;

  beforeEach(async () => {
    seen = [];
    tokens = 0;
    answer = answerJson(200, {});
    ({ url, close } = await listen((request, response) => {
      const { method = '', url: path = '', headers } = request;
      seen.push({ method, path, authorization: headers.authorization });
      if (path !== '/services/oauth2/token') return answer(request, response);
      tokens += 1;
      const id = `${url}/id/00D000000000001EAA/005000000000001AAA`;
      answerJson(200, { access_token: `token-${tokens}`, instance_url: url, id })(
        request,
        response,
      );
    }));
  });

  afterEach(() => close());

  function api(signal: AbortSignal = new AbortController().signal): SalesforceApi {
    const settings = salesforceSettingsSchema.parse({
      kind: 'salesforce',
      url,
      auth: { type: 'clientCredentials', clientId: 'app', clientSecret: 'secret' },
    });
    const clock = { now: systemClock.now, sleep: () => Promise.resolve() };
    const deps = { ...connectorDeps(), clock, signal };
    return createApi(settings, deps, { fetch: globalThis.fetch, random: () => 0 });
  }

  const requests = () => seen.filter(({ path }) => path !== '/services/oauth2/token');

  it.each([302, 307])(
    'follows no redirect to another origin with the token (%i)',
    async (status) => {
      const elsewhere: Seen[] = [];
      const other = await listen(({ method = '', url: path = '', headers }, response) => {
        elsewhere.push({ method, path, authorization: headers.authorization });
        response.end('{}');
      });
      onTestFinished(() => other.close());
      answer = (_, response) => response.writeHead(status, { location: `${other.url}/x` }).end();
      for (const request of everyRequest(api())) {
        await expect(request()).rejects.toMatchObject({ kind: 'configuration' });
      }
      expect(elsewhere).toEqual([]);
    },
  );

  it('gives up a 401 that stays after few requests', async () => {
    answer = answerJson(401, [{ errorCode: 'INVALID_SESSION_ID', message: 'Session expired' }]);
    await expect(api().describe('Contact')).rejects.toMatchObject({ code: 'crm_unauthorized' });
    expect(requests().length).toBeLessThanOrEqual(4);
    expect(tokens).toBeLessThanOrEqual(4);
  });

  it('reads no more of a body than our limit', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"fields":"');
      response.end('x'.repeat(MAX_ANSWER_BYTES + 1));
    };
    await expect(api().describe('Contact')).rejects.toMatchObject({ kind: 'retriable' });
    expect(requests()).toHaveLength(1);
  });

  it('ends at once with a run that is stopped while the org is silent', async () => {
    const controller = new AbortController();
    answer = () => controller.abort();
    const org = api(controller.signal);
    await expect(org.describe('Contact')).rejects.toMatchObject({ code: 'interrupted' });
    expect(requests()).toHaveLength(1);
  });

  it('hands over three pages of a Bulk API result as they come, and asks for each once', async () => {
    const pages = ['Id\n1\n', 'Id\n2\n', 'Id\n3\n'];
    answer = ({ url: path = '' }, response) => {
      const at = Number(new URL(path, url).searchParams.get('locator') ?? 0);
      const locator = at < 2 ? String(at + 1) : 'null';
      response.writeHead(200, { 'content-type': 'text/csv', 'sforce-locator': locator });
      response.end(pages[at]);
    };
    const org = api();
    const read: string[] = [];
    for (let locator: string | null = ''; locator !== 'null'; ) {
      const { headers, chunks } = await org.download(`/jobs/query/750A/results?locator=${locator}`);
      for await (const chunk of chunks) read.push(Buffer.from(chunk).toString('utf8'));
      locator = headers.get('sforce-locator');
    }
    expect(read).toEqual(pages);
    expect(requests()).toHaveLength(3);
  });

  it('begins an upload again from its first byte after a new sign-in', async () => {
    const bodies: string[] = [];
    answer = async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      answerJson(bodies.length === 1 ? 401 : 201, {})(request, response);
    };
    await api().upload('/jobs/ingest/750A/batches', async function* () {
      yield Buffer.from('Id,Note__c\n');
      yield Buffer.from('003,x\n');
    });
    expect(bodies).toEqual(['Id,Note__c\n003,x\n', 'Id,Note__c\n003,x\n']);
  });

  it.each([
    ['a refused request', 400, [{ errorCode: 'INVALID_FIELD', message: `No ${MARK}` }]],
    [
      'several errors',
      400,
      [
        { errorCode: 'A', message: MARK },
        { errorCode: 'B', message: MARK },
      ],
    ],
    ['a page of a proxy', 403, `<html>${MARK}</html>`],
    ['an error under a good status', 200, [{ errorCode: 'X', message: MARK }]],
    ['no JSON under a good status', 200, MARK],
  ])('says nothing of the body of %s', async (_, status, body) => {
    answer = answerJson(status, body);
    const org = api();
    for (const request of [() => org.openUpdateJob(), () => org.checkJob('query', '750A')]) {
      const error = await request().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DonorSyncError);
      expect(textsOf(error)).not.toContain(MARK);
    }
  });

  it('leads an absolute address in an answer nowhere', async () => {
    const org = api();
    await expect(org.get('https://elsewhere.example/services/data')).rejects.toMatchObject({
      code: 'crm_address_refused',
    });
    expect(requests()).toEqual([]);
  });

  it('has neither a token nor anything to renew a session with', () => {
    const connection = new GuardedConnection('67.0', () => Promise.reject(new Error('not sent')));
    expect(connection.accessToken).toBeUndefined();
    expect(connection.refreshToken).toBeUndefined();
    expect(connection._refreshDelegate).toBeUndefined();
    expect(connection.instanceUrl).toBe('https://org.invalid');
  });

  it('sends everything through `carry`: what it does not carry never arrives', async () => {
    const carried: string[] = [];
    const carry = async ({ method, url: path }: { method: string; url: string }) => {
      carried.push(`${method} ${path}`);
      return {
        status: 200,
        headers: new Headers(),
        text: '{"id":"750A"}',
        chunks: (async function* () {})(),
      };
    };
    for (const request of everyRequest(createClient('67.0', carry))) await request();
    const app = new GuardedOAuth2({ loginUrl: url, clientId: 'app' }, carry);
    await app.requestToken({ grant_type: 'client_credentials' });
    await app.revokeToken('token');
    expect(carried).toEqual([
      'GET /services/data/v67.0/query?q=x',
      'POST /services/data/v67.0/composite',
      `GET ${DESCRIBE}`,
      'GET /services/data/v67.0/limits',
      'PATCH /services/data/v67.0/composite/sobjects',
      'POST /services/data/v67.0/jobs/ingest',
      'POST /services/data/v67.0/jobs/query',
      'GET /services/data/v67.0/jobs/ingest/750A',
      'GET /services/data/v67.0/jobs/query/750A',
      'PATCH /services/data/v67.0/jobs/ingest/750A',
      'PATCH /services/data/v67.0/jobs/query/750A',
      'PUT /services/data/v67.0/jobs/ingest/750A/batches',
      'GET /services/data/v67.0/jobs/query/750A/results',
      `POST ${url}/services/oauth2/token`,
      `POST ${url}/services/oauth2/revoke`,
    ]);
    expect(seen).toEqual([]);
  });
});

/** Lists each request that the connector can send, in a fixed order. */
function everyRequest(org: Omit<SalesforceApi, 'signIn' | 'limit' | 'serverTimeMs'>) {
  return [
    () => org.get('/query?q=x'),
    () => org.send('POST', '/composite', {}),
    () => org.describe('Contact'),
    () => org.limits(),
    () => org.updateContacts([{ id: '003', values: { Note__c: MARK } }]),
    () => org.openUpdateJob(),
    () => org.openQueryJob('x'),
    () => org.checkJob('ingest', '750A'),
    () => org.checkJob('query', '750A'),
    () => org.closeJob('750A'),
    () => org.abortJob('query', '750A'),
    () => org.upload('/jobs/ingest/750A/batches', async function* () {}),
    () => org.download('/jobs/query/750A/results'),
  ];
}
