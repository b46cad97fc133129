/** Links a user of a CRM to a user of donor-sync. The CRM's card shows a link that works once. */
import { z } from 'zod';
import { crmUserSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import type { Store } from '../store.ts';

/** The time for which a link works. Afterwards, the card in the CRM shows a new link. */
export const LINK_MS = 10 * 60_000;

const crmUserSchema = z.object({
  kind: z.string(),
  account: z.string(),
  user: z.string(),
  /**
   * The email address that the CRM reported. donor-sync shows this address to the user, but does not accept it as proof
   * of identity.
   */
  email: z.string(),
});

export type CrmUser = z.output<typeof crmUserSchema>;

const linkSchema = crmUserSchema.extend({ until: z.number() });

/**
 * The encryption context of a link. The link is not bound to a user, because it exists only in the address that the
 * card shows.
 */
const LINK = crmUserSealContext('link');

/** Creates the secret part of a link's address. Only this installation can read the secret part. */
export function createLinkSecret(sealer: Pick<Sealer, 'seal'>, user: CrmUser, now: number): string {
  const sealed = sealer.seal(JSON.stringify({ ...user, until: now + LINK_MS }), LINK);
  return Buffer.from(sealed, 'utf8').toString('base64url');
}

/** Returns null if donor-sync did not create the secret, or if the secret is too old. */
export function readLinkSecret(
  sealer: Pick<Sealer, 'open'>,
  secret: string,
  now: number,
): CrmUser | null {
  try {
    const text = sealer.open(Buffer.from(secret, 'base64url').toString('utf8'), LINK);
    const { until, ...user } = linkSchema.parse(JSON.parse(text));
    return until >= now ? user : null;
  } catch {
    // A user may have typed a different text into the address.
    return null;
  }
}

/** Identifies a user of a CRM. */
export function fingerprintCrmUser(
  { fingerprint }: Pick<Store, 'fingerprint'>,
  { kind, account, user }: Omit<CrmUser, 'email'>,
): string {
  return fingerprint('crm_user', `${kind}\n${account}\n${user}`);
}

export function sealCrmUser(sealer: Pick<Sealer, 'seal'>, id: string, user: CrmUser): string {
  return sealer.seal(JSON.stringify(user), crmUserSealContext(id));
}

export function openCrmUser(
  sealer: Pick<Sealer, 'open'>,
  { id, sealed }: { id: string; sealed: string },
): CrmUser {
  return crmUserSchema.parse(JSON.parse(sealer.open(sealed, crmUserSealContext(id))));
}
