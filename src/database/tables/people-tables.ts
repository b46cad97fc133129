/** Who may ask over HTTP: people, access tokens, and the browsers that signed in. */
import type { Role } from '../../core/role.ts';

export interface PeopleTables {
  people: PeopleTable;
  access_tokens: AccessTokensTable;
  browser_sessions: BrowserSessionsTable;
  passkeys: PasskeysTable;
  spent_challenges: SpentChallengesTable;
  sign_in_attempts: SignInAttemptsTable;
}

/** A person who signs in, or is invited to. */
export interface PeopleTable {
  id: string;
  /** The fingerprint of the e-mail address in small letters. */
  email: string;
  /** Name and e-mail address, sealed. */
  sealed: string;
  role: Role;
  /** The ids of the integrations within reach, as JSON; null for all. */
  integrations: string | null;
  /** The password's hash, with how it was made; null while there is none. */
  password: string | null;
  /** The fingerprint of issuer and subject, as the identity provider named them first; null before. */
  subject: string | null;
  /** SHA-256 of the secret of the link that is open; null if none is. */
  invite_hash: string | null;
  invite_until: number | null;
  created_at: number;
  /** When the link was used; null before. */
  joined_at: number | null;
  /** The last sign-in or request, at most a minute late. */
  seen_at: number | null;
  /** Since when the person gets in no more; null while it may. */
  disabled_at: number | null;
}

export interface AccessTokensTable {
  id: string;
  /** What its owner calls it. */
  name: string;
  role: Role;
  /** As of people. */
  integrations: string | null;
  /** SHA-256 of the token. */
  hash: string;
  created_at: number;
  last_used_at: number | null;
}

/** A browser that signed in, with an access token or as a person. */
export interface BrowserSessionsTable {
  /** SHA-256 of the cookie's value. */
  hash: string;
  /** By which people see and end it. */
  id: string;
  token_id: string | null;
  person_id: string | null;
  /** Its kind and its system, in a few words of ours; null if not known. */
  browser: string | null;
  begun_at: number;
  /** The last request, at most a minute late. */
  seen_at: number;
  /** The absolute end; without requests it ends earlier. */
  expires_at: number;
  /** When it proved again who it is, after it began; null if it did not. */
  proved_at: number | null;
}

/** What a person signs in with in the place of a password: the public half of a pair of keys. */
export interface PasskeysTable {
  /** By which people see and remove it. */
  id: string;
  person_id: string;
  /** What the authenticator calls it, in base64url. */
  credential: string;
  /** COSE, in base64url. */
  public_key: string;
  /** How often the authenticator says that it was used; 0 for those that do not count. */
  counter: number;
  /** How browsers reach the authenticator, as JSON. */
  transports: string;
  /** What its owner calls it, sealed. */
  sealed: string;
  created_at: number;
  last_used_at: number | null;
}

/** A challenge that was answered, until it would be too old anyway: none counts twice. */
export interface SpentChallengesTable {
  /** SHA-256. */
  hash: string;
  until: number;
}

/** How often signing in went wrong, for all processes together. */
export interface SignInAttemptsTable {
  /** The fingerprint of an account or of an address. */
  key: string;
  count: number;
  /** From then on the count begins anew. */
  until: number;
}
