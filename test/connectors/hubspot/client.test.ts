/**
 * Tests HubSpot's generated classes with our HTTP client. After an upgrade, HubSpot's library must still not use its
 * own HTTP client and its own retries.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BatchApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/BatchApi.js';
import * as contacts from '@hubspot/api-client/lib/codegen/crm/contacts/index.js';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createApi, type HubspotApi } from '../../../connectors/hubspot/api.ts';
import {
  createRequests,
  type HubspotRequests,
  type LibraryRequest,
} from '../../../connectors/hubspot/client.ts';
import { createPacerRegistry } from '../../../connectors/hubspot/pacers.ts';
import { hubspotSettingsSchema } from '../../../connectors/hubspot/settings.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { DonorSyncError } from '../../../src/core/errors.ts';
import { MAX_ANSWER_BYTES } from '../../../src/outbound/exchange.ts';
import { connectorDeps } from '../connector-options.ts';
import { answerJson, listen, textsOf } from '../library-probes.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** These values must not reach a message, a log or a different address. */
const MARK = 'Wilhelmina-Marked-Name';

const DETAILS = /^\/account-info\//;

describe("HubSpot's library", () => {
  let url: string;
  let seen: string[];
  let answer: Answer;
  let close: () => Promise<void>;

  beforeEach(async () => {
    seen = [];
    answer = answerJson(200, {});
    ({ url, close } = await listen((request, response) => {
      const { method = '', url: path = '' } = request;
      if (DETAILS.test(path)) return answerJson(200, { portalId: 1 })(request, response);
      seen.push(`${method} ${path}`);
      return answer(request, response);
    }));
  });

  afterEach(() => close());

  function api(signal: AbortSignal = new AbortController().signal): HubspotApi {
    const auth = { type: 'token', token: 'a-token' };
    const settings = hubspotSettingsSchema.parse({ kind: 'hubspot', url, auth });
    const clock = { now: systemClock.now, sleep: () => Promise.resolve() };
    const deps = { ...connectorDeps(), clock, signal };
    const pacers = createPacerRegistry(systemClock);
    return createApi(settings, deps, { fetch: globalThis.fetch, random: () => 0, pacers });
  }

  it.each([302, 307])(
    'follows no redirect to another origin with the token or a contact (%i)',
    async (status) => {
      const elsewhere: string[] = [];
      const other = await listen(({ url: path = '' }, response) => {
        elsewhere.push(path);
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

  it('gives up a 401 that stays after one request', async () => {
    answer = answerJson(401, { status: 'error', category: 'INVALID_AUTHENTICATION' });
    const request = api().listRecords('contacts', { limit: 1 });
    await expect(request).rejects.toMatchObject({ code: 'crm_unauthorized' });
    expect(seen).toHaveLength(1);
  });

  it('reads no more of a body than our limit', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"results":"');
      response.end('x'.repeat(MAX_ANSWER_BYTES + 1));
    };
    const request = api().readRecords('contacts', { ids: ['1'], properties: [] });
    await expect(request).rejects.toMatchObject({ kind: 'retriable' });
    expect(seen).toHaveLength(1);
  });

  it('ends at once with a run that is stopped while HubSpot is silent', async () => {
    const controller = new AbortController();
    answer = () => controller.abort();
    const request = api(controller.signal).listRecords('contacts', { limit: 1 });
    await expect(request).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['a refused request', 400, { status: 'error', category: 'VALIDATION_ERROR', message: MARK }],
    ['a page of a proxy', 403, `<html>${MARK}</html>`],
  ])('says nothing of the body of %s', async (_, status, body) => {
    answer = answerJson(status, body);
    for (const request of everyRequest(api())) {
      const error = await request().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DonorSyncError);
      expect(textsOf(error)).not.toContain(MARK);
    }
  });

  it.each([200, 201, 202, 207])('takes any good status for one (%i)', async (status) => {
    const body = { results: [{ id: '1', kept: { as: 'it came' } }] };
    answer = answerJson(status, body);
    for (const request of everyRequest(api())) expect(await request()).toEqual(body);
  });

  describe.each([
    ['v3', '/crm/v3/objects', '/crm/v3/lists'],
    ['2026-09', '/crm/objects/2026-09', '/crm/lists/2026-09'],
  ] as const)('in version %s', (version, objects, lists) => {
    it('builds each request and sends none', async () => {
      const built: LibraryRequest[] = [];
      for (const build of everyRequest(createRequests(version))) built.push(await build());
      expect(built.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `GET ${objects}/contacts?limit=100&after=5&properties=a%2Cb&archived=true`,
        `GET ${objects}/companies?limit=1`,
        `POST ${objects}/contacts/batch/read?archived=true`,
        `POST ${objects}/companies/batch/read`,
        `POST ${objects}/contacts/batch/update`,
        `POST ${objects}/contacts/search`,
        `POST ${lists}/search`,
        `GET ${lists}/5`,
        `GET ${lists}/object-type-id/0-1/name/Board%20%2F%20%3F`,
        `POST ${lists}`,
        `GET ${lists}/5/memberships?after=7&limit=100`,
      ]);
      const bodies = built.flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body)]));
      expect(bodies).toEqual([
        { inputs: [{ id: '1' }], properties: ['a'], propertiesWithHistory: ['a'] },
        {
          inputs: [{ id: '1' }],
          properties: ['a'],
          propertiesWithHistory: [],
          idProperty: 'email',
        },
        { inputs: [{ id: '1', properties: { a: MARK }, objectWriteTraceId: '1' }] },
        SEARCH,
        {
          query: '',
          listIds: [],
          processingTypes: [],
          additionalProperties: [],
          count: 1,
          offset: 2,
        },
        LIST,
      ]);
      expect(seen).toEqual([]);
    });
  });
});

