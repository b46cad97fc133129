/** The addresses under which users reach this process, as it knows them. */

import type { Clock } from '../../../core/clock.ts';
import { isLoopback } from '../../../core/host.ts';
import type { TimedReader } from '../../../database/reader.ts';
import {
  type GivenAddress,
  readAddresses,
  type ServerAddress,
} from '../../../people/server-address.ts';
import { getRelyingParty, type RelyingParty } from '../../../people/sign-in/passkeys.ts';

/** A change by another process takes effect within this time. */
const KEPT_MS = 5_000;

export interface AddressBook {
  /** The address in the settings. */
  readonly given: GivenAddress;
  /** Reads the addresses again if they are older than five seconds. */
  refresh(): Promise<void>;
  /** The next `refresh` reads them in any case. */
  forget(): void;
  /** Returns the address that counts. */
  url(): string;
  from(): ServerAddress['from'];
  /** The accepted address with this host name, or the address in use. */
  urlAt(hostname: string): string;
  /** Returns true for the host name of the address in use, and of a former address that is still accepted. */
  isOurs(hostname: string): boolean;
  /**
   * Returns true for the host name of an address that waits to be confirmed. Only its confirmation is answered there.
   */
  isProposed(hostname: string): boolean;
  /** True if browsers get cookies that they send over https only. */
  isSecure(hostname: string): boolean;
  /** Returns our identity for passkeys under this host name, or null if browsers create no passkeys for our address. */
  partyAt(hostname: string): RelyingParty | null;
}

/** Returns the addresses of a service whose settings have one, or which nobody else reaches. */
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
    // A negative time shows that the clock was set back.
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

/** Creates an address book. `read` resolves to null if nothing has to be read. */
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
      // Whoever confirmed an address from this computer stays signed in there, over plain http.
      const isHere = hasOwnUrl && isLoopback(hostname);
      return (findAt(hostname) ?? known.url).startsWith('https:') && !isHere;
    },
    partyAt: (hostname) => getRelyingParty(findAt(hostname) ?? known.url),
  };
}
