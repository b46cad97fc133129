import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PartnerSandbox } from '../../sandbox/partner/index.ts';
import { control } from '../testbed/asking.ts';
import { type OpenApiDocument, type Operation, readDocument } from './openapi-document.ts';
import { ask, issueKey, playFaults, startPartner } from './partner.ts';

/** Responses contain ids that later requests need. After this number of rounds, all ids are known. */
const ROUNDS = 4;
/** The number of recent IDs that the test inserts into a path. */
const TRIED_IDS = 6;

describe('openapi.json', () => {
  it('the document lists every endpoint of the specification (sections 4.1, 4.3 and 4.4)', async () => {
    const { operations } = await readFrom(await startPartner());
    const listed = operations.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
    );
    expect(listed).toEqual(expect.arrayContaining(NAMED_ENDPOINTS));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('names the key and the limit in force', async () => {
    const { document } = await readFrom(await startPartner({ rate: 10, burst: 10 }));
    expect(document.openapi).toBe('3.1.0');
    expect(document.info['x-rate-limit']).toEqual({ requests_per_second: 10, burst: 10 });
    expect(document.security).toEqual([{ ApiKey: [] }]);
    expect(document.components.securitySchemes['ApiKey']).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
    });
  });

  it('the document describes every operation correctly, because requests built from it succeed', async () => {
    const partner = await startPartner();
    const api = await readFrom(partner);
    const known = await knownIds(partner);
    const open = new Set(inOrder(api.operations));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const operation of open) {
        if (await succeeds(partner, api, operation, known)) open.delete(operation);
      }
    }
    expect([...open].map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('the document describes the responses with 401, 403, 429 and 500 correctly', async () => {
    const partner = await startPartner();
    const api = await readFrom(partner);
    const { apiKey: expired } = await issueKey(partner, { deactivatesOn: '2020-01-01' });
    for (const operation of api.operations) {
      await playFaults(partner, []);
      await expectStatus(partner, api, operation, 403, null);
      await expectStatus(partner, api, operation, 401, expired);
      await playFaults(partner, [{ fault: { kind: 'throttle' } }]);
      await expectStatus(partner, api, operation, 429, partner.apiKey);
      await playFaults(partner, [{ fault: { kind: 'error' } }]);
      await expectStatus(partner, api, operation, 500, partner.apiKey);
    }
  });

  it('the document describes the response with 402 correctly for the operations that charge credits', async () => {
    const partner = await startPartner();
    const api = await readFrom(partner);
    const credits = { donors: 0, enhancements: 0, exports: 0, lists: 0, networks: 0, searches: 0 };
    const { apiKey } = await issueKey(partner, { credits });
    for (const operation of api.operations.filter(({ responses }) => '402' in responses)) {
      await expectStatus(partner, api, operation, 402, apiKey);
    }
    const charging = api.operations
      .filter(({ responses }) => '402' in responses)
      .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(charging).toEqual(expect.arrayContaining(CHARGING_ENDPOINTS));
  });

  it('the document describes the response with 422 to an unreadable body correctly', async () => {
    const partner = await startPartner();
    const api = await readFrom(partner);
    for (const operation of api.operations.filter(({ requestBody }) => requestBody !== undefined)) {
      const answer = await ask(partner, operation.method, pathWith(operation.path, 'x'), '{broken');
      expect(answer.status, `${operation.method} ${operation.path}`).toBe(422);
      check(api, operation, answer);
    }
  });
});

const CHARGING_ENDPOINTS = [
  'GET /donors/{}',
  'POST /donors/batch',
  'POST /enhancements',
  'POST /exports',
  'POST /lists/{}/donors',
  'POST /networks/{}/members/batch',
  'GET /search',
  'POST /search',
  'PUT /',
];