describe('records in a body', () => {
  const configuration = contacts.createConfiguration();
  const batches = new BatchApiRequestFactory(configuration);

  async function bodyOf(request: Promise<{ getBody(): unknown }>): Promise<unknown> {
    return JSON.parse(String((await request).getBody()));
  }

  it('are written as the library would write them', async () => {
    const ours = createRequests('v3');
    const updates = [
      { id: '1', properties: { a: MARK, 'b"inputs":[]': '' } },
      { id: '2', properties: {} },
    ];
    const inputs = updates.map((update) => ({ ...update, objectWriteTraceId: update.id }));
    const { body: written = '' } = await ours.updateContacts(updates);
    expect(JSON.parse(written)).toEqual(await bodyOf(batches.update({ inputs })));

    const batch = {
      properties: ['a', '"inputs":[]'],
      propertiesWithHistory: ['b'],
      idProperty: 'c',
    };
    const { body: read = '' } = await ours.readRecords('contacts', { ids: ['1', '2'], ...batch });
    const byLibrary = batches.read({ inputs: [{ id: '1' }, { id: '2' }], ...batch });
    expect(JSON.parse(read)).toEqual(await bodyOf(byLibrary));
  });
});

/** The search uses every kind of condition that the connector uses. */
const SEARCH = {
  filterGroups: [
    {
      filters: [
        { propertyName: 'a', operator: 'EQ', value: '1' },
        { propertyName: 'a', operator: 'IN', values: ['1', '2'] },
        { propertyName: 'a', operator: 'BETWEEN', value: '1', highValue: '2' },
      ],
    },
  ],
  sorts: [{ propertyName: 'hs_object_id', direction: 'DESCENDING' }],
  properties: ['a'],
  limit: 100,
  after: '0',
};

const BRANCH = { filters: [], filterBranches: [] };

const LIST = {
  name: 'Board',
  objectTypeId: '0-1',
  processingType: 'DYNAMIC',
  filterBranch: {
    ...BRANCH,
    filterBranchType: 'OR',
    filterBranchOperator: 'OR',
    filterBranches: [
      {
        ...BRANCH,
        filterBranchType: 'AND',
        filterBranchOperator: 'AND',
        filters: [
          {
            filterType: 'PROPERTY',
            property: 'a',
            operation: {
              operationType: 'NUMBER',
              operator: 'IS_GREATER_THAN',
              value: 3,
              includeObjectsWithNoValueSet: false,
            },
          },
        ],
      },
    ],
  },
};

/**
 * Lists the library functions that the connector uses. For each function, `Result` is the built request or the result
 * of a response.
 */
type Requests<Result> = {
  [Name in keyof HubspotRequests]: (...words: Parameters<HubspotRequests[Name]>) => Promise<Result>;
};

/** Lists each request that the library builds for the connector, in a fixed order. */
function everyRequest<Result>(hubspot: Requests<Result>) {
  return [
    () =>
      hubspot.listRecords('contacts', {
        limit: 100,
        properties: ['a', 'b'],
        archived: true,
        after: '5',
      }),
    () => hubspot.listRecords('companies', { limit: 1 }),
    () =>
      hubspot.readRecords('contacts', {
        ids: ['1'],
        properties: ['a'],
        propertiesWithHistory: ['a'],
        archived: true,
      }),
    () => hubspot.readRecords('companies', { ids: ['1'], properties: ['a'], idProperty: 'email' }),
    () => hubspot.updateContacts([{ id: '1', properties: { a: MARK } }]),
    () => hubspot.searchContacts(SEARCH),
    () => hubspot.searchLists({ count: 1, offset: 2 }),
    () => hubspot.findListById('5'),
    () => hubspot.findListByName('Board / ?'),
    () => hubspot.createList(LIST),
    () => hubspot.listMembers('5', { limit: 100, after: '7' }),
  ];
}
