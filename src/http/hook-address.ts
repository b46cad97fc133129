/** The address that a person pastes into a Salesforce Flow or a HubSpot workflow. */
import { hashToken } from '../application/access-token.ts';
import { hookSecretPlace } from '../store/secrets/seal-places.ts';
import type { Sealer } from '../store/secrets/sealed.ts';
import type { Store } from '../store/store.ts';
import { newSecret } from './request/secret.ts';
import type { SignatureKind } from './signature.ts';

/** How the calls to a new address are signed. */
export interface HookSigning {
  kind: SignatureKind;
  /** What the caller signs with. */
  secret: string;
}

/**
 * Makes a new address for an integration; the one before it ends at once. Only the caller gets
 * the address: the store has only the hash of its token.
 */
export async function createHookAddress(
  { store, sealer }: { store: Pick<Store, 'hooks'>; sealer: Pick<Sealer, 'seal'> },
  publicUrl: string,
  integrationId: string,
  signing: HookSigning | null,
): Promise<string> {
  const token = newSecret();
  await store.hooks.save({
    integrationId,
    tokenHash: hashToken(token),
    signature: signing?.kind ?? null,
    secret: signing && sealer.seal(signing.secret, hookSecretPlace(integrationId)),
  });
  return publicAddress(publicUrl, `/hooks/${integrationId}/${token}`);
}

/** An address of ours as the world knows it. */
export function publicAddress(publicUrl: string, pathAndQuery: string): string {
  return publicUrl.replace(/\/+$/, '') + pathAndQuery;
}
