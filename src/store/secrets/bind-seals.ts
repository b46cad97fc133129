/**
 * Texts that older versions sealed for no place are sealed for their own, once in the life of a
 * database. Otherwise two of them could be exchanged in the database, and `undo` would restore one
 * person's values to another.
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import {
  isConfigurationError,
  isFatalError,
  messageOf,
  RetriableError,
} from '../../core/errors.ts';
import type { Tables, Trx } from '../engine/tables.ts';
import { FINGERPRINT_KEY, fingerprintKeyUnreadable } from './fingerprint.ts';
import { sealAnew } from './reseal.ts';
import { SEALED_COLUMNS, SECRET_VALUE, secretPlace } from './seal-places.ts';
import { isBound, type Sealer, type SealPlace, sealingKid, type UnboundOpener } from './sealed.ts';
import { findSecret } from './secrets.ts';

export interface SealBinding {
  sealer: Sealer;
  unbound: UnboundOpener;
}

/** What binding did. */
export interface Bound {
  /** Texts that are bound now. */
  bound: number;
  /** Ids of keys that are not here, whose texts stay as they are until the key is. */
  missingKeys: readonly string[];
  /** Texts that no key opens; they stay closed for good. */
  damaged: number;
}

const NOTHING: Bound = { bound: 0, missingKeys: [], damaged: 0 };

/** The secret that says that all texts are bound, but those of the keys it names; itself bound. */
const MARKER = 'seals_bound';

const markerSchema = z.strictObject({ missingKeys: z.array(z.string()) });

/** Rounds through all columns; more of them mean that an older version keeps on writing. */
const MAX_ROUNDS = 10;

/**
 * Binds what older versions sealed; afterwards no text of that form is believed again, but those of
 * a key that was missing, once, when it is back. Killed on the way, the next start goes on: the key
 * of the fingerprints is bound last, in one transaction with the marker, and a database in which it
 * is bound is done. Several processes may do it at once.
 *
 * Throws a ConfigurationError if the key of the fingerprints cannot be opened, and a RetriableError
 * if an older version is writing meanwhile. What such a one writes later is refused when it is
 * opened: it may cost a sign-in or an undo, and is never taken for another row's.
 */
export async function bindSeals(db: Kysely<Tables>, seals: SealBinding): Promise<Bound> {
  const marker = await findSecret(db, MARKER);
  if (marker !== null) return bindReturned(db, seals, marker);
  const key = await findSecret(db, FINGERPRINT_KEY);
  // Without that key there are no secrets yet; if the one that sealed it is missing, loading it tells.
  if (key === null || isBound(key) || !seals.unbound.has(sealingKid(key) ?? '')) return NOTHING;
  const boundKey = bindFingerprintKey(seals, key);
  const result = await bindAll(db, seals, () => true);
  await db.transaction().execute(async (trx) => {
    await replaceSecret(trx, FINGERPRINT_KEY, key, boundKey);
    await writeMarker(trx, seals, result.missingKeys);
  });
  return { ...result, bound: result.bound + 1 };
}

/**
 * Marks a database in which the key of the fingerprints is bound. As long as the marker is there, no
 * text of the older form is believed, even if that key is replaced by a copy in the older form.
 */
export async function markSealsBound(
  db: Kysely<Tables>,
  seals: Pick<SealBinding, 'sealer'>,
): Promise<void> {
  if ((await findSecret(db, MARKER)) === null) await writeMarker(db, seals, []);
}

/** True of a database of an older version, whose texts are still to be bound. */
export async function hasUnboundSeals(db: Kysely<Tables>): Promise<boolean> {
  const key = await findSecret(db, FINGERPRINT_KEY);
  return key !== null && !isBound(key) && (await findSecret(db, MARKER)) === null;
}

/** Binds the texts of keys that were missing and are back. */
async function bindReturned(
  db: Kysely<Tables>,
  seals: SealBinding,
  marker: string,
): Promise<Bound> {
  // Without the key of the marker nothing is believed, and the key of the fingerprints tells why.
  if (!seals.unbound.has(sealingKid(marker) ?? '')) return NOTHING;
  const text = seals.sealer.open(marker, secretPlace(MARKER));
  const { missingKeys } = markerSchema.parse(JSON.parse(text));
  const returned = missingKeys.filter((kid) => seals.unbound.has(kid));
  if (returned.length === 0) return NOTHING;
  const result = await bindAll(db, seals, (kid) => returned.includes(kid));
  const stillMissing = missingKeys.filter((kid) => !returned.includes(kid));
  await replaceSecret(db, MARKER, marker, sealMarker(seals, stillMissing));
  return { ...result, missingKeys: stillMissing };
}

/** All but the key of the fingerprints, which says until the end that there is something to do. */
async function bindAll(
  db: Kysely<Tables>,
  seals: SealBinding,
  isBelieved: (kid: string) => boolean,
): Promise<Bound> {
  let bound = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missingKeys = new Set<string>();
    let damaged = 0;
    let boundNow = 0;
    for (const column of SEALED_COLUMNS) {
      boundNow += await sealAnew(db, column, {
        isDue: (sealed, place) =>
          !isBound(sealed) && isBelieved(sealingKid(sealed) ?? '') && !isFingerprintKey(place),
        anew(sealed, place) {
          const { text, missingKey } = openUnbound(seals, sealed, place);
          if (missingKey !== null) missingKeys.add(missingKey);
          else if (text === null) damaged += 1;
          return text === null ? null : seals.sealer.seal(text, place);
        },
      });
    }
    bound += boundNow;
    if (boundNow === 0) return { bound, missingKeys: [...missingKeys], damaged };
  }
  throw new RetriableError(
    'An older version of donor-sync keeps writing into this database. Stop all of its processes, then try again.',
    { code: 'older_version_running' },
  );
}

/** A text that does not open must not keep the others from being bound. */
function openUnbound(
  { unbound }: SealBinding,
  sealed: string,
  place: SealPlace,
): { text: string | null; missingKey: string | null } {
  try {
    return { text: unbound.open(sealed, place), missingKey: null };
  } catch (error) {
    if (isConfigurationError(error)) return { text: null, missingKey: sealingKid(sealed) };
    if (isFatalError(error)) return { text: null, missingKey: null };
    throw error;
  }
}

function bindFingerprintKey({ sealer, unbound }: SealBinding, sealed: string): string {
  const place = secretPlace(FINGERPRINT_KEY);
  try {
    return sealer.seal(unbound.open(sealed, place), place);
  } catch (error) {
    throw fingerprintKeyUnreadable(messageOf(error), error);
  }
}

function isFingerprintKey({ table, row }: SealPlace): boolean {
  return table === SECRET_VALUE.table && row[0] === FINGERPRINT_KEY;
}

/** Of several processes that are done at once, the first one's marker stays. */
async function writeMarker(
  db: Kysely<Tables> | Trx,
  seals: Pick<SealBinding, 'sealer'>,
  missingKeys: readonly string[],
): Promise<void> {
  await db
    .insertInto('secrets')
    .values({ name: MARKER, value: sealMarker(seals, missingKeys) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

function sealMarker(
  { sealer }: Pick<SealBinding, 'sealer'>,
  missingKeys: readonly string[],
): string {
  return sealer.seal(JSON.stringify({ missingKeys }), secretPlace(MARKER));
}

/** Only while it is still the one that was read. */
async function replaceSecret(
  db: Kysely<Tables> | Trx,
  name: string,
  before: string,
  value: string,
): Promise<void> {
  await db
    .updateTable('secrets')
    .set({ value })
    .where('name', '=', name)
    .where('value', '=', before)
    .execute();
}
