import { describe, expect, it } from 'vitest';
import { aClient, rejectionOf } from '../test-client.ts';
import { json, startRawService, startService, startTestService } from '../test-service.ts';

const done = () => new Response(null, { status: 204 });

describe('networks.addMember', () => {
  it('names the donor', async () => {
    const { baseUrl, received } = await startService(done);
    await aClient(baseUrl).networks.addMember('n1', 'd1');
    expect(received).toMatchObject([
      { method: 'POST', path: '/networks/n1/members', body: { donor_id: 'd1' } },
    ]);
  });

  it('has more patience than with other free calls, because connections are computed', async () => {
    const { baseUrl } = await startTestService(async () => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return done();
    });
    const client = aClient(baseUrl, { requestTimeoutMs: 20, submitTimeoutMs: 20 });
    await expect(client.networks.addMember('n1', 'd1')).resolves.toBeUndefined();
    expect(await rejectionOf(client.networks.rename('n1', 'Board'))).toMatchObject({
      code: 'partner_unavailable',
    });
  });

  it('is not sent again when its answer is lost, because it may have cost a credit', async () => {
    const service = await startRawService((socket) => socket.resetAndDestroy());
    const error = await rejectionOf(aClient(service.baseUrl).networks.addMember('n1', 'd1'));
    expect(error).toMatchObject({ code: 'answer_lost', bucket: null });
    expect(service.requests()).toBe(1);
  });

  it('asks whether it may leave', async () => {
    const { baseUrl, received } = await startService(done);
    const mayLeave = () => Promise.reject(new Error('the lease is gone'));
    await rejectionOf(aClient(baseUrl).networks.addMember('n1', 'd1', undefined, mayLeave));
    expect(received).toEqual([]);
  });
});

describe('networks.removeMembers', () => {
  it('names each donor once', async () => {
    const { baseUrl, received } = await startService(done);
    await aClient(baseUrl).networks.removeMembers('n1', ['d1', 'd2', 'd1']);
    expect(received).toMatchObject([
      { method: 'POST', path: '/networks/n1/members/remove', body: { donor_ids: ['d1', 'd2'] } },
    ]);
  });

  it.each([0, 101])('refuses %i donors without asking', async (count) => {
    const { baseUrl, received } = await startService(done);
    const donorIds = Array.from({ length: count }, (_, index) => `d${index}`);
    expect(await rejectionOf(aClient(baseUrl).networks.removeMembers('n1', donorIds))).toEqual(
      new RangeError(`A request names 1 to 100 donors, not ${count}`),
    );
    expect(received).toEqual([]);
  });

  it('is sent again when a gateway answers, because it is free', async () => {
    const { baseUrl, received } = await startService(json({}, 503), done);
    await aClient(baseUrl).networks.removeMembers('n1', ['d1']);
    expect(received).toHaveLength(2);
  });
});
