/** Who may send requests: users, access tokens, and the browsers that signed in. */
import type { Role } from '../../core/role.ts';
import { bigint, integer, nullable, personal, sealed, table, text } from './table.ts';

export const PEOPLE_TABLES = {
  /** A person who signs in, or is invited to. */
  people: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      /** The fingerprint of the e-mail address in small letters. */
      email: personal(text()),
      /** Name and e-mail address, sealed. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      role: text<Role>(),
      /** The ids of the integrations within reach, as JSON; null for all. */
      integrations: nullable(text()),
      /** The password's hash, with how it was made; null while there is none. */
      password: nullable(text()),
      /** The fingerprint of issuer and subject, as the identity provider named them first; null before. */
      subject: nullable(text()),
      /** SHA-256 of the secret of the link that is open; null if none is. */
      invite_hash: nullable(text()),
      invite_until: nullable(bigint()),
      created_at: bigint(),
      /** When the link was used; null before. */
      joined_at: personal(nullable(bigint())),
      /** The last sign-in or request, at most a minute late. */
      seen_at: personal(nullable(bigint())),
      /** Since when the person gets in no more; null while it may. */
      disabled_at: nullable(bigint()),
    },
  ),
  access_tokens: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      /** What its owner calls it. */
      name: personal(text()),
      role: text<Role>(),
      /** As of people. */
      integrations: nullable(text()),
      /** SHA-256 of the token. */
      hash: text(),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
    },
  ),
  /** A browser that signed in, with an access token or as a person. */
  browser_sessions: table(
    {
      key: ['hash'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** SHA-256 of the cookie's value. */
      hash: text(),
      /** By which people see and end it. */
      id: text(),
      token_id: nullable(text()),
      person_id: nullable(text()),
      /** Its kind and its system, in a few words of ours; null if not known. */
      browser: personal(nullable(text())),
      begun_at: personal(bigint()),
      /** The last request, at most a minute late. */
      seen_at: personal(bigint()),
      /** The absolute end; without requests it ends earlier. */
      expires_at: bigint(),
      /** When it proved again who it is, after it began; null if it did not. */
      proved_at: personal(nullable(bigint())),
    },
  ),
  /** What a person signs in with in the place of a password: the public half of a pair of keys. */
  passkeys: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** By which people see and remove it. */
      id: text(),
      person_id: text(),
      /** What the authenticator calls it, in base64url. */
      credential: text(),
      /** COSE, in base64url. */
      public_key: text(),
      /** How often the authenticator says that it was used; 0 for those that do not count. */
      counter: bigint(),
      /** How browsers reach the authenticator, as JSON. */
      transports: text(),
      /** What its owner calls it, sealed. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      created_at: personal(bigint()),
      last_used_at: personal(nullable(bigint())),
    },
  ),
  /** A challenge that was answered, until it would be too old anyway: none counts twice. */
  spent_challenges: table(
    {
      key: ['hash'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** SHA-256. */
      hash: text(),
      until: bigint(),
    },
  ),
  /** How often signing in went wrong, for all processes together. */
  sign_in_attempts: table(
    {
      key: ['key'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** The fingerprint of an account or of an address. */
      key: personal(text()),
      count: integer(),
      /** From then on the count begins anew. */
      until: bigint(),
    },
  ),
};
