/**
 * Compares the identity in a CRM record with the stored identity. An unreadable part keeps its fingerprint, because it
 * is not empty. A different spelling is not a change (`canonical-address.ts`).
 */

import { createHash } from 'node:crypto';
import type { ChangedPart } from '../core/changed-parts.ts';
import { type Contact, identityText } from '../core/contact.ts';
import { FatalError } from '../core/errors.ts';
import type { IdentityShape, IdentitySource } from '../core/identity-shape.ts';
import { canonicalAddress } from './canonical-address.ts';
import { canonicalEmployer } from './canonical-name.ts';
import {
  changedParts,
  type IdentityParts,
  NEXT_READING,
  type ParsedIdentity,
  parseIdentityText,
  type SourcedPart,
  toIdentityText,
} from './identity-text.ts';
import { distinctTexts, nameFingerprint, partFingerprint } from './person-fingerprints.ts';

/** Parts that may be unreadable. The name is required. */
export type SourcedPartName = IdentitySource['part'];

/** A CRM field that donor-sync could read at some time with the current settings. */
export type KnownSource = Pick<IdentitySource, 'name' | 'part'>;

/** The identity of a contact, without names and addresses. */
export interface ReadIdentity {
  /** Parts that donor-sync could read before and cannot read now. */
  readonly lost: readonly SourcedPartName[];
  /** Returns the fingerprint for a contact that the database does not contain. */
  text(): string;
  /**
   * Compares the identity with a stored fingerprint. Returns the changes, and the fingerprint that represents both from
   * now on.
   */
  compareWith(stored: string): { changed: readonly ChangedPart[]; text: string };
}

export interface IdentityReader {
  read(contact: Contact): ReadIdentity;
  /** True if a part is unreadable or was never read. The contact may then be a different person. */
  isPartial(contact: Contact): boolean;
}

export interface IdentityReaderOptions {
  /** Returns a keyed hash of 22 characters. */
  fingerprint: (purpose: string, text: string) => string;
  shape: IdentityShape | null;
  /** The fields that donor-sync could ever read with these settings. */
  known: readonly KnownSource[];
}

/**
 * The length of the text that identifies a set of fields. The 24 bits of this text distinguish the few sets of an
 * integration.
 */
const SOURCES_LENGTH = 4;
const NO_SOURCES = '-';
const SOURCED_PARTS = ['addresses', 'employers'] as const;

export function createIdentityReader(options: IdentityReaderOptions): IdentityReader {
  const { fingerprint } = options;
  const readabilities = createReadability(options);
  return {
    isPartial: ({ unreadable }) => readabilities(unreadable ?? NONE_UNREADABLE).isPartial,
    read(contact) {
      let known: string | null = null;
      const whole = () => {
        known ??= fingerprint('identity', identityText(contact));
        return known;
      };
      const { lost, sources } = readabilities(contact.unreadable ?? NONE_UNREADABLE);
      let parts: IdentityParts | null = null;
      const own = () => {
        parts ??= fingerprintParts(contact, sources, fingerprint);
        return { whole: whole(), ...parts };
      };
      return {
        lost,
        text: () => toIdentityText(own()),
        compareWith: (stored) => compare(stored, whole, sources, lost, own),
      };
    },
  };
}

const NONE_UNREADABLE: readonly string[] = [];

/** Creates the error for an identity that cannot be compared. A change that did not happen would cost a credit. */
function unknownForm(): FatalError {
  return new FatalError(
    'The fingerprint of a contact in the database is in a form that this version does not know. Nothing is spent on it: use the version that wrote the database.',
    { code: 'identity_form_unknown' },
  );
}

/** Compares two identities. Usually nothing has changed, so the parts do not have to be computed. */
function compare(
  stored: string,
  whole: () => string,
  sources: Record<SourcedPartName, string>,
  lost: readonly SourcedPartName[],
  own: () => ParsedIdentity,
): { changed: readonly ChangedPart[]; text: string } {
  const before = parseIdentityText(stored);
  if (before === null) {
    if (stored !== NEXT_READING) throw unknownForm();
    return { changed: ['unknown'], text: toIdentityText(own()) };
  }
  const isMadeAlike = SOURCED_PARTS.every((part) => before[part].sources === sources[part]);
  if (before.whole === whole() && (isMadeAlike || lost.length > 0))
    return { changed: [], text: stored };
  const now = { ...own() };
  for (const part of lost) now[part] = before[part];
  const text = toIdentityText(now);
  return { changed: changedParts(stored, text), text };
}

function fingerprintParts(
  contact: Contact,
  sources: Record<SourcedPartName, string>,
  fingerprint: IdentityReaderOptions['fingerprint'],
): IdentityParts {
  return {
    name: nameFingerprint(fingerprint, contact),
    addresses: sourced('addresses', contact.addresses.map(canonicalAddress)),
    employers: sourced('employers', contact.employers.map(canonicalEmployer)),
  };

  function sourced(part: SourcedPartName, texts: readonly string[]): SourcedPart {
    const text = distinctTexts(texts).join('\n');
    return {
      sources: sources[part],
      // An empty part identifies nobody, so it needs no keyed fingerprint.
      fingerprint: text === '' ? '' : partFingerprint(fingerprint, `identity_${part}`, text),
    };
  }
}

interface Readability {
  lost: readonly SourcedPartName[];
  isPartial: boolean;
  sources: Record<SourcedPartName, string>;
}

/**
 * Returns a function that computes the readable parts only once for each set of unreadable fields, because there are
 * few sets.
 */
function createReadability({
  shape,
  known,
}: IdentityReaderOptions): (unreadable: readonly string[]) => Readability {
  const bySet = new Map<string, Readability>();
  const byList = new WeakMap<readonly string[], Readability>();
  return (unreadable) => {
    const remembered = byList.get(unreadable);
    if (remembered !== undefined) return remembered;
    const key = unreadable.join('\n');
    const found = bySet.get(key) ?? workOut(unreadable);
    bySet.set(key, found);
    byList.set(unreadable, found);
    return found;
  };

  function workOut(unreadable: readonly string[]): Readability {
    const offered = shape?.sources ?? [];
    const isLost = ({ name }: KnownSource) =>
      unreadable.includes(name) || !offered.some((source) => source.name === name);
    const lost = new Set(known.filter(isLost).map(({ part }) => part));
    return {
      lost: SOURCED_PARTS.filter((part) => lost.has(part)),
      isPartial: unreadable.length > 0 || lost.size > 0,
      sources: {
        addresses: sourcesText(offered, 'addresses', unreadable),
        employers: sourcesText(offered, 'employers', unreadable),
      },
    };
  }
}

function sourcesText(
  offered: readonly IdentitySource[],
  wanted: SourcedPartName,
  unreadable: readonly string[],
): string {
  const names = offered
    .filter(({ name, part }) => part === wanted && !unreadable.includes(name))
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) return NO_SOURCES;
  // Shortened field names are not secret, so a plain hash is enough.
  return createHash('sha256').update(names.join('\n')).digest('base64url').slice(0, SOURCES_LENGTH);
}
