import { ConfigurationError } from '../core/errors.ts';
import type { MirroredNetwork } from '../store/networks/mirrored-networks.ts';
import type { Store } from '../store/store.ts';

/** The mirrored networks of an integration; a ConfigurationError says how to get some. */
export async function requireNetworks(
  { networks }: Pick<Store, 'networks'>,
  integrationId: string,
): Promise<MirroredNetwork[]> {
  const mirrored = await networks.listMirrored(integrationId);
  if (mirrored.some(({ members }) => members.length > 0)) return mirrored;
  throw new ConfigurationError(
    `"${integrationId}" has nobody in a network yet. Name groups of the CRM under networks in the settings, then run \`donor-sync sync ${integrationId}\`.`,
    { code: 'networks_missing', details: { integration: integrationId } },
  );
}
