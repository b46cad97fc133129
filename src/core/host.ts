/** Handles hosts in the settings, and decides which addresses nobody can eavesdrop on. */
import { isIP } from 'node:net';
import { z } from 'zod';

export const hostSchema = z
  .string()
  .trim()
  .toLowerCase()
  .refine(isHost, 'must be only a host, such as "crm.example.org", without scheme, port or path');

/** A host with an optional port. The port is needed only if it is not the default port. */
export const hostAndPortSchema = z
  .string()
  .trim()
  .toLowerCase()
  .refine(isHostAndPort, 'must be a host, such as "crm.example.org", without scheme and path');

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True for the names and IP addresses of this machine. `hostname` must have the same form as in a URL. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** True for HTTPS, and for connections within this machine. */
export function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** True if a URL parser keeps the host unchanged. The host then contains only plain letters. */
function isHost(text: string): boolean {
  return parseHost(text)?.hostname === text;
}

function isHostAndPort(text: string): boolean {
  return parseHost(text)?.host === text;
}

/** Parses a host. Refuses an asterisk, because it would look like a pattern. */
function parseHost(host: string): URL | null {
  const url = `https://${host}/`;
  return !host.includes('*') && URL.canParse(url) ? new URL(url) : null;
}

/** One IP address, or a range such as `10.0.0.0/8`. */
export interface AddressRange {
  address: string;
  /** The number of leading bits that must be equal. */
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const BITS = { ipv4: 32, ipv6: 128 } as const;

/**
 * Parses an IP address or a range, such as `203.0.113.7`, `10.0.0.0/8` or `fd00::/8`. Returns null for anything else,
 * including names.
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', bits, ...rest] = text.trim().split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return null;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) return { address, prefix: BITS[family], family };
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : BITS[family] + 1;
  return prefix <= BITS[family] ? { address, prefix, family } : null;
}
