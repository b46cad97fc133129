import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  addInBulk,
  aNetworkOf,
  ask,
  createNetwork,
  creditsIn,
  donorAt,
  endOfJob,
  readDonorConnections,
  type Service,
  startService,
  UNKNOWN_ID,
} from './service.ts';

const ID = expect.stringMatching(/^\S+$/);

describe('networks (sections 1, 2.1 and 4.1)', () => {
  it('the service creates a network with a name and a color, and returns 201 (4.1)', async () => {
    const service = await startService();
    const created = await ask(service, 'POST', '/networks', { name: 'Board', color: 'blue' });
    expect(created).toEqual({
      status: 201,
      body: {
        network_id: ID,
        name: 'Board',
        color: 'blue',
        created_at: expect.any(String),
        member_count: 0,
      },
    });
    expect(await ask(service, 'GET', '/networks')).toEqual({ status: 200, body: [created.body] });
  });

  it('a team can create any number of networks (1)', async () => {
    const service = await startService();
    const names = Array.from({ length: 30 }, (_, index) => `Network ${index}`);
    for (const name of names) {
      await createNetwork(service, name);
    }
    expect(await networkNames(service)).toEqual(names);
  });

  it('the service returns 400 for a network name that the team already uses (2.1, 7)', async () => {
    const service = await startService();
    await createNetwork(service, 'Board');
    const again = await ask(service, 'POST', '/networks', { name: 'Board', color: 'red' });
    expect(again).toEqual({ status: 400, body: { detail: expect.any(String) } });
    const other = await service.issueKey();
    expect(await createNetwork(service, 'Board', other)).toEqual(ID);
  });

  it.each([
    ['no name', { color: 'teal' }, ['body', 'name']],
    ['a blank name', { name: '  ', color: 'teal' }, ['body', 'name']],
    ['no color', { name: 'Board' }, ['body', 'color']],
    ['an unknown color', { name: 'Board', color: 'mauve' }, ['body', 'color']],
  ])('the service returns 422 for %s (2.8)', async (_, body, loc) => {
    const service = await startService();
    expect(await ask(service, 'POST', '/networks', body)).toMatchObject({
      status: 422,
      body: { detail: [{ type: expect.any(String), loc, msg: expect.any(String) }] },
    });
  });

  it('the service renames a network, and returns 204 (2.1, 4.1)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Bord');
    expect(await ask(service, 'PUT', `/networks/${id}`, { name: 'Board' })).toEqual({
      status: 204,
      body: null,
    });
    expect(await networkNames(service)).toEqual(['Board']);
  });

  it('the service refuses to give a network the name of another network (2.1)', async () => {
    const service = await startService();
    await createNetwork(service, 'Board');
    const id = await createNetwork(service, 'Alumni');
    expect((await ask(service, 'PUT', `/networks/${id}`, { name: 'Board' })).status).toBe(400);
    expect((await ask(service, 'PUT', `/networks/${id}`, { name: 'Alumni' })).status).toBe(204);
  });

  it('deletes a network with 204, and its members with it (7)', async () => {
    const service = await startService();
    const donor = donorAt(service, 0);
    const id = await aNetworkOf(service, 'Board', [donor]);
    expect((await ask(service, 'DELETE', `/networks/${id}`)).status).toBe(204);
    expect(await networkNames(service)).toEqual([]);
    expect((await readDonorConnections(service, donor)).in_network).toBe(false);
  });

  it('the service returns 404 for a network that does not exist (7)', async () => {
    const service = await startService();
    expect(await statusesAt(service, UNKNOWN_ID)).toEqual([404, 404, 404, 404, 404]);
  });

  it('a key gives access only to the networks of its own team (5)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Board');
    const stranger = await service.issueKey();
    expect(await statusesAt(service, id, stranger)).toEqual([404, 404, 404, 404, 404]);
    expect((await ask(service, 'GET', '/networks', undefined, stranger)).body).toEqual([]);
    expect(await networkNames(service)).toEqual(['Board']);
  });
});

