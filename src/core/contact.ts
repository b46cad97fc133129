import type { RecordCurrencies } from './money.ts';
import { isPlainLine } from './printable.ts';

/** What tells one human being from another: the part of a contact that the service is shown. */
export interface Identity {
  firstName: string | null;
  lastName: string | null;
  /** Free-text addresses, the most telling one first. */
  addresses: readonly string[];
  /** Employer names, the present one first. */
  employers: readonly string[];
}

/** A person record in the CRM, known to us by its CRM id. */
export interface Contact extends Identity {
  id: string;
  /** True if the CRM says that this person must not be researched. */
  optedOut: boolean;
  /**
   * True if the person objects to being researched: by the list of the settings, or by what the CRM records of a person's
   * consent. Then the profile that was paid for is deleted at once. Left out: false.
   */
  objects?: boolean;
  /**
   * Another mark of the CRM by which this person is left out; null or left out where there is none.
   * `row_unreadable`: who it is cannot be read at all, and the id stands for the row of a file.
   * `mark_unknown`: a field that marks contacts has a value of which nobody has said what it means.
   */
  excluded?: Exclusion | 'row_unreadable' | 'mark_unknown' | null;
  /** Requests about the person's data that the CRM records; left out where it records none. */
  privacy?: PrivacyMarks;
  /**
   * Names of identity sources (`IdentitySource.name` of the connectors' contract) that could not be
   * read for this contact. Not readable is not the same as empty: what stands here is unknown.
   * Left out or empty: everything could be read.
   */
  unreadable?: readonly string[];
  /** The currencies of its currency fields; left out where a CRM has none on its records. */
  currencies?: RecordCurrencies;
}

/** Requests about a person's data, as a CRM records them. */
export interface PrivacyMarks {
  /** True if the person is to be forgotten. */
  shouldForget: boolean;
  /** True if the person objects to profiling. */
  objectsToProfiling: boolean;
  /** True if the person's data must not be erased for now. */
  isOnHold: boolean;
}

/** Why a CRM's record alone keeps a person from being researched, besides an opt-out. */
export type Exclusion = 'deceased' | 'do_not_contact';

/**
 * The identity in one canonical text, from which its fingerprint is made. Case, accents and
 * runs of white space do not make a new person; the order of addresses and employers
 * does not either, since CRMs do not promise one.
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
 * The same person in one text, wherever and however a CRM holds them: besides what `identityText`
 * folds away, punctuation and repeated or empty parts make no difference. It decides who shares a
 * profile, and never who has changed: so it may become more lenient without a new credit.
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

/** Canonical without punctuation; a text of nothing else stays, or different ones would be equal. */
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

/** What has no punctuation, as most names. */
const BARE = /^[a-z0-9 ]*$/;

/** Accents (combining marks after decomposition), white space and case folded away. */
function canonical(text: string): string {
  if (isPlainLine(text)) return text.toLowerCase();
  return withoutAccents(text).replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Plain ASCII, as most texts are, has nothing to take apart. */
function withoutAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text;
}
