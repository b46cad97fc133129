/** How calls to a new webhook address are to be signed, and with which secret. */
import { z } from 'zod';
import type { HookRecord } from '../../../clients/statements/hooks.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { hookSecretSealContext } from '../../../database/encryption/seal-contexts.ts';
import type { Sealer } from '../../../database/encryption/sealed.ts';
import { newSecret } from '../request/secret.ts';
import type { HookSigning } from './hook-address.ts';

/** How the calls to a webhook address may be signed. */
export const HOOK_SIGNATURES = ['none', 'hubspot', 'hmac'] as const;

/** What a person asks for; by default the kind of the address before, else none. */
export interface SigningOptions {
  signature?: (typeof HOOK_SIGNATURES)[number] | undefined;
  /** What callers sign with, if the person brings it. */
  secret?: string | undefined;
}

interface Known {
  integration: Integration | undefined;
  /** The address that the new one takes the place of. */
  before: HookRecord | null;
  sealer: Pick<Sealer, 'open'>;
}

/**
 * How calls to a new address are signed; `isNew` if the secret was made just now, so that it
 * has to be shown. Throws a ConfigurationError if there is no secret to check signatures with.
 */
export function signingFor(
  { signature, secret }: SigningOptions,
  known: Known,
): (HookSigning & { isNew: boolean }) | null {
  const kind = signature ?? known.before?.signature ?? 'none';
  if (kind === 'none') return null;
  if (secret !== undefined) return { kind, secret, isNew: false };
  if (kind === 'hmac') return { kind, secret: newSecret(), isNew: true };
  return { kind, secret: appSecret(known), isNew: false };
}

const appSchema = z.object({ auth: z.object({ clientSecret: z.string().min(1) }) });

/** HubSpot signs with the client secret of the app, which the settings or the address may have. */
function appSecret({ integration, before, sealer }: Known): string {
  const app = appSchema.safeParse(integration?.crm);
  if (app.success) return app.data.auth.clientSecret;
  if (before?.signature === 'hubspot' && before.secret !== null) {
    return sealer.open(before.secret, hookSecretSealContext(before.integrationId));
  }
  throw new ConfigurationError(
    'HubSpot signs with the client secret of your app. Bring that secret; on the command line put it into an environment variable and name that one, for example --secret-env HUBSPOT_CLIENT_SECRET.',
    { code: 'hook_secret_missing' },
  );
}
