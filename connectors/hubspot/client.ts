/**
 * HubSpot's library, which speaks its API, joined to our own sending: its generated classes build paths, queries and
 * bodies, and `carry` sends. This file alone imports the library. It is loaded when the first request is sent, and each
 * part of the library when it is needed, so that a process without HubSpot does not read it.
 *
 * The library's `Client` is not used: it has one limiter for the whole process, no deadline, and no place for a sender.
 *
 * Answers are read as they came, by our own schemas: the models of the library drop what they do not know, and make
 * objects of times. These requests are our own (`get` and `post` of the API), each for a reason:
 * - properties, their groups and their validations: the models drop `dataSensitivity` and `numberDisplayHint`, and the
 *   validations have no class;
 * - account information, its usage, exchange rates, OAuth 2026-03 and introspection: they have no class;
 * - signatures of webhooks: `Signature.isValid` neither decodes the URI nor compares in constant time.
 */
import type * as companies from '@hubspot/api-client/lib/codegen/crm/companies/index.js';
import * as contacts from '@hubspot/api-client/lib/codegen/crm/contacts/index.js';
import type * as lists from '@hubspot/api-client/lib/codegen/crm/lists/index.js';
import { type ApiVersion, CONTACT_TYPE_ID, datedPath, type ObjectType } from './paths.ts';

/** A request as the library has built it. */
export interface LibraryRequest {
  method: string;
  /** With its query, below the address of the API. */
  path: string;
  /** JSON. */
  body?: string;
}

/** Sends a request by our own means, and gives the body of a good answer, parsed; throws one of our errors for any other. */
export type Carry = (request: LibraryRequest) => Promise<unknown>;

/** A page of records in the order of their ids. */
export interface PageRequest {
  limit: number;
  properties?: readonly string[];
  archived?: boolean;
  /** The word of the page before; null for the first page. */
  after?: string | null;
}

