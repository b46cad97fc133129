import { createHash } from 'node:crypto';
import type { WallClock } from '../src/core/clock.ts';
import { ConfigurationError } from '../src/core/errors.ts';
import type { ConnectorSecrets } from './contract.ts';

export interface RefreshTokenStore {
  secrets: ConnectorSecrets;
  clock: WallClock;
  signal: AbortSignal;
  /** The name of the secret that holds the present refresh token. */
  name: string;
  /** The token in the settings, for as long as none is stored. */
  settingsToken: string | null;
}

/** Looks at the store for the token of another process, and the wait before each but the first. */
const LOOKS = 5;
const LOOK_WAIT_MS = 200;

/** Refresh tokens that are tried before a refusal counts; processes may keep overtaking us. */
const MAX_TOKENS = 3;

/**
 * Refreshes with the stored token, or with the one in the settings. If it is refused, another
 * process may have used it up a moment ago: then the token that it leaves in the store is tried.
 * `ask` has a rotated token on disk before it resolves. Throws a ConfigurationError if there is none.
 */
export async function refreshWithStored<Reply>(
  store: RefreshTokenStore,
  ask: (refreshToken: string) => Promise<Reply>,
): Promise<Reply> {
  let token = (await store.secrets.read(store.name)) ?? store.settingsToken;
  if (token === null) throw notConnected();
  for (let tried = 1; ; tried += 1) {
    try {
      return await ask(token);
    } catch (error) {
      if (!(error instanceof ConfigurationError) || tried === MAX_TOKENS) throw error;
      const other = await awaitOther(store, token);
      if (other === null) throw error;
      token = other;
    }
  }
}

/** A short fingerprint of a secret, to tell one from another where neither may be seen. */
export function secretFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

function notConnected(): ConfigurationError {
  const message =
    'The CRM account is not connected: run `donor-sync connect` with the id of the integration.';
  return new ConfigurationError(message, { code: 'crm_unauthorized' });
}

/** What another process has stored meanwhile; it may need a moment between answer and disk. */
async function awaitOther(
  { secrets, name, clock, signal }: RefreshTokenStore,
  used: string,
): Promise<string | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(LOOK_WAIT_MS, signal);
    const stored = await secrets.read(name);
    if (stored !== null && stored !== used) return stored;
  }
  return null;
}
