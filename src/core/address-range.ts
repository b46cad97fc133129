import { isIP } from 'node:net';

/** One IP address or all that begin with the same bits, as in `10.0.0.0/8`. */
export interface AddressRange {
  address: string;
  /** How many leading bits count. */
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const BITS = { ipv4: 32, ipv6: 128 } as const;

/** Reads `203.0.113.7`, `10.0.0.0/8` or `fd00::/8`; null for anything else, names among it. */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', bits, ...rest] = text.trim().split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || address.includes('%')) return null;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) return { address, prefix: BITS[family], family };
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : BITS[family] + 1;
  return prefix <= BITS[family] ? { address, prefix, family } : null;
}
