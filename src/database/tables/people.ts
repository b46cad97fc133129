/** The tables of users, access tokens and browser sessions. */
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
      /** JSON with the IDs of the user's integrations. Null for all integrations. */
      integrations: nullable(text()),
      /** The hash of the password, with its method. Null if the user has no password. */
      password: nullable(text()),
      /**
       * The fingerprint of the identity provider's issuer and subject. Null until the user signs in with the provider.
       */
      subject: nullable(text()),
      invite_hash: nullable(text()),
      invite_until: nullable(bigint()),
      created_at: bigint(),
      /** The time at which the user first used the invitation link. Null until then. */
      joined_at: personal(nullable(bigint())),
      /** The time of the last sign-in or request. This time is stored with a delay of at most a minute. */
      seen_at: personal(nullable(bigint())),
      /** The time at which the user was disabled. A disabled user cannot sign in. Null for an active user. */
      disabled_at: nullable(bigint()),
      /** SHA-256 of the one-time value in the verification email. Null if no verification email was sent. */
      email_proof: nullable(text()),
      email_proof_until: nullable(bigint()),
      /** The time at which the user proved that the address receives emails. Null until then. */
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
       * The month of the last email (UTC, such as 2026-11). Before the first email, this is the month in which the user
       * chose it.
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
      /** The name that its owner gave the token. */
      name: personal(text()),
      role: text<Role>(),
      /** The token's access, in the same form as in the table `people`. */
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
      /** The time of the last request. This time is stored with a delay of at most a minute. */
      seen_at: personal(bigint()),
      /** The latest end of the session. A session without requests ends earlier. */
      expires_at: bigint(),
      /** The time of the last proof of identity after the sign-in, or null. */
      proved_at: personal(nullable(bigint())),
    },
  ),
  /** A passkey, which replaces a password. The row contains only the public half of its key pair. */
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
      /** The number of uses that the authenticator has counted. 0 if the authenticator does not count its uses. */
      counter: bigint(),
      /** JSON with the ways in which browsers reach the authenticator. */
      transports: text(),
      /** The host name to which browsers bind the passkey. */
      host: text(),
      /** The name that its owner gave the passkey, encrypted. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      created_at: personal(bigint()),
      last_used_at: personal(nullable(bigint())),
    },
  ),
  /**
   * A CRM user who has a linked user's rights in the CRM. Users create the link themselves, because the address in the
   * CRM does not prove their identity.
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
      /** Encrypted: the CRM, its account, and the ID and address of the CRM user. */
      sealed: sealed({ with: 'secret key', boundTo: ['id'] }),
      linked_at: personal(bigint()),
    },
  ),
  /**
   * The contacts on a user's own list. The list shows whom the user wants to call, so it is the user's personal data.
   */
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
  /** A used challenge. The challenge is stored until it expires, so that it cannot be used twice. */
  spent_challenges: table(
    {
      key: ['hash'],
      whenClientErased: 'not of a client',
      exported: { not: 'of a user' },
      retention: null,
    },
    {
      /** SHA-256 of the challenge. */
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
      /** The time at which counting starts again at zero. */
      until: bigint(),
    },
  ),
  /** The addresses of the server. These addresses are used if the settings contain no address. */
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
       * most one proposed and one current address.
       */
      slot: nullable(text<'proposed' | 'current'>()),
      /** The origin, such as `https://donors.example.org`. */
      url: text(),
      /** The encrypted one-time value that confirms the address. Null after the confirmation. */
      secret: nullable(sealed({ with: 'secret key', boundTo: ['id'] })),
      /**
       * The fingerprint of the browser that proposed the address. This browser cannot confirm the address. Null if the
       * address was proposed in the terminal.
       */
      browser: personal(nullable(text())),
      /** The user who proposed the address. Null if it was proposed in the terminal. */
      proposed_by: nullable(text()),
      proposed_at: bigint(),
      confirmed_at: nullable(bigint()),
      /** The time at which the one-time value or the former address expires. Null for the current address. */
      until: nullable(bigint()),
    },
  ),
};
