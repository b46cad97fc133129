/**
 * How entries of the audit are sealed and chained. The chain covers the sealed bytes, so that
 * destroying the key of a contact takes away what an entry says of it and nothing else. All keys come
 * from that of the fingerprints, which never changes: rotating the secret key breaks no chain.
 */
import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import type { Fingerprint } from '../secrets/fingerprint.ts';
import { createSealer, type Sealer, type SealPlace } from '../secrets/sealed.ts';

/** What the hash of an entry covers, besides the hash before it. */
export interface ChainedEntry {
  seq: number;
  at: number;
  integrationId: string | null;
  action: string;
  keyId: string | null;
  sealed: string;
}

/** The keyed hash of an entry: no person without the key can write one that fits. */
export function chainHash(fingerprint: Fingerprint, before: string, entry: ChainedEntry): string {
  const { seq, at, integrationId, action, keyId, sealed } = entry;
  const covered = [before, seq, at, integrationId, action, keyId, sealed];
  return fingerprint('audit_entry', JSON.stringify(covered));
}

/** Signs a place of the chain: its end, or the last entry that was purged. */
export function placeMark(
  fingerprint: Fingerprint,
  what: 'audit_end' | 'audit_purged',
  { seq, hash }: { seq: number; hash: string },
): string {
  return fingerprint(what, JSON.stringify([seq, hash]));
}

/** Before the first entry. */
export const CHAIN_START = '';

const KEY_BYTES = 32;

/** What seals the entries of a database, and the keys of contacts. */
export function auditSealer(fingerprint: Fingerprint): Sealer {
  // Two fingerprints of 128 bits are a key of 256.
  const halves = ['first', 'second'].map((half) => fingerprint('audit_key', half));
  return sealerOf(createHash('sha256').update(halves.join('\n')).digest());
}

/** What seals the contact of an entry with its own key, in base64url. */
export function contactSealer(key: string): Sealer {
  return sealerOf(Buffer.from(key, 'base64url'));
}

export function newContactKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function sealerOf(bytes: Buffer): Sealer {
  const current = { kid: 'audit', secret: createSecretKey(bytes) };
  return createSealer({ current, keys: [current] });
}

export function entryPlace(seq: number): SealPlace {
  return { table: 'audit_entries', column: 'sealed', row: [String(seq)] };
}

export function contactPlace(seq: number): SealPlace {
  return { table: 'audit_entries', column: 'contact', row: [String(seq)] };
}

export function keyPlace({
  id,
  integrationId,
  crmId,
}: {
  id: string;
  integrationId: string;
  crmId: string;
}): SealPlace {
  return { table: 'audit_keys', column: 'sealed', row: [id, integrationId, crmId] };
}