const NAMED_ENDPOINTS = [
  ...CHARGING_ENDPOINTS,
  'GET /networks',
  'POST /networks',
  'PUT /networks/{}',
  'POST /networks/{}/members',
  'GET /networks/jobs/{}',
  'POST /networks/{}/members/remove',
  'POST /networks/discover',
  'POST /networks/connections',
  'GET /networks/donors/{}/connections',
  'POST /networks/lookup',
  'GET /progress/{}',
  'POST /progress',
  'POST /',
  'POST /enhancements/results/batch',
  'GET /enhancements/{}/progress',
  'GET /enhancements/{}/explanation',
  'POST /enhancements/progress/batch',
  'GET /donors/health',
  'GET /search/health',
  'GET /docs',
  'GET /redoc',
  'GET /openapi.json',
  'GET /test',
  'GET /credits',
  'GET /donors/{}/metadata',
  'POST /donors/metadata/batch',
  'GET /exports',
  'GET /lists',
  'POST /lists',
  'GET /lists/{}',
  'PATCH /lists/{}',
  'DELETE /lists/{}',
  'POST /lists/{}/donors/remove',
];

async function readFrom(partner: PartnerSandbox): Promise<OpenApiDocument> {
  return readDocument((await ask(partner, 'GET', '/openapi.json')).body);
}

/** Values from the earlier responses, by field name. */
type Known = Map<string, unknown[]>;

async function knownIds(partner: PartnerSandbox): Promise<Known> {
  const { body } = await control(partner, 'GET', '/people?limit=50');
  const { people } = z
    .object({ people: z.array(z.object({ donorId: z.string().nullable() })) })
    .parse(body);
  return new Map([['donor_id', people.map(({ donorId }) => donorId).filter((id) => id !== null)]]);
}

/** Returns the operations in an order that creates objects first and deletes them last. */
function inOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ method, path }: Operation) =>
    method === 'DELETE' ? 3 : path.includes('{') ? 2 : 1;
  return operations.toSorted((a, b) => rank(a) - rank(b));
}

async function succeeds(
  partner: PartnerSandbox,
  api: OpenApiDocument,
  operation: Operation,
  known: Known,
): Promise<boolean> {
  const body = api.exampleBody(operation, (name) => known.get(name)?.at(-1));
  for (const path of pathsOf(operation, known)) {
    const answer = await ask(partner, operation.method, path, body);
    check(api, operation, answer);
    if (answer.status < 300) {
      remember(known, answer.body);
      return true;
    }
  }
  return false;
}

/** Returns the path with each ID that could fit, the latest first. */
function pathsOf({ path, parameters }: Operation, known: Known): string[] {
  const query = parameters.filter(
    (parameter) => parameter.in === 'query' && 'example' in parameter.schema,
  );
  const search = new URLSearchParams(
    query.map(({ name, schema }) => [name, String(schema['example'])]),
  );
  const [, before = '', name = ''] = /(\w+)\/\{(\w+)\}/.exec(path) ?? [];
  const ids = name === '' ? [''] : (known.get(nameOfId(before, name)) ?? []).slice(-TRIED_IDS);
  return ids.toReversed().map((id) => `${pathWith(path, String(id))}?${search}`);
}

/** Returns the name of an ID in a path. For example, `/lists/{id}` contains a list's ID. */
function nameOfId(before: string, name: string): string {
  return name === 'id' ? `${before.replace(/s$/, '')}_id` : name;
}

function pathWith(path: string, id: string): string {
  return path.replaceAll(/\{\w+\}/g, id);
}

function remember(known: Known, value: unknown, name = ''): void {
  if (Array.isArray(value)) {
    for (const item of value) remember(known, item, name.replace(/s$/, ''));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      remember(known, item, name === 'tracking_id_to_job_id' ? 'job_id' : key);
    }
  } else if (typeof value === 'string' && name.endsWith('_id') && name !== 'donor_id') {
    known.set(name, [...(known.get(name) ?? []), value]);
  }
}

async function expectStatus(
  partner: PartnerSandbox,
  api: OpenApiDocument,
  operation: Operation,
  status: number,
  apiKey: string | null,
): Promise<void> {
  const body = api.exampleBody(operation, () => undefined);
  const answer = await ask(partner, operation.method, pathWith(operation.path, 'x'), body, apiKey);
  expect(answer.status, `${operation.method} ${operation.path}`).toBe(status);
  check(api, operation, answer);
}

function check(
  api: OpenApiDocument,
  operation: Operation,
  answer: Awaited<ReturnType<typeof ask>>,
): void {
  api.check(operation, {
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? '',
    body: answer.body,
  });
}
