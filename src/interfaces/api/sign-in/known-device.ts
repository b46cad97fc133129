/**
 * Recognises browsers that have signed in before. Strangers' wrong passwords do not delay these browsers (OWASP: device
 * cookie).
 */
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { newSecret } from '../../../core/new-secret.ts';
import type { Store } from '../../../store.ts';
import type { AddressBook } from '../request/address-book.ts';
import type { HttpEnv } from '../request/context.ts';
import { cookieNameOf } from '../request/cookies.ts';
import { getHostname } from '../request/peer.ts';
import { isSameText } from '../request/secret.ts';

export interface KnownDevices {
  /** Returns the known browser's ID. Returns null if the browser has not signed in to the account before. */
  find(c: Context<HttpEnv>, account: string): string | null;
  /** Records the browser's successful sign-in to the account. */
  remember(c: Context<HttpEnv>, account: string): void;
}

/** The lifetime of the cookie. Browsers allow at most 400 days. */
const KNOWN_SECONDS = 400 * 86_400;

/**
 * Creates the recogniser, which stores nothing. The cookie contains a random text, and a keyed hash of this text and
 * the account. The cookie does not sign anyone in and reveals nothing about the account.
 */
export function createKnownDevices(
  { fingerprint }: Pick<Store, 'fingerprint'>,
  address: Pick<AddressBook, 'isSecure'>,
): KnownDevices {
  const cookieFor = (c: Context<HttpEnv>) => {
    const secure = address.isSecure(getHostname(c));
    return { name: cookieNameOf('donor_sync_device', secure), secure };
  };
  const createProof = (id: string, account: string) =>
    fingerprint('known_device', JSON.stringify([id, account]));

  return {
    find(c, account) {
      const [id = '', proof = ''] = (getCookie(c, cookieFor(c).name) ?? '').split('.');
      return id !== '' && isSameText(proof, createProof(id, account)) ? id : null;
    },
    remember(c, account) {
      const id = newSecret();
      const { name, secure } = cookieFor(c);
      setCookie(c, name, `${id}.${createProof(id, account)}`, {
        httpOnly: true,
        sameSite: 'Lax',
        secure,
        path: '/',
        maxAge: KNOWN_SECONDS,
      });
    },
  };
}
