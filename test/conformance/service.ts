/**
 * Starts the service under test. The tests know only its base URL, keys and a few donors. A different `startService`
 * could therefore test a different service.
 */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createWorld, type Donor } from '../../people/world.ts';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';

const PEOPLE = { seed: 1, donors: 400 };
/** Some of these donors have strong connections, and some have almost no connections. */
const KNOWN_DONORS = 200;

/** The job takes this time (ms), so that a test can see the job running. */
const NETWORK_JOB_TIME_MS = 200;

/** A test polls a job at most this number of times, with this interval, before the test fails. */
const MAX_POLLS = 2_400;
const POLL_INTERVAL_MS = 25;

/** A running service. */
export interface Service {
  /** The `{base_url}` of the document. */
  baseUrl: string;
  apiKey: string;
  /** The IDs of existing donors. */
  donorIds: readonly string[];
  /** People who are donors, as a caller would submit them. */
  persons: readonly object[];
  /**
   * Creates a key for a new team, as the service's operator does. The buckets can contain credits, and the key can
   * have a last day (YYYY-MM-DD, UTC).
   */
  issueKey(credits?: Record<string, number>, deactivatesOn?: string): Promise<string>;
  /** Makes the next request fail with a service error. */
  failOnce(): Promise<void>;
}

/** The service's response. `body` is null if the response has no body. */
export interface Answer {
  status: number;
  body: unknown;
}

const WORLD = createWorld(PEOPLE);
const DONOR_IDS = Array.from({ length: KNOWN_DONORS }, (_, number) => WORLD.donor(number).id);
const PERSONS = Array.from({ length: KNOWN_DONORS }, (_, number) => toPerson(WORLD.donor(number)));

/** Some tests set these options. The test closes a service that it has started with an option. */
interface ServiceOptions {
  /** The service allows this number of requests per second. The default is no limit. */
  rate?: number;
  /** The longest time that an enhancement takes. Defaults to 0. */
  jobTimeMs?: number;
  clock?: () => number;
}

/** Starts a separate service for a test, with a new team. Closes it after the test. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const service = await openService(options);
  onTestFinished(service.close);
  return service;
}

/** Starts a service that several tests share, until they close it. */
export async function openService(
  options: ServiceOptions = {},
): Promise<Service & { close(): Promise<void> }> {
  const sandbox = await startSandbox(options);
  const issueKey: Service['issueKey'] = (credits = {}, deactivatesOn) =>
    postKey(sandbox, { credits, deactivatesOn });
  return {
    baseUrl: sandbox.baseUrl,
    apiKey: await issueKey(),
    donorIds: DONOR_IDS,
    persons: PERSONS,
    issueKey,
    async failOnce() {
      await fetch(`${sandbox.rootUrl}/_sandbox/faults`, {
        method: 'PUT',
        body: JSON.stringify([{ times: 1, fault: { kind: 'error' } }]),
      });
    },
    close: () => sandbox.close(),
  };
}

function startSandbox(options: ServiceOptions): Promise<PartnerSandbox> {
  return startPartnerSandbox({
    ...PEOPLE,
    rate: 0,
    jobTimeMs: 0,
    networkJobTimeMs: NETWORK_JOB_TIME_MS,
    ...options,
  });
}

async function postKey(sandbox: PartnerSandbox, order: object): Promise<string> {
  const response = await fetch(`${sandbox.rootUrl}/_sandbox/keys`, {
    method: 'POST',
    body: JSON.stringify(order),
  });
  return z.object({ apiKey: z.string() }).parse(await response.json()).apiKey;
}

function toPerson({ id, name, addresses: [home], work: [job] }: Donor): object {
  return {
    tracking_id: id,
    name: { first: name.first, last: name.last },
    addresses: home ? [`${home.street}, ${home.city}, ${home.state} ${home.postalCode}`] : [],
    employers: job ? [job.organisationName] : [],
  };
}

/** Sends a request to the service. If the key is null, the request has no key. */
export async function ask(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  apiKey: string | null = service.apiKey,
): Promise<Answer> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

/** An ID that does not belong to any donor, network or job. */
export const UNKNOWN_ID = 'f'.repeat(32);

/** Returns the ID of one of the known donors. */
export function donorAt(service: Service, index: number): string {
  return z.string().parse(service.donorIds[index]);
}

