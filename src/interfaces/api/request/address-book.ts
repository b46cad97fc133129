/** Knows the addresses of this server. */

import type { Clock } from '../../../core/clock.ts';
import { isLoopback } from '../../../core/host.ts';
import type { TimedReader } from '../../../database/reader.ts';
import {
  type GivenAddress,
  readAddresses,
  type ServerAddress,
} from '../../../people/server-address.ts';
import { getRelyingParty, type RelyingParty } from '../../../people/sign-in/passkeys.ts';

/** The lifetime of cached addresses. Within this time, other processes' changes take effect. */
const KEPT_MS = 5_000;

export interface AddressBook {
  /** The address in the settings. */
  readonly given: GivenAddress;
  refresh(): Promise<void>;
  /** Discards the cached addresses, so that the next `refresh` reads them. */
  forget(): void;
  url(): string;
  from(): ServerAddress['from'];
  urlAt(hostname: string): string;
  /** True for the current host name and for former host names that are still accepted. */
  isOurs(hostname: string): boolean;
  /**
   * True for a proposed address that is not confirmed yet. Under its host name, donor-sync only answers confirmations.
   */
  isProposed(hostname: string): boolean;
  /** True if browsers get cookies that they send only over HTTPS. */
  isSecure(hostname: string): boolean;
  /** Returns donor-sync's identity for passkeys. Null if browsers cannot create passkeys for this address. */
  partyAt(hostname: string): RelyingParty | null;
}

/** Creates the address book for an address in the settings, or for a server that only this machine can reach. */
export function fixedAddress(publicUrl: string): AddressBook {
  return createBook({ publicUrl }, async () => null);
}

export function createAddressBook(
  { reader, clock }: { reader: TimedReader; clock: Pick<Clock, 'now'> },
  given: GivenAddress,
): AddressBook {
  if (given.hasOwnUrl !== true) return createBook(given, async () => null);
  let readAt: number | null = null;
  const book = createBook(given, async () => {
    const now = clock.now();
    // A negative age means that the clock was set back.
    const isFresh = readAt !== null && now - readAt >= 0 && now - readAt < KEPT_MS;
    if (isFresh) return null;
    const { url, from, former, proposed } = await readAddresses(reader, given);
    readAt = now;
    return { url, from, former: former.map((each) => each.url), proposed: proposed?.url ?? null };
  });
  return {
    ...book,
    forget() {
      readAt = null;
    },
  };
}

interface Known {
  url: string;
  from: ServerAddress['from'];
  former: readonly string[];
  proposed: string | null;
}

/** Creates an address book. `read` resolves with null if no address is stored. */
function createBook(given: GivenAddress, read: () => Promise<Known | null>): AddressBook {
  const { publicUrl, hasOwnUrl = false } = given;
  let known: Known = {
    url: publicUrl,
    from: hasOwnUrl ? 'default' : 'settings',
    former: [],
    proposed: null,
  };

  function findAt(hostname: string): string | undefined {
    return [known.url, ...known.former].find((url) => new URL(url).hostname === hostname);
  }

  return {
    given,
    async refresh() {
      known = (await read()) ?? known;
    },
    forget() {},
    url: () => known.url,
    from: () => known.from,
    urlAt: (hostname) => findAt(hostname) ?? known.url,
    isOurs: (hostname) => findAt(hostname) !== undefined,
    isProposed: (hostname) =>
      known.proposed !== null && new URL(known.proposed).hostname === hostname,
    isSecure(hostname) {
      // A user who confirmed an address on this machine stays signed in over plain HTTP.
      const isHere = hasOwnUrl && isLoopback(hostname);
      return (findAt(hostname) ?? known.url).startsWith('https:') && !isHere;
    },
    partyAt: (hostname) => getRelyingParty(findAt(hostname) ?? known.url),
  };
}
