/** Users, access tokens and signed-in browsers. */
import type { MailKind } from '../../core/mail-kinds.ts';
import type { Role } from '../../core/role.ts';
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

export const PEOPLE_TABLES = {
  /** A user or an invited user. */
  people: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      /** The fingerprint of the lower-case email address. */
      email: personal(text()),
      /** The name and the email address, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      role: text<Role>(),
      /** JSON with the IDs of accessible integrations. Null for all. */
      integrations: nullable(text()),
      /** The hash of the password, with its method. Null while there is no password. */
      password: nullable(text()),
      /** The fingerprint of the provider's issuer and subject. Null until then. */
      subject: nullable(text()),
      invite_hash: nullable(text()),
      invite_until: nullable(bigint()),
      created_at: bigint(),
      /** When the user followed the link. Null until then. */
      joined_at: personal(nullable(bigint())),
      /** The time of the last sign-in or request. It is stored with a delay of at most a minute. */
      seen_at: personal(nullable(bigint())),
      /** A disabled user cannot sign in. Null for an active user. Set when the user was disabled. */
      disabled_at: nullable(bigint()),
      /** SHA-256 of the one-time value in the verification email. Null if no such email has been sent. */
      email_proof: nullable(text()),
      email_proof_until: nullable(bigint()),
      /** When the user proved that the address receives emails. Null until then. */
      email_verified_at: personal(nullable(bigint())),
    },
  ),
  /** A monthly email that a user has chosen. */
  mail_choices: table(
    {
      key: ['person_id', 'kind'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      person_id: text(),
      kind: text<MailKind>(),
      chosen_at: personal(bigint()),
      /**
       * The last email's month (UTC, such as 2026-11). Before the first email, the month in which the user chose it.
       */
      month: text(),
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
      /** The user's access, as in the table `people`. */
      integrations: nullable(text()),
      /** SHA-256 of the token. */
      hash: text(),
      created_at: bigint(),
      last_used_at: nullable(bigint()),
    },
  ),
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
      id: text(),
      token_id: nullable(text()),
      person_id: nullable(text()),
      browser: personal(nullable(text())),
      begun_at: personal(bigint()),
      /** The time of the last request. It is stored with a delay of at most a minute. */
      seen_at: personal(bigint()),
      /** The session's latest end. Without requests, it ends earlier. */
      expires_at: bigint(),
      /** The last confirmation of the user's identity after signing in, or null. */
      proved_at: personal(nullable(bigint())),
    },
  ),
  /** A credential that replaces a password. The row contains the public half of a key pair. */
  passkeys: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      person_id: text(),
      /** The credential's ID from the authenticator, in base64url. */
      credential: text(),
      /** The public key in COSE format, in base64url. */
      public_key: text(),
      /** The authenticator's count of uses. 0 if it does not count. */
      counter: bigint(),
      /** How browsers reach the authenticator, as JSON. */
      transports: text(),
      /** The host name that browsers bind the passkey to. */
      host: text(),
      /** The name that its owner gave it, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      created_at: personal(bigint()),
      last_used_at: personal(nullable(bigint())),
    },
  ),
  /**
   * A CRM user who acts in the CRM with a linked user's rights. Users create the link themselves, because the CRM's
   * address does not prove their identity.
   */
  crm_users: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      person_id: text(),
      /** The fingerprint of the kind of CRM, the account and the CRM user's ID. */
      fingerprint: personal(text()),
      /** Encrypted: the CRM, its account, and the user's ID and address. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      linked_at: personal(bigint()),
    },
  ),
  /** The contacts on a user's own list. A row shows whom the user wants to call, so it belongs to the user. */
  listed_contacts: table(
    {
      key: ['person_id', 'integration_id', 'crm_id'],
      whenClientErased: 'deleted with its contact',
      exported: { as: 'listed-contacts', columns: ['crm_id', 'person_id', 'listed_at'] },
      retention: null,
    },
    {
      person_id: personal(text()),
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'lists', whenRemoved: 'deleted' }),
      listed_at: personal(bigint()),
    },
  ),
  /** A used challenge. It is kept until it expires, so it cannot be used twice. */
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
  /** The number of failed sign-ins, for all processes together. */
  sign_in_attempts: table(
    {
      key: ['key'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** The fingerprint of an account or an address. */
      key: personal(text()),
      count: integer(),
      /** The count restarts at this time. */
      until: bigint(),
    },
  ),
  /** An address of the server. Used without an address in the settings. */
  addresses: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      /**
       * `proposed` until another browser confirms the address, then `current`. Null for a former address. Each value
       * occurs at most once.
       */
      slot: nullable(text<'proposed' | 'current'>()),
      /** An origin, such as `https://donors.example.org`. */
      url: text(),
      /** The encrypted one-time value that confirms the address. Null once it is confirmed. */
      secret: nullable(sealed({ with: 'secret key', boundTo: ['id'] })),
      /**
       * The fingerprint of the browser that proposed the address. This browser cannot confirm the address. Null for the
       * terminal.
       */
      browser: personal(nullable(text())),
      /** Null for the terminal. */
      proposed_by: nullable(text()),
      proposed_at: bigint(),
      confirmed_at: nullable(bigint()),
      /** When the one-time value or the former address expires. Null for the current address. */
      until: nullable(bigint()),
    },
  ),
};
