/**
 * Checks that the vendor's library built all requests of a connector, except for the listed exceptions. Compares the
 * requests that the stand-in received with the requests that the library built. A retry counts as the same request.
 */
import { RequestContext as CompanyContext } from '@hubspot/api-client/lib/codegen/crm/companies/http/http.js';
import { RequestContext } from '@hubspot/api-client/lib/codegen/crm/contacts/http/http.js';
import { RequestContext as ListContext } from '@hubspot/api-client/lib/codegen/crm/lists/http/http.js';
import { GuardedTransport } from '../../connectors/salesforce/client.ts';

/** HubSpot's library has no class for these requests, or omits a part of them (see `connectors/hubspot/client.ts`). */
export const OWN_TO_HUBSPOT =
  /^\w+ \/(crm\/(?:v3\/)?(?:properties|property-validations)|account-info|settings\/currencies|oauth)\//;

/** Returns a request as it appears in a stand-in's request log, without its query. */
export function toEntry(method: string, url: string): string {
  return `${method} ${new URL(url, 'https://any.invalid').pathname.replace(/\/$/, '')}`;
}

/** Counts how many times each request was sent. */
export function tally(entries: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries.toSorted()) counts[entry] = (counts[entry] ?? 0) + 1;
  return counts;
}

type Listener = (method: string, url: string) => void;

/** Tests can watch several stand-ins at the same time. The watches can end in any order. */
const listeners = new Set<Listener>();
let unpatch = () => {};

/** Observes every request that a library builds in this process from now on. Call the returned function to stop. */
export function listenToLibraries(onBuilt: Listener): () => void {
  if (listeners.size === 0) unpatch = patch();
  listeners.add(onBuilt);
  return () => {
    listeners.delete(onBuilt);
    if (listeners.size === 0) unpatch();
  };
}

function patch(): () => void {
  const tell: Listener = (method, url) => {
    for (const listener of listeners) listener(method, url);
  };
  const { httpRequest } = GuardedTransport.prototype;
  GuardedTransport.prototype.httpRequest = function (request) {
    tell(request.method, request.url);
    return httpRequest.call(this, request);
  };
  const restore = [RequestContext, CompanyContext, ListContext].map(({ prototype }) => {
    const { getUrl } = prototype;
    prototype.getUrl = function (this: RequestContext) {
      const url = getUrl.call(this);
      tell(this.getHttpMethod(), url);
      return url;
    };
    return () => {
      prototype.getUrl = getUrl;
    };
  });
  return () => {
    GuardedTransport.prototype.httpRequest = httpRequest;
    for (const each of restore) each();
  };
}

/** Watches a stand-in. */
export interface Watch {
  /** The `fetch` to pass to connectors. */
  fetch: typeof globalThis.fetch;
  /** Stops watching. Throws an error if the connector sent a request that no library has built. */
  end(): void;
}

/** Watches the requests that `fetch` sends, until `end` is called. */
export function watchSending(fetch: typeof globalThis.fetch): Watch {
  const built = new Set<string>();
  const around = new Set<string>();
  const endListening = listenToLibraries((method, url) => built.add(toLine(method, url)));
  return {
    fetch(input, init) {
      const line = toLine(init?.method ?? 'GET', String(input));
      if (!built.has(line) && !OWN_TO_HUBSPOT.test(line)) around.add(line);
      return fetch(input, init);
    },
    end() {
      endListening();
      if (around.size > 0) {
        throw new Error(`Sent around the vendor's library: ${[...around].join(', ')}`);
      }
    },
  };
}

/** Returns the request with its query, but without its host, which the library does not know. */
function toLine(method: string, url: string): string {
  const { pathname, search } = new URL(url, 'https://any.invalid');
  return `${method} ${pathname}${search}`;
}
