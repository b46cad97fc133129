import { z } from 'zod';
import type { Environment } from '../../../config/environment.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration.ts';
import type { HookSigning } from '../../../http/hook-address.ts';
import { newSecret } from '../../../http/request/secret.ts';
import { hookSecretPlace } from '../../../store/secrets/seal-places.ts';
import type { Sealer } from '../../../store/secrets/sealed.ts';
import type { HookRecord } from '../../../store/service/hooks.ts';

/** How the calls to a webhook address may be signed. */
export const SIGNATURES = ['none', 'hubspot', 'hmac'] as const;

/** What a person asks for; by default the kind of the address before, else none. */
export interface SigningOptions {
  signature?: (typeof SIGNATURES)[number] | undefined;
  /** The environment variable that holds the secret. */
  secretEnv?: string | undefined;
}

interface Known {
  env: Environment;
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
  { signature, secretEnv }: SigningOptions,
  known: Known,
): (HookSigning & { isNew: boolean }) | null {
  const kind = signature ?? known.before?.signature ?? 'none';
  if (kind === 'none') return null;
  if (secretEnv !== undefined) {
    return { kind, secret: fromEnvironment(known.env, secretEnv), isNew: false };
  }
  if (kind === 'hmac') return { kind, secret: newSecret(), isNew: true };
  return { kind, secret: appSecret(known), isNew: false };
}

function fromEnvironment(env: Environment, name: string): string {
  const secret = env[name];
  if (secret) return secret;
  throw new ConfigurationError(`The environment variable ${name} is not set.`, {
    code: 'environment_invalid',
    details: { variable: name },
  });
}

const appSchema = z.object({ auth: z.object({ clientSecret: z.string().min(1) }) });

/** HubSpot signs with the client secret of the app, which the settings or the address may have. */
function appSecret({ integration, before, sealer }: Known): string {
  const app = appSchema.safeParse(integration?.crm);
  if (app.success) return app.data.auth.clientSecret;
  if (before?.signature === 'hubspot' && before.secret !== null) {
    return sealer.open(before.secret, hookSecretPlace(before.integrationId));
  }
  throw new ConfigurationError(
    'HubSpot signs with the client secret of your app. Put it into an environment variable and name that one, for example --secret-env HUBSPOT_CLIENT_SECRET.',
    { code: 'hook_secret_missing' },
  );
}
