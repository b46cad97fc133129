import { crmName, findWebhooks, WEBHOOKS } from '../../connectors/index.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Integration } from '../core/integration-settings.ts';
import { newSecret } from '../core/new-secret.ts';
import { publicAddress } from '../core/public-address.ts';
import type { ActorTransaction } from '../database/actor-transaction.ts';
import { hookSecretSealContext } from '../database/encryption/seal-contexts.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import { hashToken } from '../people/access-token.ts';
import { type HookRecord, saveHook } from './statements/hooks.ts';

export const HOOK_SIGNATURES: readonly string[] = [
  'none',
  ...WEBHOOKS.flatMap(({ kind, webhooks }) => (webhooks.signature === undefined ? [] : [kind])),
  'hmac',
];

/** True if the kind of signature is known. A loaded connector package can define its own kind. */
export function isHookSignature(kind: string): boolean {
  return HOOK_SIGNATURES.includes(kind) || findWebhooks(kind)?.signature !== undefined;
}

/**
 * Returns the kinds of signatures for a client. Only the client's own connector package can add a kind of signature.
 */
export function listHookSignatures(crmKind: string): readonly string[] {
  const isMore = !HOOK_SIGNATURES.includes(crmKind) && isHookSignature(crmKind);
  return isMore ? [...HOOK_SIGNATURES, crmKind] : HOOK_SIGNATURES;
}

export type SignatureKind = NonNullable<HookRecord['signature']>;

export interface HookSigning {
  kind: SignatureKind;
  /** The secret with which the caller signs its calls. */
  secret: string;
}

export interface SigningOptions {
  signature?: string | undefined;
  secret?: string | undefined;
}

interface Known {
  integration: Pick<Integration, 'id' | 'crm'>;
  /** The previous address, which the new address replaces. */
  before: HookRecord | null;
  sealer: Pick<Sealer, 'open'>;
}

/**
 * Creates an address. The previous address becomes invalid immediately. The database stores only the hash of the token,
 * so only the caller of this function gets the address.
 */
export async function createHookAddress(
  trx: ActorTransaction,
  sealer: Pick<Sealer, 'seal'>,
  publicUrl: string,
  integrationId: string,
  signing: HookSigning | null,
): Promise<string> {
  const token = newSecret();
  await saveHook(trx, {
    integrationId,
    tokenHash: hashToken(token),
    signature: signing?.kind ?? null,
    secret: signing && sealer.seal(signing.secret, hookSecretSealContext(integrationId)),
  });
  return publicAddress(publicUrl, `/hooks/${integrationId}/${token}`);
}

/**
 * Returns the signing settings. `isNew` is true for a new secret, which must be shown to the user. Throws a
 * ConfigurationError if there is no secret to verify signatures.
 */
export function signingFor(
  { signature, secret }: SigningOptions,
  known: Known,
): (HookSigning & { isNew: boolean }) | null {
  const kind = signature ?? known.before?.signature ?? 'none';
  if (kind === 'none') return null;
  if (secret !== undefined) return { kind, secret, isNew: false };
  if (kind === 'hmac') return { kind, secret: newSecret(), isNew: true };
  return { kind, secret: crmSecret(kind, known), isNew: false };
}

function crmSecret(kind: SignatureKind, { integration, before, sealer }: Known): string {
  const signature = findWebhooks(kind)?.signature;
  if (signature === undefined) throw new Error(`no connector declares the signature "${kind}"`);
  const inSettings = signature.findSecret(integration.crm);
  if (inSettings !== null) return inSettings;
  if (before?.signature === kind && before.secret !== null) {
    return sealer.open(before.secret, hookSecretSealContext(before.integrationId));
  }
  const { id } = integration;
  throw new ConfigurationError(
    `${crmName(kind)} signs its calls with ${signature.secretNoun}, which donor-sync does not have for "${id}". Nothing was changed. Enter the secret. In the terminal, put it into an environment variable and add its name, for example --secret-env ${signature.variable}`,
    { code: 'hook_secret_missing', details: { integration: id } },
  );
}

/** Creates the error for a client without an address. */
export function hookMissing(id: string): ConfigurationError {
  return new ConfigurationError(
    `"${id}" has no webhook address. Nothing was changed. Create one: donor-sync hooks create ${id}`,
    { code: 'hook_missing', refusal: 'unknown', details: { integration: id } },
  );
}

/** Creates the error for a client that already has an address. */
export function hookExists(id: string): ConfigurationError {
  return new ConfigurationError(
    `"${id}" already has a webhook address, and callers of the old address would be rejected after you create a new one. Nothing was changed. Replace it anyway: donor-sync hooks rotate ${id}`,
    { code: 'hook_exists', refusal: 'conflict', details: { integration: id } },
  );
}