describe('members, one at a time (sections 1 and 4.1)', () => {
  it('the service computes the connections of a new member before it returns 204 (4.1)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Board');
    const path = `/networks/${id}/members`;
    for (const donor of service.donorIds.slice(0, 10)) {
      expect((await ask(service, 'POST', path, { donor_id: donor })).status).toBe(204);
    }
    const { body } = await ask(service, 'POST', '/networks/discover', {});
    expect(z.object({ prospects: z.array(z.unknown()) }).parse(body).prospects).not.toEqual([]);
  });

  it('a donor can belong to several networks at the same time (1)', async () => {
    const service = await startService();
    const donor = donorAt(service, 0);
    const board = await aNetworkOf(service, 'Board', [donor]);
    const alumni = await aNetworkOf(service, 'Alumni', [donor]);
    expect(await readDonorConnections(service, donor)).toMatchObject({
      in_network: true,
      networks: [
        { network_id: board, name: 'Board' },
        { network_id: alumni, name: 'Alumni' },
      ],
    });
  });

  it('the service returns 404 for a donor who does not exist (7)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Board');
    const body = { donor_id: UNKNOWN_ID };
    expect((await ask(service, 'POST', `/networks/${id}/members`, body)).status).toBe(404);
  });

  it('the service removes donors only from this network, and returns 204 (4.1)', async () => {
    const service = await startService();
    const [one, two] = [donorAt(service, 0), donorAt(service, 1)];
    const board = await aNetworkOf(service, 'Board', [one, two]);
    const alumni = await aNetworkOf(service, 'Alumni', [one]);
    const removed = await ask(service, 'POST', `/networks/${board}/members/remove`, {
      donor_ids: [one, two],
    });
    expect(removed).toEqual({ status: 204, body: null });
    expect((await readDonorConnections(service, one)).networks).toEqual([
      { network_id: alumni, name: 'Alumni' },
    ]);
    expect((await readDonorConnections(service, two)).in_network).toBe(false);
  });
});

describe('members in bulk (sections 1, 2.3, 4.1 and 8)', () => {
  it('the service returns 202 and a job ID for a batch, and adds its donors (2.3, 4.1)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Board');
    const donorIds = service.donorIds.slice(0, 100);
    const accepted = await ask(service, 'POST', `/networks/${id}/members/batch`, {
      donor_ids: donorIds,
    });
    expect(accepted).toEqual({ status: 202, body: { job_id: ID } });
    const { job_id: jobId } = z.object({ job_id: z.string() }).parse(accepted.body);
    expect(await endOfJob(service, jobId)).toMatchObject({
      status: 'completed',
      progress: 100,
      total: 100,
      results: {
        added_ids: donorIds,
        already_member_ids: [],
        not_found_ids: [],
        failed_ids: [],
        unpaid_ids: [],
      },
    });
    expect((await ask(service, 'GET', '/networks')).body).toMatchObject([{ member_count: 100 }]);
  });

  it('the service shows the result for each donor once the job is completed (2.3)', async () => {
    const service = await startService();
    const [one, two] = [donorAt(service, 0), donorAt(service, 1)];
    const id = await aNetworkOf(service, 'Board', [one]);
    const job = await addInBulk(service, id, [one, two, UNKNOWN_ID, two]);
    expect(job.results).toMatchObject({
      added_ids: [two],
      already_member_ids: [one, two],
      not_found_ids: [UNKNOWN_ID],
    });
  });

  it('the service returns 404 for an unknown job or a job of another team (4.1, 5)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Board');
    const { body } = await ask(service, 'POST', `/networks/${id}/members/batch`, {
      donor_ids: [donorAt(service, 0)],
    });
    const { job_id: jobId } = z.object({ job_id: z.string() }).parse(body);
    const stranger = await service.issueKey();
    const theirs = await ask(service, 'GET', `/networks/jobs/${jobId}`, undefined, stranger);
    const unknown = await ask(service, 'GET', `/networks/jobs/${UNKNOWN_ID}`);
    expect([theirs.status, unknown.status]).toEqual([404, 404]);
  });

  it('the service returns 400 for more than 100 donor IDs (7.2, 8)', async () => {
    const service = await startService();
    const id = await createNetwork(service, 'Board');
    for (const path of [`/networks/${id}/members/batch`, `/networks/${id}/members/remove`]) {
      const answer = await ask(service, 'POST', path, { donor_ids: Array(101).fill(7) });
      expect(answer).toEqual({ status: 400, body: { detail: expect.any(String) } });
    }
  });

  it.each([{}, { donor_ids: 'x' }, { donor_ids: [7] }, { donor_ids: [] }])(
    'the service returns 422 for the body %j (4.1)',
    async (body) => {
      const service = await startService();
      const id = await createNetwork(service, 'Board');
      const answer = await ask(service, 'POST', `/networks/${id}/members/batch`, body);
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: expect.any(Array) }] } });
    },
  );
});

