/**
 * The edges for the responses of the service and of the CRMs. The responses come from the stand-ins. The benchmark
 * changes them and sends them again.
 */
import type { Connector } from '../../../connectors/contract.ts';
import { defineHubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { createPacerRegistry } from '../../../connectors/hubspot/pacers.ts';
import { defineSalesforceConnector } from '../../../connectors/salesforce/connector.ts';
import { testOptions } from '../../../connectors/testing/conformance.ts';
import { startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { PartnerClient } from '../../../src/partner/client.ts';
import { chargedBy } from '../../../src/partner/errors.ts';
import { aClient, aPerson, createHastyClock } from '../../../test/partner/test-client.ts';
import type { Random } from '../../../test/simulation/random.ts';
import { Drop, type Edge, requireSame, requireThat } from './edge.ts';

/** The maximum number of requests in a reading. If a reading sends more requests, it never ends. */
const MOST_REQUESTS = 300;

/** Statuses that a changed response can get. Most changed responses keep their status. */
const STATUSES = [
  200, 200, 201, 202, 207, 301, 400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 503,
] as const;

interface Recorded {
  /**
   * The method and the path of the request, which identify the response if a reading sends its requests in a different
   * order.
   */
  place: string;
  status: number;
  headers: [string, string][];
  text: string;
}

/** Returns a `fetch` that records every response. */
function recordingFetch(kept: Recorded[]): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    const text = await response.clone().text();
    const headers = [...response.headers].filter(
      ([name]) => !/^(content-(length|encoding)|transfer)/.test(name),
    );
    kept.push({ place: placeOf(input, init), status: response.status, headers, text });
    return response;
  };
}

function placeOf(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): string {
  const url = typeof input === 'string' ? input : 'url' in input ? input.url : input.href;
  return `${init?.method ?? 'GET'} ${new URL(url).pathname}`;
}

/** A changed response of a CRM, and the number of the response. */
interface Changed {
  at: number;
  status: number | null;
  body: Buffer;
}

function replayingFetch(
  kept: readonly Recorded[],
  changed: Changed | null,
): typeof globalThis.fetch {
  let asked = 0;
  return async (input, init) => {
    const place = placeOf(input, init);
    asked += 1;
    if (asked > MOST_REQUESTS)
      throw new Drop(`more than ${MOST_REQUESTS} requests, the last one ${place}`);
    const at = kept.findIndex((one) => one.place === place);
    const found = kept[at];
    if (found === undefined) return new Response('{"message":"nothing here"}', { status: 404 });
    const { status, headers, text } = found;
    if (changed?.at !== at) return new Response(text === '' ? null : text, { status, headers });
    const wanted = changed.status ?? status;
    return new Response(wanted === 204 ? null : new Uint8Array(changed.body), {
      status: wanted,
      headers,
    });
  };
}

function statusOf(random: Random): number | null {
  return random.chance(0.7) ? null : random.pick(STATUSES);
}

/** A request to the service, and the condition that the result must meet. */
interface Asking {
  name: string;
  isPaid: boolean;
  ask(client: PartnerClient): Promise<unknown>;
  check?(answer: unknown): void;
}

/** Opens the edge for the service's responses to each kind of request. */
export async function openServiceEdge(): Promise<Edge> {
  const sandbox = await startPartnerSandbox({ donors: 100, rate: 0, jobTimeMs: 0 });
  const record = async (ask: Asking['ask']) => {
    const kept: Recorded[] = [];
    const { apiKey, baseUrl } = sandbox;
    return { answer: await ask(aClient(baseUrl, { apiKey, fetch: recordingFetch(kept) })), kept };
  };
  const { jobIds } = await aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey }).submitEnhancements([
    aPerson(),
  ]);
  const [job = ''] = jobIds.values();
  const askings: Asking[] = [
    { name: 'balances', isPaid: false, ask: (one) => one.readCredits() },
    { name: 'progress', isPaid: false, ask: (one) => one.readProgress([job]), check: hasKey(job) },
    { name: 'results', isPaid: false, ask: (one) => one.readResults([job]), check: hasKey(job) },
    { name: 'submission', isPaid: true, ask: (one) => one.submitEnhancements([aPerson()]) },
    { name: 'networks', isPaid: false, ask: (one) => one.networks.list() },
    { name: 'description', isPaid: false, ask: (one) => one.discover() },
    { name: 'lists', isPaid: false, ask: (one) => one.lists.list() },
  ];
  const recordings = await Promise.all(
    askings.map(async (asking) => ({ asking, ...(await record(asking.ask)) })),
  );
  await sandbox.close();
  const steps = recordings.flatMap(({ asking, kept }) =>
    kept.map((_, at) => ({ asking, kept, at })),
  );
  return {
    name: 'responses of the service',
    share: 12,
    examples: steps.map(({ kept, at }) => kept[at]?.text ?? ''),
    async read({ bytes, isExample, random }) {
      const step = random.one(steps);
      if (step === undefined) return;
      const { asking, kept, at } = step;
      const status = statusOf(random);
      const changed = isExample ? null : { at, status, body: bytes };
      const client = aClient(sandbox.baseUrl, { fetch: replayingFetch(kept, changed) });
      try {
        const answer = await asking.ask(client);
        asking.check?.(answer);
      } catch (error) {
        const isAnswered = status === null || (status >= 200 && status < 300);
        // If a paid request was answered, an error must not say that nothing was charged.
        if (asking.isPaid && isAnswered && isDonorSyncError(error)) {
          requireSame('what may have been charged', 'unknown', chargedBy(error));
        }
        throw error;
      }
    },
  };
}

