import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import { MAX_TRANSIENT_TRIES } from '../../src/partner/verdict.ts';
import { playFaults } from '../service/partner.ts';
import { aClient, aPerson, createHastyClock, rejectionOf } from './test-client.ts';

const KINDS = ['page', 'half', 'nothing', 'shape', 'tooLate'] as const;

let sandbox: PartnerSandbox;
let client: PartnerClient;
let calls = 0;
let ids: Record<'donor' | 'job' | 'list' | 'network' | 'bulkAdd' | 'export', string>;

beforeAll(async () => {
  sandbox = await startPartnerSandbox({
    ...{ donors: 400, rate: 0, jobTimeMs: 10, networkJobTimeMs: 10 },
    ...{ chargeQueries: true, chargeSingleAdd: true },
  });
  client = aClient(sandbox.baseUrl, { apiKey: sandbox.apiKey, onCall: () => (calls += 1) });
  await client.discover();
  ids = await thingsOf(client, sandbox);
});
afterAll(() => sandbox.close());

const FREE: [string, string, (client: PartnerClient) => Promise<unknown>][] = [
  ['the balances', '/credits', (one) => one.readCredits()],
  ['the progress of one job', '*/progress*', (one) => one.readJobProgress(ids.job)],
  ['the progress of jobs', '*progress*', (one) => one.readProgress([ids.job])],
  ['the results of jobs', '*results*', (one) => one.readResults([ids.job])],
  ['the networks', '/networks', (one) => one.networks.list()],
  ['a bulk add', '/networks/jobs/*', (one) => one.networks.readBulkAdd(ids.bulkAdd)],
  ['the lists', '/lists', (one) => one.lists.list()],
  ['a list', '/lists/*', (one) => one.lists.read(ids.list)],
  ['the exports', '/exports', (one) => one.exports.list()],
  ['an export', '/exports/*', (one) => one.exports.read(ids.export)],
  ['metadata', '/donors/*/metadata', (one) => one.donors.readMetadata(ids.donor)],
  ['metadata of many', '/donors/metadata/*', (one) => one.donors.readMetadataOfMany([ids.donor])],
];

describe.each(FREE)('a free call for %s', (_, path, ask) => {
  // In an export and a list, all fields except the ID can be missing.
  it.each(KINDS)('is sent again after an answer that cannot be read (%s)', async (as) => {
    const expected = await ask(client);
    calls = 0;
    await playFaults(sandbox, [{ on: { path }, times: 1, fault: { kind: 'unreadable', as } }]);
    expect(await ask(client)).toEqual(expected);
    expect(calls).toBe(2);
    await playFaults(sandbox, []);
  });

  it.each(KINDS)('ends with a clear error if every response is unreadable (%s)', async (as) => {
    calls = 0;
    const clock = createHastyClock();
    const patient = aClient(sandbox.baseUrl, {
      ...{ apiKey: sandbox.apiKey, clock, onCall: () => (calls += 1) },
    });
    await playFaults(sandbox, [{ on: { path }, fault: { kind: 'unreadable', as } }]);
    const error = await rejectionOf(ask(patient));
    await playFaults(sandbox, []);
    expect(error).toMatchObject({ kind: 'retriable', details: { charged: 'no' } });
    expect(String(error)).toMatch(/Nothing was charged; .*try again later/);
    expect(calls).toBe(MAX_TRANSIENT_TRIES);
    expect(clock.slept).toEqual([1_000, 2_000, 4_000, 8_000]);
  });
});

const PAID: [string, string, (client: PartnerClient) => Promise<unknown>][] = [
  ['a submission', '/enhancements', (one) => one.submitEnhancements([aPerson()])],
  ['a bulk add', '/networks/*', (one) => one.networks.addMembers(ids.network, [ids.donor])],
  ['an addition to a list', '/lists/*', (one) => one.lists.addDonors(ids.list, [ids.donor])],
  ['a profile', '/donors/*', (one) => one.donors.read(ids.donor)],
  ['profiles', '/donors/batch', (one) => one.donors.readMany([ids.donor])],
  ['a search', '/search', (one) => one.search.ask('board members')],
  ['an export', '/exports', (one) => one.exports.create(orderOf(ids.donor))],
  ['a query', '/networks/donors/*', (one) => one.connections.ofDonor(ids.donor)],
];

describe.each(PAID)('%s', (_, path, ask) => {
  it.each(KINDS)('is lost, and sent once, when its answer cannot be read (%s)', async (as) => {
    await playFaults(sandbox, [{ on: { path }, fault: { kind: 'unreadable', as } }]);
    const counted: string[] = [];
    const error = await rejectionOf(
      ask(
        aClient(sandbox.baseUrl, {
          apiKey: sandbox.apiKey,
          onCall: ({ endpoint }) => counted.push(endpoint),
        }),
      ),
    );
    await playFaults(sandbox, []);
    expect(error).toMatchObject({ code: 'answer_lost', details: { charged: 'unknown' } });
    expect(counted.filter((endpoint) => endpoint !== 'GET /credits')).toHaveLength(1);
  });
});

it('a single add is lost, and sent once, when the answer comes too late', async () => {
  calls = 0;
  const fault = { kind: 'unreadable', as: 'tooLate' };
  await playFaults(sandbox, [{ on: { path: '/networks/*/members' }, fault }]);
  const error = await rejectionOf(client.networks.addMember(ids.network, ids.donor));
  await playFaults(sandbox, []);
  expect(error).toMatchObject({ code: 'answer_lost' });
  expect(calls).toBe(1);
});

const orderOf = (donor: string) =>
  ({ fields: ['id', 'full_name'], format: 'csv', donorIds: [donor] }) as const;

const peopleSchema = z.object({ people: z.array(z.object({ donorId: z.string().nullable() })) });

async function thingsOf(one: PartnerClient, { rootUrl }: PartnerSandbox) {
  const reply = await fetch(`${rootUrl}/_sandbox/people?limit=40`);
  const { people } = peopleSchema.parse(await reply.json());
  const [donor = ''] = people.flatMap(({ donorId }) => donorId ?? []);
  const { jobIds } = await one.submitEnhancements([aPerson()]);
  const { networkId: network } = await one.networks.create('Board', 'blue');
  const add = await one.networks.addMembers(network, [donor]);
  await one.networks.followBulkAdd(add);
  const { listId: list } = await one.lists.create('Friends');
  const { exportId } = await one.exports.create(orderOf(donor));
  const [job = ''] = jobIds.values();
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { donor, job, list, network, bulkAdd: add.jobId, export: exportId };
}