describe('what networks cost (sections 4.1, 4.4, 4.5 and 7)', () => {
  it('a bulk add costs 1 credit from the networks bucket for each member (4.1, 4.5.2)', async () => {
    const service = await startService();
    const apiKey = await service.issueKey({ networks: 10, lists: 10 });
    const id = await createNetwork(service, 'Board', apiKey);
    await addInBulk(service, id, service.donorIds.slice(0, 4), apiKey);
    expect(await creditsIn(service, 'networks', apiKey)).toBe(6);
    expect(await creditsIn(service, 'lists', apiKey)).toBe(10);
  });

  it('the service adds as many donors as the balance allows (4.5.3)', async () => {
    const service = await startService();
    const apiKey = await service.issueKey({ networks: 3 });
    const id = await createNetwork(service, 'Board', apiKey);
    const donorIds = service.donorIds.slice(0, 5);
    const job = await addInBulk(service, id, donorIds, apiKey);
    expect(job).toMatchObject({ status: 'completed', total: 5 });
    expect(job.results['added_ids']).toEqual(donorIds.slice(0, 3));
    expect(job.results['unpaid_ids']).toEqual(donorIds.slice(3));
    expect(await creditsIn(service, 'networks', apiKey)).toBe(0);
  });

  it('the service returns 402 for a bulk add if only other buckets have credits (4.5.6, 7.1, 7.2)', async () => {
    const service = await startService();
    const apiKey = await service.issueKey({ networks: 0 });
    const id = await createNetwork(service, 'Board', apiKey);
    const body = { donor_ids: [donorAt(service, 0)] };
    expect(await ask(service, 'POST', `/networks/${id}/members/batch`, body, apiKey)).toEqual({
      status: 402,
      body: {
        error: 'insufficient_partner_api_credits',
        message: expect.any(String),
        bucket: 'networks',
        available_credits: 0,
      },
    });
  });

  it('the service refunds a bulk add that fails (4.5.5)', async () => {
    const service = await startService();
    const apiKey = await service.issueKey({ networks: 200 });
    const id = await createNetwork(service, 'Board', apiKey);
    const good = [donorAt(service, 0)];
    const attempts = [
      [`/networks/${UNKNOWN_ID}/members/batch`, good],
      [`/networks/${id}/members/batch`, [7]],
      [`/networks/${id}/members/batch`, Array(101).fill(good[0])],
    ] as const;
    const statuses: number[] = [];
    for (const [path, donorIds] of attempts) {
      const answer = await ask(service, 'POST', path, { donor_ids: donorIds }, apiKey);
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([404, 422, 400]);
    expect(await creditsIn(service, 'networks', apiKey)).toBe(200);
  });

  it('free endpoints cost nothing, and work even if no credits are left (4.4)', async () => {
    const service = await startService();
    const apiKey = await service.issueKey({ networks: 1, searches: 0 });
    const id = await createNetwork(service, 'Board', apiKey);
    const { job_id: jobId } = z
      .object({ job_id: z.string() })
      .parse(
        (
          await ask(
            service,
            'POST',
            `/networks/${id}/members/batch`,
            { donor_ids: [donorAt(service, 0)] },
            apiKey,
          )
        ).body,
      );
    const free = [
      await ask(service, 'GET', '/networks', undefined, apiKey),
      await ask(service, 'PUT', `/networks/${id}`, { name: 'New' }, apiKey),
      await ask(service, 'GET', `/networks/jobs/${jobId}`, undefined, apiKey),
      await ask(
        service,
        'POST',
        `/networks/${id}/members/remove`,
        { donor_ids: [donorAt(service, 0)] },
        apiKey,
      ),
    ];
    expect(free.map(({ status }) => status)).toEqual([200, 204, 200, 204]);
    expect(await creditsIn(service, 'networks', apiKey)).toBe(0);
  });
});

async function networkNames(service: Service): Promise<string[]> {
  const { body } = await ask(service, 'GET', '/networks');
  return z
    .array(z.object({ name: z.string() }))
    .parse(body)
    .map(({ name }) => name);
}

/** Returns the status of each of the five endpoints that name a network in their path. */
async function statusesAt(service: Service, id: string, apiKey = service.apiKey) {
  const donor = donorAt(service, 0);
  const answers = [
    await ask(service, 'PUT', `/networks/${id}`, { name: 'Mine' }, apiKey),
    await ask(service, 'DELETE', `/networks/${id}`, undefined, apiKey),
    await ask(service, 'POST', `/networks/${id}/members`, { donor_id: donor }, apiKey),
    await ask(service, 'POST', `/networks/${id}/members/batch`, { donor_ids: [donor] }, apiKey),
    await ask(service, 'POST', `/networks/${id}/members/remove`, { donor_ids: [donor] }, apiKey),
  ];
  return answers.map(({ status }) => status);
}
