/** Guesses by strangers do not slow it down (OWASP: device cookie). */
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
  /** Null for a browser that has not signed in before. Otherwise returns null. */
  find(c: Context<HttpEnv>, account: string): string | null;
  /** Records the browser's successful sign-in to the account. */
  remember(c: Context<HttpEnv>, account: string): void;
}

/** Browsers allow 400 days. */
const KNOWN_SECONDS = 400 * 86_400;

/**
 * Creates the recogniser. It stores nothing. The cookie has a random string and a keyed hash of it and the account. It
 * signs nobody in and reveals nothing about the account.
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
