/** Encrypts and decrypts paid profiles. Each profile is encrypted with its own key. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { z } from 'zod';
import type { Profile } from '../core/profile.ts';
import { createDraws } from '../database/encryption/draws.ts';
import { profileKeySealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { SyncDeps } from '../sync/control/context.ts';
import { damagedProfile } from './damaged-profile.ts';
import {
  formatGiving,
  GIVING_LENGTH,
  type GivingRecord,
  parseGiving,
  toGivingRecord,
} from './giving-record.ts';
import type { KeptRecord } from './statements/kept-profiles.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const nextDraw = createDraws(KEY_BYTES + IV_BYTES);

const nameOrNull = z.string().nullable();
const amountOrNull = z.number().nullable();

/** The stored order of a profile's parts. With names, the profile would need a third more space. */
const packedSchema = z.tuple([
  z.literal(1),
  z.string(),
  z.tuple([nameOrNull, nameOrNull, nameOrNull]),
  nameOrNull,
  amountOrNull,
  z.boolean(),
  amountOrNull,
  z.tuple([z.number(), z.number()]).nullable(),
  z.tuple([amountOrNull, amountOrNull]),
  z.array(z.string()),
  z.array(z.string()),
  z.array(z.string()),
]);

/** A stored profile. The part for rankings is stored together with the profile's key. */
export interface EncryptedProfile {
  key: string;
  profile: string;
}

/** Replaces a profile that is not stored. */
export const NOT_KEPT: EncryptedProfile = { key: '', profile: '' };

/**
 * Encrypts a profile with a new key. The secret key encrypts the new key. Both can be decrypted only in the contact's
 * own row.
 */
export function encryptProfile(
  { sealer }: Pick<SyncDeps, 'sealer'>,
  integrationId: string,
  crmId: string,
  profile: Profile,
): EncryptedProfile {
  const drawn = nextDraw();
  const key = drawn.subarray(0, KEY_BYTES);
  const iv = drawn.subarray(KEY_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  const parts = [iv, cipher.update(pack(profile), 'utf8'), cipher.final(), cipher.getAuthTag()];
  const sealedKey = sealer.seal(
    formatGiving(toGivingRecord(profile)) + key.toString('base64url'),
    profileKeySealContext(integrationId, crmId),
  );
  key.fill(0);
  return {
    key: sealedKey,
    profile: Buffer.concat(parts).toString('base64url'),
  };
}

/** Decrypts a profile. Throws a FatalError if the profile belongs to another contact or someone has changed it. */
export function decryptProfile(
  { sealer }: Pick<SyncDeps, 'sealer'>,
  {
    integrationId,
    crmId,
    key,
    profile,
  }: Pick<KeptRecord, 'integrationId' | 'crmId' | 'key' | 'profile'>,
): Profile {
  const { keyText } = openKey({ sealer }, integrationId, crmId, key);
  const opened = Buffer.from(keyText, 'base64url');
  const bytes = Buffer.from(profile, 'base64url');
  const end = bytes.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, opened, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(end));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]);
    return unpack(text.toString());
  } catch (error) {
    throw damagedProfile(error);
  }
}

/** Decrypts only the part for rankings. Throws a FatalError for the same reasons as `decryptProfile`. */
export function decryptGiving(
  deps: { sealer: Pick<Sealer, 'open'> },
  integrationId: string,
  crmId: string,
  key: string,
): GivingRecord {
  return parseGiving(openKey(deps, integrationId, crmId, key).giving);
}

function openKey(
  { sealer }: { sealer: Pick<Sealer, 'open'> },
  integrationId: string,
  crmId: string,
  key: string,
): { giving: string; keyText: string } {
  const text = sealer.open(key, profileKeySealContext(integrationId, crmId));
  return { giving: text.slice(0, GIVING_LENGTH), keyText: text.slice(GIVING_LENGTH) };
}

function pack(profile: Profile): string {
  const { name, netWorth, capacity } = profile;
  return JSON.stringify([
    1,
    profile.donorId,
    [name.first, name.middle, name.last],
    profile.profileUrl,
    profile.age,
    profile.isDeceased,
    profile.probability ?? null,
    netWorth === null ? null : [netWorth.low, netWorth.high],
    [capacity.political, capacity.nonprofit],
    profile.education,
    profile.work,
    profile.bio,
  ]);
}

function unpack(text: string): Profile {
  const parsed = packedSchema.parse(JSON.parse(text));
  const [, donorId, names, profileUrl, age, isDeceased, probability, worth, capacity] = parsed;
  const [, , , , , , , , , education, work, bio] = parsed;
  const [first, middle, last] = names;
  const [political, nonprofit] = capacity;
  return {
    donorId,
    name: { first, middle, last },
    profileUrl,
    age,
    isDeceased,
    ...(probability === null ? {} : { probability }),
    netWorth: worth === null ? null : { low: worth[0], high: worth[1] },
    capacity: { political, nonprofit },
    education,
    work,
    bio,
  };
}
