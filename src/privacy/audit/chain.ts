/**
 * Encrypts the audit entries and chains them together. The chain covers the encrypted bytes, so destroying a contact's
 * key makes only the data about this contact unreadable. All keys except the contacts' keys are derived from the
 * fingerprint key, which never changes. Therefore, rotating the secret key does not break the chain.
 */
import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { createSealer, type SealContext, type Sealer } from '../../database/encryption/sealed.ts';

/** The parts of an audit entry that its hash covers. The hash also covers the previous entry's hash. */
export interface ChainedEntry {
  seq: number;
  at: number;
  integrationId: string | null;
  action: string;
  keyId: string | null;
  sealed: string;
}

/** Returns the keyed hash of an entry. Nobody without the key can write an entry with a valid hash. */
export function chainHash(fingerprint: Fingerprint, before: string, entry: ChainedEntry): string {
  const { seq, at, integrationId, action, keyId, sealed } = entry;
  const covered = [before, seq, at, integrationId, action, keyId, sealed];
  return fingerprint('audit_entry', JSON.stringify(covered));
}

/** Signs a position in the chain. The position is the end of the chain or the last purged entry. */
export function placeMark(
  fingerprint: Fingerprint,
  what: 'audit_end' | 'audit_purged',
  { seq, hash }: { seq: number; hash: string },
): string {
  return fingerprint(what, JSON.stringify([seq, hash]));
}

/** Signs the birth record of the chain, which records when the chain started. */
export function birthMark(
  fingerprint: Fingerprint,
  { at, hash }: { at: number; hash: string },
): string {
  return fingerprint('audit_birth', JSON.stringify([at, hash]));
}

/** The previous hash of the first entry. */
export const CHAIN_START = '';

const KEY_BYTES = 32;

/** Encrypts the audit entries of a database, and the keys of contacts. */
export function auditSealer(fingerprint: Fingerprint): Sealer {
  // A key has 256 bits, and a fingerprint has 128 bits. The key therefore consists of two fingerprints.
  const halves = ['first', 'second'].map((half) => fingerprint('audit_key', half));
  return createChainSealer(createHash('sha256').update(halves.join('\n')).digest());
}

/** Encrypts the contact's ID in an audit entry with the contact's own key (base64url). */
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
