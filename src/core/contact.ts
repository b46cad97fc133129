import type { RecordCurrencies } from './money.ts';
import { isPlainLine } from './printable.ts';

/**
 * The details that distinguish one human being from another: the part of a contact that is sent to
 * the service.
 */
export interface Identity {
  firstName: string | null;
  lastName: string | null;
  /** Free-text addresses, the most significant one first. */
  addresses: readonly string[];
  /** Employer names, the current one first. */
  employers: readonly string[];
}

/** A person record in the CRM, identified by its CRM ID. */
export interface Contact extends Identity {
  id: string;
  /** True if the CRM says that this person must not be enhanced. */
  optedOut: boolean;
  /**
   * True if the person objects to being enhanced, according to the list in the settings or the consent in the CRM. The
   * paid profile is then deleted at once. False by default.
   */
  objects?: boolean;
  /**
   * Another mark of the CRM that excludes this person; null or omitted if there is none. `row_unreadable`: the identity
   * cannot be read at all, and the ID refers to the row of a file. `mark_unknown`: a field that marks contacts has a
   * value whose meaning nobody has defined.
   */
  excluded?: Exclusion | 'row_unreadable' | 'mark_unknown' | null;
  /** Requests about the person's data that the CRM records; omitted if it records none. */
  privacy?: PrivacyMarks;
  /**
   * Names of identity sources (`IdentitySource.name` of the connectors' contract) that could not be
   * read for this contact. Unreadable is not the same as empty: their values are unknown. Omitted
   * or empty: everything could be read.
   */
  unreadable?: readonly string[];
  /** The currencies of its currency fields; omitted if a CRM has none on its records. */
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

/** The mark in a CRM record that, without an opt-out, prevents a person from being enhanced. */
export type Exclusion = 'deceased' | 'do_not_contact';

/**
 * The identity as one canonical text, which its fingerprint is computed from. Case, accents and
 * runs of white space do not make a new person. Neither does the order of addresses and employers,
 * since CRMs do not guarantee one.
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
 * The same text for the same person, wherever and however a CRM stores them: in addition to what
 * `identityText` ignores, punctuation and repeated or empty parts make no difference. It determines
 * who shares a profile, never who has changed, so it may become more lenient without costing a new
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

/**
 * Canonical text without punctuation. A text that consists only of punctuation stays, because different ones would
 * otherwise be equal.
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

/** Text without punctuation, like most names. */
const BARE = /^[a-z0-9 ]*$/;

/** Ignores accents (combining marks after decomposition), white space and case. */
function canonical(text: string): string {
  if (isPlainLine(text)) return text.toLowerCase();
  return withoutAccents(text).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Decomposes a text only if it is not plain ASCII, as most texts are. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text;
}
