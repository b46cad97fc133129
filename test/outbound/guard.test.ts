import { readFileSync } from 'node:fs';
import { createServer, type LookupFunction, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { files, ROOT } from '../../scripts/rooms.ts';
import { exchange } from '../../src/outbound/exchange.ts';
import { isPrivateAddress, outboundFetch } from '../../src/outbound/guard.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

describe('a request to an address that a browser has set', () => {
  it('is not sent if its host name leads to a private address when the connection opens', async () => {
    const { port, connections } = await listening();
    // An attacker's resolver returns a public address to the check. It returns this machine's address when the
    // connection is opened.
    const answers = ['93.184.216.34', '127.0.0.1'];
    const lookup = resolver(() => [answers.shift() ?? '127.0.0.1']);
    lookup('rebind.example.org', { all: true }, (_, found) => {
      expect(found).toMatchObject([{ address: '93.184.216.34' }]);
    });
    await expect(send(`https://rebind.example.org:${port}/`, lookup)).rejects.toMatchObject({
      code: 'address_refused',
      details: { host: 'rebind.example.org', why: 'private' },
    });
    expect(answers).toEqual([]);
    expect(connections()).toBe(0);
  });

  it('connects to the very address that was checked, whatever the name says next', async () => {
    const asked: string[] = [];
    const lookup = resolver((name) => {
      asked.push(name);
      // An address that is reserved for documentation would be refused. This address is public, but requests never
      // reach it.
      return asked.length === 1 ? ['8.8.8.8'] : ['127.0.0.1'];
    });
    const { port, connections } = await listening();
    const signal = AbortSignal.timeout(300);
    await expect(send(`https://pinned.example.org:${port}/`, lookup, { signal })).rejects.toThrow();
    expect(asked).toEqual(['pinned.example.org']);
    expect(connections()).toBe(0);
  });

  it.each([
    ['one private address among public ones', ['8.8.8.8', '10.0.0.7']],
    ['this machine as IPv6', ['::1']],
    ['this machine in the spelling of IPv6', ['::ffff:127.0.0.1']],
    ['a private address by NAT64', ['64:ff9b::a00:1']],
    ['a private address by 6to4', ['2002:a00:1::1']],
    ['a private address by a NAT64 of its own network', ['64:ff9b:1::a00:1']],
    ['a private address by Teredo', ['2001:0:a00:1::f5ff:fffe']],
    ['a private address by translation', ['::ffff:0:a00:1']],
    ['a network of providers', ['100.64.0.1']],
    ['a network of protocols', ['192.0.0.8']],
    ['an address of IPv6 that nobody was given', ['4000::1']],
    ['a segment of a route', ['5f00::1']],
    ['a network of benchmarks, of IPv6', ['2001:2::1']],
    ['a network of benchmarks', ['198.18.0.1']],
    ['an address of a site', ['fec0::1']],
    ['an address of a link, with its interface', ['fe80::1%lo']],
    ['the metadata of a cloud', ['169.254.169.254']],
  ])('is refused where the name leads to %s', async (_, addresses) => {
    const lookup = resolver(() => addresses);
    await expect(send('https://crm.example.org/', lookup)).rejects.toMatchObject({
      code: 'address_refused',
    });
  });

  it.each(['https://10.0.0.1/', 'https://[::1]/', 'https://0x7f.1/', 'https://crm.lan/'])(
    'is refused before any name is looked up: %s',
    async (address) => {
      const lookup = resolver(() => expect.fail('was looked up'));
      await expect(send(address, lookup)).rejects.toMatchObject({ code: 'address_refused' });
    },
  );

  it('is refused by plain http, and with a password in its address', async () => {
    const lookup = resolver(() => ['8.8.8.8']);
    await expect(send('http://crm.example.org/', lookup)).rejects.toThrow('plain http');
    await expect(send('https://a:b@crm.example.org/', lookup)).rejects.toThrow('password');
  });

  it('reaches what the operator has named, and no other port of it', async () => {
    const { port, connections } = await listening('HTTP/1.1 204 No Content\r\n\r\n');
    const named = { origins: [`http://127.0.0.1:${port}`], hosts: [] };
    const fetch = outboundFetch({ named });
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(204);
    const { port: other, connections: others } = await listening();
    await expect(fetch(`http://127.0.0.1:${other}/`)).rejects.toThrow('No request was sent');
    expect([connections(), others()]).toEqual([1, 0]);
  });

  it('certainly never left, which an exchange says with the reason', async () => {
    const lookup = resolver(() => ['127.0.0.1']);
    const fetch = outboundFetch({ named: { origins: [], hosts: [] }, lookup });
    const request = { method: 'GET', url: 'https://crm.example.org/', headers: {} };
    expect(await exchange({ fetch, timeoutMs: 5_000 }, request)).toMatchObject({
      kind: 'unsent',
      cause: { code: 'address_refused' },
    });
  });
});

describe('a request to an address of the settings file', () => {
  it('reaches a private network, and follows no redirect out of it', async () => {
    const { port } = await listening('HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\n\r\n');
    const { status } = await outboundFetch('anywhere')(`http://127.0.0.1:${port}/`);
    expect(status).toBe(302);
  });
});

it('lets the whole of IPv4 through NAT64, but for what is private there', () => {
  expect(['64:ff9b::808:808', '64:ff9b::8.8.8.8', '2606:4700::1111'].map(isPrivateAddress)).toEqual(
    [false, false, false],
  );
  expect(['64:ff9b::', '64:ff9b::1', '64:ff9b::c0a8:1'].map(isPrivateAddress)).toEqual([
    true,
    true,
    true,
  ]);
});

it('requests are sent only by src/outbound, because no other file calls fetch, http or undici', () => {
  const callers = files.filter(
    (file) =>
      /^(src|connectors)\//.test(file) &&
      !file.startsWith('src/outbound/') &&
      /(?<![\w.])fetch\(|(?<!typeof )globalThis\.fetch|\bhttps?\.(?:request|get)\(|['"]undici['"]/.test(
        withoutComments(readFileSync(join(ROOT, file), 'utf8')),
      ),
  );
  expect(callers).toEqual([]);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
}

function send(url: string, lookup: LookupFunction, init?: RequestInit) {
  return outboundFetch({ named: { origins: [], hosts: [] }, lookup })(url, init);
}

/** Returns a resolver that the test controls. */
function resolver(addressesOf: (name: string) => string[]): LookupFunction {
  return (name, _, answer) => {
    const found = addressesOf(name).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    answer(null, found);
  };
}

/** Starts a plain TCP server that counts its connections. */
async function listening(answer = ''): Promise<{ port: number; connections(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  open.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, connections: () => count };
}