function hasKey(key: string) {
  return (answer: unknown) => {
    requireThat(
      answer instanceof Map && answer.has(key),
      'the requested part is not in the response',
    );
  };
}

type Fetch = typeof globalThis.fetch;

/** Creates the edge for a CRM's responses, in which each reading has one changed response. */
async function openCrmEdge(
  name: string,
  open: (fetch: Fetch) => Promise<Connector>,
): Promise<Edge> {
  const kept: Recorded[] = [];
  const ids = (await readAll(open, recordingFetch(kept))).sort();
  return {
    name,
    share: 4,
    examples: kept.map(({ text }) => text),
    async read({ bytes, isExample, random }) {
      // The changed body comes from an example of the same CRM, so it is similar to a real response.
      const at = random.int(0, kept.length - 1);
      const changed = isExample ? null : { at, status: statusOf(random), body: bytes };
      const read = await readAll(open, replayingFetch(kept, changed));
      if (isExample) requireSame('the contacts', ids, read.sort());
      // The reading must return each person in the responses, or it must report a problem.
      if (changed !== null) requireAllRead(kept, changed, read);
    },
  };
}

/**
 * Requires that the connector read every record with a recognisable ID on a changed page, unless the reading failed.
 */
function requireAllRead(
  kept: readonly Recorded[],
  { at, status, body }: Changed,
  read: readonly string[],
): void {
  const page = recordIds(kept[at]?.text ?? '');
  if (page === null || status !== null) return;
  const now = recordIds(body.toString('utf8'));
  if (now === null) return;
  const lost = now.filter((id) => page.includes(id) && !read.includes(id));
  if (lost.length > 0)
    throw new Drop(`contacts ${lost.join(', ')} are in the answer and were not read`);
}

/** Returns the IDs of the contacts on a Salesforce or HubSpot page, or null for any other response. */
function recordIds(text: string): string[] | null {
  if (!/"(LastName|lastname)"/.test(text)) return null;
  const ids = text.matchAll(/"(?:Id|id)":"(003\w{15}|\d+)"/g);
  return [...new Set([...ids].map(([, id = '']) => id))];
}

async function readAll(
  open: (fetch: Fetch) => Promise<Connector>,
  fetch: Fetch,
): Promise<string[]> {
  const connector = await open(fetch);
  const ids: string[] = [];
  try {
    for await (const page of connector.readPages(null))
      ids.push(...page.contacts.map(({ id }) => id));
  } finally {
    await connector.close();
  }
  return ids;
}

export async function openSalesforceEdge(): Promise<Edge> {
  const sandbox = await startSalesforceSandbox({ contacts: 5, donors: 10 });
  const { clientId, clientSecret, baseUrl: url } = sandbox;
  const auth = { type: 'clientCredentials', clientId, clientSecret };
  const edge = await openCrmEdge('responses of Salesforce', (fetch) => {
    const definition = defineSalesforceConnector({ fetch, random: () => 0 });
    const settings = { kind: 'salesforce', url, auth };
    return definition.open(testOptions(definition, settings, { clock: createHastyClock() }));
  });
  await sandbox.close();
  return edge;
}

export async function openHubspotEdge(): Promise<Edge> {
  const limits = { ratePer10s: 0, dailyLimit: 0, searchPerSecond: 0, searchLagMs: 0 };
  const sandbox = await startHubspotSandbox({ contacts: 5, donors: 10, ...limits });
  const { baseUrl: url, token } = sandbox;
  const edge = await openCrmEdge('responses of HubSpot', (fetch) => {
    const clock = createHastyClock();
    const definition = defineHubspotConnector({
      fetch,
      random: () => 0,
      pacers: createPacerRegistry(clock),
    });
    const pace = { requestsPerTenSeconds: 0, searchesPerSecond: 0 };
    const settings = { kind: 'hubspot', url, auth: { type: 'token', token }, ...pace };
    return definition.open(testOptions(definition, settings, { clock }));
  });
  await sandbox.close();
  return edge;
}
