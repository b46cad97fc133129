/** Protects private networks. If an address was set in a browser, requests cannot reach a private network. */
import type { LookupFunction } from 'node:net';
import type { Integration } from '../core/integration-settings.ts';
import { type NamedByOperator, outboundFetch } from '../outbound/guard.ts';
import type { SetupEnvironment } from '../settings/environment.ts';
import type { Settings } from '../settings/settings.ts';
import { requirePublicAddress } from './setup/address.ts';

export interface ClientGuard {
  requirePublic(address: string): Promise<void>;
  /**
   * Returns the fetch function for a client whose addresses were set in a browser. Returns undefined if an operator set
   * the addresses.
   */
  fetchFor(integration: Pick<Integration, 'addresses'>): typeof globalThis.fetch | undefined;
}

/**
 * Creates the guard. The guard allows the addresses that the operator has set in the settings or in environment
 * variables.
 */
export function createClientGuard(
  settings: Pick<Settings, 'setup' | 'allowInsecureHttp'>,
  environment: SetupEnvironment,
  lookup?: LookupFunction,
): ClientGuard {
  const named = namedByOperator(settings, environment);
  const fetch = outboundFetch({ named, lookup });
  return {
    requirePublic: (address) => requirePublicAddress(address, named, lookup),
    fetchFor: ({ addresses }) => (addresses === 'public' ? fetch : undefined),
  };
}

function namedByOperator(
  { setup, allowInsecureHttp }: Pick<Settings, 'setup' | 'allowInsecureHttp'>,
  { serviceUrl, hosts }: SetupEnvironment,
): NamedByOperator {
  const apps = Object.values(setup.apps).map((app) => app?.url);
  const addresses = [setup.service, ...apps, serviceUrl];
  return {
    origins: addresses.flatMap((address) =>
      address && URL.canParse(address) ? [new URL(address).origin] : [],
    ),
    hosts: [...allowInsecureHttp, ...hosts],
  };
}
