import type { RecordCurrencies } from './money.ts';
import { isPlainLine } from './printable.ts';

/** The details that distinguish one person from another. This part of a contact is sent to the service. */
export interface Identity {
  firstName: string | null;
  lastName: string | null;
  /** Addresses as free text, the most significant first. */
  addresses: readonly string[];
  /** The names of employers, current employer first. */
  employers: readonly string[];
}

/** A person's record in the CRM, identified by its CRM ID. */
export interface Contact extends Identity {
  id: string;
  /** True if the person must not be enhanced, according to the CRM. */
  optedOut: boolean;
  /**
   * True if the person objects to being enhanced, according to the list in the settings or the consent in the CRM. The
   * paid profile is then deleted immediately. Defaults to false.
   */
  objects?: boolean;
  /**
   * Another mark in the CRM that excludes this person. Null or omitted if there is none. `row_unreadable`: the identity
   * cannot be read at all, and the ID is the row's number in the file. `mark_unknown`: a field that marks contacts has
   * a value whose meaning nobody has defined.
   */
  excluded?: Exclusion | 'row_unreadable' | 'mark_unknown' | null;
  /** Requests about the person's data that the CRM records. Omitted if there are none. */
  privacy?: PrivacyMarks;
  /**
   * The names of identity sources (`IdentitySource.name` in the connectors' contract) that could not be read for this
   * contact. Their values are unknown, which is not the same as empty. If omitted or empty, everything could be read.
   */
  unreadable?: readonly string[];
  /** The currencies in its currency fields. Omitted if the CRM's records have no currency. */
  currencies?: RecordCurrencies;
}

/** Requests about a person's data, as a CRM records them. */
export interface PrivacyMarks {
  /** True if the person is to be erased. */
  shouldForget: boolean;
  /** True if the person objects to profiling. */
  objectsToProfiling: boolean;
  /** True if the person's data must not be erased for now. */
  isOnHold: boolean;
}

/** A mark in a CRM record that, without an opt-out, prevents a person from being enhanced. */
export type Exclusion = 'deceased' | 'do_not_contact';

/**
 * Returns the identity as one canonical text, from which its fingerprint is computed. Case, accents and white space do
 * not make a different person. The order of addresses and employers does not either, because CRMs do not guarantee one.
 */
export function identityText(identity: Identity): string {
  return JSON.stringify([
    canonical(identity.firstName ?? ''),
    canonical(identity.lastName ?? ''),
    identity.addresses.map(canonical).filter(Boolean).sort(),
    identity.employers.map(canonical).filter(Boolean).sort(),
  ]);
}

/**
 * Returns the same text for the same person, however a CRM stores them. Ignores everything that `identityText` ignores,
 * and also punctuation and repeated or empty parts. It decides who shares a profile, but never who has changed. So it
 * can become more lenient without costing a new credit.
 */
export function personText(identity: Identity): string {
  return JSON.stringify([
    words(identity.firstName ?? ''),
    words(identity.lastName ?? ''),
    distinct(identity.addresses),
    distinct(identity.employers),
  ]);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.map(words).filter(Boolean))].sort();
}

/**
 * Returns canonical text without punctuation. A text that consists only of punctuation stays, because otherwise
 * different texts would become equal.
 */
function words(text: string): string {
  const plain = canonical(text);
  if (BARE.test(plain)) return plain;
  const bare = plain
    .replace(/['’ʼ.]/g, '')
    .replace(/[\p{P}\p{S}]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return bare || plain;
}

/** Matches text without punctuation, such as most names. */
const BARE = /^[a-z0-9 ]*$/;

/** Removes accents (combining marks after decomposition), case, and differences in white space. */
function canonical(text: string): string {
  if (isPlainLine(text)) return text.toLowerCase();
  return withoutAccents(text).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Decomposes a text only if it is not plain ASCII, because most texts are. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text;
}