/** Returns the number of credits left in a bucket. */
export async function creditsIn(service: Service, bucket: string, apiKey = service.apiKey) {
  const { body } = await ask(service, 'GET', '/credits', undefined, apiKey);
  return z.record(z.string(), z.number()).parse(body)[bucket];
}

/** Creates a network and returns its id. */
export async function createNetwork(service: Service, name: string, apiKey = service.apiKey) {
  const { body } = await ask(service, 'POST', '/networks', { name, color: 'teal' }, apiKey);
  return z.object({ network_id: z.string() }).parse(body).network_id;
}

/** Creates a network with these members, each added separately. */
export async function aNetworkOf(service: Service, name: string, donorIds: readonly string[]) {
  const id = await createNetwork(service, name);
  for (const donorId of donorIds) {
    await ask(service, 'POST', `/networks/${id}/members`, { donor_id: donorId });
  }
  return id;
}

const jobSchema = z.object({
  status: z.string(),
  progress: z.number(),
  total: z.number(),
  results: z.record(z.string(), z.array(z.string())),
});

/** Waits until a bulk add has ended. */
export async function endOfJob(service: Service, jobId: string, apiKey = service.apiKey) {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const { body } = await ask(service, 'GET', `/networks/jobs/${jobId}`, undefined, apiKey);
    const job = jobSchema.parse(body);
    if (job.status === 'completed' || job.status === 'failed') {
      return job;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error(`The job ${jobId} does not end.`);
}

/** Adds donors in bulk and waits for the job. Returns the completed job. */
export async function addInBulk(
  service: Service,
  networkId: string,
  donorIds: readonly string[],
  apiKey = service.apiKey,
) {
  const path = `/networks/${networkId}/members/batch`;
  const { body } = await ask(service, 'POST', path, { donor_ids: donorIds }, apiKey);
  const { job_id: jobId } = z.object({ job_id: z.string() }).parse(body);
  return endOfJob(service, jobId, apiKey);
}

const donorLabelSchema = z.strictObject({ id: z.string(), name: z.string(), service_url: z.url() });

const connectionFields = {
  strength: z.number().min(0).max(1),
  snippet: z.string().min(1),
  connecting_entity_name: z.string().min(1),
  connecting_entity_type: z.enum(['nonprofit', 'company', 'school']),
  source_relationship: z.string().min(1),
  target_relationship: z.string().min(1),
  source_donor: donorLabelSchema,
};

const connectionSchema = z.strictObject({
  ...connectionFields,
  networks: z.array(z.strictObject({ network_id: z.string(), name: z.string() })).min(1),
});

/** A connection to a member, as a test reads it. */
export type Connection = z.infer<typeof connectionSchema>;

const prospectsSchema = z.strictObject({
  prospects: z.array(
    z.strictObject({
      donor: donorLabelSchema,
      max_strength: z.number(),
      total_connections: z.number(),
      connections: z.array(connectionSchema),
    }),
  ),
});

/** Discovers or compares prospects. Validates the response strictly. */
export async function findProspects(
  service: Service,
  path: '/networks/discover' | '/networks/connections',
  body: unknown,
) {
  return prospectsSchema.parse((await ask(service, 'POST', path, body)).body).prospects;
}

const donorConnectionsSchema = z.strictObject({
  donor_id: z.string(),
  in_network: z.boolean(),
  networks: z.array(z.strictObject({ network_id: z.string(), name: z.string() })),
  connections: z.array(connectionSchema),
});

/** Reads a donor's connections, with a query such as `?network_ids=…`. */
export async function readDonorConnections(service: Service, donorId: string, query = '') {
  const path = `/networks/donors/${donorId}/connections${query}`;
  return donorConnectionsSchema.parse((await ask(service, 'GET', path)).body);
}

const lookupSchema = z.strictObject({
  donor_id: z.string(),
  connections: z.array(z.strictObject({ ...connectionFields, donor: donorLabelSchema })),
});

/** Looks up a donor's connections, by default with the largest limit. */
export async function lookUp(service: Service, donorId: string, limit = 500) {
  const { body } = await ask(service, 'POST', '/networks/lookup', { donor_id: donorId, limit });
  return lookupSchema.parse(body);
}
