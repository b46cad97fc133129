/**
 * Compares the identity in a CRM record with the stored one. A part that cannot be read is not empty, so if it could be
 * read before, it keeps its fingerprint. Spelling does not matter, because parts are compared in canonical spelling
 * (`canonical-address.ts`).
 */
import { createHash } from 'node:crypto';
import { type Contact, identityText } from '../core/contact.ts';
import { FatalError } from '../core/errors.ts';
import type { IdentityShape, IdentitySource } from '../core/identity-shape.ts';
import { canonicalAddress } from './canonical-address.ts';
import { canonicalEmployer } from './canonical-name.ts';
import {
  type ChangedPart,
  changedParts,
  type IdentityParts,
  NEXT_READING,
  type ParsedIdentity,
  parseIdentityText,
  type SourcedPart,
  toIdentityText,
} from './identity-text.ts';
import { distinctTexts, nameFingerprint, partFingerprint } from './person-fingerprints.ts';

/** The parts that may be unreadable. Without a name, a contact cannot be submitted. */
export type SourcedPartName = IdentitySource['part'];

/** A CRM field that could be read under the current settings at some time. */
export type KnownSource = Pick<IdentitySource, 'name' | 'part'>;

/**
 * A record's identity on its way from the CRM to a decision. Names and addresses are not passed on from here.
 */
export interface ReadIdentity {
  /** The parts that could be read under these settings before, and cannot be read now. */
  readonly lost: readonly SourcedPartName[];
  /** Returns the fingerprint for a contact that the store does not know. */
  text(): string;
  /** Returns the changes compared with a stored fingerprint, and the fingerprint that then represents both. */
  compareWith(stored: string): { changed: readonly ChangedPart[]; text: string };
}

export interface IdentityReader {
  read(contact: Contact): ReadIdentity;
  /** True if a part of the contact cannot be read now, or never could be. It may then be a different person. */
  isPartial(contact: Contact): boolean;
}

export interface IdentityReaderOptions {
  /** A keyed hash: `(purpose, text) => 22 characters`. */
  fingerprint: (purpose: string, text: string) => string;
  /** The connector's description of its sources, or null if everything can always be read. */
  shape: IdentityShape | null;
  /** Every source that could be read under these settings, now or in an earlier run. */
  known: readonly KnownSource[];
}

/**
 * The length of a fingerprint of sources. 24 bits distinguish the few sets of sources that one integration ever has.
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

/**
 * Creates the error for an identity that cannot be compared. It must not look like a change, because a change would
 * cost a credit.
 */
function unknownForm(): FatalError {
  return new FatalError(
    'The fingerprint of a contact in the database is in a form that this version does not know. Nothing is spent on it: use the version that wrote the database.',
    { code: 'identity_form_unknown' },
  );
}

/** Compares the whole first. Most contacts have not changed, so their parts need not be computed. */
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
      // An empty part identifies nobody, so it needs no key.
      fingerprint: text === '' ? '' : partFingerprint(fingerprint, `identity_${part}`, text),
    };
  }
}

/** The unreadable parts of one contact, or of all contacts. */
interface Readability {
  lost: readonly SourcedPartName[];
  isPartial: boolean;
  sources: Record<SourcedPartName, string>;
}

/**
 * Creates the readability of contacts. It is computed once for each set of unreadable sources, and there are only a few
 * sets.
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
  // This is not secret, because it contains only shortened names of fields.
  return createHash('sha256').update(names.join('\n')).digest('base64url').slice(0, SOURCES_LENGTH);
}
