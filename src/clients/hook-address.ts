/** Creates clients' webhook addresses, and decides how calls to them are signed. */
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

/** How the calls to any client's webhook address may be signed. */
export const HOOK_SIGNATURES: readonly string[] = [
  'none',
  ...WEBHOOKS.flatMap(({ kind, webhooks }) => (webhooks.signature === undefined ? [] : [kind])),
  'hmac',
];

/** Returns true for a built-in signature, and for a loaded connector package whose CRM signs its calls. */
export function isHookSignature(kind: string): boolean {
  return HOOK_SIGNATURES.includes(kind) || findWebhooks(kind)?.signature !== undefined;
}

/** Returns how the calls about a client with this CRM may be signed. Only its own connector package can add a way. */
export function listHookSignatures(crmKind: string): readonly string[] {
  const isMore = !HOOK_SIGNATURES.includes(crmKind) && isHookSignature(crmKind);
  return isMore ? [...HOOK_SIGNATURES, crmKind] : HOOK_SIGNATURES;
}

/** The kind of a CRM that signs its own calls, or `hmac`. */
export type SignatureKind = NonNullable<HookRecord['signature']>;

/** How the calls to a new address are signed. */
export interface HookSigning {
  kind: SignatureKind;
  /** The secret with which the caller signs. */
  secret: string;
}

/** The kind that a user requests. By default, it is the kind of the previous address, or no signature. */
export interface SigningOptions {
  signature?: string | undefined;
  /** The secret with which callers sign, if the user provides it. */
  secret?: string | undefined;
}

interface Known {
  integration: Pick<Integration, 'id' | 'crm'>;
  /** The address that the new address replaces. */
  before: HookRecord | null;
  sealer: Pick<Sealer, 'open'>;
}

/**
 * Creates an address for a client. The previous address becomes invalid immediately. Only the caller gets the new
 * address, because the store contains only its token's hash.
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
 * Returns how calls to a new address are signed. `isNew` is true if the secret was created just now, so it has to be
 * shown. Throws a ConfigurationError if there is no secret to check signatures with.
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

/** Returns the secret with which a CRM signs. It may be in the settings, or belong to the previous address. */
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
