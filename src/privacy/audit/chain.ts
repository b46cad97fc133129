/**
 * How entries of the audit are sealed and chained. The chain covers the sealed bytes, so that
 * destroying the key of a contact takes away what an entry says of it and nothing else. All keys come
 * from that of the fingerprints, which never changes: rotating the secret key breaks no chain.
 */
import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { createSealer, type SealContext, type Sealer } from '../../database/encryption/sealed.ts';

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

/** Signs the birth record of the chain. */
export function birthMark(
  fingerprint: Fingerprint,
  { at, hash }: { at: number; hash: string },
): string {
  return fingerprint('audit_birth', JSON.stringify([at, hash]));
}

/** Before the first entry. */
export const CHAIN_START = '';

const KEY_BYTES = 32;

/** What seals the entries of a database, and the keys of contacts. */
export function auditSealer(fingerprint: Fingerprint): Sealer {
  // Two fingerprints of 128 bits are a key of 256.
  const halves = ['first', 'second'].map((half) => fingerprint('audit_key', half));
  return createChainSealer(createHash('sha256').update(halves.join('\n')).digest());
}

/** What seals the contact of an entry with its own key, in base64url. */
export function contactSealer(key: string): Sealer {
  return createChainSealer(Buffer.from(key, 'base64url'));
}

export function newContactKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

function createChainSealer(bytes: Buffer): Sealer {
  const current = { kid: 'audit', secret: createSecretKey(bytes) };
  return createSealer({ current, keys: [current] });
}

export function entrySealContext(seq: number): SealContext {
  return { table: 'audit_entries', column: 'sealed', row: [String(seq)] };
}

export function contactSealContext(seq: number): SealContext {
  return { table: 'audit_entries', column: 'contact', row: [String(seq)] };
}

export function keySealContext({
  id,
  integrationId,
  crmId,
}: {
  id: string;
  integrationId: string;
  crmId: string;
}): SealContext {
  return { table: 'audit_keys', column: 'sealed', row: [id, integrationId, crmId] };
}
