import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../src/interfaces/api/request/context.ts';
import {
  clientAddress,
  toNetworkPrefix,
  trustedProxies,
} from '../../../src/interfaces/api/request/peer.ts';
import { startHttpServer } from '../../../src/interfaces/api/server.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';

/** Opens a service on this machine that returns the address that it assigns to each caller. */
const open = closedAfterTest(async (ranges: readonly string[] = []) => {
  const addressOf = clientAddress(trustedProxies(ranges));
  const app = new Hono<HttpEnv>().get('/', (c) => c.text(addressOf(c)));
  return startHttpServer({ app, host: '127.0.0.1', port: 0 });
});

async function ask({ url }: { url: string }, forwardedFor?: string): Promise<string> {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return (await fetch(url, { headers })).text();
}

describe('the address of a caller', () => {
  it('is that of the connection, whatever a caller writes, where no proxy is trusted', async () => {
    const service = await open();
    expect(await ask(service)).toBe('127.0.0.1');
    expect(await ask(service, '203.0.113.9')).toBe('127.0.0.1');
    expect(await ask(service, 'x'.repeat(15_000))).toBe('127.0.0.1');
    const others = await open(['10.0.0.0/8', '::1']);
    expect(await ask(others, '203.0.113.9')).toBe('127.0.0.1');
  });

  it('is the last forwarded address that does not belong to a trusted proxy', async () => {
    const service = await open(['127.0.0.0/8', '10.1.0.0/16']);
    expect(await ask(service)).toBe('127.0.0.1');
    for (const [header, address] of [
      ['203.0.113.9', '203.0.113.9'],
      ['192.0.2.1, 203.0.113.9', '203.0.113.9'],
      ['192.0.2.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
      ['203.0.113.9:4711', '203.0.113.9'],
      ['::ffff:203.0.113.9', '203.0.113.9'],
      ['[2001:db8:1:2::7]:4711', '2001:db8:1:2::/64'],
      ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ] as const) {
      expect(await ask(service, header), header).toBe(address);
    }
  });

  it('is that of the proxy where it names none, and never longer than an address', async () => {
    const service = await open(['127.0.0.1']);
    for (const header of [
      'unknown',
      'evil, ',
      '203.0.113.9, evil',
      `203.0.113.9,${' '.repeat(9)}`,
    ]) {
      expect(await ask(service, header), header).toBe('127.0.0.1');
    }
    expect(await ask(service, 'y'.repeat(15_000))).toBe('127.0.0.1');
    expect(await ask(service, '127.0.0.1,'.repeat(1_400))).toBe('127.0.0.1');
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(toNetworkPrefix(address)).toBe(network);
  });
});
