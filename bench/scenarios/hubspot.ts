import { z } from 'zod';
import { type ConnectorMeasurement, type ConnectorStep, type Crm, withCrm } from '../crm.ts';
import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';

const CONTACTS = 100_000;

/** HubSpot's limit for an app in a Professional or Enterprise account (requests in ten seconds). */
const RATE = 190;
const RECORDS_IN_REQUEST = 100;

/** The shortest time (seconds) that the rate limit allows. */
const FLOOR_SECONDS = (CONTACTS / RECORDS_IN_REQUEST / RATE) * 10;

/**
 * The maximum number of requests of a reading, including the requests for the names of the contacts' 16,701 companies.
 */
const MAX_READ_REQUESTS = 1_200;

/** Measures HubSpot with its own rate limit. */
export const hubspot: Scenario = {
  name: 'hubspot',
  title: `the HubSpot connector alone: 100,000 contacts at ${RATE} requests in 10 s`,
  measure: () =>
    withCrm('hubspot', { contacts: CONTACTS, rate: RATE }, async ({ measure }) => {
      const alone = await measure('write', { employer: 'company' });
      const whole = await measure('read');
      const { seconds, calls } = stepOf(whole, 'read');
      return [
        ...againstFloor(stepOf(alone, 'read')),
        ...againstFloor(stepOf(alone, 'write')),
        plain('read with their companies: time', round(seconds), 's'),
        atMost('read with their companies: requests', calls, '', MAX_READ_REQUESTS),
        atMost('peak resident memory', peakOf([alone, whole]), 'MB', 180),
      ];
    }),
};

/** Measures HubSpot without rate limits. */
export const hubspotUnlimited: Scenario = {
  name: 'hubspot-unlimited',
  title: 'the HubSpot connector alone: 100,000 contacts, no limits, 5 ms for each request',
  measure: () =>
    withCrm('hubspot', { contacts: CONTACTS, rate: 0, latency: 5 }, async (crm) => {
      const writing = await crm.measure('write', { requestsPerTenSeconds: 0 });
      const { contacts, seconds, calls } = stepOf(writing, 'write');
      const again = stepOf(writing, 'again');
      const listSeconds = await readList(crm);
      return [
        exactly('contacts read again after the writes', again.contacts, '', CONTACTS),
        plain('time of the list alone', round(listSeconds), 's'),
        plain('requests to read them again', again.calls, ''),
        plain('time to read them again', round(again.seconds), 's'),
        atMost(
          'read again, compared with the list alone',
          round(again.seconds / listSeconds),
          '×',
          1.6,
        ),
        plain('time to read them', round(stepOf(writing, 'read').seconds), 's'),
        exactly('contacts written', contacts, '', CONTACTS),
        atMost('time to write two fields of each', round(seconds), 's', 2),
        plain('requests to write them', calls, ''),
        atMost('peak resident memory', writing.peakMegabytes ?? 0, 'MB', 180),
      ];
    }),
};

const listSchema = z.object({
  results: z.array(z.unknown()),
  paging: z.object({ next: z.object({ after: z.string() }).optional() }).optional(),
});

/** Reads the list of all contacts, page by page and with few properties, and returns the duration in seconds. */
async function readList({ baseUrl, token }: Crm): Promise<number> {
  const startedAt = performance.now();
  let read = 0;
  let after: string | undefined;
  do {
    const query = new URLSearchParams({
      limit: String(RECORDS_IN_REQUEST),
      properties: 'firstname,lastname,address,city,state,zip,company',
      ...(after === undefined ? {} : { after }),
    });
    const response = await fetch(`${baseUrl}/crm/objects/2026-09/contacts?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { results, paging } = listSchema.parse(await response.json());
    read += results.length;
    after = paging?.next?.after;
  } while (after !== undefined);
  if (read !== CONTACTS) throw new Error(`The list has ${read} contacts`);
  return (performance.now() - startedAt) / 1_000;
}

function againstFloor({ name, contacts, seconds, calls, throttled }: ConnectorStep): Figure[] {
  return [
    exactly(`${name}: contacts`, contacts, '', CONTACTS),
    atMost(`${name}: time against the floor`, round(seconds / FLOOR_SECONDS), '×', 1.05),
    plain(`${name}: time`, round(seconds), 's'),
    plain(`${name}: requests`, calls, ''),
    exactly(`${name}: answers of 429`, throttled, '', 0),
  ];
}

function peakOf(measurements: readonly ConnectorMeasurement[]): number {
  return Math.max(...measurements.map(({ peakMegabytes }) => peakMegabytes ?? 0));
}

function stepOf({ steps }: ConnectorMeasurement, wanted: ConnectorStep['name']): ConnectorStep {
  const step = steps.find(({ name }) => name === wanted);
  if (step === undefined) throw new Error(`The connector did not ${wanted} anything`);
  return step;
}
