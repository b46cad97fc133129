/** The addresses that this process knows for itself. */

import type { Clock } from '../../../core/clock.ts';
import { isLoopback } from '../../../core/host.ts';
import type { TimedReader } from '../../../database/reader.ts';
import {
  type GivenAddress,
  readAddresses,
  type ServerAddress,
} from '../../../people/server-address.ts';
import { getRelyingParty, type RelyingParty } from '../../../people/sign-in/passkeys.ts';

/** Other processes' changes take effect within this time. */
const KEPT_MS = 5_000;

export interface AddressBook {
  /** The address in the settings. */
  readonly given: GivenAddress;
  refresh(): Promise<void>;
  /** The next `refresh` reads them in any case. */
  forget(): void;
  url(): string;
  from(): ServerAddress['from'];
  urlAt(hostname: string): string;
  /** True for the current host name and accepted former ones. */
  isOurs(hostname: string): boolean;
  /** True for an unconfirmed address. Only confirmations are answered under this name. */
  isProposed(hostname: string): boolean;
  /** True if browsers get cookies that they send over https only. */
  isSecure(hostname: string): boolean;
  /** Null if browsers create no passkeys for our address. */
  partyAt(hostname: string): RelyingParty | null;
}

/** The service has a configured address or is reachable only from this machine. */
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

/** `read` resolves to null if nothing must be read. */
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
      // A user who confirmed an address here stays signed in over plain http.
      const isHere = hasOwnUrl && isLoopback(hostname);
      return (findAt(hostname) ?? known.url).startsWith('https:') && !isHere;
    },
    partyAt: (hostname) => getRelyingParty(findAt(hostname) ?? known.url),
  };
}
