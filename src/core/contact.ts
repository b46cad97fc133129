import type { RecordCurrencies } from './money.ts';
import { isPlainLine } from './printable.ts';

/** Only this part of a contact is sent to the service. */
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
  /** True if the CRM says that the person must not be enhanced. */
  optedOut: boolean;
  /**
   * True if the person objects to enhancement, according to the settings or the CRM's consent record. The paid profile
   * is then deleted immediately. Defaults to false.
   */
  objects?: boolean;
  /**
   * Null or omitted if there is none. `row_unreadable`: the whole row is unreadable, and the ID is its number in the
   * file. `mark_unknown`: nobody has defined what the value of a mark field means.
   */
  excluded?: Exclusion | 'row_unreadable' | 'mark_unknown' | null;
  /** Privacy requests in the CRM record. Omitted if there are none. */
  privacy?: PrivacyMarks;
  /**
   * The names of identity sources that could not be read for this contact. An unknown value is not an empty value.
   * Empty or omitted if everything could be read.
   */
  unreadable?: readonly string[];
  /** Omitted if the CRM's records have no currency. */
  currencies?: RecordCurrencies;
}

/** Requests about a person's data, as a CRM records them. */
export interface PrivacyMarks {
  /** True if the person is to be erased. */
  shouldForget: boolean;
  objectsToProfiling: boolean;
  /** True if the person's data must not be erased for now. */
  isOnHold: boolean;
}

export type Exclusion = 'deceased' | 'do_not_contact';

/**
 * Returns the canonical string from which the identity's fingerprint is computed. Differences in case, accents and
 * white space are ignored. The order of addresses and employers does not matter, because CRMs do not guarantee it.
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
 * Returns the same string for the same person in every CRM. Also ignores punctuation and repeated or empty parts.
 * Decides which contacts share a profile, but not which contacts have changed. More lenient rules therefore cost no new
 * credit.
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

/** Removes accents (combining marks after decomposition), case, and differences in white space. */
function canonical(text: string): string {
  if (isPlainLine(text)) return text.toLowerCase();
  return withoutAccents(text).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Decomposes a string only if it is not plain ASCII. Most strings are plain ASCII. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text;
}
