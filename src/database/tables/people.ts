/** The accounts that can send requests: users, access tokens, and signed-in browsers. */
import type { MailKind } from '../../core/mail-kinds.ts';
import type { Role } from '../../core/role.ts';
import { bigint, contactId, integer, nullable, personal, sealed, table, text } from './table.ts';

export const PEOPLE_TABLES = {
  /** A user who signs in or is invited. */
  people: table(
    {
      key: ['id'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      id: text(),
      /** The fingerprint of the lower-case e-mail address. */
      email: personal(text()),
      /** Name and e-mail address, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      role: text<Role>(),
      /** JSON with the IDs of the integrations that the user may access. Null for all integrations. */
      integrations: nullable(text()),
      /** The hash of the password, with its method. Null while there is no password. */
      password: nullable(text()),
      /**
       * The fingerprint of the issuer and the subject, as the identity provider first reported them. Null until then.
       */
      subject: nullable(text()),
      /** SHA-256 of the open link's secret, or null if no link is open. */
      invite_hash: nullable(text()),
      invite_until: nullable(bigint()),
      created_at: bigint(),
      /** When the link was used. Null until then. */
      joined_at: personal(nullable(bigint())),
      /** The last sign-in or request. It is stored with a delay of at most a minute. */
      seen_at: personal(nullable(bigint())),
      /** The time since when the user is disabled and cannot sign in. Null if the user is not disabled. */
      disabled_at: nullable(bigint()),
      /** SHA-256 of the one-time value in the mail that verifies the address. Null if no mail is open. */
      email_proof: nullable(text()),
      email_proof_until: nullable(bigint()),
      /** When the user showed that mail to the address arrives. Null until then. */
      email_verified_at: personal(nullable(bigint())),
    },
  ),
  /** A monthly mail that a user wants. */
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
       * The month in which the mail was last sent (UTC, such as 2026-11). At first, the month in which the user chose
       * it.
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
      /** The same as in `people`. */
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
      /** The ID by which users see the session and end it. */
      id: text(),
      token_id: nullable(text()),
      person_id: nullable(text()),
      /** The kind of browser and its system, in our own words, or null if unknown. */
      browser: personal(nullable(text())),
      begun_at: personal(bigint()),
      /** The last request. It is stored with a delay of at most a minute. */
      seen_at: personal(bigint()),
      /** The absolute end. Without requests, the session ends earlier. */
      expires_at: bigint(),
      /** When the user last confirmed their identity after signing in, or null if never. */
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
      /** The ID by which users see the passkey and remove it. */
      id: text(),
      person_id: text(),
      /** The credential's ID from the authenticator, in base64url. */
      credential: text(),
      /** COSE, in base64url. */
      public_key: text(),
      /** The number of uses that the authenticator reports, or 0 if it does not count uses. */
      counter: bigint(),
      /** How browsers can reach the authenticator, as JSON. */
      transports: text(),
      /** The host name to which browsers bind it. */
      host: text(),
      /** The name that its owner gave it, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      created_at: personal(bigint()),
      last_used_at: personal(nullable(bigint())),
    },
  ),
  /**
   * A CRM user who is linked to a user here, and acts in the CRM with that user's rights. Users link themselves,
   * because an address that the CRM reports proves nothing.
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
      /** The fingerprint of the kind of CRM, its account and the ID of its user. */
      fingerprint: personal(text()),
      /** Encrypted: the kind of CRM, its account, and its user's ID and address as the CRM reported them. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      linked_at: personal(bigint()),
    },
  ),
  /** The contacts that a user has put on their own list. A row shows whom the user wants to call, so it is the user's. */
  listed_contacts: table(
    {
      key: ['person_id', 'integration_id', 'crm_id'],
      whenClientErased: 'deleted with its contact',
      exported: { as: 'listed-contacts', columns: ['crm_id', 'person_id', 'listed_at'] },
      retention: null,
    },
    {
      /** The user whose list it is. */
      person_id: personal(text()),
      integration_id: text(),
      crm_id: contactId({ forget: 'row', about: 'lists', whenRemoved: 'deleted' }),
      listed_at: personal(bigint()),
    },
  ),
  /** A challenge that was used. It is kept until it would be too old anyway, so no challenge can be used twice. */
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
      /** From this time on, the count starts again. */
      until: bigint(),
    },
  ),
  /** An address at which users reach the server, if the settings have none. */
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
       * `proposed` until another browser confirms the address, then `current`. Null for a former address. There is at
       * most one row of each.
       */
      slot: nullable(text<'proposed' | 'current'>()),
      /** An origin, such as `https://donors.example.org`. */
      url: text(),
      /** The encrypted one-time value that confirms the address. Null once it is confirmed. */
      secret: nullable(sealed({ with: 'secret key', boundTo: ['id'] })),
      /** The fingerprint of the browser that proposed the address, which cannot confirm it. Null for the terminal. */
      browser: personal(nullable(text())),
      /** The ID of the owner who proposed the address, until it is confirmed. Null for the terminal. */
      proposed_by: nullable(text()),
      proposed_at: bigint(),
      confirmed_at: nullable(bigint()),
      /** When the one-time value or the former address expires. Null for the current address. */
      until: nullable(bigint()),
    },
  ),
};
