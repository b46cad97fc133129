/**
 * Combines HubSpot's library, which knows the API, with our own functions that send requests. Its generated request
 * factories build paths, queries and bodies, and `api.ts` sends them. Only this file imports the library. The library
 * is loaded when the first request is sent. Each of its parts is loaded when it is needed. A process that does not use
 * HubSpot therefore loads nothing.
 *
 * The factories are the part of the generated classes that builds requests. The rest is not used. `Client` has one
 * limiter for the whole process and no deadline. It cannot use a different sender. The response processors drop fields
 * that their models do not know, and they convert times to objects. They take three times as long as parsing the JSON
 * (docs/decisions/0014-outbound.md). Our own schemas read the unchanged responses.
 *
 * Our own code (`get` and `post` of the API) builds these requests:
 *
 * - properties, their groups and their validations, because the models drop `dataSensitivity` and `numberDisplayHint`,
 *   and the validations have no class;
 * - account information, its usage, exchange rates, OAuth 2026-03 and introspection, because they have no class;
 * - signatures of webhooks, because `Signature.isValid` neither decodes the URI nor compares in constant time.
 */
// Imported first, because it replaces all functions with which the library could send requests.
import '../senders/without-senders.ts';

import { BasicApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/BasicApi.js';
import { BatchApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/BatchApi.js';
import { SearchApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/SearchApi.js';
import { RequestContext } from '@hubspot/api-client/lib/codegen/crm/contacts/http/http.js';
import { PublicObjectSearchRequest } from '@hubspot/api-client/lib/codegen/crm/contacts/models/PublicObjectSearchRequest.js';
import type { SimplePublicObjectBatchInput } from '@hubspot/api-client/lib/codegen/crm/contacts/models/SimplePublicObjectBatchInput.js';
import type { SimplePublicObjectId } from '@hubspot/api-client/lib/codegen/crm/contacts/models/SimplePublicObjectId.js';
import { type ApiVersion, CONTACT_TYPE_ID, datedPath, type ObjectType } from './paths.ts';

/** A request as built by the library. */
export interface LibraryRequest {
  method: string;
  /** The path with its query, relative to the address of the API. */
  path: string;
  /** JSON. */
  body?: string;
}

/** A page of records in the order of their IDs. */
export interface PageRequest {
  limit: number;
  properties?: readonly string[];
  archived?: boolean;
  /** The paging token from the previous page, or null for the first page. */
  after?: string | null;
}

/** A request for records by their IDs. */
export interface BatchRead {
  ids: readonly string[];
  /** Omitted if the IDs are record IDs. */
  idProperty?: string;
  properties: readonly string[];
  propertiesWithHistory?: readonly string[];
  archived?: boolean;
}

export interface ContactUpdate {
  id: string;
  properties: Record<string, string>;
}

export interface ListSearch {
  count: number;
  offset: number;
}

/** The requests that the library builds but does not send. */
export interface HubspotRequests {
  listRecords(type: ObjectType, page: PageRequest): Promise<LibraryRequest>;
  readRecords(type: ObjectType, batch: BatchRead): Promise<LibraryRequest>;
  updateContacts(updates: readonly ContactUpdate[]): Promise<LibraryRequest>;
  /** Returns the body of a search in the form that HubSpot documents. */
  searchContacts(body: object): Promise<LibraryRequest>;
  searchLists(search: ListSearch): Promise<LibraryRequest>;
  findListById(id: string): Promise<LibraryRequest>;
  findListByName(name: string): Promise<LibraryRequest>;
  createList(body: object): Promise<LibraryRequest>;
  listMembers(id: string, page: Pick<PageRequest, 'limit' | 'after'>): Promise<LibraryRequest>;
}

/** The library never receives HubSpot's address, so a request that it sent itself could not arrive there. */
const HUBSPOT = 'https://hubspot.invalid';

export function createRequests(version: ApiVersion): HubspotRequests {
  const configuration = configure(RequestContext, version);
  const contacts = {
    basic: new BasicApiRequestFactory(configuration),
    batch: new BatchApiRequestFactory(configuration),
    search: new SearchApiRequestFactory(configuration),
  };
  // The part is cached, because importing it again would cost more than building a request.
  const loadCompanies = once(() => loadCompanyFactories(version));
  const loadLists = once(() => loadListFactories(version));
  return {
    async listRecords(type, { limit, after, properties, archived }) {
      // HubSpot documents joined properties. The library would repeat the parameter's name for each property.
      const joined = properties === undefined ? undefined : [properties.join(',')];
      const words = [limit, after ?? undefined, joined, undefined, undefined, archived] as const;
      if (type === 'contacts') return toRequest(await contacts.basic.getPage(...words));
      const { basic } = await loadCompanies();
      return toRequest(await basic.getPage(...words));
    },
    async readRecords(type, { ids, idProperty, properties, propertiesWithHistory = [], archived }) {
      const inputs: SimplePublicObjectId[] = ids.map((id) => ({ id }));
      const body = {
        inputs: [],
        properties: [...properties],
        propertiesWithHistory: [...propertiesWithHistory],
        ...(idProperty === undefined ? {} : { idProperty }),
      };
      if (type === 'contacts')
        return withRecords(inputs, toRequest(await contacts.batch.read(body, archived)));
      const { batch } = await loadCompanies();
      return withRecords(inputs, toRequest(await batch.read(body, archived)));
    },
    async updateContacts(updates) {
      const inputs: SimplePublicObjectBatchInput[] = updates.map(({ id, properties }) => ({
        id,
        properties,
        objectWriteTraceId: id,
      }));
      return withRecords(inputs, toRequest(await contacts.batch.update({ inputs: [] })));
    },
    async searchContacts(body) {
      const request = Object.assign(new PublicObjectSearchRequest(), body);
      return toRequest(await contacts.search.doSearch(request));
    },
    async searchLists(search) {
      const { lists } = await loadLists();
      return toRequest(await lists.doSearch({ ...EMPTY_LIST_SEARCH, ...search }));
    },
    async findListById(id) {
      const { lists } = await loadLists();
      return toRequest(await lists.getById(id));
    },
    async findListByName(name) {
      const { lists } = await loadLists();
      return toRequest(await lists.getByName(name, CONTACT_TYPE_ID));
    },
    async createList(body) {
      const { lists, ListCreateRequest } = await loadLists();
      return toRequest(await lists.create(Object.assign(new ListCreateRequest(), body)));
    },
    async listMembers(id, { limit, after }) {
      const { members } = await loadLists();
      return toRequest(await members.getPage(id, after ?? undefined, undefined, limit));
    },
  };
}

async function loadCompanyFactories(version: ApiVersion) {
  const [basic, batch, http] = await Promise.all([
    import('@hubspot/api-client/lib/codegen/crm/companies/apis/BasicApi.js'),
    import('@hubspot/api-client/lib/codegen/crm/companies/apis/BatchApi.js'),
    import('@hubspot/api-client/lib/codegen/crm/companies/http/http.js'),
  ]);
  const configuration = configure(http.RequestContext, version);
  return {
    basic: new basic.BasicApiRequestFactory(configuration),
    batch: new batch.BatchApiRequestFactory(configuration),
  };
}

async function loadListFactories(version: ApiVersion) {
  const [lists, members, http, { ListCreateRequest }] = await Promise.all([
    import('@hubspot/api-client/lib/codegen/crm/lists/apis/ListsApi.js'),
    import('@hubspot/api-client/lib/codegen/crm/lists/apis/MembershipsApi.js'),
    import('@hubspot/api-client/lib/codegen/crm/lists/http/http.js'),
    import('@hubspot/api-client/lib/codegen/crm/lists/models/ListCreateRequest.js'),
  ]);
  const configuration = configure(http.RequestContext, version);
  return {
    lists: new lists.ListsApiRequestFactory(configuration),
    members: new members.MembershipsApiRequestFactory(configuration),
    ListCreateRequest,
  };
}

/**
 * Returns the configuration for a generated part of the library. The part builds requests for dated paths if the
 * version is a date. It has neither a token nor a way to send. All parts are alike, but the compiler treats their
 * classes as different.
 */
function configure<Method, Request>(
  Context: new (url: string, method: Method) => Request,
  version: ApiVersion,
) {
  return {
    baseServer: {
      makeRequestContext: (path: string, method: Method) =>
        new Context(HUBSPOT + datedPath(path, version), method),
    },
    httpApi: { send: refuseToSend },
    middleware: [],
    authMethods: {},
  };
}

function refuseToSend(): never {
  throw new TypeError('The library is not meant to send.');
}

/** The part of a request that donor-sync uses. */
type Context = Pick<RequestContext, 'getUrl' | 'getHttpMethod' | 'getBody'>;

/** The library requires each of these keys. */
const EMPTY_LIST_SEARCH = { query: '', listIds: [], processingTypes: [], additionalProperties: [] };

function toRequest(context: Context): LibraryRequest {
  const url = context.getUrl();
  if (!url.startsWith(`${HUBSPOT}/`))
    throw new TypeError('The library left the address of HubSpot.');
  const request = { method: context.getHttpMethod(), path: url.slice(HUBSPOT.length) };
  const body: unknown = context.getBody();
  if (body === undefined) return request;
  if (typeof body === 'string') return { ...request, body };
  throw new TypeError('The library builds bodies of text only.');
}

/**
 * Adds these records to a request that has no records. The library would copy each record key by key. The copying takes
 * six times as long as creating the JSON. The type is the library's type, and a test compares the bodies with the
 * library's own.
 */
function withRecords(inputs: readonly object[], request: LibraryRequest): LibraryRequest {
  const empty: object = JSON.parse(request.body ?? '{}');
  return { ...request, body: JSON.stringify({ ...empty, inputs }) };
}

function once<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let loaded: Promise<Result> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
