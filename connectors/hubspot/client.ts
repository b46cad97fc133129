/**
 * Connects HubSpot's library, which builds requests, with our own code, which sends them. The library's generated
 * request factories build paths, queries and bodies, and `api.ts` sends the requests. Only this file imports the
 * library. The library is loaded when the first request is sent, and each of its parts is loaded when it is first
 * needed. A process that does not use HubSpot does not load the library.
 *
 * donor-sync uses only the library's request factories, which are the part of its generated classes that builds
 * requests. donor-sync does not use `Client` or the response processors. `Client` shares one limiter in the whole
 * process and has no deadline. `Client` also cannot send requests through our code. The response processors drop fields
 * that are not in their models, and they convert times to objects. The response processors take three times as long as
 * parsing the JSON (docs/decisions/0014-outbound.md). donor-sync's own schemas read the unchanged responses.
 *
 * donor-sync's own code builds the following requests with the functions `get` and `post` of the API:
 *
 * - Properties, their groups and their validations. The library's models drop `dataSensitivity` and
 *   `numberDisplayHint`, and the library has no class for validations.
 * - Account information, its usage, exchange rates, OAuth 2026-03 and introspection. The library has no class for these
 *   requests.
 * - Webhook signatures. The library's `Signature.isValid` does not decode the URI, and it does not compare in constant
 *   time.
 */
// The import of this file must be first, because it replaces all functions with which the library could send requests.
import '../senders/without-senders.ts';

import { BasicApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/BasicApi.js';
import { BatchApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/BatchApi.js';
import { SearchApiRequestFactory } from '@hubspot/api-client/lib/codegen/crm/contacts/apis/SearchApi.js';
import { RequestContext } from '@hubspot/api-client/lib/codegen/crm/contacts/http/http.js';
import { PublicObjectSearchRequest } from '@hubspot/api-client/lib/codegen/crm/contacts/models/PublicObjectSearchRequest.js';
import type { SimplePublicObjectBatchInput } from '@hubspot/api-client/lib/codegen/crm/contacts/models/SimplePublicObjectBatchInput.js';
import type { SimplePublicObjectId } from '@hubspot/api-client/lib/codegen/crm/contacts/models/SimplePublicObjectId.js';
import { type ApiVersion, CONTACT_TYPE_ID, datedPath, type ObjectType } from './paths.ts';

/** A request that the library has built. */
export interface LibraryRequest {
  method: string;
  /** The path and the query, relative to the API's address. */
  path: string;
  /** The body as JSON. */
  body?: string;
}

/** A request for a page of records, which are sorted by ID. */
export interface PageRequest {
  limit: number;
  properties?: readonly string[];
  archived?: boolean;
  /** The paging token from the previous page, or null for the first page. */
  after?: string | null;
}

/** A request for several records by ID. */
export interface BatchRead {
  ids: readonly string[];
  /** The unique property to which the IDs belong. The property is omitted if the IDs are record IDs. */
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

/** The requests that HubSpot's library builds. donor-sync's own code sends the requests, not the library. */
export interface HubspotRequests {
  listRecords(type: ObjectType, page: PageRequest): Promise<LibraryRequest>;
  readRecords(type: ObjectType, batch: BatchRead): Promise<LibraryRequest>;
  updateContacts(updates: readonly ContactUpdate[]): Promise<LibraryRequest>;
  /** Builds a search, with the body in the form that HubSpot documents. */
  searchContacts(body: object): Promise<LibraryRequest>;
  searchLists(search: ListSearch): Promise<LibraryRequest>;
  findListById(id: string): Promise<LibraryRequest>;
  findListByName(name: string): Promise<LibraryRequest>;
  createList(body: object): Promise<LibraryRequest>;
  listMembers(id: string, page: Pick<PageRequest, 'limit' | 'after'>): Promise<LibraryRequest>;
}

/** An address that does not exist. Because the address does not exist, the library cannot send requests itself. */
const HUBSPOT = 'https://hubspot.invalid';

export function createRequests(version: ApiVersion): HubspotRequests {
  const configuration = configure(RequestContext, version);
  const contacts = {
    basic: new BasicApiRequestFactory(configuration),
    batch: new BatchApiRequestFactory(configuration),
    search: new SearchApiRequestFactory(configuration),
  };
  // donor-sync caches each loaded part of the library, because importing it again would take longer than building a
  // request.
  const loadCompanies = once(() => loadCompanyFactories(version));
  const loadLists = once(() => loadListFactories(version));
  return {
    async listRecords(type, { limit, after, properties, archived }) {
      // HubSpot documents a single parameter with all properties, separated by commas. The library would repeat the
      // parameter's name for each property.
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
 * Returns the configuration for one of the library's generated parts. If the version is a date, the library's part
 * builds paths with this date. The configuration has no token and no function that sends requests. All parts have the
 * same structure, but the compiler treats their classes as different types.
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

/** The parts of a request that donor-sync uses. */
type Context = Pick<RequestContext, 'getUrl' | 'getHttpMethod' | 'getBody'>;

/** The library requires all of these keys. */
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
 * Adds the records to a request that was built without records. The library would copy each record key by key. Copying
 * would take six times as long as creating the JSON. A test compares these bodies with the bodies that the library
 * builds.
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
