/** The address that a request comes from, for counting attempts and for the log. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Context } from 'hono';
import { parseAddressRange } from '../../core/host.ts';
import type { HttpEnv } from './context.ts';
import { socketAddress } from './peer.ts';

/** The address of a caller, short and in one spelling. */
export type ClientAddress = (c: Context<HttpEnv>) => string;

/** True of the address of a proxy that the settings trust. */
export type IsTrustedProxy = (address: string) => boolean;

/** Proxies that may stand behind each other, and the part of the header that is looked at. */
const MAX_HOPS = 10;
const MAX_HEADER_LENGTH = 1_000;

/** Reads `server.trustedProxies`, which the settings have checked. */
export function trustedProxies(ranges: readonly string[]): IsTrustedProxy {
  const list = new BlockList();
  for (const range of ranges.map(parseAddressRange)) {
    if (range !== null) list.addSubnet(range.address, range.prefix, range.family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/**
 * The address on the other side of the connection; if that is a trusted proxy, the one that it names
 * last in `X-Forwarded-For`, passing over further trusted proxies. What others write there counts
 * for nothing, and so does what is no address: callers can write anything into it.
 */
export function clientAddress(isTrusted: IsTrustedProxy): ClientAddress {
  return (c) => {
    let client = socketAddress(c);
    if (!isTrusted(client)) return networkOf(client);
    const header = (c.req.header('x-forwarded-for') ?? '').slice(-MAX_HEADER_LENGTH);
    for (const hop of header.split(',').slice(-MAX_HOPS).reverse()) {
      const address = addressIn(hop);
      if (address === null) break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return networkOf(client);
  };
}

/**
 * What is counted as one: an address of IPv4, or the 64 bits of IPv6 that one connection to the
 * internet is given, within which it has as many addresses as it likes.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address) || !URL.canParse(`http://[${address}]/`)) return address;
  // A URL spells each address in one way; `::` stands for as many zeros as are missing of eight.
  const { hostname } = new URL(`http://[${address}]/`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...rest];
  return `${all.slice(0, 4).join(':')}::/64`;
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function addressIn(hop: string): string | null {
  const text = hop.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? null : address;
}
