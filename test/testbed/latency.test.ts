import { describe, expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { startPartnerSandbox } from '../../service/index.ts';
import { createLatency, type LatencyOptions } from '../../testbed/latency.ts';
import { ask, startPartner, strangers } from '../service/partner.ts';

/** What so many requests are drawn by numbers that come in turn. */
function drawn(options: LatencyOptions, numbers: readonly number[], requests: number): number[] {
  let at = 0;
  const draw = createLatency(options, () => numbers[at++ % numbers.length] ?? 0);
  return Array.from({ length: requests }, draw);
}

describe('createLatency', () => {
  it('is nothing unless it is asked for', () => {
    expect(drawn({}, [0.5], 2)).toEqual([0, 0]);
  });

  it('adds a part of the jitter to every request', () => {
    expect(drawn({ latencyMs: 300, jitterMs: 100 }, [0, 0.5, 0.75], 3)).toEqual([300, 350, 375]);
  });

  it('adds the tail to such a part of the requests', () => {
    const options = { latencyMs: 10, latencyTail: { probability: 0.25, delayMs: 5_000 } };
    expect(drawn(options, [0.2, 0.25, 0.9, 0], 4)).toEqual([5_010, 10, 10, 5_010]);
  });

  it('draws no number for what is not asked for, so that other chances stay as they were', () => {
    let draws = 0;
    const draw = createLatency({ latencyMs: 300 }, () => {
      draws += 1;
      return 0;
    });
    expect([draw(), draws]).toEqual([300, 0]);
  });
});

const START = {
  'the service': startPartnerSandbox,
  'a Salesforce org': startSalesforceSandbox,
  'a HubSpot account': startHubspotSandbox,
};

describe.each(Object.entries(START))('the latency of %s', (_name, startSandbox) => {
  async function start(options: LatencyOptions) {
    const sandbox = await startSandbox({ donors: 20, contacts: 3, ...options });
    onTestFinished(() => sandbox.close());
    return sandbox;
  }

  it('holds every request for its time, but no request to the controls', async () => {
    const { baseUrl, rootUrl } = await start({ latencyMs: 200 });
    expect(await timeOf(`${baseUrl}/nothing`)).toBeGreaterThanOrEqual(195);
    expect(await timeOf(`${rootUrl}/_sandbox/requests`)).toBeLessThan(150);
  });

  it('lets requests be on their way together', async () => {
    const { baseUrl } = await start({ latencyMs: 200 });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => timeOf(`${baseUrl}/nothing`)));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('ends at once while a request is on its way', async () => {
    const reported: Error[] = [];
    const sandbox = await startSandbox({
      ...{ donors: 20, contacts: 3, latencyMs: 400 },
      report: (error) => reported.push(error),
    });
    const asked = fetch(`${sandbox.baseUrl}/nothing`).catch(() => 'cut');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await sandbox.close();
    expect(await asked).toBe('cut');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(reported).toEqual([]);
  });
});

describe('the latency of submits', () => {
  it('is that of the paid submit alone', async () => {
    const partner = await startPartner({ submitLatencyMs: 300 });
    const startedAt = performance.now();
    await ask(partner, 'GET', '/credits');
    const askedAt = performance.now();
    expect(askedAt - startedAt).toBeLessThan(250);
    const { status } = await ask(partner, 'POST', '/enhancements', { persons: strangers(2) });
    expect(status).toBe(202);
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(295);
  });

  it('charges in the middle of it, also where the caller has left before', async () => {
    const partner = await startPartner({ submitLatencyMs: 400 });
    const body = JSON.stringify({ persons: strangers(2) });
    const headers = { 'content-type': 'application/json', 'x-api-key': partner.apiKey };
    const signal = AbortSignal.timeout(100);
    const sent = fetch(`${partner.baseUrl}/enhancements`, {
      method: 'POST',
      body,
      headers,
      signal,
    });
    await expect(sent).rejects.toThrow();
    const spent = async () => JSON.stringify((await ask(partner, 'GET', '/credits')).body);
    expect(await spent()).not.toContain('99998');
    await expect.poll(spent).toContain('99998');
  });
});

async function timeOf(url: string): Promise<number> {
  const startedAt = performance.now();
  await (await fetch(url)).text();
  return performance.now() - startedAt;
}
