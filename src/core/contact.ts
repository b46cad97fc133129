import type { RecordCurrencies } from './money.ts';
import { isPlainLine } from './printable.ts';

/** The part of a contact that is sent to the service. No other part is sent. */
export interface Identity {
  firstName: string | null;
  lastName: string | null;
  /** The addresses as free text. The most important address comes first. */
  addresses: readonly string[];
  /** The names of employers, current employer first. */
  employers: readonly string[];
}

/** A person's record in the CRM, with its CRM ID. */
export interface Contact extends Identity {
  id: string;
  /** True if the CRM shows that donor-sync must not enhance the person. */
  optedOut: boolean;
  /**
   * True if the person objects to enhancement, according to the settings or the consent record in the CRM. donor-sync
   * then deletes the paid profile immediately. Defaults to false.
   */
  objects?: boolean;
  /**
   * The reason why the contact is excluded. Null or omitted if there is none. `row_unreadable`: the whole row is
   * unreadable, and the ID is the number of the row in the file. `mark_unknown`: nobody has defined the meaning of the
   * value in a mark field.
   */
  excluded?: Exclusion | 'row_unreadable' | 'mark_unknown' | null;
  /** Privacy requests in the CRM record. Omitted if there are none. */
  privacy?: PrivacyMarks;
  /**
   * The names of identity fields that could not be read for this contact. An unreadable value is not an empty value.
   * Empty or omitted if all fields could be read.
   */
  unreadable?: readonly string[];
  /** The currencies of the record. Omitted if the CRM's records have no currency. */
  currencies?: RecordCurrencies;
}

/** Requests about a person's data, as a CRM records them. */
export interface PrivacyMarks {
  /** True if the person's data must be erased. */
  shouldForget: boolean;
  objectsToProfiling: boolean;
  /** True if the person's data must not be erased at present. */
  isOnHold: boolean;
}

export type Exclusion = 'deceased' | 'do_not_contact';

/**
 * Returns the canonical text from which the identity's fingerprint is computed. Ignores differences in case, accents
 * and white space. Ignores the order of addresses and employers, because CRMs do not guarantee their order.
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
 * Returns the same text for the same person in every CRM. Also ignores punctuation, and repeated or empty parts of an
 * address. This text decides which contacts share a profile, but not which contacts have changed. Therefore, its more
 * lenient rules cost no additional credit.
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

/** Removes accents (combining marks after decomposition) and differences in case and white space. */
function canonical(text: string): string {
  if (isPlainLine(text)) return text.toLowerCase();
  return withoutAccents(text).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Decomposes a string only if it is not plain ASCII. Most strings are plain ASCII. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text;
}
