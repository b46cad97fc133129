import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createDraw } from '../../../people/random.ts';
import type { PartnerSandbox } from '../../../sandbox/partner/index.ts';
import { type Answer, control } from '../../testbed/asking.ts';
import { ask, issueKey, playFaults, readLedger, startPartner } from '../partner.ts';
import { anEngineOf } from './hand-made-engine.ts';
import { addEach, createNetwork, endOfJob } from './networks.ts';
import { idsOf, WORLD } from './people.ts';

const PARALLEL_REQUESTS = 50;
const TEAMS = 3;
const UNKNOWN_ID = 'f'.repeat(32);

/** Faults after which it is still possible to account for each request. */
const STORM = [
  { probability: 0.1, fault: { kind: 'error' } },
  { probability: 0.05, fault: { kind: 'gatewayError', status: 502 } },
  { probability: 0.2, on: { path: '*batch' }, fault: { kind: 'processFewer', processed: 3 } },
  { probability: 0.2, on: { path: '*batch' }, fault: { kind: 'networkMembersFail', every: 2 } },
];

type Options = Parameters<typeof startPartner>[0];

function start(options: Options = {}) {
  return startPartner({ world: WORLD, engine: anEngineOf([]), networkJobTimeMs: 0, ...options });
}

describe('the four queries (section 4.1)', () => {
  it('are free by default', async () => {
    const partner = await start({ credits: 0 });
    expect((await askAll(partner)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await readLedger(partner)).toEqual([]);
  });

  it('cost one credit of searches each where that is set', async () => {
    const partner = await start({ credits: 10, chargeQueries: true });
    await askAll(partner);
    const lines = await readLedger(partner);
    expect(lines.map(({ bucket, amount, what }) => [bucket, amount, what])).toEqual([
      ['searches', 1, 'POST /v1/partners/networks/discover'],
      ['searches', 1, 'POST /v1/partners/networks/connections'],
      ['searches', 1, `GET /v1/partners/networks/donors/${idsOf(0)[0]}/connections`],
      ['searches', 1, 'POST /v1/partners/networks/lookup'],
    ]);
  });

  it('are refused with 402 then when the bucket is empty', async () => {
    const partner = await start({ credits: 0, chargeQueries: true });
    for (const { status, body } of await askAll(partner)) {
      expect(status).toBe(402);
      expect(body).toMatchObject({ bucket: 'searches', available_credits: 0 });
    }
  });

  it('are refunded when they fail (section 4.5)', async () => {
    const partner = await start({ credits: 10, chargeQueries: true });
    const answers = [
      await ask(partner, 'POST', '/networks/lookup', { donor_id: UNKNOWN_ID }),
      await ask(partner, 'POST', '/networks/discover', { limit: 'all' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 422]);
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([1, -1, 1, -1]);
  });
});

describe('a single add (section 4.1)', () => {
  it('is free by default', async () => {
    const partner = await start({ credits: 0 });
    expect(await addEach(partner, await createNetwork(partner), idsOf(0))).toEqual([204]);
  });

  it('costs one credit of networks where that is set, until none is left', async () => {
    const partner = await start({ credits: 2, chargeSingleAdd: true });
    const network = await createNetwork(partner);
    const statuses = await addEach(partner, network, [...idsOf(0), UNKNOWN_ID, ...idsOf(1, 2)]);
    expect(statuses).toEqual([204, 404, 204, 402]);
    const lines = await readLedger(partner);
    expect(lines.map(({ bucket, amount }) => [bucket, amount])).toEqual([
      ['networks', 1],
      ['networks', 1],
      ['networks', -1],
      ['networks', 1],
    ]);
  });
});

describe('openapi.json', () => {
  it.each([false, true])('says of the queries whether they are charged: %s', async (isCharged) => {
    const partner = await start({ chargeQueries: isCharged, chargeSingleAdd: isCharged });
    const { body } = await ask(partner, 'GET', '/openapi.json');
    const { paths } = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .parse(body);
    const price = isCharged ? /^One credit/ : /^Free/;
    for (const path of ['discover', 'connections', 'lookup', '{network_id}/members']) {
      expect(paths[`/networks/${path}`]).toMatchObject({
        post: { description: expect.stringMatching(price) },
      });
    }
    expect(body).toMatchObject({
      components: {
        schemas: {
          NewNetwork: { properties: { color: { enum: expect.arrayContaining(['teal']) } } },
        },
      },
    });
  });
});

describe('the ledger', () => {
  it('balances to the last credit, whatever happens to fifty requests at once', async () => {
    const request = fc.record({
      kind: fc.constantFrom('bulk', 'single', 'discover', 'lookup'),
      team: fc.integer({ min: 0, max: TEAMS - 1 }),
      count: fc.integer({ min: 1, max: 104 }),
      flaw: fc.constantFrom('none', 'none', 'none', 'body', 'network'),
    });
    const requests = fc.array(request, {
      minLength: PARALLEL_REQUESTS,
      maxLength: PARALLEL_REQUESTS,
    });
    const partner = await start({
      chargeQueries: true,
      chargeSingleAdd: true,
      random: createDraw(1, 'faults', 0),
    });
    await fc.assert(
      fc.asyncProperty(requests, fc.integer({ min: 0, max: 900 }), async (all, credits) => {
        const granted = { networks: credits, searches: 8 };
        const teams = await openTeams(partner, granted);
        await playFaults(partner, STORM);
        const answers = await Promise.all(
          all.map(async (one) => {
            const team = teams[one.team] ?? teams[0];
            return { ...one, apiKey: team?.apiKey ?? '', answer: await send(partner, team, one) };
          }),
        );
        await playFaults(partner, []);
        for (const { apiKey, team } of teams) {
          const mine = answers.filter((one) => one.apiKey === apiKey);
          const earned = { networks: 0, searches: 0 };
          for (const { kind, answer } of mine) {
            const isSearch = kind === 'discover' || kind === 'lookup';
            earned[isSearch ? 'searches' : 'networks'] += await priceOf(partner, answer, apiKey);
          }
          expect(await spentIn(partner, apiKey)).toEqual(earned);
          expect(await remainingOf(partner, team)).toEqual({
            networks: granted.networks - earned.networks,
            searches: granted.searches - earned.searches,
          });
        }
      }),
      { numRuns: 6 },
    );
  });
});

async function askAll(partner: PartnerSandbox): Promise<Answer[]> {
  const [donor = ''] = idsOf(0);
  return [
    await ask(partner, 'POST', '/networks/discover', {}),
    await ask(partner, 'POST', '/networks/connections', { donor_ids: [donor] }),
    await ask(partner, 'GET', `/networks/donors/${donor}/connections`),
    await ask(partner, 'POST', '/networks/lookup', { donor_id: donor }),
  ];
}

interface Team {
  apiKey: string;
  team: string;
  network: string;
}

async function openTeams(partner: PartnerSandbox, credits: object): Promise<Team[]> {
  const teams: Team[] = [];
  for (let count = 0; count < TEAMS; count += 1) {
    const { apiKey, team } = await issueKey(partner, { credits });
    teams.push({ apiKey, team, network: await createNetwork(partner, 'Board', apiKey) });
  }
  return teams;
}

interface Request {
  kind: string;
  count: number;
  flaw: string;
}

function send(partner: PartnerSandbox, team: Team | undefined, request: Request): Promise<Answer> {
  const { apiKey = '', network = '' } = team ?? {};
  const path = `/networks/${request.flaw === 'network' ? UNKNOWN_ID : network}/members`;
  const [donor] = request.flaw === 'body' ? [7] : idsOf(request.count % 50);
  const post = (to: string, body: object) => ask(partner, 'POST', to, body, apiKey);
  switch (request.kind) {
    case 'bulk':
      return post(`${path}/batch`, { donor_ids: Array(request.count).fill(donor) });
    case 'single':
      return post(path, { donor_id: donor });
    case 'discover':
      return post('/networks/discover', { network_ids: [donor === 7 ? 7 : network] });
    default:
      return post('/networks/lookup', { donor_id: donor });
  }
}

/** Returns the expected price of a response: the number of paid donors in a job, or one if the request succeeded. */
async function priceOf(partner: PartnerSandbox, { status, body }: Answer, apiKey: string) {
  if (status === 202) {
    const { job_id: jobId } = z.object({ job_id: z.string() }).parse(body);
    const { total, results } = await endOfJob(partner, jobId, apiKey);
    return total - results.unpaid_ids.length;
  }
  return status < 400 ? 1 : 0;
}

async function spentIn(partner: PartnerSandbox, apiKey: string) {
  const spent = { networks: 0, searches: 0 };
  for (const { bucket, amount } of await readLedger(partner, `?key=${apiKey}`)) {
    spent[bucket === 'networks' ? 'networks' : 'searches'] += amount;
  }
  return spent;
}

async function remainingOf(partner: PartnerSandbox, team: string) {
  const { body } = await control(partner, 'GET', '/ledger');
  const { accounts } = z
    .object({
      accounts: z.array(z.object({ team: z.string(), bucket: z.string(), remaining: z.number() })),
    })
    .parse(body);
  const left = (bucket: string) =>
    accounts.find((account) => account.team === team && account.bucket === bucket)?.remaining;
  return { networks: left('networks'), searches: left('searches') };
}
