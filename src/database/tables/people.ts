/** The accounts that may send requests: users, access tokens, and signed-in browsers. */
import type { Role } from '../../core/role.ts';
import { bigint, integer, nullable, personal, sealed, table, text } from './table.ts';

export const PEOPLE_TABLES = {
  /** A user who signs in, or is invited to. */
  people: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      /** Fingerprint of the e-mail address in lower case. */
      email: personal(text()),
      /** Name and e-mail address, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      role: text<Role>(),
      /** JSON: IDs of the integrations that the user may access; null for all. */
      integrations: nullable(text()),
      /** Hash of the password and its method; null while there is none. */
      password: nullable(text()),
      /**
       * Fingerprint of issuer and subject, as the identity provider first named them; null before.
       */
      subject: nullable(text()),
      /** SHA-256 of the secret of the open link; null if none is open. */
      invite_hash: nullable(text()),
      invite_until: nullable(bigint()),
      created_at: bigint(),
      /** When the link was used; null before. */
      joined_at: personal(nullable(bigint())),
      /** The last sign-in or request, at most a minute late. */
      seen_at: personal(nullable(bigint())),
      /** Time since when the user is disabled and cannot sign in; null while not disabled. */
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
      /** The name that its owner gave it. */
      name: personal(text()),
      role: text<Role>(),
      /** As in `people`. */
      integrations: nullable(text()),
      /** SHA-256 of the token. */
      hash: text(),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
    },
  ),
  /** A browser that signed in, with an access token or as a user. */
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
      /** By which users see and end it. */
      id: text(),
      token_id: nullable(text()),
      person_id: nullable(text()),
      /** Its kind and its system, in our own words; null if unknown. */
      browser: personal(nullable(text())),
      begun_at: personal(bigint()),
      /** The last request, at most a minute late. */
      seen_at: personal(bigint()),
      /** The absolute end; without requests it ends earlier. */
      expires_at: bigint(),
      /** When the user last proved their identity again after signing in; null if never. */
      proved_at: personal(nullable(bigint())),
    },
  ),
  /** The credential that a user has instead of a password: the public half of a pair of keys. */
  passkeys: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** By which users see and remove it. */
      id: text(),
      person_id: text(),
      /** The authenticator's ID of it, in base64url. */
      credential: text(),
      /** COSE, in base64url. */
      public_key: text(),
      /** The number of uses that the authenticator reports; 0 if it does not count uses. */
      counter: bigint(),
      /** How browsers reach the authenticator, as JSON. */
      transports: text(),
      /** The name that its owner gave it, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      created_at: personal(bigint()),
      last_used_at: personal(nullable(bigint())),
    },
  ),
  /** A challenge that was used, kept until it would be too old anyway, so that no challenge counts twice. */
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
  /** Number of failed sign-ins, for all processes together. */
  sign_in_attempts: table(
    {
      key: ['key'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** Fingerprint of an account or of an address. */
      key: personal(text()),
      count: integer(),
      /** The count restarts from then on. */
      until: bigint(),
    },
  ),
};
