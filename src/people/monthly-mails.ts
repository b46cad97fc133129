/** Decides who may receive monthly emails, and creates the links in these emails. */
import type { MailKind } from '../core/mail-kinds.ts';
import { MAIL_KINDS } from '../core/mail-kinds.ts';
import { newSecret } from '../core/new-secret.ts';
import type { ActorTransaction } from '../database/actor-transaction.ts';
import type { Store } from '../database/store.ts';
import { hashToken } from './access-token.ts';
import { type MailPlace, storeEmailProof } from './statements/mail-choices.ts';
import type { PersonRecord } from './statements/people.ts';

const PROOF_MS = 86_400_000;

/** The shortest time between two emails that verify an address. */
const PROOF_PAUSE_MS = 60_000;

/**
 * True if emails to the user's address certainly arrive. The user proves this by opening a link in an email. A sign-in
 * with the identity provider also proves it, because the provider reports only verified addresses.
 */
export function isVerified({
  emailVerifiedAt,
  subject,
}: Pick<PersonRecord, 'emailVerifiedAt' | 'subject'>): boolean {
  return emailVerifiedAt !== null || subject !== null;
}

/**
 * Stores a one-time value that verifies the user's address within a day. Returns null if a value was created less than
 * a minute ago, so that nobody can flood a mailbox.
 */
export async function createProof(
  trx: ActorTransaction,
  personId: string,
): Promise<{ path: string; hash: string } | null> {
  const secret = newSecret();
  const now = trx.clock.now();
  const proof = {
    hash: hashToken(secret),
    until: now + PROOF_MS,
    unlessUntil: now + PROOF_MS - PROOF_PAUSE_MS,
  };
  if (!(await storeEmailProof(trx, personId, proof))) return null;
  return { path: `/account/mails/confirm?code=${secret}`, hash: proof.hash };
}

type Fingerprinting = Pick<Store, 'fingerprint'>;

/**
 * Returns the path of the page that stops a monthly email. The page works without a session, because everyone who
 * receives the email can use it.
 */
export function stopPath(store: Fingerprinting, place: MailPlace): string {
  return `/stop-mails/${place.kind}.${place.personId}.${stopProof(store, place)}`;
}

/** Returns the email that a link stops, or null if donor-sync did not create the link. */
export function readStopLink(store: Fingerprinting, secret: string): MailPlace | null {
  const [word = '', personId = '', proof = ''] = secret.split('.');
  const kind = MAIL_KINDS.find((each) => each === word);
  if (kind === undefined) return null;
  const place: MailPlace = { kind: kind satisfies MailKind, personId };
  // Compares hashes, so the response time does not reveal which part of a guess is right.
  return hashToken(stopProof(store, place)) === hashToken(proof) ? place : null;
}

function stopProof({ fingerprint }: Fingerprinting, { kind, personId }: MailPlace): string {
  return fingerprint('mail_stop', `${kind} ${personId}`);
}
