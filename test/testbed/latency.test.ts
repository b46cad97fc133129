import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';
import { startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { startSalesforceSandbox } from '../../sandbox/salesforce/index.ts';
import { createLatency, type LatencyOptions } from '../../testbed/latency.ts';
import { ask, startPartner, strangers } from '../service/partner.ts';

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
    const held = holding();
    const { baseUrl, rootUrl } = await start({ latencyMs: 200, wait: held.wait });
    await fetch(`${rootUrl}/_sandbox/requests`);
    expect(held.waits).toEqual([]);
    const asked = fetch(`${baseUrl}/nothing`);
    await held.goOn();
    await held.goOn();
    await asked;
    expect(held.waits).toEqual([100, 100]);
  });

  it('goes by the time of this machine', async () => {
    const { baseUrl } = await start({ latencyMs: 60 });
    const startedAt = performance.now();
    await fetch(`${baseUrl}/nothing`);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55);
  });

  it('lets requests be on their way together', async () => {
    const held = holding();
    const { baseUrl } = await start({ latencyMs: 200, wait: held.wait });
    const asked = Array.from({ length: 20 }, () => fetch(`${baseUrl}/nothing`));
    await expect.poll(() => held.waits).toHaveLength(20);
    for (let half = 0; half < 40; half += 1) await held.goOn();
    await Promise.all(asked);
  });

  it('ends at once while a request is on its way', async () => {
    const reported: Error[] = [];
    const held = holding();
    const sandbox = await startSandbox({
      ...{ donors: 20, contacts: 3, latencyMs: 400, wait: held.wait },
      report: (error) => reported.push(error),
    });
    const asked = fetch(`${sandbox.baseUrl}/nothing`).catch(() => 'cut');
    await expect.poll(() => held.waits).toHaveLength(1);
    await sandbox.close();
    expect(await asked).toBe('cut');
    await held.goOn();
    await setImmediate();
    expect(reported).toEqual([]);
    expect(held.waits).toHaveLength(1);
  });
});

describe('the latency of submits', () => {
  it('is that of the paid submit alone', async () => {
    const held = holding();
    const partner = await startPartner({ submitLatencyMs: 300, wait: held.wait });
    await ask(partner, 'GET', '/credits');
    expect(held.waits).toEqual([]);
    const asked = ask(partner, 'POST', '/enhancements', { persons: strangers(2) });
    await held.goOn();
    await held.goOn();
    expect((await asked).status).toBe(202);
    expect(held.waits).toEqual([150, 150]);
  });

  it('charges in the middle of it, also where the caller has left before', async () => {
    const held = holding();
    const partner = await startPartner({ submitLatencyMs: 400, wait: held.wait });
    const body = JSON.stringify({ persons: strangers(2) });
    const headers = { 'content-type': 'application/json', 'x-api-key': partner.apiKey };
    const leaving = new AbortController();
    const { signal } = leaving;
    const sent = fetch(`${partner.baseUrl}/enhancements`, {
      method: 'POST',
      body,
      headers,
      signal,
    });
    await expect.poll(() => held.waits).toHaveLength(1);
    leaving.abort();
    await expect(sent).rejects.toThrow();
    const spent = async () => JSON.stringify((await ask(partner, 'GET', '/credits')).body);
    expect(await spent()).not.toContain('99998');
    await held.goOn();
    await expect.poll(spent).toContain('99998');
  });
});

/** Makes requests wait until the test releases them. The request that has waited longest is released first. */
function holding() {
  const waits: number[] = [];
  const held: (() => void)[] = [];
  return {
    /** The planned wait of each request (ms). */
    waits,
    wait(ms: number) {
      waits.push(ms);
      return new Promise<void>((resolve) => held.push(resolve));
    },
    async goOn() {
      await expect.poll(() => held).not.toHaveLength(0);
      held.shift()?.();
    },
  };
}