/** Records that are read by their ids. */
export interface BatchRead {
  ids: readonly string[];
  /** The property that the ids are values of; left out for the ids of records. */
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

/** The requests that the library builds. Answers are JSON as it came. */
export interface HubspotClient {
  listRecords(type: ObjectType, page: PageRequest): Promise<unknown>;
  readRecords(type: ObjectType, batch: BatchRead): Promise<unknown>;
  updateContacts(updates: readonly ContactUpdate[]): Promise<unknown>;
  /** The body of a search, as HubSpot documents it. */
  searchContacts(body: object): Promise<unknown>;
  searchLists(search: ListSearch): Promise<unknown>;
  findListById(id: string): Promise<unknown>;
  findListByName(name: string): Promise<unknown>;
  createList(body: object): Promise<unknown>;
  listMembers(id: string, page: Pick<PageRequest, 'limit' | 'after'>): Promise<unknown>;
}

/** The library never learns the address of HubSpot, so none of its own requests could arrive there. */
const HUBSPOT = 'https://hubspot.invalid';

/** Makes the client; sends nothing yet. */
export function createClient(version: ApiVersion, carry: Carry): HubspotClient {
  return {
    async listRecords(type, { limit, after, properties, archived }) {
      // Joined, as HubSpot documents it: the library would repeat the name of the parameter for each property.
      const joined = properties === undefined ? undefined : [properties.join(',')];
      const words = [limit, after ?? undefined, joined, undefined, undefined, archived] as const;
      return type === 'contacts'
        ? askContacts((config) => new contacts.BasicApi(config).getPage(...words))
        : askCompanies(({ BasicApi }, config) => new BasicApi(config).getPage(...words));
    },
    async readRecords(type, { ids, idProperty, properties, propertiesWithHistory = [], archived }) {
      const body = {
        inputs: ids.map((id) => ({ id })),
        properties: [...properties],
        propertiesWithHistory: [...propertiesWithHistory],
        ...(idProperty === undefined ? {} : { idProperty }),
      };
      return type === 'contacts'
        ? askContacts((config) => new contacts.BatchApi(config).read(body, archived))
        : askCompanies(({ BatchApi }, config) => new BatchApi(config).read(body, archived));
    },
    updateContacts: (updates) =>
      askContacts((config) => {
        const inputs = updates.map(({ id, properties }) => ({
          id,
          properties,
          objectWriteTraceId: id,
        }));
        return new contacts.BatchApi(config).update({ inputs });
      }),
    searchContacts: (body) =>
      askContacts((config) => {
        const request = Object.assign(new contacts.PublicObjectSearchRequest(), body);
        return new contacts.SearchApi(config).doSearch(request);
      }),
    searchLists: (search) =>
      askLists(({ ListsApi }, config) =>
        new ListsApi(config).doSearch({ ...EMPTY_LIST_SEARCH, ...search }),
      ),
    findListById: (id) => askLists(({ ListsApi }, config) => new ListsApi(config).getById(id)),
    findListByName: (name) =>
      askLists(({ ListsApi }, config) => new ListsApi(config).getByName(name, CONTACT_TYPE_ID)),
    createList: (body) =>
      askLists(({ ListsApi, ListCreateRequest }, config) =>
        new ListsApi(config).create(Object.assign(new ListCreateRequest(), body)),
      ),
    listMembers: (id, { limit, after }) =>
      askLists(({ MembershipsApi }, config) =>
        new MembershipsApi(config).getPage(id, after ?? undefined, undefined, limit),
      ),
  };

  function askContacts(
    speak: (config: ReturnType<typeof contacts.createConfiguration>) => Promise<unknown>,
  ): Promise<unknown> {
    return ask((send) => speak(configure(contacts, send)));
  }

  async function askCompanies(
    speak: (
      library: typeof companies,
      config: ReturnType<typeof companies.createConfiguration>,
    ) => Promise<unknown>,
  ): Promise<unknown> {
    const library = await import('@hubspot/api-client/lib/codegen/crm/companies/index.js');
    return ask((send) => speak(library, configure(library, send)));
  }

  async function askLists(
    speak: (
      library: typeof lists,
      config: ReturnType<typeof lists.createConfiguration>,
    ) => Promise<unknown>,
  ): Promise<unknown> {
    const library = await import('@hubspot/api-client/lib/codegen/crm/lists/index.js');
    return ask((send) => speak(library, configure(library, send)));
  }

  /** The answer to the one request that the library makes of a call. */
  async function ask(speak: (send: Send) => Promise<unknown>): Promise<unknown> {
    let answer: unknown;
    await speak(async (context) => {
      answer = await carry(toRequest(context));
      return NOTHING_TO_READ;
    });
    return answer;
  }

  /** The configuration by which a part of the library hands over each request instead of sending it. */
  function configure<Method, Request extends Context, Response, Sender, Config>(
    part: Part<Method, Request, Response, Sender, Config>,
    send: Send,
  ): Config {
    return part.createConfiguration({
      baseServer: {
        makeRequestContext: (path, method) =>
          new part.RequestContext(HUBSPOT + datedPath(path, version), method),
      },
      httpApi: part.wrapHttpLibrary({
        send: async (context) => new part.ResponseContext(...(await send(context))),
      }),
    });
  }
}

/** A generated part of the library. All parts are alike, but the compiler takes their classes for different ones. */
interface Part<Method, Request, Response, Sender, Config> {
  RequestContext: new (url: string, method: Method) => Request;
  ResponseContext: new (...answer: typeof NOTHING_TO_READ) => Response;
  wrapHttpLibrary(library: { send(request: Request): Promise<Response> }): Sender;
  createConfiguration(options: {
    baseServer: { makeRequestContext(path: string, method: Method): Request };
    httpApi: Sender;
  }): Config;
}

/** What is used of a request. */
type Context = Pick<contacts.RequestContext, 'getUrl' | 'getHttpMethod' | 'getBody'>;

type Send = (context: Context) => Promise<typeof NOTHING_TO_READ>;

/** A good answer without content: the library throws for a status that it does not expect. */
const NOTHING_TO_READ: ConstructorParameters<typeof contacts.ResponseContext> = [
  200,
  { 'content-type': 'application/json' },
  { text: async () => '{}', binary: async () => Buffer.from('{}') },
];

/** The library asks for each of these keys. */
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
